#include "coupling/fixed_point.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tandem::coupling {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// Where a kept Jacobian takes more evaluations than a new one does, this many problems get new
/// ones before keeping is tried again.
constexpr int problems_with_new_jacobians = 20;
/// A solution that is nearer to the guess than this, by nominal and size, is no other one.
constexpr double shortest_way = 1e-3;

}  // namespace

struct FixedPointSolver::Impl {
    Impl(std::size_t size, std::vector<double> the_nominals, FixedPointOptions the_options)
        : nominals(std::move(the_nominals)), options(the_options) {
        const auto n = static_cast<Eigen::Index>(size);
        for (Vector* work : {&z, &g, &r, &z_before, &r_before, &step, &change, &guess, &way})
            work->setZero(n);
        matrix.setZero(n, n);
        first_matrix.setZero(n, n);
        factors = Eigen::PartialPivLU<Matrix>(n);
    }

    bool evaluate(FixedPointProblem& problem, FixedPointResult& result) {
        ++result.evaluations;
        if (!problem.evaluate({z.data(), at(z.size())}, {g.data(), at(g.size())})) return false;
        r = g - z;
        result.residual = size_of(r);
        return g.allFinite();
    }

    /// The largest entry, by nominal and size.
    double size_of(const Vector& difference) const {
        double largest = 0.0;
        for (Eigen::Index i = 0; i < z.size(); ++i)
            largest =
                std::max(largest, std::abs(difference[i]) / (nominals[at(i)] + std::abs(z[i])));
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
        change = r - r_before;
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
        if (result.evaluations > 1 && is_known && !has_first_matrix) {
            first_matrix = matrix;
            has_first_matrix = true;
        }
        if (!problem.jacobian({z.data(), at(z.size())}, {g.data(), at(g.size())},
                              {matrix.data(), at(matrix.size())}))
            return false;
        matrix.diagonal().array() -= 1.0;
        factors.compute(matrix);
        is_known = true;
        orientation = sign_of_determinant();
        return matrix.allFinite();
    }

    int sign_of_determinant() const {
        int sign = static_cast<int>(factors.permutationP().determinant());
        for (const double pivot : factors.matrixLU().diagonal())
            sign *= pivot > 0.0 ? 1 : pivot < 0.0 ? -1 : 0;
        return sign;
    }

    /// A Jacobian is kept inside a problem while one more step of this kind, by which the residual
    /// would fall as it fell last, is enough.
    bool newton(FixedPointProblem& problem, FixedPointResult& result) {
        const double next = result.residual / residual_before * result.residual;
        const bool helps = result.evaluations == 1 ? renewals_left == 0 : next <= options.tolerance;
        const bool renews = !is_known || !helps;
        if (result.evaluations == 1) begins_with_new = renews;
        if (renews && !renew(problem, result)) return false;
        residual_before = result.residual;
        solve_for_step();
        return true;
    }

    /// |J_1 d - J_0 d| / min(|J_0 d|, |J_1 d|) for the way d from the guess to the solution, where
    /// J_0 and J_1 were read near its ends. If one was enough they are the same.
    double bend() {
        way = z - guess;
        if (!has_first_matrix || size_of(way) < shortest_way) return 0.0;
        change.noalias() = first_matrix * way;
        const double first = size_of(change);
        step.noalias() = matrix * way;
        const double last = size_of(step);
        change -= step;
        return size_of(change) / std::min(first, last);
    }

    void solve_for_step() {
        step = factors.solve(r);
        step = -step;
    }

    /// Whether the next problem gets a new Jacobian.
    void judge_keeping(const FixedPointResult& result) {
        if (result.evaluations < 2) return;
        if (begins_with_new) {
            evaluations_if_new = result.evaluations;
            renewals_left = std::max(0, renewals_left - 1);
        } else if (result.evaluations > evaluations_if_new) {
            renewals_left = problems_with_new_jacobians;
        }
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
            change = z - z_before;
            const double square = change.squaredNorm();
            step = r - r_before;
            step.noalias() -= matrix * change;
            if (square > 0.0) matrix.noalias() += step * (change / square).transpose();
        }
        factors.compute(matrix);
        solve_for_step();
        return true;
    }

    static std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }

    std::vector<double> nominals;
    FixedPointOptions options;
    Vector z, g, r, z_before, r_before, step, change;
    Vector guess, way;    ///< where a problem began, and from there to the solution
    Matrix first_matrix;  ///< the one that it began with, if it got a new one
    bool has_first_matrix = false;
    Matrix matrix;  ///< dr/dz, of newton and broyden
    Eigen::PartialPivLU<Matrix> factors;
    bool is_known = false;
    int orientation = 0;
    bool begins_with_new = false;  ///< the problem under way got its own Jacobian at once
    int renewals_left = 0;
    int evaluations_if_new = 0;
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
    own.guess = own.z;
    own.has_first_matrix = false;
    FixedPointResult result;
    while (own.evaluate(problem, result)) {
        result.converged = result.residual <= own.options.tolerance;
        if (result.converged || result.evaluations >= own.options.max_evaluations) break;
        if (!own.advance(problem, result)) break;
    }
    std::ranges::copy(own.z, z.begin());
    if (!result.converged) forget();
    if (result.converged) own.judge_keeping(result);
    if (result.converged) result.bend = own.bend();
    if (own.options.accelerator == Accelerator::newton && own.is_known)
        result.orientation = own.orientation;
    return result;
}

std::span<const double> FixedPointSolver::residuals() const {
    return {impl_->r.data(), static_cast<std::size_t>(impl_->r.size())};
}

void FixedPointSolver::forget() { impl_->is_known = false; }

}  // namespace tandem::coupling
