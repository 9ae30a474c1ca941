#include "numerics/correction_limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/loop_matrix.hpp"

namespace tandem::numerics {
namespace {

/// Units in the last place by which the terms of an equation may be off together.
constexpr double rounding_of_terms = 64.0 * std::numeric_limits<double>::epsilon();
/// Likewise where they are all known.
constexpr double rounding_of_sum = 8.0 * std::numeric_limits<double>::epsilon();
/// A residual that moved by less of its size was not the one that the Jacobian promised.
constexpr double least_move = 0.1;

}  // namespace

CorrectionLimits::CorrectionLimits(std::span<const double> nominals, double tolerance)
    : nominals_(nominals.begin(), nominals.end()),
      largest_(nominals.size(), 0.0),
      tolerance_(tolerance) {
    for (double& nominal : nominals_) nominal = std::abs(nominal);
}

void CorrectionLimits::see(std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i)
        largest_[i] = std::max(largest_[i], std::abs(values[i]));
}

void CorrectionLimits::forget_values() { std::ranges::fill(largest_, 0.0); }

double CorrectionLimits::size(std::size_t i, double value) const {
    return std::abs(value) + std::min(nominals_[i], largest_[i]);
}

double CorrectionLimits::largest(std::span<const double> corrections,
                                 std::span<const double> values) const {
    double all = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (corrections[i] == 0.0) continue;
        const double own = std::abs(corrections[i]) / size(i, values[i]);
        if (!std::isfinite(own)) return std::numeric_limits<double>::infinity();
        all = std::max(all, own);
    }
    return all;
}

bool CorrectionLimits::are_met_by_rounding(std::span<const double> corrections,
                                           std::span<const double> values, double condition) const {
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!(std::abs(corrections[i]) <= rounding_of_terms * condition * size(i, values[i])))
            return false;
    return true;
}

bool CorrectionLimits::are_noise(std::span<const double> corrections,
                                 std::span<const double> values, double condition) const {
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!(std::abs(corrections[i]) <=
              rounding_of_terms * condition * std::max(nominals_[i], std::abs(values[i]))))
            return false;
    return true;
}

bool CorrectionLimits::is_proven(const LoopMatrix& matrix, std::span<const double> residuals,
                                 std::span<const double> before,
                                 std::span<const double> values) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double residual = std::abs(residuals[i]);
        if (residual <= tolerance_ * size(i, values[i])) continue;
        if (residual <= rounding_of_sum * matrix.size_of_terms(i, values)) continue;
        if (before.empty() || !(std::abs(residuals[i] - before[i]) >= least_move * residual))
            return false;
    }
    return true;
}

}  // namespace tandem::numerics
