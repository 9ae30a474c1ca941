#pragma once

#include <span>
#include <vector>

namespace tandem {

/// Below which corrections of an iteration are small. They count relative to the values; near a
/// zero, relative to the largest values so far or to the nominals, whichever are smaller.
class CorrectionLimits {
public:
    CorrectionLimits(std::span<const double> nominals, double tolerance);

    /// Values that the iteration has come to.
    void see(std::span<const double> values);
    void forget_values();
    /// The largest correction by its size.
    double largest(std::span<const double> corrections, std::span<const double> values) const;
    bool are_met(std::span<const double> corrections, std::span<const double> values) const {
        return largest(corrections, values) <= tolerance_;
    }
    /// For corrections that no longer shrink: what rounding errors leave where the equations
    /// amplify them by `condition`, or the tolerance by nominals alone.
    bool are_met_by_rounding(std::span<const double> corrections, std::span<const double> values,
                             double condition) const;

private:
    std::vector<double> nominals_, largest_;
    double tolerance_;
};

}  // namespace tandem
