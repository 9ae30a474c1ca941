#include "numerics/anderson.hpp"

#include <algorithm>

namespace tandem::numerics {
namespace {

/// Differences that depend on the others, up to rounding.
constexpr double dependent = 1e-13;

std::span<double> view(Eigen::VectorXd& values) {
    return {values.data(), static_cast<std::size_t>(values.size())};
}

}  // namespace

Anderson::Anderson(Eigen::Index size, int depth)
    : d_z_(size, std::max(depth, 1)),
      d_r_(size, std::max(depth, 1)),
      scaled_(size),
      lengths_(d_z_.cols()),
      gamma_(d_z_.cols()) {
    squares_.prepare(static_cast<std::size_t>(size), static_cast<std::size_t>(d_z_.cols()));
}

void Anderson::add(const Eigen::VectorXd& d_z, const Eigen::VectorXd& d_r) {
    count_ = std::min(count_ + 1, d_z_.cols());
    for (Eigen::Index k = count_ - 1; k > 0; --k) {
        d_z_.col(k) = d_z_.col(k - 1);
        d_r_.col(k) = d_r_.col(k - 1);
    }
    d_z_.col(0) = d_z;
    d_r_.col(0) = d_r;
}

/// Columns of length 1: differences shrink with every iteration, and the newest count most.
void Anderson::find_step(const Eigen::VectorXd& r, const Eigen::VectorXd& sizes,
                         Eigen::VectorXd& step) {
    step = r;
    if (count_ == 0 || r.size() == 0) return;
    Eigen::Map<Eigen::MatrixXd> matrix(squares_.matrix().data(), d_r_.rows(), d_r_.cols());
    matrix.setZero();
    for (Eigen::Index k = 0; k < count_; ++k) {
        matrix.col(k) = d_r_.col(k).cwiseQuotient(sizes);
        lengths_[k] = matrix.col(k).norm();
        if (lengths_[k] > 0.0) matrix.col(k) /= lengths_[k];
    }
    squares_.factor();
    scaled_ = r.cwiseQuotient(sizes);
    squares_.solve(view(scaled_), view(gamma_), dependent);
    for (Eigen::Index k = 0; k < count_; ++k)
        if (lengths_[k] > 0.0) step -= (gamma_[k] / lengths_[k]) * (d_z_.col(k) + d_r_.col(k));
}

}  // namespace tandem::numerics
