#include "numerics/least_squares.hpp"

#include <Eigen/SVD>
#include <algorithm>

namespace tandem::numerics {

struct LeastSquares::Impl {
    Eigen::MatrixXd matrix;
    Eigen::JacobiSVD<Eigen::MatrixXd> svd;
};

LeastSquares::LeastSquares() : impl_(std::make_unique<Impl>()) {}
LeastSquares::~LeastSquares() = default;
LeastSquares::LeastSquares(LeastSquares&&) noexcept = default;
LeastSquares& LeastSquares::operator=(LeastSquares&&) noexcept = default;

void LeastSquares::prepare(std::size_t rows, std::size_t columns) {
    const auto m = static_cast<Eigen::Index>(rows), n = static_cast<Eigen::Index>(columns);
    impl_->matrix.setZero(m, n);
    impl_->svd = Eigen::JacobiSVD<Eigen::MatrixXd>(m, n, Eigen::ComputeThinU | Eigen::ComputeThinV);
}

std::span<double> LeastSquares::matrix() {
    return {impl_->matrix.data(), static_cast<std::size_t>(impl_->matrix.size())};
}

void LeastSquares::factor() { impl_->svd.compute(impl_->matrix); }

void LeastSquares::solve(std::span<const double> r, std::span<double> x, double cut) const {
    const auto& svd = impl_->svd;
    const Eigen::Map<const Eigen::VectorXd> right(r.data(), std::ssize(r));
    Eigen::Map<Eigen::VectorXd> solution(x.data(), std::ssize(x));
    solution.setZero();
    const auto& values = svd.singularValues();
    for (Eigen::Index k = 0; k < values.size() && values[k] > cut * values[0]; ++k)
        solution += (svd.matrixU().col(k).dot(right) / values[k]) * svd.matrixV().col(k);
}

}  // namespace tandem::numerics
