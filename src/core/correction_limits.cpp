#include "core/correction_limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tandem {
namespace {

/// Units in the last place by which the terms of an equation may be off together.
constexpr double rounding_of_terms = 64.0 * std::numeric_limits<double>::epsilon();

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

double CorrectionLimits::largest(std::span<const double> corrections,
                                 std::span<const double> values) const {
    double all = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (corrections[i] == 0.0) continue;
        const double own =
            std::abs(corrections[i]) / (std::abs(values[i]) + std::min(nominals_[i], largest_[i]));
        if (!std::isfinite(own)) return std::numeric_limits<double>::infinity();
        all = std::max(all, own);
    }
    return all;
}

bool CorrectionLimits::are_met_by_rounding(std::span<const double> corrections,
                                           std::span<const double> values, double condition) const {
    const double share = std::max(tolerance_, rounding_of_terms * condition);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!(std::abs(corrections[i]) <= share * std::max(nominals_[i], std::abs(values[i]))))
            return false;
    return true;
}

}  // namespace tandem
