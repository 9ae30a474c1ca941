#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ode/group/ode_group_impl.hpp"

#include "tandem/extend/index.hpp"

namespace tandem::ode {
namespace {

constexpr double loop_tolerance = 1e-10;  // of corrections, by the size of the variables
constexpr int most_corrections = 4;       // with the factors at hand, each a tenth of the last
constexpr double least_contraction = 0.1;
/// Corrections below this part of the variable are not worth telling the members.
constexpr double rounding = 8.0 * std::numeric_limits<double>::epsilon();
constexpr std::size_t names_shown = 6;
/// A solution that is nearer than this, by its size, is no other one; and derivatives grow tenfold
/// on the way only where it jumps.
constexpr double shortest_jump = 0.1, bend_of_jump = 9.0;

}  // namespace

int OdeGroup::Impl::LoopProblem::size() const { return static_cast<int>(loop_.y.size()); }

bool OdeGroup::Impl::LoopProblem::residual(std::span<const double> y, std::span<double> r) {
    return group_.loop_values(loop_, y, r);
}

bool OdeGroup::Impl::LoopProblem::jacobian(std::span<const double> y, std::span<double> matrix) {
    return group_.loop_values(loop_, y, loop_.unused) && group_.loop_matrix(*loop_.plan, matrix);
}

void OdeGroup::Impl::make_loops() {
    loops.clear();
    loops.resize(plan.loops.size());
    for (std::size_t m = 0; m < members.size(); ++m) variables->of_member(m).forget_solved();
    for (std::size_t i = 0; i < loops.size(); ++i) {
        const GroupLoop& own = plan.loops[i];
        Loop& loop = loops[i];
        loop.plan = &own;
        loop.problem = std::make_unique<LoopProblem>(*this, loop);
        for (const int output : own.outputs) {
            loop.nominals.push_back(net->output_nominals[index(output)]);
            const int m = net->member_of_output(output);
            variables->of_member(index(m)).set_solved(
                net->shapes[index(m)]->outputs[index(output - net->output_begin[index(m)])].name,
                &y[index(output)], &is_resolved);
        }
        const std::size_t n = own.outputs.size();
        for (auto* work : {&loop.y, &loop.r, &loop.r_before, &loop.start, &loop.unused})
            work->resize(n);
        loop.correction.resize(static_cast<Eigen::Index>(n));
        loop.limits.emplace(loop.nominals, loop_tolerance);
        loop.newton = std::make_unique<numerics::AlgebraicSolver>(
            *loop.problem, loop.nominals, numerics::AlgebraicOptions{.tolerance = loop_tolerance});
    }
}

/// r = guess - g(guess); afterwards y holds g(guess).
bool OdeGroup::Impl::loop_values(Loop& loop, std::span<const double> guess, std::span<double> r) {
    const std::vector<int>& outputs = loop.plan->outputs;
    for (std::size_t i = 0; i < guess.size(); ++i) y[index(outputs[i])] = guess[i];
    for (const MemberCall& member_call : loop.member_calls) feed(member_call);
    for (const MemberCall& member_call : loop.member_calls)
        if (!run(member_call)) return false;
    for (std::size_t i = 0; i < guess.size(); ++i) r[i] = guess[i] - y[index(outputs[i])];
    return true;
}

void OdeGroup::Impl::find_correction(Loop& loop) {
    loop.matrix.solve(
        Eigen::Map<Eigen::VectorXd>(loop.r.data(), static_cast<Eigen::Index>(loop.r.size())),
        loop.correction);
}

/// The outputs become those of the last correction: a gain multiplies what is wrong with the inputs
/// in the outputs that members compute of them, so these are taken for the residual only.
bool OdeGroup::Impl::adopt(Loop& loop) {
    bool is_worth_telling = false;
    for (std::size_t i = 0; i < loop.y.size(); ++i) {
        const double correction = loop.correction.data()[i];
        is_worth_telling =
            is_worth_telling || std::abs(correction) > rounding * std::abs(loop.y[i]);
        loop.y[i] -= correction;
        y[index(loop.plan->outputs[i])] = loop.y[i];
    }
    loop.limits->see(loop.y);
    for (const MemberCall& member_call : loop.member_calls) feed(member_call);
    if (!is_worth_telling) return true;
    return std::ranges::all_of(loop.member_calls,
                               [&](const MemberCall& member_call) { return present(member_call); });
}

/// From the last solution, which stays where there is none here.
bool OdeGroup::Impl::solve(Loop& loop) {
    const std::vector<int>& outputs = loop.plan->outputs;
    feed(loop.outside);
    for (std::size_t i = 0; i < loop.y.size(); ++i) loop.start[i] = y[index(outputs[i])];
    if (find_solution(loop)) return true;
    for (std::size_t i = 0; i < loop.y.size(); ++i) y[index(outputs[i])] = loop.start[i];
    loop.has_factors = false;
    return false;
}

/// First with the factors at hand, which is enough for a linear loop and mostly for others; then by
/// Newton's method.
bool OdeGroup::Impl::find_solution(Loop& loop) {
    loop.y = loop.start;
    const bool are_old = loop.has_factors;
    const bool can_begin = are_old || (loop_values(loop, loop.y, loop.r) && factorise(loop));
    loop.first_matrix = loop.matrix.entries();
    if (can_begin && try_factors(loop, are_old)) return goes_on(loop);
    ++statistics.newton_solves;
    loop.y = loop.start;
    const numerics::AlgebraicResult result = loop.newton->solve(loop.y);
    if (result.converged && loop_values(loop, loop.y, loop.r) && factorise(loop)) {
        find_correction(loop);
        if (!loop.limits->are_met(corrections_of(loop), loop.y)) loop.correction.setZero();
        return adopt(loop) && goes_on(loop);
    }
    failure_reason = fmt::format(
        "the algebraic loop through {} {}", names_of(*loop.plan),
        loop.is_singular || (result.singular && loop.has_factors)
            ? "is singular: I - D L has no inverse, so the connections determine these variables "
              "not at all or more than once"
            : fmt::format("has no solution near the last one (residual {:.3g} after {} iterations)",
                          result.residual, result.iterations));
    return false;
}

void OdeGroup::Impl::forget_loops() {
    for (Loop& loop : loops) {
        loop.has_factors = false;
        loop.orientation = 0;
    }
}

/// Between events a solution goes on as long as I - D L is regular. Where its determinant has
/// another sign, or where the solution and the Jacobian there are far from those of before, the
/// solver tries a shorter step, and does not get beyond a pole or a fold.
bool OdeGroup::Impl::goes_on(Loop& loop) {
    if (phase != Phase::continuous) return true;
    const int orientation = loop.matrix.sign_of_determinant();
    const bool is_passed = orientation * loop.orientation < 0;
    if (!is_passed && !has_jumped(loop)) {
        loop.orientation = orientation;
        return true;
    }
    failure_reason =
        fmt::format("the algebraic loop through {} {}", names_of(*loop.plan),
                    is_passed ? "has come to a singularity: det(I - D L) changes its sign"
                              : "has no solution near the last one, but another far away: a fold");
    return false;
}

/// By |M_1 d - M_0 d| / min(|M_0 d|, |M_1 d|) for the way d to the solution.
bool OdeGroup::Impl::has_jumped(const Loop& loop) {
    double way = 0.0, first = 0.0, last = 0.0, change = 0.0;
    for (std::size_t i = 0; i < loop.y.size(); ++i) {
        const double size = loop.limits->size(i, loop.y[i]);
        if (!(size > 0.0)) continue;
        double of_first = 0.0, of_last = 0.0;
        for (std::size_t j = 0; j < loop.y.size(); ++j) {
            const double moved = loop.y[j] - loop.start[j];
            const auto row = static_cast<Eigen::Index>(i), column = static_cast<Eigen::Index>(j);
            of_first += loop.first_matrix(row, column) * moved;
            of_last += loop.matrix.entries()(row, column) * moved;
        }
        way = std::max(way, std::abs(loop.y[i] - loop.start[i]) / size);
        first = std::max(first, std::abs(of_first) / size);
        last = std::max(last, std::abs(of_last) / size);
        change = std::max(change, std::abs(of_last - of_first) / size);
    }
    return way > shortest_jump && change > bend_of_jump * std::min(first, last);
}

/// The largest correction by the size of its variable.
double OdeGroup::Impl::size_of_correction(const Loop& loop) {
    double largest = 0.0;
    for (std::size_t i = 0; i < loop.y.size(); ++i) {
        const double correction = loop.correction.data()[i];
        const double size = std::max(std::abs(loop.y[i]), std::abs(loop.y[i] - correction));
        if (size > 0.0) largest = std::max(largest, std::abs(correction) / size);
    }
    return largest;
}

/// Corrections by the factors at hand, while they become much smaller. Where a gain has fallen
/// since, old factors make a small correction of any residual: they are believed if the residual is
/// small by itself.
bool OdeGroup::Impl::try_factors(Loop& loop, bool are_old) {
    double last = std::numeric_limits<double>::infinity();
    const std::span<const double> corrections = corrections_of(loop);
    for (int correction = 0;; ++correction) {
        loop.r_before.swap(loop.r);
        if (!loop_values(loop, loop.y, loop.r)) return false;
        find_correction(loop);
        const auto before = std::span(loop.r_before).first(correction > 0 ? loop.r.size() : 0);
        if (loop.limits->are_met(corrections, loop.y)) {
            if (std::exchange(are_old, false) && !loop.limits->are_met(loop.r, loop.y)) {
                if (!factorise(loop)) return false;
                find_correction(loop);
            }
            if (loop.limits->are_met(corrections, loop.y) &&
                loop.limits->is_proven(loop.matrix, loop.r, before, loop.y))
                return adopt(loop);
        }
        const double size = size_of_correction(loop);
        if (correction == most_corrections || !(size <= least_contraction * last))
            return loop.limits->are_met_by_rounding(corrections, loop.y, loop.matrix.condition()) &&
                   adopt(loop);
        last = size;
        for (std::size_t i = 0; i < loop.y.size(); ++i) loop.y[i] -= corrections[i];
        loop.is_current = false;
    }
}

/// Where the members are now. False if they cannot be differentiated there, or I - D L is singular.
bool OdeGroup::Impl::factorise(Loop& loop) {
    const auto n = static_cast<Eigen::Index>(loop.y.size());
    Eigen::MatrixXd& matrix = loop.matrix.entries();
    matrix.resize(n, n);
    loop.has_factors = loop.is_singular = false;
    if (!loop_matrix(*loop.plan, {matrix.data(), static_cast<std::size_t>(n * n)}) ||
        !matrix.allFinite())
        return false;
    ++statistics.factorisations;
    const bool is_exact =
        phase != Phase::initialising && std::ranges::all_of(loop.plan->members, [this](int m) {
            return net->shapes[index(m)]->exact_jacobian;
        });
    loop.is_singular = !loop.matrix.factorise() ||
                       loop.matrix.is_singular(is_exact ? numerics::exact_rounding
                                                        : numerics::difference_rounding);
    if (loop.is_singular) return false;
    loop.has_factors = loop.is_current = true;
    return true;
}

std::string OdeGroup::Impl::output_name(int output) const {
    const int m = net->member_of_output(output);
    return members[index(m)]->name() + "." +
           net->shapes[index(m)]->outputs[index(output - net->output_begin[index(m)])].name;
}

std::string OdeGroup::Impl::names_of(const GroupLoop& loop) const {
    std::string names;
    for (std::size_t i = 0; i < std::min(names_shown, loop.outputs.size()); ++i)
        names += (i > 0 ? ", " : "") + output_name(loop.outputs[i]);
    if (loop.outputs.size() > names_shown)
        names += fmt::format(" and {} more", loop.outputs.size() - names_shown);
    return names;
}

}  // namespace tandem::ode
