#pragma once

namespace tandem {

/// Evaluated at times t + remainder, of which `remainder` is what rounding has taken: beside
/// ode::OdeProblem or Law, for those to whom it matters where times are large against steps.
class RoundedTime {
public:
    /// Of the evaluations to come.
    void set_remainder(double remainder) const { remainder_ = remainder; }

protected:
    ~RoundedTime() = default;
    double remainder() const { return remainder_; }

private:
    mutable double remainder_ = 0.0;
};

}  // namespace tandem
