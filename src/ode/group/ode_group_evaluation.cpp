#include <algorithm>
#include <cmath>

#include "ode/group/ode_group_impl.hpp"
#include "tandem/error.hpp"
#include "tandem/extend/index.hpp"

namespace tandem::ode {
/// Nothing is looked up or allocated in an evaluation: what it needs is made ready here.
void OdeGroup::Impl::make_member_calls() {
    member_calls.clear();
    last_member_calls.clear();
    for (const GroupCall& call : plan.calls)
        member_calls.push_back(make_member_call(call.member, call.inputs, call.outputs));
    for (int m = 0; m < net->size(); ++m)
        last_member_calls.push_back(make_member_call(m, plan.late_inputs[index(m)], {}));
    for (Loop& loop : loops) {
        loop.member_calls.clear();
        add_sources(loop.outside, loop.plan->external);
        for (const int m : loop.plan->members) {
            MemberCall& member_call = loop.member_calls.emplace_back();
            member_call.member = m;
            member_call.outputs = of_member(loop.plan->outputs, net->output_begin, m);
            member_call.inputs = of_member(loop.plan->inputs, net->input_begin, m);
            add_sources(member_call, member_call.inputs);
            std::ranges::copy(of_member(loop.plan->external, net->input_begin, m),
                              std::back_inserter(member_call.inputs));
            prepare(member_call);
        }
    }
    find_places();
    is_resolved = false;
}

std::vector<int> OdeGroup::Impl::of_member(const std::vector<int>& ports,
                                           const std::vector<int>& begin, int m) {
    std::vector<int> own;
    for (const int port : ports)
        if (port >= begin[index(m)] && port < begin[index(m) + 1]) own.push_back(port);
    return own;
}

OdeGroup::Impl::MemberCall OdeGroup::Impl::make_member_call(int m, const std::vector<int>& inputs,
                                                            const std::vector<int>& outputs) {
    MemberCall member_call;
    member_call.member = m;
    member_call.inputs = inputs;
    member_call.outputs = outputs;
    add_sources(member_call, inputs);
    prepare(member_call);
    return member_call;
}

void OdeGroup::Impl::add_sources(MemberCall& member_call, const std::vector<int>& inputs) {
    for (const int input : inputs) {
        const GroupNet::Feeder& feeder = net->feeders[index(input)];
        Wire wire{static_cast<std::uint32_t>(input), 0, &u[index(input)]};
        if (feeder.link >= 0) {
            const Link& link = net->links[index(feeder.link)];
            wire.output = static_cast<std::uint32_t>(link.output);
            if (link.gain == 1.0 && link.offset == 0.0)
                member_call.wires.push_back(wire);
            else
                member_call.scaled.push_back({wire, link.gain, link.offset});
        } else if (feeder.function >= 0) {
            wire.output = static_cast<std::uint32_t>(feeder.function);
            member_call.functions.push_back(wire);
        } else {
            member_call.free.push_back(wire);
        }
    }
}

void OdeGroup::Impl::prepare(MemberCall& member_call) {
    OdeModel& model = *members[index(member_call.member)];
    std::vector<int> inputs = member_call.inputs;
    std::vector<int> outputs = member_call.outputs;
    for (int& input : inputs) input -= net->input_begin[index(member_call.member)];
    for (int& output : outputs) output -= net->output_begin[index(member_call.member)];
    member_call.set = model.prepare_inputs(inputs);
    if (!outputs.empty()) member_call.get = model.prepare_outputs(outputs);
    member_call.is_prepared = member_call.set >= 0 && (outputs.empty() || member_call.get >= 0);
}

/// A loop has inputs from outside, which are not fed together with the others: no places there.
void OdeGroup::Impl::find_places() {
    for (MemberCall& member_call : member_calls) find_places(member_call);
    for (MemberCall& member_call : last_member_calls) find_places(member_call);
}

void OdeGroup::Impl::find_places(MemberCall& member_call) {
    if (!member_call.is_prepared) return;
    const auto places = members[index(member_call.member)]->places_of(member_call.set);
    member_call.is_direct = !places.empty() && places.size() == member_call.inputs.size();
    if (!member_call.is_direct) return;
    const auto place = [&](Wire& wire) {
        const auto found = std::ranges::find(member_call.inputs, static_cast<int>(wire.input));
        wire.place = places[static_cast<std::size_t>(found - member_call.inputs.begin())];
    };
    for (auto* wires : {&member_call.wires, &member_call.free, &member_call.functions})
        std::ranges::for_each(*wires, place);
    for (ScaledWire& scaled : member_call.scaled) place(scaled.wire);
}

/// The inputs of an member_call from the outputs known so far.
void OdeGroup::Impl::feed(const MemberCall& member_call) {
    for (const Wire& wire : member_call.wires) *wire.place = u[wire.input] = y[wire.output];
    for (const auto& [wire, gain, offset] : member_call.scaled)
        *wire.place = u[wire.input] = gain * y[wire.output] + offset;
    for (const Wire& wire : member_call.free) *wire.place = u[wire.input];
    for (const Wire& wire : member_call.functions) {
        const FunctionLink& function = net->functions[wire.output];
        for (std::size_t i = 0; i < function.outputs.size(); ++i)
            signals[i] = y[index(function.outputs[i])];
        const double value =
            function.function(t, std::span(signals).first(function.outputs.size()));
        if (!std::isfinite(value)) [[unlikely]]
            note_bad(wire.output);
        *wire.place = u[wire.input] = value;
    }
}

/// Hands a member its inputs and, once for each point, time and states: those of the member_call
/// alone or, where it is not prepared, all inputs.
bool OdeGroup::Impl::present(const MemberCall& member_call) {
    const int m = member_call.member;
    OdeModel& model = *members[index(m)];
    const bool was_presented = std::exchange(is_presented[index(m)], 1) != 0;
    if (!member_call.is_prepared || phase != Phase::continuous) {
        if (!was_presented && phase == Phase::continuous)
            return model.set_point({t, states_of(m), inputs_of(m)});
        if (!was_presented || !member_call.inputs.empty()) model.set_inputs(inputs_of(m));
        return true;
    }
    if (!was_presented && !model.set_states(t, states_of(m))) return false;
    if (member_call.is_direct)
        model.inputs_written(member_call.set);
    else if (!member_call.inputs.empty())
        model.set_prepared(member_call.set, inputs_of(m));
    return true;
}

/// The same, then reads its outputs.
bool OdeGroup::Impl::run(const MemberCall& member_call) {
    const int m = member_call.member;
    OdeModel& model = *members[index(m)];
    if (!present(member_call)) return false;
    if (member_call.is_prepared && phase == Phase::continuous)
        return member_call.get < 0 ||
               model.get_prepared(member_call.get, slice(y, net->output_begin, m));
    if (member_call.outputs.empty()) return true;
    if (!model.outputs(outputs_of(m))) return false;
    for (const int output : member_call.outputs) y[index(output)] = y_own[index(output)];
    return true;
}

/// All outputs and inputs at the point that is set.
bool OdeGroup::Impl::resolve() {
    is_resolved = is_linearised = false;
    std::ranges::fill(is_presented, 0);
    for (Loop& loop : loops) loop.is_current = false;
    for (const GroupPlan::Step& step : plan.steps) {
        if (step.loop >= 0) {
            if (!solve(loops[index(step.loop)])) return false;
            continue;
        }
        const MemberCall& member_call = member_calls[index(step.call)];
        feed(member_call);
        if (!run(member_call)) return false;
    }
    for (const MemberCall& member_call : last_member_calls) {
        feed(member_call);
        if ((!member_call.inputs.empty() || !is_presented[index(member_call.member)]) &&
            !run(member_call))
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
            if (group.u[index(group.free_inputs[i])] != point.u[i]) return false;
        return true;
    };
    const bool was_written = group.variables->take_written();
    if (group.is_resolved && !was_written && point.t == group.t && is_input_there() &&
        std::ranges::equal(point.x, group.x))
        return true;
    group.t = point.t;
    std::ranges::copy(point.x, group.x.begin());
    for (std::size_t i = 0; i < point.u.size(); ++i)
        group.u[index(group.free_inputs[i])] = point.u[i];
    return group.resolve();
}

bool OdeGroup::derivatives(std::span<double> dx) {
    const std::vector<int>& begin = impl_->net->state_begin;
    for (int m = 0; m < size(); ++m)
        if (!impl_->members[index(m)]->derivatives(
                dx.subspan(index(begin[index(m)]), index(begin[index(m) + 1] - begin[index(m)]))))
            return false;
    return true;
}

bool OdeGroup::outputs(std::span<double> y) {
    if (impl_->phase == Impl::Phase::initialising) impl_->resolve_until_converged();
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = impl_->y[index(impl_->shown_outputs[i])];
    return true;
}

}  // namespace tandem::ode
