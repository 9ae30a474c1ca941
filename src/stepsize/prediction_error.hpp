#pragma once

#include "numerics/polynomial.hpp"
#include "tandem/extend/step_control.hpp"

namespace tandem::stepsize {

/// The outputs against what the polynomial through their last communication points had promised:
/// of a coupling of order p the one of degree p - 1, which is what an explicit coupling gives its
/// inputs. The difference may be the tolerance. Every step counts, the next one learns from it.
class PredictionError final : public StepControl {
public:
    explicit PredictionError(double tolerance) : tolerance_(tolerance) {}

    void prepare(System& system, const RunFacts& facts) override;
    void begin_step(System& system, double t) override;
    std::optional<double> error(System& system, Interval interval) override;
    std::string worst_output(System& system) const override {
        return norm_.worst(system, predicted_);
    }
    int power() const override { return degree_ + 1; }
    void reset_history() override { history_.clear(); }

private:
    double tolerance_;
    int degree_ = 0;
    OutputNorm norm_;
    numerics::History history_;
    std::vector<double> derivatives_, predicted_;
};

}  // namespace tandem::stepsize
