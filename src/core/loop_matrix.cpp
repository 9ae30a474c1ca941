#include "core/loop_matrix.hpp"

#include <cmath>
#include <limits>

namespace tandem {
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

void LoopMatrix::find_condition() {
    const Eigen::Index n = entries_.rows();
    amplified_.setIdentity(n, n);
    inverse_.resize(n, n);
    for (Eigen::Index j = 0; j < n; ++j) solve(amplified_.col(j), inverse_.col(j));
    if (!inverse_.allFinite()) return;
    amplified_ -= entries_;
    amplified_ = amplified_.cwiseAbs();
    amplified_.diagonal().array() += 1.0;
    amplified_ = inverse_.cwiseAbs() * amplified_;
    // A positive diagonal: the iteration converges.
    amplified_.diagonal().array() += std::numeric_limits<double>::min();
    Eigen::VectorXd direction = Eigen::VectorXd::Ones(n);
    double growth = 0.0;
    for (int k = 0; k < power_iterations; ++k) {
        direction = amplified_ * direction;
        growth = direction.lpNorm<Eigen::Infinity>();
        direction /= growth;
    }
    condition_ = growth;
}

int LoopMatrix::sign_of_determinant() const {
    int sign = static_cast<int>(factors_.permutationP().determinant());
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

}  // namespace tandem
