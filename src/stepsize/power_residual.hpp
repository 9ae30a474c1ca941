#pragma once

#include "tandem/extend/step_control.hpp"

namespace tandem::stepsize {

/// The power that one side of a bond gives against the power that the other takes: with the effort
/// e and the flow f that the sides put out, and what they were told about each other's at the end
/// of the step, e~ and f~,
///   dP = e f~ - e~ f
/// is energy that the coupling makes out of nothing or loses. It may be the tolerance times the
/// power itself and the product of the nominals. Every step counts, the next one learns from it.
class PowerResidual final : public StepControl {
public:
    explicit PowerResidual(double tolerance) : tolerance_(tolerance) {}

    void prepare(System& system, const RunFacts& facts) override;
    void begin_step(System& /*system*/, double /*t*/) override {}
    std::optional<double> error(System& system, Interval interval) override;
    int power() const override { return facts_.order; }

private:
    double tolerance_;
    RunFacts facts_;
    std::vector<double> nominals_;  // of the power of each bond
};

}  // namespace tandem::stepsize
