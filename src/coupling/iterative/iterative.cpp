#include "coupling/iterative/iterative.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tandem/error.hpp"
#include "tandem/extend/step_tasks.hpp"

namespace tandem::coupling {
namespace {

/// Where a solution does not go on is told to this part of the usual step.
constexpr double part_of_step = 1e-3;

bool all_can_repeat(const System& system) {
    for (int s = 0; s < system.size(); ++s) {
        const Capabilities& can = system.at(s).interface().capabilities;
        if (!can.rollback || !can.variable_step) return false;
    }
    return true;
}

}  // namespace

CouplingNeeds Iterative::needs(const System& system) const {
    const SteppedOnce once(system);
    CouplingNeeds all{
        .capabilities = std::vector<Capabilities>(static_cast<std::size_t>(system.size())),
        .solves_loops = once.empty()};
    std::vector<Capabilities>& needs = all.capabilities;
    const numerics::Graph graph = system.subsystem_graph();
    for (const auto& members : parts_in_order(system)) {
        if (!numerics::is_cycle(graph, members) || once.contains(members.front())) continue;
        for (const int s : members)
            needs[static_cast<std::size_t>(s)] = {
                .rollback = true,
                .jacobians = options_.cycles.jacobian == JacobianSource::directional};
    }
    for (int s = 0; options_.inputs == InputForm::linear && s < system.size(); ++s)
        if (system.is_fed(s)) needs[static_cast<std::size_t>(s)].input_derivatives = 1;
    return all;
}

// The delay of members that are stepped once is of first order.
CouplingTraits Iterative::traits() const {
    return {.order = delayed_inputs_.empty() ? inputs_.order() : 1,
            .iterates = std::ranges::any_of(
                parts_, [](const Part& part) { return part.cycle != nullptr; })};
}

void Iterative::prepare(System& system, double longest_step) {
    parts_.clear();
    if (longest_step > 0.0 && all_can_repeat(system))
        options_.cycles.shortest_step = part_of_step * longest_step;
    inputs_.prepare(system, options_.inputs);
    const numerics::Graph graph = system.subsystem_graph();
    const std::vector<std::vector<int>> parts = parts_in_order(system);
    const SteppedOnce once(system);
    find_delayed_inputs(system, once);
    tasks_ = system.schedule().executor().prepare(step_tasks(system, parts, Reads::all));
    results_.resize(parts.size());
    for (const auto& members : parts) {
        Part part;
        if (numerics::is_cycle(graph, members) && !once.contains(members.front()))
            part.cycle = std::make_unique<Cycle>(system, inputs_, members, options_.cycles);
        else
            part.subsystem = members.front();
        parts_.push_back(std::move(part));
    }
}

void Iterative::reset_history(Interruption interruption) {
    if (interruption == Interruption::event_ahead) return;
    inputs_.reset_history();
    for (Part& part : parts_)
        if (part.cycle) part.cycle->reset_history();
}

StepResult Iterative::advance(System& system, Part& part, Interval interval) {
    if (part.cycle) return part.cycle->advance(interval);
    system.exchange_discrete_inputs(part.subsystem);
    system.route_to(part.subsystem, interval.end);
    return inputs_.step(system, part.subsystem, interval);
}

/// All outputs that come a step late: held over the step.
void Iterative::find_delayed_inputs(const System& system, const SteppedOnce& once) {
    delayed_inputs_.clear();
    for (int s = 0; s < system.size(); ++s) {
        const auto comes_late = [&](int output) {
            return once.delays(system.subsystem_of_output(output), s);
        };
        for (const Link& link : system.links_into(s))
            if (comes_late(link.output)) delayed_inputs_.push_back(link.input);
        for (const FunctionLink& function : system.functions_into(s))
            if (std::ranges::any_of(function.outputs, comes_late))
                delayed_inputs_.push_back(function.input);
    }
}

StepResult Iterative::advance(System& system, Interval interval) {
    for (const int input : delayed_inputs_) system.route_input(input, interval.begin);
    inputs_.begin_step(system, interval.begin);
    const auto one = [&](int task) {
        const auto i = static_cast<std::size_t>(task);
        results_[i] = advance(system, parts_[i], interval);
        return static_cast<bool>(results_[i]);
    };
    const int stopped = system.schedule().executor().run(tasks_, one);
    if (stopped == Executor::all_done) return {Outcome::complete, interval.end};
    const Part& part = parts_[static_cast<std::size_t>(stopped)];
    system.note_stopped(part.cycle ? part.cycle->stopped_by() : part.subsystem);
    const StepResult result = results_[static_cast<std::size_t>(stopped)];
    if (result.outcome == Outcome::not_converged) failure_reason_ = part.cycle->failure_reason();
    if (result.outcome == Outcome::not_converged && options_.cycles.on_failure == OnFailure::stop)
        stop(interval, part.cycle->loses_branch());
    return result;
}

void Iterative::stop(Interval interval, bool loses_branch) const {
    if (loses_branch)
        throw NumericsError(fmt::format(
            "the iteration of the step from {:.9g} to {:.9g} converged, but perhaps to another "
            "solution than before: {}\n  hint: use a smaller step, or on_failure = \"halve\", "
            "which follows the solution in shorter steps",
            interval.begin, interval.end, failure_reason_));
    throw NumericsError(fmt::format(
        "the step from {:.9g} to {:.9g} did not converge: {}\n  hint: use another accelerator "
        "(newton, broyden, anderson), a smaller step, or on_failure = \"halve\"",
        interval.begin, interval.end, failure_reason_));
}

CouplingReport Iterative::report(const System& system) const {
    CouplingReport report;
    report.failure_reason = failure_reason_;
    for (const Part& part : parts_) {
        if (!part.cycle) continue;
        for (std::string& sentence : part.cycle->warnings())
            report.warnings.push_back(std::move(sentence));
        report.iteration_statistics.push_back(part.cycle->statistics());
    }
    const SteppedOnce once(system);
    for (int s = 0; s < system.size(); ++s)
        if (once.contains(s))
            report.fallbacks.push_back(
                {s,
                 "cannot go back; stepped once in each step, after those that can and "
                 "iterate, which see the outputs of the step before"});
    return report;
}

}  // namespace tandem::coupling
