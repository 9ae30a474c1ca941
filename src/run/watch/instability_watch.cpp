#include "run/watch/instability_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace tandem::run {
namespace {

std::set<int> outputs_of(const std::vector<assemble::AlgebraicLoop>& loops) {
    std::set<int> outputs;
    for (const assemble::AlgebraicLoop& loop : loops)
        if (loop.is_noticeable()) outputs.insert(loop.outputs.begin(), loop.outputs.end());
    return outputs;
}

}  // namespace

InstabilityWatch::InstabilityWatch(const assemble::Assembly& assembly,
                                   const std::vector<assemble::AlgebraicLoop>& delayed_loops,
                                   long steps)
    : assembly_(assembly),
      system_(*assembly.system),
      connections_(connections_in_cycles(system_)),
      sweeps_(assembly.coupling_record.method == "gauss_seidel"),
      steps_(steps) {
    const std::set<int> delayed = outputs_of(delayed_loops);
    for (const auto& [output, input] : connections_)
        signals_.push_back({static_cast<std::size_t>(output), system_.output_port(output).nominal,
                            delayed.contains(output)});
    look_every(1);
}

/// Held inputs lag by half a step in a cycle. With gauss_seidel those that come from a subsystem
/// that has stepped before lead by as much: in a pair there is no growth, whatever the step.
int InstabilityWatch::order_of_growth() const {
    const int order = assembly_.coupling->traits().order;
    return sweeps_ && order == 1 ? 3 : order;
}

void InstabilityWatch::look_every(long n) {
    if (n <= every_ && detector_) return;
    every_ = n;
    length_ = 0.0;
    const long steps = steps_ > 0 ? (steps_ - step_) / every_ : 0;
    detector_.emplace(signals_,
                      GrowthDetector::Options{.order = order_of_growth(), .steps = steps});
}

std::optional<InstabilityRecord> InstabilityWatch::found_at_end(double t) const {
    const auto growing = detector_->growing();
    if (!growing) return std::nullopt;
    return InstabilityRecord{connection_of(growing->signal), growth_of(*growing), t};
}

Diagnostic instability_warning(const InstabilityRecord& found, const CouplingRecord& coupling) {
    return {Severity::warning, fmt::format("coupling '{}'", coupling.method),
            fmt::format("it is unstable with this step: at {:.6g} the values of {} grow by a "
                        "factor of {:.6g} per step, which the error of the coupling explains; do "
                        "not trust the results",
                        found.time, found.connection, found.growth),
            "use a smaller step" + alternatives_to(coupling.method) +
                "; if the model itself grows like that, write expect_growth = true under "
                "[experiment]"};
}

}  // namespace tandem::run
