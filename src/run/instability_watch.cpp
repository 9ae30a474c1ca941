#include "run/instability_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tandem::run {
namespace {

/// Ports of a group have the names of its members already.
std::string name_of(const Assembly& assembly, int s, const Port& port) {
    const bool is_group = static_cast<std::size_t>(s) < assembly.groups.size();
    return is_group ? port.name : fmt::format("{}.{}", assembly.system->at(s).name(), port.name);
}

std::set<int> outputs_of(const std::vector<AlgebraicLoop>& loops) {
    std::set<int> outputs;
    for (const AlgebraicLoop& loop : loops)
        if (loop.is_noticeable()) outputs.insert(loop.outputs.begin(), loop.outputs.end());
    return outputs;
}

/// Of each output, an input that it feeds inside its cycle; -1: none.
std::vector<int> inputs_in_cycles(const System& system, std::size_t outputs) {
    const Graph graph = system.flow_graph();
    const Components components = strongly_connected_components(graph);
    std::vector<int> inputs(outputs, -1);
    const auto add = [&](int output, int input) {
        const auto from = static_cast<std::size_t>(system.subsystem_of_output(output));
        const auto to = static_cast<std::size_t>(system.subsystem_of_input(input));
        int& first = inputs[static_cast<std::size_t>(output)];
        if (components.of_node[from] == components.of_node[to] && first < 0) first = input;
    };
    for (const Link& link : system.links()) add(link.output, link.input);
    for (const FunctionLink& function : system.functions())
        for (const int output : function.outputs) add(output, function.input);
    return inputs;
}

/// Held inputs lag by half a step in a cycle. With gauss_seidel those that come from a subsystem
/// that has stepped before lead by as much: in a pair there is no growth, whatever the step.
int order_of_growth(const Assembly& assembly) {
    const int order = assembly.coupling->order();
    const bool leads = assembly.coupling_record.method == "gauss_seidel" && order == 1;
    return leads ? 3 : order;
}

}  // namespace

InstabilityWatch::InstabilityWatch(const Assembly& assembly,
                                   const std::vector<AlgebraicLoop>& delayed_loops, long steps)
    : assembly_(assembly), system_(*assembly.system), steps_(steps) {
    const std::vector<int> inputs = inputs_in_cycles(system_, system_.outputs().size());
    const std::set<int> delayed = outputs_of(delayed_loops);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i] < 0) continue;
        const int output = static_cast<int>(i);
        outputs_.push_back(output);
        inputs_.push_back(inputs[i]);
        signals_.push_back({i, system_.output_port(output).nominal, delayed.contains(output)});
    }
    look_every(1);
}

void InstabilityWatch::look_every(long n) {
    if (n <= every_ && detector_) return;
    every_ = n;
    length_ = 0.0;
    const long steps = steps_ > 0 ? (steps_ - step_) / every_ : 0;
    detector_.emplace(signals_,
                      GrowthDetector::Options{.order = order_of_growth(assembly_), .steps = steps});
}

std::string InstabilityWatch::connection_of(std::size_t signal) const {
    const int output = outputs_[signal], input = inputs_[signal];
    return fmt::format(
        "{} -> {}",
        name_of(assembly_, system_.subsystem_of_output(output), system_.output_port(output)),
        name_of(assembly_, system_.subsystem_of_input(input), system_.input_port(input)));
}

std::optional<InstabilityRecord> InstabilityWatch::found_at_end(double t) const {
    const auto growing = detector_->growing();
    if (!growing) return std::nullopt;
    return InstabilityRecord{connection_of(growing->signal), growth_of(*growing), t};
}

std::optional<std::string> InstabilityWatch::rough_connection() const {
    const auto signal = every_ == 1 ? detector_->rough() : std::nullopt;
    return signal ? std::optional(connection_of(*signal)) : std::nullopt;
}

Diagnostic instability_warning(const InstabilityRecord& found, const CouplingRecord& coupling) {
    return {Severity::warning, fmt::format("coupling '{}'", coupling.method),
            fmt::format("it is unstable with this step: at {:.6g} the values of {} grow by a "
                        "factor of {:.6g} per step, which the error of the coupling explains; do "
                        "not trust the results",
                        found.time, found.connection, found.growth),
            "use a smaller step or another coupling (iterative, aggregate, predictor); if the "
            "model itself grows like that, write expect_growth = true under [experiment]"};
}

Diagnostic roughness_warning(const std::string& connection, const CouplingRecord& coupling) {
    return {Severity::warning, fmt::format("coupling '{}'", coupling.method),
            fmt::format("the values of {} change again and again by as much as they are large, "
                        "without a course: the step does not resolve them, or the coupling is "
                        "unstable and something bounds it",
                        connection),
            "compare with a smaller step or another coupling (iterative, aggregate, predictor)"};
}

}  // namespace tandem::run
