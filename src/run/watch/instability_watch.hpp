#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assemble/algebraic_loops.hpp"
#include "assemble/assemble.hpp"
#include "record/run_record.hpp"
#include "run/watch/growth_detector.hpp"
#include "run/watch/watched_connections.hpp"

namespace tandem::run {

/// Watches the outputs that cycles of the connection graph consist of while a run goes on.
class InstabilityWatch {
public:
    /// After Coupling::prepare(). `steps`: of the whole run; 0: not known.
    InstabilityWatch(const assemble::Assembly& assembly,
                     const std::vector<assemble::AlgebraicLoop>& delayed_loops, long steps);

    bool is_needed() const { return !connections_.empty(); }
    /// A subsystem moves in every n-th step only: values between these say nothing.
    void look_every(long n);
    /// After each step, of that length. True if a cycle is unstable.
    bool is_unstable_after(double length) {
        length_ += length;
        if (++step_ % every_ != 0) return false;
        detector_->set_order(order_of_growth());
        const auto verdict = detector_->add(system_.outputs(), std::exchange(length_, 0.0));
        if (verdict) verdict_ = verdict;
        return verdict.has_value();
    }
    /// What was found at time t.
    InstabilityRecord found(double t) const {
        return {connection_of(verdict_->signal), growth_of(*verdict_), t};
    }

    /// What is found at the end of the run, at time t.
    std::optional<InstabilityRecord> found_at_end(double t) const;

private:
    int order_of_growth() const;
    std::string connection_of(std::size_t signal) const {
        return name_of(assembly_, connections_[signal]);
    }
    /// Per communication step.
    double growth_of(const GrowthDetector::Verdict& verdict) const {
        return std::pow(verdict.growth, 1.0 / static_cast<double>(every_));
    }

    const assemble::Assembly& assembly_;
    System& system_;
    std::vector<WatchedConnection> connections_;
    std::vector<GrowthDetector::Signal> signals_;
    bool sweeps_ = false;  // gauss_seidel
    long steps_;           // of the whole run; 0: not known
    long step_ = 0, every_ = 1;
    double length_ = 0.0;  // of the steps since the last look
    std::optional<GrowthDetector> detector_;
    std::optional<GrowthDetector::Verdict> verdict_;
};

/// What is said of it, and what to do.
Diagnostic instability_warning(const InstabilityRecord& found, const CouplingRecord& coupling);

}  // namespace tandem::run
