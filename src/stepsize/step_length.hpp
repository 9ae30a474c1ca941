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
    /// False for a step of the smallest length, and where a shorter step than the one rejected
    /// before made things worse: then it is noise, of solvers inside, that is too large.
    bool is_worth_repeating(double length, double error) const;
    /// Where a step from `t` ends that must not pass `limit`. What is left to it is divided evenly
    /// rather than leaving a sliver.
    double end_of_step(double t, double limit) const;
    void accept(double length, double error);
    void reject(double length, double error);
    /// It could not be done; one of this length may be.
    void shorten(double length) { set(length); }
    /// Its error is too large, but it is not worth repeating.
    void accept_anyway(double length);
    /// The last error says nothing about the next one.
    void forget() { error_before_ = 1.0; }

private:
    void set(double length);

    Limits limits_;
    double exponent_;
    double next_;
    double error_before_ = 1.0;
    double rejected_length_ = 0.0, rejected_error_ = 0.0;  // since a step was accepted; 0: none
};

}  // namespace tandem::stepsize
