#include "coupling/fixed_point.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tandem::coupling {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// A residual that falls by less than this in one evaluation makes a kept Jacobian be renewed.
constexpr double slow = 0.1;

}  // namespace

struct FixedPointSolver::Impl {
    Impl(std::size_t size, std::vector<double> the_nominals, FixedPointOptions the_options)
        : nominals(std::move(the_nominals)), options(the_options) {
        const auto n = static_cast<Eigen::Index>(size);
        for (Vector* work : {&z, &g, &r, &z_before, &r_before, &step}) work->setZero(n);
        matrix.setZero(n, n);
    }

    bool evaluate(FixedPointProblem& problem, FixedPointResult& result) {
        ++result.evaluations;
        if (!problem.evaluate({z.data(), at(z.size())}, {g.data(), at(g.size())}) ||
            !g.allFinite()) {
            result.evaluated = false;
            return false;
        }
        r = g - z;
        result.residual = size_of_residual();
        return true;
    }

    double size_of_residual() const {
        double largest = 0.0;
        for (Eigen::Index i = 0; i < r.size(); ++i)
            largest = std::max(largest, std::abs(r[i]) / (nominals[at(i)] + std::abs(z[i])));
        return largest;
    }

    /// The next iterate from z and r.
    bool advance(FixedPointProblem& problem, FixedPointResult& result) {
        switch (options.accelerator) {
            case Accelerator::fixed_point: step = options.relaxation * r; break;
            case Accelerator::aitken: step = aitken(result.evaluations == 1) * r; break;
            case Accelerator::anderson: anderson(result.evaluations == 1); break;
            case Accelerator::broyden:
                if (!broyden(problem, result)) return false;
                break;
            case Accelerator::newton:
                if (!newton(problem, result)) return false;
                break;
        }
        z_before = z;
        r_before = r;
        z += step;
        return z.allFinite();
    }

    /// om <- -om r_before.(r - r_before) / |r - r_before|^2
    double aitken(bool is_first) {
        if (is_first) return omega = options.relaxation;
        const Vector change = r - r_before;
        const double square = change.squaredNorm();
        if (square > 0.0) omega *= -r_before.dot(change) / square;
        return omega;
    }

    /// z + r - (dZ + dR) gamma, with gamma from min |r - dR gamma| over the last differences.
    void anderson(bool is_first) {
        if (is_first) {
            d_z.resize(z.size(), 0);
            d_r.resize(z.size(), 0);
        } else {
            const Eigen::Index kept =
                std::min<Eigen::Index>(d_z.cols(), std::max(options.depth - 1, 0));
            const auto push = [&](Matrix& columns, const Vector& newest) {
                Matrix shifted(z.size(), kept + 1);
                shifted.leftCols(kept) = columns.rightCols(kept);
                shifted.col(kept) = newest;
                columns = std::move(shifted);
            };
            push(d_z, z - z_before);
            push(d_r, r - r_before);
        }
        step = r;
        if (d_r.cols() == 0) return;
        const Vector gamma = d_r.colPivHouseholderQr().solve(r);
        step -= (d_z + d_r) * gamma;
    }

    /// dr/dz by differences or derivatives of the problem, factorised.
    bool renew(FixedPointProblem& problem, FixedPointResult& result) {
        ++result.jacobians;
        if (!problem.jacobian({z.data(), at(z.size())}, {g.data(), at(g.size())},
                              {matrix.data(), at(matrix.size())}))
            return false;
        matrix.diagonal().array() -= 1.0;
        factors.compute(matrix);
        is_known = true;
        return matrix.allFinite();
    }

    bool newton(FixedPointProblem& problem, FixedPointResult& result) {
        const bool helps = result.evaluations == 1 || result.residual <= slow * residual_before;
        if ((!is_known || !helps) && !renew(problem, result)) return false;
        residual_before = result.residual;
        step = -factors.solve(r);
        return true;
    }

    /// B += (dr - B dz) dz^T / |dz|^2
    bool broyden(FixedPointProblem& problem, FixedPointResult& result) {
        if (result.evaluations == 1 && !is_known) {
            if (options.starts_by_identity)
                matrix = -Matrix::Identity(z.size(), z.size());
            else if (!renew(problem, result))
                return false;
            is_known = true;
        } else if (result.evaluations > 1) {
            const Vector change = z - z_before;
            const double square = change.squaredNorm();
            if (square > 0.0)
                matrix += ((r - r_before) - matrix * change) * change.transpose() / square;
        }
        step = -matrix.partialPivLu().solve(r);
        return true;
    }

    static std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }

    std::vector<double> nominals;
    FixedPointOptions options;
    Vector z, g, r, z_before, r_before, step;
    Matrix matrix;  ///< dr/dz, of newton and broyden
    Eigen::PartialPivLU<Matrix> factors;
    bool is_known = false;
    double residual_before = 0.0;
    double omega = 1.0;
    Matrix d_z, d_r;  ///< of anderson: differences, the newest last
};

FixedPointSolver::FixedPointSolver(std::size_t size, std::vector<double> nominals,
                                   FixedPointOptions options)
    : impl_(std::make_unique<Impl>(size, std::move(nominals), options)) {}
FixedPointSolver::~FixedPointSolver() = default;

FixedPointResult FixedPointSolver::solve(FixedPointProblem& problem, std::span<double> z) {
    Impl& own = *impl_;
    std::ranges::copy(z, own.z.begin());
    FixedPointResult result;
    while (own.evaluate(problem, result)) {
        result.converged = result.residual <= own.options.tolerance;
        if (result.converged || result.evaluations >= own.options.max_evaluations) break;
        if (!own.advance(problem, result)) break;
    }
    std::ranges::copy(own.z, z.begin());
    if (!result.converged) forget();
    return result;
}

std::span<const double> FixedPointSolver::residuals() const {
    return {impl_->r.data(), static_cast<std::size_t>(impl_->r.size())};
}

void FixedPointSolver::forget() { impl_->is_known = false; }

}  // namespace tandem::coupling
