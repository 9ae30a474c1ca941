#include "run/watch/own_step_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "run/watch/watched_connections.hpp"

namespace tandem::run {
namespace {

/// Steps of its own after which a subsystem is known to have them.
constexpr int intervals_that_tell = 7;
/// Own steps are rounded up or down to communication steps at both ends.
constexpr double spread = 2.01;
/// Without a result, after which a subsystem is not watched any more.
constexpr long most_moves = 10000;

/// Solvers of Tandem end their steps where they should, and have dense traces.
bool has_solver_of_its_own(const Subsystem& subsystem) {
    return !subsystem.interface().capabilities.dense_traces;
}

}  // namespace

OwnStepWatch::OwnStepWatch(const assemble::Assembly& assembly, bool has_step_control)
    : system_(*assembly.system),
      has_step_control_(has_step_control),
      is_delayed_(!looks_ahead(assembly.coupling_record)) {
    const std::vector<int> continuous = continuous_outputs(assembly);
    const numerics::Graph graph = system_.flow_graph();
    for (const std::vector<int>& members : numerics::strongly_connected_components(graph).members) {
        if (!numerics::is_cycle(graph, members)) continue;
        for (const int s : members) {
            if (!has_solver_of_its_own(system_.at(s))) continue;
            std::vector<int> outputs;
            std::ranges::copy_if(continuous, std::back_inserter(outputs), [&](int output) {
                return system_.subsystem_of_output(output) == s;
            });
            if (outputs.empty()) continue;
            watched_.push_back({.subsystem = s, .outputs = std::move(outputs)});
            Watched& watched = watched_.back();
            watched.middle.resize(watched.outputs.size());
            watched.end.resize(watched.outputs.size());
            watched.values.resize(watched.outputs.size());
            read(watched, watched.values);
            watched.before = watched.values;
            watched.feeds_through = !system_.at(s).interface().feed_through.empty();
            take_inputs(watched);
        }
    }
}

void OwnStepWatch::after_half() {
    has_halves_ = true;
    for (Watched& watched : watched_) read(watched, watched.middle);
}

std::optional<OwnStepWatch::Found> OwnStepWatch::after_step(double t, double length) {
    if (watched_.empty()) return std::nullopt;
    const bool has_halves = std::exchange(has_halves_, false);
    const double middle = has_halves ? t - 0.5 * length : t - length;
    std::optional<Found> one;
    std::erase_if(watched_, [&](Watched& watched) {
        read(watched, watched.end);
        const bool in_half =
            has_halves && has_regular_steps(watched, watched.middle, {t - length, middle});
        const bool is_regular = has_regular_steps(watched, watched.end, {middle, t}) || in_half;
        if (one || !is_regular) return watched.moves > most_moves;
        one = found(watched);
        return true;
    });
    return one;
}

void OwnStepWatch::read(const Watched& watched, std::vector<double>& values) const {
    for (std::size_t i = 0; i < watched.outputs.size(); ++i)
        values[i] = system_.outputs()[static_cast<std::size_t>(watched.outputs[i])];
}

/// Whether they are new.
bool OwnStepWatch::take_inputs(Watched& watched) const {
    const std::span<const double> now = system_.inputs_of(watched.subsystem);
    if (std::ranges::equal(now, watched.inputs)) return false;
    watched.inputs.assign(now.begin(), now.end());
    return true;
}

/// After a step with outputs that are `now`. What moves in two steps in a row begins anew.
bool OwnStepWatch::has_regular_steps(Watched& watched, const std::vector<double>& now,
                                     Interval step) const {
    const bool has_new_inputs = take_inputs(watched);
    const bool stood = std::exchange(watched.stood, now == watched.values);
    if (watched.stood) {
        if (has_new_inputs) watched.were_inputs_old = false;
        return false;
    }
    const bool follows_inputs = std::exchange(watched.were_inputs_old, true) && has_new_inputs &&
                                watched.feeds_through && is_delayed_;
    ++watched.moves;
    const bool goes_back = now == watched.before;
    watched.before.swap(watched.values);
    std::ranges::copy(now, watched.values.begin());
    const double interval = step.end - std::exchange(watched.last, step.end);
    const bool begins = watched.intervals == 0;
    watched.shortest = begins ? interval : std::min(watched.shortest, interval);
    watched.longest = begins ? interval : std::max(watched.longest, interval);
    const bool is_regular = stood && !goes_back && !follows_inputs &&
                            watched.longest <= watched.shortest + spread * step.length();
    watched.sum = is_regular ? watched.sum + interval : 0.0;
    watched.intervals = is_regular ? watched.intervals + 1 : 0;
    return watched.intervals >= intervals_that_tell;
}

OwnStepWatch::Found OwnStepWatch::found(const Watched& watched) const {
    const double own = watched.sum / watched.intervals;
    return {
        own,
        {Severity::warning, fmt::format("subsystem '{}'", system_.at(watched.subsystem).name()),
         fmt::format("its outputs change about every {:.2g} s only, so it has a step of its own; "
                     "communication steps shorter than that couple it no more closely, and "
                     "results err as with a communication step of {:.2g} s or more{}",
                     own, own, has_step_control_ ? ", of which the step control sees nothing" : ""),
         "if it is a sampled controller, that is as it should be; otherwise look for a "
         "parameter of the FMU that says its step, or export it again with a shorter one"}};
}

}  // namespace tandem::run
