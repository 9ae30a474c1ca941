#pragma once

namespace tandem::stepsize {

/// The length of the next step, by a PI controller: after a step of length h and error e,
///   h <- h * 0.9 * e^(-0.7/k) * e_before^(0.4/k),
/// where e goes down with h^k. After a rejected one h <- h * 0.9 * e^(-1/k).
class StepLength {
public:
    struct Limits {
        double min = 0.0;
        double max = 0.0;
        double first = 0.0;
    };
    StepLength(Limits limits, int power);

    double next() const { return next_; }
    bool is_shortest(double length) const { return length <= limits_.min * (1.0 + 1e-9); }
    /// Where a step from `t` ends that must not pass `limit`. What is left to it is divided evenly
    /// rather than leaving a sliver.
    double end_of_step(double t, double limit) const;
    void accept(double length, double error);
    void reject(double length, double error);
    /// The last error says nothing about the next one.
    void forget() { error_before_ = 1.0; }

private:
    void set(double length);

    Limits limits_;
    double exponent_;
    double next_;
    double error_before_ = 1.0;
};

}  // namespace tandem::stepsize
