#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "numerics/index.hpp"
#include "ode/group/ode_group_impl.hpp"

namespace tandem::ode {
/// Nothing is looked up or allocated in an evaluation: what it needs is made ready here.
void OdeGroup::Impl::make_errands() {
    errands.clear();
    last_errands.clear();
    for (const GroupCall& call : plan.calls)
        errands.push_back(make_errand(call.member, call.inputs, call.outputs));
    for (int m = 0; m < net->size(); ++m)
        last_errands.push_back(make_errand(m, plan.late_inputs[numerics::at(m)], {}));
    for (Loop& loop : loops) {
        loop.errands.clear();
        add_sources(loop.outside, loop.plan->external);
        for (const int m : loop.plan->members) {
            Errand& errand = loop.errands.emplace_back();
            errand.member = m;
            errand.outputs = of_member(loop.plan->outputs, net->output_begin, m);
            errand.inputs = of_member(loop.plan->inputs, net->input_begin, m);
            add_sources(errand, errand.inputs);
            std::ranges::copy(of_member(loop.plan->external, net->input_begin, m),
                              std::back_inserter(errand.inputs));
            prepare(errand);
        }
    }
    find_places();
    is_resolved = false;
}

std::vector<int> OdeGroup::Impl::of_member(const std::vector<int>& ports,
                                           const std::vector<int>& begin, int m) {
    std::vector<int> own;
    for (const int port : ports)
        if (port >= begin[numerics::at(m)] && port < begin[numerics::at(m) + 1])
            own.push_back(port);
    return own;
}

OdeGroup::Impl::Errand OdeGroup::Impl::make_errand(int m, const std::vector<int>& inputs,
                                                   const std::vector<int>& outputs) {
    Errand errand;
    errand.member = m;
    errand.inputs = inputs;
    errand.outputs = outputs;
    add_sources(errand, inputs);
    prepare(errand);
    return errand;
}

void OdeGroup::Impl::add_sources(Errand& errand, const std::vector<int>& inputs) {
    for (const int input : inputs) {
        const GroupNet::Feeder& feeder = net->feeders[numerics::at(input)];
        Wire wire{static_cast<std::uint32_t>(input), 0, &u[numerics::at(input)]};
        if (feeder.link >= 0) {
            const Link& link = net->links[numerics::at(feeder.link)];
            wire.output = static_cast<std::uint32_t>(link.output);
            if (link.gain == 1.0 && link.offset == 0.0)
                errand.wires.push_back(wire);
            else
                errand.scaled.push_back({wire, link.gain, link.offset});
        } else if (feeder.function >= 0) {
            wire.output = static_cast<std::uint32_t>(feeder.function);
            errand.functions.push_back(wire);
        } else {
            errand.free.push_back(wire);
        }
    }
}

void OdeGroup::Impl::prepare(Errand& errand) {
    OdeModel& model = *members[numerics::at(errand.member)];
    std::vector<int> inputs = errand.inputs;
    std::vector<int> outputs = errand.outputs;
    for (int& input : inputs) input -= net->input_begin[numerics::at(errand.member)];
    for (int& output : outputs) output -= net->output_begin[numerics::at(errand.member)];
    errand.set = model.prepare_inputs(inputs);
    if (!outputs.empty()) errand.get = model.prepare_outputs(outputs);
    errand.is_prepared = errand.set >= 0 && (outputs.empty() || errand.get >= 0);
}

/// A loop has inputs from outside, which are not fed together with the others: no places there.
void OdeGroup::Impl::find_places() {
    for (Errand& errand : errands) find_places(errand);
    for (Errand& errand : last_errands) find_places(errand);
}

void OdeGroup::Impl::find_places(Errand& errand) {
    if (!errand.is_prepared) return;
    const auto places = members[numerics::at(errand.member)]->places_of(errand.set);
    errand.is_direct = !places.empty() && places.size() == errand.inputs.size();
    if (!errand.is_direct) return;
    const auto place = [&](Wire& wire) {
        const auto found = std::ranges::find(errand.inputs, static_cast<int>(wire.input));
        wire.place = places[static_cast<std::size_t>(found - errand.inputs.begin())];
    };
    for (auto* wires : {&errand.wires, &errand.free, &errand.functions})
        std::ranges::for_each(*wires, place);
    for (ScaledWire& scaled : errand.scaled) place(scaled.wire);
}

/// The inputs of an errand from the outputs known so far.
void OdeGroup::Impl::feed(const Errand& errand) {
    for (const Wire& wire : errand.wires) *wire.place = u[wire.input] = y[wire.output];
    for (const auto& [wire, gain, offset] : errand.scaled)
        *wire.place = u[wire.input] = gain * y[wire.output] + offset;
    for (const Wire& wire : errand.free) *wire.place = u[wire.input];
    for (const Wire& wire : errand.functions) {
        const FunctionLink& function = net->functions[wire.output];
        for (std::size_t i = 0; i < function.outputs.size(); ++i)
            signals[i] = y[numerics::at(function.outputs[i])];
        const double value =
            function.function(t, std::span(signals).first(function.outputs.size()));
        if (!std::isfinite(value)) [[unlikely]]
            note_bad(wire.output);
        *wire.place = u[wire.input] = value;
    }
}

/// Hands a member its inputs and, once for each point, time and states: those of the errand alone
/// or, where it is not prepared, all inputs.
bool OdeGroup::Impl::present(const Errand& errand) {
    const int m = errand.member;
    OdeModel& model = *members[numerics::at(m)];
    const bool was_presented = std::exchange(is_presented[numerics::at(m)], 1) != 0;
    if (!errand.is_prepared || phase != Phase::continuous) {
        if (!was_presented && phase == Phase::continuous)
            return model.set_point({t, states_of(m), inputs_of(m)});
        if (!was_presented || !errand.inputs.empty()) model.set_inputs(inputs_of(m));
        return true;
    }
    if (!was_presented && !model.set_states(t, states_of(m))) return false;
    if (errand.is_direct)
        model.inputs_written(errand.set);
    else if (!errand.inputs.empty())
        model.set_prepared(errand.set, inputs_of(m));
    return true;
}

/// The same, then reads its outputs.
bool OdeGroup::Impl::run(const Errand& errand) {
    const int m = errand.member;
    OdeModel& model = *members[numerics::at(m)];
    if (!present(errand)) return false;
    if (errand.is_prepared && phase == Phase::continuous)
        return errand.get < 0 || model.get_prepared(errand.get, slice(y, net->output_begin, m));
    if (errand.outputs.empty()) return true;
    if (!model.outputs(outputs_of(m))) return false;
    for (const int output : errand.outputs) y[numerics::at(output)] = y_own[numerics::at(output)];
    return true;
}

/// All outputs and inputs at the point that is set.
bool OdeGroup::Impl::resolve() {
    is_resolved = is_linearised = false;
    std::ranges::fill(is_presented, 0);
    for (Loop& loop : loops) loop.is_current = false;
    for (const GroupPlan::Step& step : plan.steps) {
        if (step.loop >= 0) {
            if (!solve(loops[numerics::at(step.loop)])) return false;
            continue;
        }
        const Errand& errand = errands[numerics::at(step.call)];
        feed(errand);
        if (!run(errand)) return false;
    }
    for (const Errand& errand : last_errands) {
        feed(errand);
        if ((!errand.inputs.empty() || !is_presented[numerics::at(errand.member)]) && !run(errand))
            return false;
    }
    is_resolved = phase == Phase::continuous;
    return true;
}

/// The solver looks at one point several times: for derivatives, indicators, outputs.
bool OdeGroup::set_point(const OdePoint& point) {
    Impl& group = *impl_;
    const auto is_input_there = [&] {
        for (std::size_t i = 0; i < point.u.size(); ++i)
            if (group.u[numerics::at(group.free_inputs[i])] != point.u[i]) return false;
        return true;
    };
    const bool was_written = group.variables->take_written();
    if (group.is_resolved && !was_written && point.t == group.t && is_input_there() &&
        std::ranges::equal(point.x, group.x))
        return true;
    group.t = point.t;
    std::ranges::copy(point.x, group.x.begin());
    for (std::size_t i = 0; i < point.u.size(); ++i)
        group.u[numerics::at(group.free_inputs[i])] = point.u[i];
    return group.resolve();
}

bool OdeGroup::derivatives(std::span<double> dx) {
    const std::vector<int>& begin = impl_->net->state_begin;
    for (int m = 0; m < size(); ++m)
        if (!impl_->members[numerics::at(m)]->derivatives(
                dx.subspan(numerics::at(begin[numerics::at(m)]),
                           numerics::at(begin[numerics::at(m) + 1] - begin[numerics::at(m)]))))
            return false;
    return true;
}

bool OdeGroup::outputs(std::span<double> y) {
    if (impl_->phase == Impl::Phase::initialising) impl_->resolve_until_settled();
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = impl_->y[numerics::at(impl_->shown_outputs[i])];
    return true;
}

}  // namespace tandem::ode
