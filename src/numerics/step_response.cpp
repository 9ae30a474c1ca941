#include "numerics/step_response.hpp"

#include <Eigen/Core>
#include <cmath>

namespace tandem::numerics {
namespace {

/// Terms of the series are below rounding for |A| h up to this.
constexpr double short_step = 0.5;
constexpr int last_divisor = 16;
constexpr int most_squarings = 60;

using Matrix = Eigen::Map<Eigen::MatrixXd>;

Matrix square_of(std::vector<double>& values, std::size_t size) {
    const auto n = static_cast<Eigen::Index>(size);
    return {values.data(), n, n};
}

}  // namespace

void StepResponse::prepare(std::size_t size) {
    size_ = size;
    for (auto* matrix : {&states_, &constants_, &ramps_, &parabolas_, &a_, &product_})
        matrix->assign(size * size, 0.0);
}

/// E = exp(A h), P1 = integral of exp(A s) over the step, P2 = integral of (h - s) exp(A s):
/// and P3 = integral of P2:
///   P3 = h^3/6 (I + A h/4 (I + A h/5 (I + ...))),  P2 = h^2/2 I + A P3,  P1 = h I + A P2,
///   E = I + A P1
/// for a step so short that the series is; then step and step again.
void StepResponse::compute(std::span<const double> a, double h) {
    if (size_ == 0) return;
    a_.assign(a.begin(), a.end());
    Matrix matrix = square_of(a_, size_), e = square_of(states_, size_);
    Matrix p1 = square_of(constants_, size_), p2 = square_of(ramps_, size_);
    Matrix p3 = square_of(parabolas_, size_), product = square_of(product_, size_);
    const double norm = matrix.cwiseAbs().colwise().sum().maxCoeff() * h;
    int squarings = 0;
    while (std::ldexp(norm, -squarings) > short_step && squarings < most_squarings) ++squarings;
    double length = std::ldexp(h, -squarings);
    p3.setIdentity();
    for (int divisor = last_divisor; divisor > 3; --divisor) {
        product.noalias() = matrix * p3;
        p3 = (length / divisor) * product;
        p3.diagonal().array() += 1.0;
    }
    p3 *= length * length * length / 6.0;
    p2.noalias() = matrix * p3;
    p2.diagonal().array() += 0.5 * length * length;
    p1.noalias() = matrix * p2;
    p1.diagonal().array() += length;
    e.noalias() = matrix * p1;
    e.diagonal().array() += 1.0;
    for (; squarings > 0; --squarings, length *= 2.0) square(length);
}

/// A ramp has risen to h when the second step begins, and goes on rising.
void StepResponse::square(double h) {
    Matrix e = square_of(states_, size_), p1 = square_of(constants_, size_);
    Matrix p2 = square_of(ramps_, size_), p3 = square_of(parabolas_, size_);
    Matrix product = square_of(product_, size_);
    product.noalias() = e * p3;
    p3 += h * p2 + 0.5 * h * h * p1 + product;
    product.noalias() = e * p2;
    p2 += h * p1 + product;
    product.noalias() = e * p1;
    p1 += product;
    product.noalias() = e * e;
    e = product;
}

}  // namespace tandem::numerics
