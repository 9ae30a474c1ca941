#pragma once

#include <span>
#include <vector>

namespace tandem::numerics {

class LoopMatrix;

/// Below which corrections of an iteration are small. They count relative to the values; near a
/// zero, relative to the largest values so far or to the nominals, whichever are smaller.
class CorrectionLimits {
public:
    CorrectionLimits(std::span<const double> nominals, double tolerance);

    /// Values that the iteration has come to.
    void see(std::span<const double> values);
    void forget_values();
    /// By which a change of variable i at this value counts; 0: nothing is known but the nominal.
    double size(std::size_t i, double value) const;
    /// The largest correction by its size.
    double largest(std::span<const double> corrections, std::span<const double> values) const;
    bool are_met(std::span<const double> corrections, std::span<const double> values) const {
        return largest(corrections, values) <= tolerance_;
    }
    /// For corrections that no longer shrink: what rounding errors leave where the equations
    /// amplify them by `condition`.
    bool are_met_by_rounding(std::span<const double> corrections, std::span<const double> values,
                             double condition) const;
    /// Likewise if the equations contain terms of the size of the nominals that cancel. It says
    /// nothing about values that are as small as such rounding errors.
    bool are_noise(std::span<const double> corrections, std::span<const double> values,
                   double condition) const;
    /// Where a Jacobian is too large by far (that of an earlier point, differences over increments
    /// that are too wide), small corrections say nothing about the distance from the solution. It
    /// is believed for residuals that are small by themselves or up to rounding errors, and for
    /// those that the last correction has moved. No `before`: there was no correction.
    bool is_proven(const LoopMatrix& matrix, std::span<const double> residuals,
                   std::span<const double> before, std::span<const double> values) const;

private:
    std::vector<double> nominals_, largest_;
    double tolerance_;
};

}  // namespace tandem::numerics
