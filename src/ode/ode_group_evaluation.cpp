#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "ode/ode_group_impl.hpp"

namespace tandem::ode {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

/// Nothing is looked up or allocated in an evaluation: what it needs is made ready here.
void OdeGroup::Impl::make_errands() {
    errands.clear();
    last_errands.clear();
    for (const GroupCall& call : plan.calls)
        errands.push_back(make_errand(call.member, call.inputs, call.outputs));
    for (int m = 0; m < net->size(); ++m)
        last_errands.push_back(make_errand(m, plan.late_inputs[at(m)], {}));
    for (Loop& loop : loops) {
        loop.errands.clear();
        add_sources(loop.outside, loop.plan->external);
        for (const int m : loop.plan->members) {
            Errand& errand = loop.errands.emplace_back();
            errand.member = m;
            errand.outputs = of_member(loop.plan->outputs, net->output_begin, m);
            std::vector<int> inputs = of_member(loop.plan->inputs, net->input_begin, m);
            add_sources(errand, inputs);
            std::ranges::copy(of_member(loop.plan->external, net->input_begin, m),
                              std::back_inserter(inputs));
            prepare(errand, inputs);
        }
    }
    is_resolved = false;
}

std::vector<int> OdeGroup::Impl::of_member(const std::vector<int>& ports,
                                           const std::vector<int>& begin, int m) {
    std::vector<int> own;
    for (const int port : ports)
        if (port >= begin[at(m)] && port < begin[at(m) + 1]) own.push_back(port);
    return own;
}

OdeGroup::Impl::Errand OdeGroup::Impl::make_errand(int m, const std::vector<int>& inputs,
                                                   const std::vector<int>& outputs) {
    Errand errand;
    errand.member = m;
    errand.outputs = outputs;
    add_sources(errand, inputs);
    prepare(errand, inputs);
    return errand;
}

void OdeGroup::Impl::add_sources(Errand& errand, const std::vector<int>& inputs) const {
    for (const int input : inputs) {
        const GroupNet::Feeder& feeder = net->feeders[at(input)];
        if (feeder.link >= 0) {
            const Link& link = net->links[at(feeder.link)];
            errand.wires.push_back({at(input), at(link.output), link.gain, link.offset});
        } else if (feeder.function >= 0) {
            errand.functions.push_back(input);
        }
    }
}

void OdeGroup::Impl::prepare(Errand& errand, std::vector<int> inputs) {
    OdeModel& model = *members[at(errand.member)];
    std::vector<int> outputs = errand.outputs;
    for (int& input : inputs) input -= net->input_begin[at(errand.member)];
    for (int& output : outputs) output -= net->output_begin[at(errand.member)];
    errand.sets_inputs = !inputs.empty();
    errand.set = model.prepare_inputs(inputs);
    if (!outputs.empty()) errand.get = model.prepare_outputs(outputs);
    errand.is_prepared = errand.set >= 0 && (outputs.empty() || errand.get >= 0);
}

/// The inputs of an errand from the outputs known so far.
void OdeGroup::Impl::feed(const Errand& errand) {
    for (const Wire& wire : errand.wires)
        u[wire.input] = wire.gain * y[wire.output] + wire.offset;
    for (const int input : errand.functions) {
        const FunctionLink& function = net->functions[at(net->feeders[at(input)].function)];
        for (std::size_t i = 0; i < function.outputs.size(); ++i)
            signals[i] = y[at(function.outputs[i])];
        u[at(input)] = function.function(t, std::span(signals).first(function.outputs.size()));
    }
}

/// Hands a member its inputs and, once for each point, time and states; then reads its outputs.
bool OdeGroup::Impl::run(const Errand& errand) {
    if (!errand.is_prepared || phase != Phase::continuous) return run_whole(errand);
    const int m = errand.member;
    OdeModel& model = *members[at(m)];
    if (!is_presented[at(m)]) {
        is_presented[at(m)] = 1;
        if (!model.set_states(t, states_of(m))) return false;
    }
    if (errand.sets_inputs) model.set_prepared(errand.set, inputs_of(m));
    return errand.get < 0 || model.get_prepared(errand.get, slice(y, net->output_begin, m));
}

/// The same with all inputs and outputs of the member.
bool OdeGroup::Impl::run_whole(const Errand& errand) {
    const int m = errand.member;
    OdeModel& model = *members[at(m)];
    const bool was_presented = std::exchange(is_presented[at(m)], 1) != 0;
    if (!was_presented && phase == Phase::continuous) {
        if (!model.set_point({t, states_of(m), inputs_of(m)})) return false;
    } else if (!was_presented || errand.sets_inputs) {
        model.set_inputs(inputs_of(m));
    }
    if (errand.outputs.empty()) return true;
    if (!model.outputs(outputs_of(m))) return false;
    for (const int output : errand.outputs) y[at(output)] = y_own[at(output)];
    return true;
}

/// All outputs and inputs at the point that is set.
bool OdeGroup::Impl::resolve() {
    is_resolved = false;
    std::ranges::fill(is_presented, 0);
    for (Loop& loop : loops) loop.is_current = false;
    for (const GroupPlan::Step& step : plan.steps) {
        if (step.loop >= 0) {
            if (!solve(loops[at(step.loop)])) return false;
            continue;
        }
        const Errand& errand = errands[at(step.call)];
        feed(errand);
        if (!run(errand)) return false;
    }
    for (const Errand& errand : last_errands) {
        feed(errand);
        if ((errand.sets_inputs || !is_presented[at(errand.member)]) && !run(errand)) return false;
    }
    is_resolved = phase == Phase::continuous;
    return true;
}

/// The solver looks at one point several times: for derivatives, indicators, outputs.
bool OdeGroup::set_point(const OdePoint& point) {
    Impl& group = *impl_;
    const auto is_input_there = [&] {
        for (std::size_t i = 0; i < point.u.size(); ++i)
            if (group.u[at(group.free_inputs[i])] != point.u[i]) return false;
        return true;
    };
    const bool was_written = group.variables->take_written();
    if (group.is_resolved && !was_written && point.t == group.t && is_input_there() &&
        std::ranges::equal(point.x, group.x))
        return true;
    group.t = point.t;
    std::ranges::copy(point.x, group.x.begin());
    for (std::size_t i = 0; i < point.u.size(); ++i) group.u[at(group.free_inputs[i])] = point.u[i];
    return group.resolve();
}

bool OdeGroup::derivatives(std::span<double> dx) {
    const std::vector<int>& begin = impl_->net->state_begin;
    for (int m = 0; m < size(); ++m)
        if (!impl_->members[at(m)]->derivatives(
                dx.subspan(at(begin[at(m)]), at(begin[at(m) + 1] - begin[at(m)]))))
            return false;
    return true;
}

bool OdeGroup::outputs(std::span<double> y) {
    if (impl_->phase == Impl::Phase::initialising) impl_->resolve_until_settled();
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = impl_->y[at(impl_->shown_outputs[i])];
    return true;
}

}  // namespace tandem::ode
