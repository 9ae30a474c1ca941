#pragma once

#include "tandem/extend/step_control.hpp"

namespace tandem::stepsize {

/// One step against two halves. Where the error of the step is `gain` times that of the halves (2^p
/// for a coupling of order p that does not look back), that of the halves is
///   e = (y_halves - y_whole) / (gain - 1),
/// of order p + 1 in the step h. The errors of all steps may add up to the tolerance: that of one
/// step may be tolerance * h / span.
///
/// Outputs are compared as they follow from the states: those that follow inputs directly are read
/// again with the inputs that their sources give at the end of the step. What such
/// an output owes to an extrapolated input is of order p only, and gone with the next exchange.
/// Where the coupling iterates they agree already, but for residuals that an algebraic loop might
/// amplify.
class Richardson final : public StepControl {
public:
    explicit Richardson(double tolerance) : tolerance_(tolerance) {}

    bool repeats_in_halves() const override { return true; }
    bool rejects() const override { return true; }
    void prepare(System& system, const RunFacts& facts) override;
    void begin_step(System& /*system*/, double /*t*/) override {}
    void keep_whole(System& system, double end) override;
    std::optional<double> error(System& system, Interval interval) override;
    std::string worst_output(System& system) const override { return norm_.worst(system, whole_); }
    int power() const override { return facts_.order; }

private:
    void solve_feedthrough(System& system, double t);

    double tolerance_;
    RunFacts facts_;
    OutputNorm norm_;
    std::vector<double> whole_;
    std::vector<int> direct_;  // subsystems whose outputs follow fed inputs, sources first
};

}  // namespace tandem::stepsize
