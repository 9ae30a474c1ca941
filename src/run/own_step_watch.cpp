#include "run/own_step_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tandem::run {
namespace {

/// Steps of its own after which a subsystem is known to have them.
constexpr int intervals_that_tell = 7;
/// Own steps are rounded up or down to communication steps at both ends.
constexpr double spread = 2.01;
constexpr long most_steps = 10000;

std::vector<int> continuous_outputs(System& system, int s) {
    const std::vector<Port>& ports = system.at(s).interface().outputs;
    const std::vector<VariableInfo>& variables = system.at(s).variables().list();
    std::vector<int> outputs;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const auto variable = std::ranges::find(variables, ports[i].name, &VariableInfo::name);
        if (variable != variables.end() && variable->is_continuous)
            outputs.push_back(system.output_begin(s) + static_cast<int>(i));
    }
    return outputs;
}

/// Solvers of Tandem end their steps where they should, and have dense traces.
bool has_solver_of_its_own(const Subsystem& subsystem) {
    return !subsystem.interface().capabilities.dense_traces;
}

}  // namespace

OwnStepWatch::OwnStepWatch(System& system, bool has_step_control)
    : system_(system), has_step_control_(has_step_control) {
    const Graph graph = system.flow_graph();
    for (const std::vector<int>& members : strongly_connected_components(graph).members) {
        if (!is_cycle(graph, members)) continue;
        for (const int s : members) {
            if (!has_solver_of_its_own(system.at(s))) continue;
            std::vector<int> outputs = continuous_outputs(system, s);
            if (outputs.empty()) continue;
            watched_.push_back({.subsystem = s, .outputs = std::move(outputs)});
            for (const int output : watched_.back().outputs)
                watched_.back().values.push_back(
                    system.outputs()[static_cast<std::size_t>(output)]);
            watched_.back().before = watched_.back().values;
        }
    }
}

std::optional<OwnStepWatch::Found> OwnStepWatch::after_step(double t, double length) {
    if (watched_.empty()) return std::nullopt;
    if (++step_ > most_steps) watched_.clear();
    std::optional<Found> one;
    std::erase_if(watched_, [&](Watched& watched) {
        if (one || !has_regular_steps(watched, t, length)) return false;
        one = found(watched);
        return true;
    });
    return one;
}

bool OwnStepWatch::are(const Watched& watched, const std::vector<double>& values) const {
    return std::ranges::equal(watched.outputs, values, [&](int output, double value) {
        return system_.outputs()[static_cast<std::size_t>(output)] == value;
    });
}

void OwnStepWatch::keep(Watched& watched) const {
    watched.before.swap(watched.values);
    for (std::size_t i = 0; i < watched.outputs.size(); ++i)
        watched.values[i] = system_.outputs()[static_cast<std::size_t>(watched.outputs[i])];
}

/// After a step of that length to t. What moves in two steps in a row begins anew.
bool OwnStepWatch::has_regular_steps(Watched& watched, double t, double length) const {
    const bool stood = std::exchange(watched.stood, are(watched, watched.values));
    if (watched.stood) return false;
    const bool goes_back = are(watched, watched.before);
    keep(watched);
    const double interval = t - std::exchange(watched.last, t);
    const bool begins = watched.intervals == 0;
    watched.shortest = begins ? interval : std::min(watched.shortest, interval);
    watched.longest = begins ? interval : std::max(watched.longest, interval);
    const bool is_regular =
        stood && !goes_back && watched.longest <= watched.shortest + spread * length;
    watched.sum = is_regular ? watched.sum + interval : 0.0;
    watched.intervals = is_regular ? watched.intervals + 1 : 0;
    return watched.intervals >= intervals_that_tell;
}

OwnStepWatch::Found OwnStepWatch::found(const Watched& watched) const {
    const double own = watched.sum / watched.intervals;
    return {
        own,
        {Severity::warning, fmt::format("subsystem '{}'", system_.at(watched.subsystem).name()),
         fmt::format("its outputs change every {:.4g} s only, so it has a step of its own; "
                     "communication steps shorter than that couple it no more closely, and "
                     "results err as with a communication step of {:.4g} s or more{}",
                     own, own, has_step_control_ ? ", of which the step control sees nothing" : ""),
         "if it is a sampled controller, that is as it should be; otherwise look for a "
         "parameter of the FMU that says its step, or export it again with a shorter one"}};
}

}  // namespace tandem::run
