#include "run/own_step_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tandem::run {
namespace {

/// Steps of its own after which a subsystem is known to have them.
constexpr int moves_that_tell = 8;
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

OwnStepWatch::OwnStepWatch(System& system) : system_(system) {
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
        }
    }
}

std::optional<Diagnostic> OwnStepWatch::after_step(double length) {
    if (watched_.empty()) return std::nullopt;
    if (++step_ > most_steps) watched_.clear();
    std::optional<Diagnostic> warning;
    std::erase_if(watched_, [&](Watched& watched) {
        if (!moves(watched)) return false;
        if (!is_regular(watched, step_)) return true;
        if (warning || watched.moves < moves_that_tell) return false;
        warning = found(watched, length);
        return true;
    });
    return warning;
}

bool OwnStepWatch::moves(Watched& watched) const {
    bool moved = false;
    for (std::size_t i = 0; i < watched.outputs.size(); ++i) {
        const double value = system_.outputs()[static_cast<std::size_t>(watched.outputs[i])];
        moved = moved || value != watched.values[i];
        watched.values[i] = value;
    }
    return moved;
}

/// A subsystem that moves in this step: false if it does so irregularly or in each step. Its own
/// step is rounded up or down to communication steps at both ends.
bool OwnStepWatch::is_regular(Watched& watched, long step) {
    if (++watched.moves == 1) {
        watched.first = watched.last = step;
        return true;
    }
    const long distance = step - std::exchange(watched.last, step);
    watched.shortest = watched.moves == 2 ? distance : std::min(watched.shortest, distance);
    watched.longest = std::max(watched.longest, distance);
    return watched.shortest > 1 && watched.longest <= watched.shortest + 2;
}

Diagnostic OwnStepWatch::found(const Watched& watched, double length) const {
    const double own = length * static_cast<double>(watched.last - watched.first) /
                       static_cast<double>(watched.moves - 1);
    return {
        Severity::warning, fmt::format("subsystem '{}'", system_.at(watched.subsystem).name()),
        fmt::format("its outputs change every {:.4g} s only, so it has a step of its own; "
                    "communication steps shorter than that couple it no more closely, and "
                    "results err as with a communication step of {:.4g} s or more",
                    own, own),
        "if it is a sampled controller, that is as it should be; otherwise look for a parameter "
        "of the FMU that says its step, or export it again with a shorter one"};
}

}  // namespace tandem::run
