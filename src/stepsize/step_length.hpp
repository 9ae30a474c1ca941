#pragma once

#include <optional>

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
    /// False for a step of the smallest length, and where shorter steps have made things worse
    /// three times: then it is noise, of solvers inside, that is too large, and the best of them
    /// counts.
    bool is_worth_repeating(double length, double error) const;
    /// Where a step from `t` ends that must not pass `limit`. What is left to it is divided evenly
    /// rather than leaving a sliver.
    double end_of_step(double t, double limit) const;
    void accept(double length, double error);
    void reject(double length, double error);
    /// It could not be done; one of this length may be.
    void shorten(double length) { set(length); }
    /// Its error is too large, but it is not worth repeating.
    void accept_anyway(double length, double error);
    /// The last error says nothing about the next one.
    void forget() { error_before_ = 1.0; }

private:
    void set(double length);
    void forget_tries();

    Limits limits_;
    double exponent_;
    double next_;
    double error_before_ = 1.0;
    struct Tried {
        double length = 0.0;
        double error = 0.0;
    };
    std::optional<Tried> last_, best_;  // of those rejected since a step was accepted
    int worse_ = 0;                     // times in a row
    double noise_ = 1.0;                // an error that shorter steps did not make smaller
};

}  // namespace tandem::stepsize
