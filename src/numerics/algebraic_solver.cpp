#include "numerics/algebraic_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "numerics/correction_limits.hpp"
#include "numerics/loop_matrix.hpp"

namespace tandem::numerics {
namespace {

/// Shorter parts of a correction than this are not tried.
constexpr double shortest_way = 1e-6;
/// Nominals say nothing about values that are that much smaller.
constexpr double far_smaller = 1e-8;
/// Where a correction is that much shorter than the last, the Jacobian is good for another one.
constexpr double good_contraction = 1e-2;

std::span<const double> view(const Eigen::VectorXd& column) {
    return {column.data(), static_cast<std::size_t>(column.size())};
}

}  // namespace

struct AlgebraicSolver::Impl {
    enum class Move { converged, moved, stuck };
    enum class End { converged, noise, failed };

    AlgebraicProblem& problem;
    AlgebraicOptions options;
    std::vector<double> nominals;
    CorrectionLimits limits;
    LoopMatrix matrix;
    std::vector<double> start, kept, x, r, trial, r_trial, weights;
    Eigen::VectorXd step, next;     ///< corrections at x and at the trial
    bool is_exact = false;          ///< the Jacobian came from the problem
    bool counts_otherwise = false;  ///< increments of differences
    AlgebraicResult result;

    Impl(AlgebraicProblem& the_problem, std::span<const double> the_nominals,
         AlgebraicOptions the_options)
        : problem(the_problem),
          options(the_options),
          nominals(the_nominals.begin(), the_nominals.end()),
          limits(nominals, options.tolerance) {
        for (auto* work : {&start, &kept, &x, &r, &trial, &r_trial, &weights})
            work->resize(nominals.size());
        for (auto* work : {&step, &next}) work->resize(std::ssize(nominals));
    }

    bool evaluate(std::span<const double> at, std::span<double> residual) {
        ++result.evaluations;
        return problem.residual(at, residual) &&
               std::ranges::all_of(residual, [](double value) { return std::isfinite(value); });
    }

    void correction(std::vector<double>& residual, Eigen::VectorXd& column) {
        matrix.solve(Eigen::Map<Eigen::VectorXd>(residual.data(), std::ssize(residual)), column);
    }

    /// J at x, with r there. False: it cannot be had, or has no inverse.
    bool differentiate() {
        const auto n = std::ssize(x);
        matrix.entries().resize(n, n);
        const std::span<double> entries{matrix.entries().data(), static_cast<std::size_t>(n * n)};
        is_exact = !counts_otherwise && problem.jacobian(x, entries);
        if (!is_exact && !differences(entries)) return false;
        if (matrix.factorise()) return true;
        result.singular = matrix.entries().allFinite();
        return false;
    }

    /// By nominals, unless values are smaller by far; or the other way round. Unknown and residual
    /// are of one kind, so x - r counts for the size.
    double increment(std::size_t j) const {
        static const double root = std::sqrt(std::numeric_limits<double>::epsilon());
        const double value = std::abs(x[j]), other = std::abs(x[j] - r[j]);
        const double by_nominal = std::max({value, other, nominals[j]});
        const double by_value = value > 0.0 ? value : other;
        const bool is_far_smaller = std::max(value, other) < far_smaller * nominals[j];
        return root *
               (is_far_smaller != counts_otherwise && by_value > 0.0 ? by_value : by_nominal);
    }

    bool differences(std::span<double> entries) {
        const std::size_t n = x.size();
        trial = x;
        for (std::size_t j = 0; j < n; ++j) {
            const bool ahead = (trial[j] = x[j] + increment(j), evaluate(trial, r_trial));
            const bool good = ahead || (trial[j] = x[j] - increment(j), evaluate(trial, r_trial));
            if (!good) return false;
            for (std::size_t i = 0; i < n; ++i)
                entries[j * n + i] = (r_trial[i] - r[i]) / (trial[j] - x[j]);
            trial[j] = x[j];
        }
        return true;
    }

    /// Lengths of corrections are by the sizes of the values before and after the whole step; where
    /// these are zero, by what the residual makes of them.
    void weigh() {
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double other = std::min(nominals[i], std::abs(x[i] - r[i]));
            const double size = std::max({std::abs(x[i]), std::abs(x[i] - view(step)[i]), other});
            weights[i] = size > 0.0 ? size : nominals[i];
        }
    }
    double length(const Eigen::VectorXd& column) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < x.size(); ++i) sum += std::pow(view(column)[i] / weights[i], 2);
        return std::sqrt(sum);
    }

    /// From x along the step, as far as the correction that would come next is shorter.
    Move go_on(double& contraction) {
        weigh();
        const double before = length(step);
        for (double way = 1.0; way >= shortest_way; way /= 2.0) {
            for (std::size_t i = 0; i < x.size(); ++i) trial[i] = x[i] - way * view(step)[i];
            if (!evaluate(trial, r_trial)) continue;
            correction(r_trial, next);
            const double after = length(next);
            const bool is_there = way == 1.0 && limits.are_met(view(next), trial);
            if (is_there && !limits.is_proven(matrix, r_trial, r, trial)) return Move::stuck;
            if (!is_there && !(after <= (1.0 - way / 4.0) * before)) continue;
            x.swap(trial);
            r.swap(r_trial);
            step.swap(next);
            limits.see(x);
            contraction = way == 1.0 ? after / before : 1.0;
            return is_there ? Move::converged : Move::moved;
        }
        return Move::stuck;
    }

    bool is_singular() const {
        return matrix.is_singular(is_exact ? exact_rounding : difference_rounding);
    }
    /// The solution is x less the last correction, unless that is noise.
    End finish(bool corrects) {
        for (std::size_t i = 0; corrects && i < x.size(); ++i) x[i] -= view(step)[i];
        result.singular = is_singular();
        return result.singular ? End::failed : End::converged;
    }

    End newton() {
        limits.forget_values();
        limits.see(x);
        if (!evaluate(x, r)) return End::failed;
        double contraction = 1.0;
        for (int iteration = 0; iteration < options.max_iterations; ++iteration) {
            if (!(contraction <= good_contraction)) {
                if (!differentiate()) return End::failed;
                if (iteration == 0) result.singular = is_singular();
                correction(r, step);
                if (limits.are_met(view(step), x) && limits.is_proven(matrix, r, {}, x))
                    return finish(true);
            }
            ++result.iterations;
            switch (go_on(contraction)) {
                case Move::converged: return finish(true);
                case Move::moved: break;
                case Move::stuck:
                    if (contraction <= good_contraction) {
                        contraction = 1.0;
                        break;  // with a new Jacobian
                    }
                    return end_where_stuck();
            }
        }
        return End::failed;
    }

    End end_where_stuck() {
        if (limits.are_met_by_rounding(view(step), x, matrix.condition())) return finish(false);
        return !is_singular() && limits.are_noise(view(step), x, matrix.condition()) ? End::noise
                                                                                     : End::failed;
    }

    /// Where nominals say nothing, differences over their size miss what functions do, and what
    /// looks like noise by nominals may be all there is.
    bool try_both_increments() {
        counts_otherwise = false;
        const End first = newton();
        if (first == End::converged || result.singular) return first == End::converged;
        kept = x;
        x = start;
        counts_otherwise = true;
        if (newton() == End::converged) return true;
        result.singular = false;
        x = kept;
        return first == End::noise && evaluate(x, r);
    }

    double scaled_residual() {
        if (!evaluate(x, r)) return std::numeric_limits<double>::infinity();
        double largest = 0.0;
        for (std::size_t i = 0; i < r.size(); ++i)
            largest = std::max(largest, std::abs(r[i]) / std::max(nominals[i], std::abs(x[i])));
        return largest;
    }
};

AlgebraicSolver::AlgebraicSolver(AlgebraicProblem& problem, std::span<const double> nominals,
                                 AlgebraicOptions options)
    : impl_(std::make_unique<Impl>(problem, nominals, options)) {}
AlgebraicSolver::~AlgebraicSolver() = default;

AlgebraicResult AlgebraicSolver::solve(std::span<double> x) {
    Impl& impl = *impl_;
    impl.result = {};
    std::ranges::copy(x, impl.start.begin());
    impl.x = impl.start;
    impl.result.converged = impl.try_both_increments();
    if (!impl.result.converged) impl.result.residual = impl.scaled_residual();
    std::ranges::copy(impl.x, x.begin());
    return impl.result;
}

}  // namespace tandem::numerics
