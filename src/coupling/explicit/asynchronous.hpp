#pragma once

#include <vector>

#include "tandem/extend/coupling.hpp"

namespace tandem::coupling {

/// Each subsystem steps at its own pace, as soon as what it needs has been sent. Nothing but delays
/// (System::delayed_flows) is between them. What a subsystem feeds itself, and functions of time,
/// are taken at the start of each of its steps.
///
/// A macro step is a graph of tasks, one for each step of each subsystem. A step waits for the one
/// before it, and for those steps of others that reach its end less the delay. The graph is that of
/// the longest macro step, expected or met: shorter ones wait for no more.
class Asynchronous final : public Coupling {
public:
    /// `ratios`: steps of each subsystem in one macro step; empty: one each.
    explicit Asynchronous(std::vector<int> ratios) : ratios_(std::move(ratios)) {}

    CouplingNeeds needs(const System&) const override { return {.follows_links = false}; }
    CouplingTraits traits() const override { return {.order = 2}; }
    void prepare(System& system, double longest_step) override;
    StepResult advance(System& system, Interval interval) override;

private:
    struct Step {
        int subsystem = 0, number = 0;
    };
    int ratio(int s) const { return ratios_.empty() ? 1 : ratios_[static_cast<std::size_t>(s)]; }
    void plan(System& system, double length);
    Interval interval_of(const Step& step, Interval whole) const;

    std::vector<int> ratios_;
    double planned_ = 0.0;  // length of the macro step that the graph is for
    std::vector<Step> steps_;
    int graph_ = 0;
    std::vector<StepResult> results_;
};

}  // namespace tandem::coupling
