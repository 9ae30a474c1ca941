#include "numerics/loop_matrix.hpp"

#include <cmath>
#include <limits>

namespace tandem::numerics {
namespace {

constexpr int power_iterations = 30;

}  // namespace

bool LoopMatrix::factorise() {
    condition_ = std::numeric_limits<double>::infinity();
    if (!entries_.allFinite()) return false;
    // Pivots are compared between rows, so rows are of one size; powers of two round nothing.
    row_scales_.resize(entries_.rows());
    for (Eigen::Index i = 0; i < entries_.rows(); ++i) {
        const double largest = entries_.row(i).cwiseAbs().maxCoeff();
        if (!(largest > 0.0)) return false;
        row_scales_[i] = std::exp2(-std::round(std::log2(largest)));
    }
    scaled_ = row_scales_.asDiagonal() * entries_;
    factors_.compute(scaled_);
    find_condition();
    return std::isfinite(condition_);
}

/// By the power method on v <- |M^-1| (I + |I - M|) v, which is positive on its diagonal.
void LoopMatrix::find_condition() {
    const Eigen::Index n = entries_.rows();
    inverse_.resize(n, n);
    for (auto* work : {&terms_, &direction_}) work->setZero(n);
    for (Eigen::Index j = 0; j < n; ++j) {
        terms_[j] = 1.0;
        solve(terms_, inverse_.col(j));
        terms_[j] = 0.0;
    }
    if (!inverse_.allFinite()) return;
    direction_.setOnes();
    double growth = 0.0;
    for (int k = 0; k < power_iterations; ++k) {
        for (Eigen::Index i = 0; i < n; ++i) {
            terms_[i] = direction_[i];
            for (Eigen::Index j = 0; j < n; ++j)
                terms_[i] += std::abs((i == j ? 1.0 : 0.0) - entries_(i, j)) * direction_[j];
        }
        for (Eigen::Index i = 0; i < n; ++i) {
            direction_[i] = 0.0;
            for (Eigen::Index j = 0; j < n; ++j)
                direction_[i] += std::abs(inverse_(i, j)) * terms_[j];
        }
        growth = direction_.maxCoeff();
        direction_ /= growth;
    }
    condition_ = growth;
}

double LoopMatrix::size_of_terms(std::size_t i, std::span<const double> y) const {
    double sum = std::abs(y[i]);
    for (std::size_t j = 0; j < y.size(); ++j)
        sum += std::abs((i == j ? 1.0 : 0.0) -
                        entries_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j))) *
               std::abs(y[j]);
    return sum;
}

int LoopMatrix::sign_of_determinant() const {
    // Each pair that changes places turns the sign; Eigen's own count allocates.
    const auto& places = factors_.permutationP().indices();
    int sign = 1;
    for (Eigen::Index i = 0; i < places.size(); ++i)
        for (Eigen::Index j = i + 1; j < places.size(); ++j)
            if (places[i] > places[j]) sign = -sign;
    for (const double pivot : factors_.matrixLU().diagonal())
        sign *= pivot > 0.0 ? 1 : pivot < 0.0 ? -1 : 0;
    return sign;
}

void LoopMatrix::solve(const Eigen::Ref<const Eigen::VectorXd>& r,
                       Eigen::Ref<Eigen::VectorXd> correction) const {
    const auto& places = factors_.permutationP().indices();
    for (Eigen::Index i = 0; i < r.size(); ++i) correction[places[i]] = row_scales_[i] * r[i];
    factors_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(correction);
    factors_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(correction);
}

}  // namespace tandem::numerics
