#include "coupling/explicit/explicit.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "coupling/direct_outputs.hpp"
#include "tandem/error.hpp"
#include "tandem/extend/index.hpp"
#include "tandem/extend/step_tasks.hpp"

namespace tandem::coupling {
namespace {

/// The point j/n of the interval; exactly its ends for j = 0 and j = n.
double point(Interval interval, int j, int n) {
    if (j == 0) return interval.begin;
    if (j == n) return interval.end;
    return interval.begin + interval.length() * j / n;
}

std::vector<std::vector<int>> alone(const std::vector<int>& subsystems) {
    std::vector<std::vector<int>> steps;
    for (const int s : subsystems) steps.push_back({s});
    return steps;
}

}  // namespace

std::vector<int> sequence_from_graph(const System& system) {
    std::vector<int> sequence;
    for (const auto& members :
         numerics::strongly_connected_components(system.subsystem_graph()).members)
        sequence.insert(sequence.end(), members.begin(), members.end());
    return sequence;
}

void Explicit::Course::resize(std::size_t size, int order) {
    values.resize(size);
    derivatives.resize(size * index(order));
}

double Explicit::Course::at(double t, std::size_t i) const {
    const std::size_t order = values.empty() ? 0 : derivatives.size() / values.size();
    return InputCourse{values, derivatives, static_cast<int>(order)}.at(t - begin, i);
}

CouplingNeeds Explicit::needs(const System& system) const {
    CouplingNeeds needs{.capabilities = std::vector<Capabilities>(index(system.size()))};
    for (int s = 0; options_.output_derivatives && s < system.size(); ++s)
        if (!system.at(s).interface().outputs.empty())
            needs.capabilities[index(s)].output_derivatives = 1;
    return needs;
}

// The error of an extrapolation of degree n over a step H is the integral of the product of the
// distances to its n + 1 points. After halves the points are H/2 apart, for the whole step, too:
//   n = 0:  H^2 / 2     against  2 (H/2)^2 / 2
//   n = 1:  7 H^3 / 12  against  2 (H/2)^3 5 / 6
//   n = 2:  H^4         against  2 (H/2)^4 9 / 4
// and with a given slope, H^3 / 6 against 2 (H/2)^3 / 6.
CouplingTraits Explicit::traits() const {
    constexpr std::array<double, 3> ratios = {2.0, 14.0 / 5.0, 32.0 / 9.0};
    const double ratio = options_.output_derivatives ? 4.0 : ratios[index(options_.order)];
    return {.order = reached_order_, .half_step_error_ratio = ratio};
}

void Explicit::prepare(System& system, double /*longest_step*/) {
    order_ = std::max(options_.order, options_.smooth ? 1 : 0);
    sequence_ = options_.sequence.empty() ? sequence_from_graph(system) : options_.sequence;
    per_subsystem_ = std::vector<PerSubsystem>(index(system.size()));
    ticks_ = 1;
    macro_begins_.fill(std::numeric_limits<double>::quiet_NaN());
    for (int s = 0; s < system.size(); ++s) {
        PerSubsystem& p = of(s);
        const std::size_t outputs = system.outputs_of(s).size();
        if (!options_.ratios.empty()) p.ratio = options_.ratios[index(s)];
        ticks_ = std::max(ticks_, p.ratio);
        p.accepted_order = system.at(s).interface().capabilities.input_derivatives;
        p.history.prepare(static_cast<int>(outputs), options_.order, 2 * p.ratio);
        p.outputs.resize(outputs, options_.order);
        p.inputs.resize(system.inputs_of(s).size(), order_);
        p.last_inputs = p.at_begin[0].last_inputs = p.at_begin[1].last_inputs = p.inputs;
    }
    for (PerSubsystem& p : per_subsystem_) {
        expects(ticks_ % p.ratio == 0, "every step ratio divides the largest one");
        p.length = ticks_ / p.ratio;
    }
    prepare_ticks(system);
    reached_order_ = find_order(system);
}

/// A slope that is told leaves out what inputs that are about to move do directly to the output; a
/// Co-Simulation FMU tells that of its last step. Where it is one of many points it does not
/// matter, but for the third order the first step has to be right. Constants follow a parabola by
/// its mean only.
int Explicit::find_order(const System& system) const {
    bool are_right = true, are_told = true, are_lines = true;
    for (int s = 0; s < system.size(); ++s) {
        const Capabilities& can = system.at(s).interface().capabilities;
        if (system.is_fed(s) && can.input_derivatives == 0) are_lines = false;
        if (system.at(s).interface().outputs.empty()) continue;
        if (can.output_derivatives < 1 || feeds_through(system, s)) are_right = false;
        if (!can.dense_traces) are_told = false;
    }
    if (options_.output_derivatives) return are_right && are_told ? 2 : 1;
    if (options_.order == 2) return are_right && are_lines ? 3 : 2;
    return options_.order + 1;
}

void Explicit::prepare_ticks(System& system) {
    step_groups_.clear();
    group_of_tick_.clear();
    const Reads reads = options_.sweep == Sweep::jacobi ? Reads::nothing : Reads::outputs;
    for (int tick = 1; tick <= ticks_; ++tick) {
        std::vector<int> subsystems;
        for (const int s : sequence_)
            if (tick % of(s).length == 0) subsystems.push_back(s);
        auto known = std::ranges::find(step_groups_, subsystems, &StepGroup::subsystems);
        if (known == step_groups_.end()) {
            const std::vector<std::vector<int>> steps = alone(subsystems);
            const int graph =
                system.schedule().executor().prepare(step_tasks(system, steps, reads));
            step_groups_.push_back({subsystems, graph, std::vector<StepResult>(subsystems.size())});
            known = step_groups_.end() - 1;
        }
        group_of_tick_.push_back(static_cast<int>(known - step_groups_.begin()));
    }
}

// One macro step has `ticks_` ticks; a subsystem of ratio r begins a step every ticks_/r of them
// and ends it that much later. Its outputs change only when a step ends, so within a tick all
// beginnings come first and everybody sees the same communication point.
StepResult Explicit::advance(System& system, Interval interval) {
    begin_macro_step(system, interval.begin);
    for (int tick = 0; tick < ticks_; ++tick) {
        for (const int s : sequence_) {
            PerSubsystem& p = of(s);
            if (tick > 0 && tick % p.length != 0) continue;
            p.interval = {point(interval, tick, ticks_), point(interval, tick + p.length, ticks_)};
            if (options_.sweep == Sweep::jacobi) extrapolate_inputs(system, s);
        }
        const StepResult result =
            step_group(system, step_groups_[index(group_of_tick_[index(tick)])]);
        if (!result) return result;
    }
    return {Outcome::complete, interval.end};
}

StepResult Explicit::step_group(System& system, StepGroup& group) {
    const auto one = [&](int task) {
        const int s = group.subsystems[index(task)];
        if (options_.sweep == Sweep::gauss_seidel) extrapolate_inputs(system, s);
        group.results[index(task)] = step_subsystem(system, s);
        return static_cast<bool>(group.results[index(task)]);
    };
    const int stopped = system.schedule().executor().run(group.graph, one);
    if (stopped == Executor::all_done) return {};
    system.note_stopped(group.subsystems[index(stopped)]);
    return group.results[index(stopped)];
}

void Explicit::reset_history(Interruption interruption) {
    for (PerSubsystem& p : per_subsystem_) {
        p.has_last_inputs = false;
        if (interruption == Interruption::event_ahead) continue;
        p.history.clear();
        p.at_begin[0].has_last_inputs = p.at_begin[1].has_last_inputs = false;
    }
}

void Explicit::begin_macro_step(System& system, double begin) {
    if (options_.smooth) keep_inputs(begin);
    if (options_.order == 0) return;
    // Slopes depend on the inputs, which are those of this point.
    for (int s = 0; options_.output_derivatives && s < system.size(); ++s) {
        system.route_to(s, begin);
        system.at(s).set_inputs({.values = system.inputs_of(s)});
    }
    for (int s = 0; s < system.size(); ++s) {
        of(s).history.truncate(begin);
        if (of(s).history.samples() == 0) start_history(system, s, begin);
        refresh_outputs(system, s);
    }
}

/// A step that is repeated goes on from where the inputs were when it began first; so does one that
/// was repeated in halves.
void Explicit::keep_inputs(double begin) {
    if (begin == macro_begins_[1]) {
        macro_begins_ = {begin, std::numeric_limits<double>::quiet_NaN()};
        for (PerSubsystem& p : per_subsystem_) std::swap(p.at_begin[0], p.at_begin[1]);
    }
    const bool repeats = begin == macro_begins_[0];
    if (!repeats) macro_begins_ = {begin, macro_begins_[0]};
    for (PerSubsystem& p : per_subsystem_) {
        if (repeats) {
            p.last_inputs = p.at_begin[0].last_inputs;
            p.has_last_inputs = p.at_begin[0].has_last_inputs;
        } else {
            std::swap(p.at_begin[0], p.at_begin[1]);
            p.at_begin[0].last_inputs = p.last_inputs;
            p.at_begin[0].has_last_inputs = p.has_last_inputs;
        }
    }
}

void Explicit::start_history(System& system, int s, double begin) {
    PerSubsystem& p = of(s);
    p.history.add(begin, system.outputs_of(s));
    if (system.at(s).interface().capabilities.output_derivatives < 1) return;
    const auto slope = std::span(p.outputs.derivatives).first(p.outputs.values.size());
    if (system.at(s).get_output_derivatives(1, slope)) p.history.set_first_slope(slope);
}

void Explicit::refresh_outputs(System& system, int s) {
    PerSubsystem& p = of(s);
    p.outputs.begin = p.history.time();
    std::ranges::copy(p.history.value(), p.outputs.values.begin());
    const bool are_told = options_.output_derivatives &&
                          system.at(s).get_output_derivatives(1, p.outputs.derivatives);
    if (!are_told) p.history.derivatives(p.outputs.derivatives);
}

StepResult Explicit::step_subsystem(System& system, int s) {
    PerSubsystem& p = of(s);
    if (options_.smooth) continue_smoothly(p);
    const InputCourse course = order_ == 0 ? InputCourse{system.inputs_of(s)} : offer(p);
    const StepResult result = system.step(s, p.interval, course);
    if (result && options_.order > 0) {
        p.history.add(p.interval.end, system.outputs_of(s));
        refresh_outputs(system, s);
    }
    return result;
}

void Explicit::extrapolate_inputs(System& system, int s) {
    PerSubsystem& p = of(s);
    if (options_.order == 0) system.route_to(s, p.interval.begin);
    if (order_ == 0) return;
    p.inputs.begin = p.interval.begin;
    std::ranges::fill(p.inputs.derivatives, 0.0);
    if (options_.order == 0) {
        std::ranges::copy(system.inputs_of(s), p.inputs.values.begin());
        return;
    }
    std::ranges::copy(system.inputs_of(s), p.inputs.values.begin());  // those that nothing feeds
    for (const Link& link : system.links_into(s)) continue_link(system, link, s);
    for (const FunctionLink& function : system.functions_into(s))
        continue_function(system, function, s);
    std::ranges::copy(p.inputs.values, system.inputs_of(s).begin());
}

// The polynomial of the output, moved from its newest sample to the start of the step: these differ
// when the source steps more rarely, or has stepped already.
void Explicit::continue_link(System& system, const Link& link, int s) {
    Course& inputs = of(s).inputs;
    const int source = system.subsystem_of_output(link.output);
    const Course& outputs = of(source).outputs;
    const std::size_t i = index(link.input - system.input_begin(s));
    const std::size_t j = index(link.output - system.output_begin(source));
    const std::size_t n = inputs.values.size();
    const std::size_t m = outputs.values.size();
    inputs.values[i] = link.gain * outputs.at(inputs.begin, j) + link.offset;
    inputs.derivatives[i] = link.gain * outputs.derivatives[j];
    if (options_.order < 2) return;
    const double second = link.gain * outputs.derivatives[m + j];
    inputs.derivatives[i] += second * (inputs.begin - outputs.begin);
    inputs.derivatives[n + i] = second;
}

// u(t) = f(t, y(t)) with the polynomials of the outputs, through the ends of the step and, with
// order 2, its middle:  u' = (-3 u0 + 4 u1 - u2) / h,  u'' = 4 (u0 - 2 u1 + u2) / h^2.
void Explicit::continue_function(System& system, const FunctionLink& function, int s) {
    PerSubsystem& p = of(s);
    const std::size_t i = index(function.input - system.input_begin(s));
    const double h = p.interval.length();
    const double begin = evaluate(system, function, p.interval.begin);
    const double end = evaluate(system, function, p.interval.end);
    p.inputs.values[i] = begin;
    p.inputs.derivatives[i] = (end - begin) / h;
    if (options_.order < 2) return;
    const double middle = evaluate(system, function, p.interval.begin + 0.5 * h);
    p.inputs.derivatives[i] = (4.0 * middle - 3.0 * begin - end) / h;
    p.inputs.derivatives[p.inputs.values.size() + i] = 4.0 * (begin - 2.0 * middle + end) / (h * h);
}

double Explicit::evaluate(System& system, const FunctionLink& function, double t) {
    const std::span<double> signals = system.signals_of(function);
    for (std::size_t k = 0; k < signals.size(); ++k) {
        const int source = system.subsystem_of_output(function.outputs[k]);
        const std::size_t j = index(function.outputs[k] - system.output_begin(source));
        signals[k] = of(source).outputs.at(t, j);
    }
    return function.function(t, signals);
}

/// Begins where the last course has come to, and ends where the new one does:
///   u(t) = p(t) + (last(begin) - p(begin)) * (end - t) / h
void Explicit::continue_smoothly(PerSubsystem& p) {
    Course& inputs = p.inputs;
    for (std::size_t i = 0; p.has_last_inputs && i < inputs.values.size(); ++i) {
        const double last = p.last_inputs.at(inputs.begin, i);
        inputs.derivatives[i] += (inputs.values[i] - last) / p.interval.length();
        inputs.values[i] = last;
    }
    p.last_inputs = inputs;
    p.has_last_inputs = true;
}

InputCourse Explicit::offer(PerSubsystem& p) {
    Course& inputs = p.inputs;
    const int order = std::min(order_, p.accepted_order);
    numerics::lower_order(inputs.values, inputs.derivatives, order_, order, p.interval.length());
    return {inputs.values, std::span(inputs.derivatives).first(index(order) * inputs.values.size()),
            order};
}

}  // namespace tandem::coupling
