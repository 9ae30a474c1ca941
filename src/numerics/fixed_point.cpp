#include "numerics/fixed_point.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "numerics/anderson.hpp"
#include "numerics/correction_limits.hpp"
#include "numerics/loop_matrix.hpp"

namespace tandem::numerics {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// Where a kept Jacobian takes more evaluations than a new one does, this many problems get new
/// ones before keeping is tried again.
constexpr int problems_with_new_jacobians = 20;
/// Corrections of Newton's method that shrink less are rounding errors, if they are that small.
constexpr double least_contraction = 0.5;
/// Of Jacobians by differences over a step: those of solvers inside are no better.
constexpr double least_rounding = 1e-9;
/// Nominals say nothing about values that are that much smaller: increments of differences would be
/// more than a hundredth of them.
constexpr double far_smaller = 1e-4;
/// Likewise, for what values weigh against each other.
constexpr double far_off = 1e3;
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

struct FixedPointSolver::Impl {
    Impl(std::size_t size, std::vector<double> the_nominals, FixedPointOptions the_options)
        : nominals(std::move(the_nominals)),
          options(the_options),
          limits(nominals, options.tolerance),
          limits_before(limits),
          anderson(static_cast<Eigen::Index>(size), options.depth),
          kept{{{.entries = {}, .limits = limits},
                {.entries = {}, .limits = limits},
                {.entries = {}, .limits = limits}}} {
        const auto n = static_cast<Eigen::Index>(size);
        for (Vector* work : {&z, &g, &r, &z_before, &r_before, &step, &change, &change_of_r, &guess,
                             &way, &miss, &stuck, &sizes, &scales})
            work->setZero(n);
        matrix.entries().setIdentity(n, n);
        for (Memory& memory : kept) memory.entries.setIdentity(n, n);
        for (LoopMatrix* work : {&at_guess, &probe}) {
            work->entries().setIdentity(n, n);
            static_cast<void>(work->factorise());  // sizes its work arrays
        }
    }

    bool evaluate(FixedPointProblem& problem, FixedPointResult& result) {
        ++result.evaluations;
        if (!problem.evaluate({z.data(), at(z.size())}, {g.data(), at(g.size())})) return false;
        r = g - z;
        return g.allFinite();
    }

    double size_of(const Vector& difference) const {
        return limits_before.largest(view(difference), view(z));
    }

    bool has_corrections() const {
        return is_known && (options.accelerator == Accelerator::newton ||
                            options.accelerator == Accelerator::broyden);
    }

    enum class End {
        open,
        converged,
        noise,    ///< perhaps: rounding errors of terms as large as the nominals
        failed,   ///< by the Jacobian, or in so many evaluations
        stopped,  ///< G cannot be evaluated
    };

    /// A residual says how far the solution is only together with a Jacobian: a gain multiplies it.
    End judge(const FixedPointResult& result) {
        if (has_corrections()) solve_for_step();
        const std::span<const double> corrections = view(has_corrections() ? step : r);
        limits.see(view(z));
        limits.see(view(g));
        distance_before = result.evaluations == 1 ? infinity : distance;
        distance = limits.largest(corrections, view(z));
        const bool gets_jacobian = options.accelerator == Accelerator::newton && !is_known;
        if (gets_jacobian) return End::open;
        if (distance <= options.tolerance) return judge_proof(result);
        // Without a Jacobian, slow convergence looks like rounding errors until it ends.
        const bool shrinks =
            distance < (has_corrections() ? least_contraction : 1.0) * distance_before;
        if (shrinks) return End::open;
        // What broyden makes of a Jacobian may be singular where that is not.
        const bool is_jacobian = has_corrections() && options.accelerator == Accelerator::newton;
        const double condition = is_jacobian ? matrix.condition() : 1.0;
        if (limits.are_met_by_rounding(corrections, view(z), condition)) return End::converged;
        return has_corrections() && limits.are_noise(corrections, view(z), condition) ? End::noise
                                                                                      : End::open;
    }

    /// Where a gain has fallen since, the Jacobian of an earlier problem makes a small correction
    /// of any residual: it is believed if the residual is small by itself.
    End judge_proof(const FixedPointResult& result) {
        if (!has_corrections() || limits.are_met(view(r), view(z))) return End::converged;
        const bool is_newton = options.accelerator == Accelerator::newton;
        if (result.evaluations == 1 || (is_newton && result.jacobians == 0)) {
            is_known = false;
            return End::open;
        }
        const bool is_believed = is_newton || is_confirmed(result);
        const auto before = is_believed ? view(r_before) : std::span<const double>{};
        if (limits.is_proven(matrix, view(r), before, view(z))) return End::converged;
        if (is_newton) return End::failed;
        if (!is_believed && distance_before <= options.tolerance) is_known = false;
        return End::open;
    }
    /// What broyden makes of a Jacobian is large along the last step, if that has led far away:
    /// then nothing seems to be left to correct. So one more step has to lessen the residual,
    /// unless the Jacobian is new.
    bool is_confirmed(const FixedPointResult& result) const {
        if (result.evaluations == read_at + 1) return true;
        return distance_before <= options.tolerance &&
               limits.largest(view(r), view(z)) <=
                   least_contraction * limits.largest(view(r_before), view(z));
    }

    /// The next iterate from z and r.
    bool advance(FixedPointProblem& problem, FixedPointResult& result) {
        const bool is_first = result.evaluations == 1;
        if (is_first) take_scales();
        switch (options.accelerator) {
            case Accelerator::fixed_point: step = options.relaxation * r; break;
            case Accelerator::aitken: step = aitken(is_first) * r; break;
            case Accelerator::anderson: find_anderson_step(is_first); break;
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

    /// Of inner products over one problem: nominals, unless the values are of quite another size.
    void take_scales() {
        for (Eigen::Index i = 0; i < z.size(); ++i) {
            const double size = std::max(limits.size(at(i), z[i]), limits.size(at(i), g[i]));
            const double nominal = std::abs(nominals[at(i)]);
            const bool is_told = size < far_off * nominal && nominal < far_off * size;
            scales[i] = is_told || !(size > 0.0) ? nominal : size;
        }
    }
    double product(const Vector& a, const Vector& b) const {
        return (a.array() * b.array() / scales.array().square()).sum();
    }

    /// om <- -om r_before.(r - r_before) / |r - r_before|^2
    double aitken(bool is_first) {
        if (is_first) return omega = options.relaxation;
        change_of_r = r - r_before;
        const double square = product(change_of_r, change_of_r);
        if (square > 0.0) omega *= -product(r_before, change_of_r) / square;
        return omega;
    }

    void find_anderson_step(bool is_first) {
        if (is_first) {
            anderson.reset();
        } else {
            change = z - z_before;
            change_of_r = r - r_before;
            anderson.add(change, change_of_r);
        }
        anderson.find_step(r, scales, step);
    }

    /// M = I - dG/dz at z, where G was last evaluated, by differences or derivatives.
    bool read(FixedPointProblem& problem, LoopMatrix& m) {
        Matrix& entries = m.entries();
        for (Eigen::Index i = 0; i < z.size(); ++i) sizes[i] = size_of_value(i);
        if (!problem.jacobian(view(z), view(g), view(sizes), {entries.data(), at(entries.size())}))
            return false;
        entries = -entries;
        entries.diagonal().array() += 1.0;
        return true;
    }

    /// The Jacobian of the accelerator, factorised.
    bool renew(FixedPointProblem& problem, FixedPointResult& result) {
        ++result.jacobians;
        Matrix& entries = matrix.entries();
        if (result.evaluations > 1 && is_known && !knows_guess) {
            at_guess.entries() = entries;
            knows_guess = true;
        }
        if (!read(problem, matrix)) return false;
        read_at = result.evaluations;
        const double rounding = rounding_of(matrix.entries());
        result.singular = !matrix.factorise() || matrix.is_singular(rounding);
        is_blurred = result.singular && rounding > least_rounding;
        is_known = !result.singular;
        orientation = is_known ? matrix.sign_of_determinant() : 0;
        return is_known;
    }

    /// Of entries by differences: what rounding errors of G make of its response to an increment.
    /// Where they make all of it, the entry is zero.
    double rounding_of(const Matrix& entries) const {
        constexpr double epsilon = std::numeric_limits<double>::epsilon(), all_of_it = 0.1;
        double rounding = least_rounding;
        for (Eigen::Index j = 0; j < z.size(); ++j)
            for (Eigen::Index i = 0; i < z.size(); ++i) {
                const double slope = std::abs((i == j ? 1.0 : 0.0) - entries(i, j));
                const double response = difference_increment * sizes[j] * slope;
                const double part = response > 0.0 ? epsilon * std::abs(g[i]) / response : 0.0;
                if (part < all_of_it) rounding = std::max(rounding, part);
            }
        return rounding;
    }

    /// A Jacobian is kept inside a problem while one more step of this kind, by which the distance
    /// would fall as it fell last, is enough.
    bool newton(FixedPointProblem& problem, FixedPointResult& result) {
        const double next = distance / distance_before * distance;
        const bool helps = result.evaluations == 1 ? renewals_left == 0 : next <= options.tolerance;
        const bool renews = !is_known || !helps;
        if (result.evaluations == 1) begins_with_new = renews;
        if (renews && !renew(problem, result)) return false;
        solve_for_step();
        return true;
    }

    /// max(|M_0^-1 (M_1 - M_0) d|, |M_1^-1 (M_1 - M_0) d|) / |d| for the way d from the guess to
    /// the solution, where M_0 and M_1 were read near its ends. The first is the quantity h of the
    /// theorem of Newton and Kantorovich (Deuflhard 2004, section 2.1), up to which a solution near
    /// the guess is the only one; it does not depend on how equations are scaled.
    double bend_to(const LoopMatrix& at_end) {
        way = z - guess;
        const double length = size_of(way);
        if (length < shortest_way) return 0.0;
        if (!at_guess.factorise()) return infinity;
        change.noalias() = at_end.entries() * way;
        change.noalias() -= at_guess.entries() * way;
        at_guess.solve(change, miss);
        const double by_guess = size_of(miss);
        at_end.solve(change, miss);
        return std::max(by_guess, size_of(miss)) / length;
    }
    /// If one Jacobian was enough, they are the same.
    double bend() { return knows_guess ? bend_to(matrix) : 0.0; }

    /// Jacobians at the solution and at the guess. Nothing that the accelerator knows is touched.
    bool examine(FixedPointProblem& problem, FixedPointResult& result) {
        ++result.jacobians;
        if (!read(problem, probe)) return false;
        const double rounding = rounding_of(probe.entries());
        const bool is_regular = probe.factorise() && !probe.is_singular(rounding);
        result.orientation = is_regular ? probe.sign_of_determinant() : 0;
        stuck = z;
        z = guess;
        FixedPointResult uncounted;
        const bool is_known_at_guess = evaluate(problem, uncounted) && read(problem, at_guess);
        z = stuck;
        if (!evaluate(problem, uncounted)) return false;
        if (is_known_at_guess) result.bend = is_regular ? bend_to(probe) : infinity;
        return true;
    }

    /// dz = M^-1 r
    void solve_for_step() { matrix.solve(r, step); }

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

    /// M -= (dr + M dz) dz^T / |dz|^2, with the scaled product of dz
    bool broyden(FixedPointProblem& problem, FixedPointResult& result) {
        if (!is_known) {
            if (options.starts_by_identity)
                matrix.entries().setIdentity();
            else if (!renew(problem, result))
                return false;
            is_known = true;
        } else if (result.evaluations > 1) {
            change = z - z_before;
            const double square = product(change, change);
            step = r - r_before;
            step.noalias() += matrix.entries() * change;
            change.array() /= square * scales.array().square();
            if (square > 0.0) matrix.entries().noalias() -= step * change.transpose();
        }
        if (!matrix.factorise()) return false;
        solve_for_step();
        return true;
    }

    /// By which increments count: by nominals, unless values so far are smaller by far; or the
    /// other way round.
    double size_of_value(Eigen::Index i) const {
        const double by_nominal = nominals[at(i)] + std::abs(z[i]);
        const double by_values = limits.size(at(i), z[i]);
        const bool is_far_smaller = by_values < far_smaller * by_nominal;
        return is_far_smaller != counts_otherwise && by_values > 0.0 ? by_values : by_nominal;
    }
    /// Whether both sizes differ so that Jacobians do.
    bool has_other_sizes() const {
        if (options.accelerator == Accelerator::broyden && options.starts_by_identity) return false;
        if (options.accelerator < Accelerator::broyden) return false;
        for (Eigen::Index i = 0; i < z.size(); ++i)
            if (nominals[at(i)] > limits.size(at(i), z[i])) return true;
        return false;
    }

    End iterate(FixedPointProblem& problem, FixedPointResult& result) {
        while (evaluate(problem, result)) {
            const End end = judge(result);
            if (end != End::open) return end;
            if (result.evaluations >= options.max_evaluations) return End::failed;
            if (!advance(problem, result)) return End::failed;
        }
        return End::stopped;
    }

    /// Where nominals say nothing, differences over their size miss what functions do, and what
    /// looks like noise by nominals may be all there is.
    bool try_both_sizes(FixedPointProblem& problem, FixedPointResult& result) {
        const End end = iterate(problem, result);
        if (end == End::converged) return true;
        const bool is_singular = result.singular && !is_blurred;
        if (end == End::stopped || is_singular || !has_other_sizes()) return end == End::noise;
        stuck = z;
        z = guess;
        limits = limits_before;
        is_known = knows_guess = false;
        counts_otherwise = !counts_otherwise;
        FixedPointResult other;
        const End other_end = iterate(problem, other);
        result.evaluations += other.evaluations;
        result.jacobians += other.jacobians;
        result.singular = other.singular;
        if (other_end == End::converged) return true;
        counts_otherwise = !counts_otherwise;
        is_known = false;
        if (end != End::noise) return false;
        z = stuck;
        return evaluate(problem, result);
    }

    /// What goes on from problem to problem.
    struct Memory {
        double t = 0.0;  ///< when the step began
        Matrix entries;
        CorrectionLimits limits;
        bool is_known = false, counts_otherwise = false;
        int orientation = 0, renewals_left = 0, evaluations_if_new = 0;
    };

    void begin(double t) {
        bool goes_back = false;
        for (; kept_count > 0 && kept[kept_count - 1].t >= t; --kept_count) goes_back = true;
        if (goes_back) {
            // A first Jacobian of a longer step is better than another one of a shorter step.
            Memory& memory = kept[kept_count++];
            return is_known && !memory.is_known ? keep(memory, t) : take_back(memory);
        }
        if (kept_count == kept.size()) {
            std::ranges::rotate(kept, kept.begin() + 1);
            --kept_count;
        }
        keep(kept[kept_count++], t);
    }
    void keep(Memory& memory, double t) const {
        memory.t = t;
        memory.limits = limits;
        memory.is_known = is_known;
        if (is_known) memory.entries = matrix.entries();
        memory.counts_otherwise = counts_otherwise;
        memory.orientation = orientation;
        memory.renewals_left = renewals_left;
        memory.evaluations_if_new = evaluations_if_new;
    }
    void take_back(const Memory& memory) {
        limits = limits_before = memory.limits;
        if (memory.is_known) matrix.entries() = memory.entries;
        is_known = memory.is_known && matrix.factorise();
        counts_otherwise = memory.counts_otherwise;
        orientation = memory.orientation;
        renewals_left = memory.renewals_left;
        evaluations_if_new = memory.evaluations_if_new;
    }

    static std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }
    static std::span<const double> view(const Vector& vector) {
        return {vector.data(), at(vector.size())};
    }

    std::vector<double> nominals;
    FixedPointOptions options;
    CorrectionLimits limits;
    /// Without the iterates of the problem under way: an iteration that has lost its way passes
    /// values that say nothing about sizes.
    CorrectionLimits limits_before;
    Vector z, g, r, z_before, r_before, step, change, change_of_r;
    Vector scales;  ///< of inner products
    Vector sizes, stuck;
    bool counts_otherwise = false;
    Vector guess, way;  ///< where a problem began, and from there to the solution
    Vector miss;
    LoopMatrix at_guess;  ///< I - dG/dz where the problem began, if it got another one
    bool knows_guess = false;
    LoopMatrix matrix;  ///< I - dG/dz, of newton and broyden
    LoopMatrix probe;   ///< the same at a solution, if it is asked for
    bool is_known = false;
    bool is_blurred = false;  ///< it may be singular, by rounding errors of small increments
    int read_at = 0;          ///< of the last problem: the evaluation before its last Jacobian
    int orientation = 0;
    bool begins_with_new = false;  ///< the problem under way got its own Jacobian at once
    int renewals_left = 0;
    int evaluations_if_new = 0;
    double distance = 0.0, distance_before = 0.0;  ///< from the solution, by CorrectionLimits
    double omega = 1.0;
    Anderson anderson;
    /// Before the last steps: as many as are taken back where one is repeated in halves.
    std::array<Memory, 3> kept;
    std::size_t kept_count = 0;
};

FixedPointSolver::FixedPointSolver(std::size_t size, std::vector<double> nominals,
                                   FixedPointOptions options)
    : impl_(std::make_unique<Impl>(size, std::move(nominals), options)) {}
FixedPointSolver::~FixedPointSolver() = default;

FixedPointResult FixedPointSolver::solve(FixedPointProblem& problem, std::span<double> z) {
    Impl& own = *impl_;
    std::ranges::copy(z, own.z.begin());
    own.guess = own.z;
    own.limits_before = own.limits;
    own.knows_guess = false;
    own.read_at = -1;
    FixedPointResult result;
    result.converged = own.try_both_sizes(problem, result);
    std::ranges::copy(own.z, z.begin());
    if (!result.converged) reset_history();
    if (result.converged) {
        own.judge_keeping(result);
        for (const Vector* values : {&own.guess, &own.z})
            own.limits_before.see(Impl::view(*values));
        result.bend = own.bend();
    }
    if (own.options.accelerator == Accelerator::newton && own.is_known)
        result.orientation = own.orientation;
    return result;
}

bool FixedPointSolver::examine(FixedPointProblem& problem, FixedPointResult& result) {
    return impl_->examine(problem, result);
}

double FixedPointSolver::size_of(std::span<const double> difference) const {
    return impl_->limits_before.largest(difference, Impl::view(impl_->z));
}

std::span<const double> FixedPointSolver::residuals() const {
    return {impl_->r.data(), static_cast<std::size_t>(impl_->r.size())};
}

std::span<const double> FixedPointSolver::corrections() const {
    if (!impl_->has_corrections()) return {};
    return {impl_->step.data(), static_cast<std::size_t>(impl_->step.size())};
}

void FixedPointSolver::begin(double t) { impl_->begin(t); }

void FixedPointSolver::reset_history() {
    impl_->is_known = false;
    for (Impl::Memory& memory : impl_->kept) memory.is_known = false;
    impl_->limits = impl_->limits_before;
}

}  // namespace tandem::numerics
