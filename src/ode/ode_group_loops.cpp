#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ode/group_mathematics.hpp"
#include "ode/index.hpp"
#include "ode/ode_group_impl.hpp"

namespace tandem::ode {
namespace {

constexpr double loop_tolerance = 1e-10;  // of a variable or its nominal value
constexpr std::size_t names_shown = 6;

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
    for (std::size_t i = 0; i < loops.size(); ++i) {
        const GroupLoop& own = plan.loops[i];
        Loop& loop = loops[i];
        loop.plan = &own;
        loop.problem = std::make_unique<LoopProblem>(*this, loop);
        for (const int output : own.outputs)
            loop.nominals.push_back(net->output_nominals[at(output)]);
        const std::size_t n = own.outputs.size();
        for (auto* work : {&loop.y, &loop.r, &loop.start, &loop.unused}) work->resize(n);
        loop.correction.resize(static_cast<Eigen::Index>(n));
        loop.newton = std::make_unique<AlgebraicSolver>(
            *loop.problem, loop.nominals, AlgebraicOptions{.tolerance = loop_tolerance});
    }
}

/// r = guess - g(guess); afterwards y holds g(guess).
bool OdeGroup::Impl::loop_values(Loop& loop, std::span<const double> guess, std::span<double> r) {
    const std::vector<int>& outputs = loop.plan->outputs;
    for (std::size_t i = 0; i < guess.size(); ++i) y[at(outputs[i])] = guess[i];
    for (const Errand& errand : loop.errands) feed(errand);
    for (const Errand& errand : loop.errands)
        if (!run(errand)) return false;
    for (std::size_t i = 0; i < guess.size(); ++i) r[i] = guess[i] - y[at(outputs[i])];
    return true;
}

/// How far from the solution: the largest correction that is left, measured by the variable;
/// infinite if one is no number. (A residual alone is small beside variables that run away.)
double OdeGroup::Impl::distance(Loop& loop) const {
    const Eigen::Map<Eigen::VectorXd> residual(loop.r.data(),
                                               static_cast<Eigen::Index>(loop.r.size()));
    loop.correction = loop.factors.solve(residual);
    double largest = 0.0;
    for (std::size_t i = 0; i < loop.r.size(); ++i) {
        const double size = std::abs(loop.correction[static_cast<Eigen::Index>(i)]) /
                            std::max(loop.nominals[i], std::abs(loop.y[i]));
        if (!std::isfinite(size)) return std::numeric_limits<double>::infinity();
        largest = std::max(largest, size);
    }
    return largest;
}

/// From the last solution, which stays where there is none here.
bool OdeGroup::Impl::solve(Loop& loop) {
    const std::vector<int>& outputs = loop.plan->outputs;
    feed(loop.outside);
    for (std::size_t i = 0; i < loop.y.size(); ++i) loop.start[i] = y[at(outputs[i])];
    if (find_solution(loop)) return true;
    for (std::size_t i = 0; i < loop.y.size(); ++i) y[at(outputs[i])] = loop.start[i];
    loop.has_factors = false;
    return false;
}

/// First with the factors at hand, which is enough for a linear loop and mostly for others; then by
/// Newton's method.
bool OdeGroup::Impl::find_solution(Loop& loop) {
    loop.y = loop.start;
    const bool can_begin =
        loop.has_factors || (loop_values(loop, loop.y, loop.r) && factorise(loop));
    if (can_begin && try_factors(loop)) return true;
    ++statistics.newton_solves;
    loop.y = loop.start;
    const AlgebraicResult result = loop.newton->solve(loop.y);
    if (result.converged && loop_values(loop, loop.y, loop.r) && factorise(loop) &&
        try_factors(loop))
        return true;
    trouble = fmt::format(
        "the algebraic loop through {} {}", names_of(*loop.plan),
        loop.is_singular || (result.singular && loop.has_factors)
            ? "is singular: I - D L has no inverse, so the connections determine these variables "
              "not at all or more than once"
            : fmt::format("has no solution near the last one (residual {:.3g} after {} iterations)",
                          result.residual, result.iterations));
    return false;
}

bool OdeGroup::Impl::try_factors(Loop& loop) {
    for (int correction = 0;; ++correction) {
        if (!loop_values(loop, loop.y, loop.r)) return false;
        if (distance(loop) <= loop_tolerance) return true;
        if (correction == 2) return false;
        Eigen::Map<Eigen::VectorXd> values(loop.y.data(), static_cast<Eigen::Index>(loop.y.size()));
        values -= loop.correction;
        loop.is_current = false;
    }
}

/// Where the members are now. False if they cannot be differentiated there, or I - D L is singular.
bool OdeGroup::Impl::factorise(Loop& loop) {
    const auto n = static_cast<Eigen::Index>(loop.y.size());
    loop.matrix.resize(n, n);
    loop.has_factors = loop.is_singular = false;
    if (!loop_matrix(*loop.plan, {loop.matrix.data(), static_cast<std::size_t>(n * n)}) ||
        !loop.matrix.allFinite())
        return false;
    ++statistics.factorisations;
    const bool is_exact =
        phase != Phase::initialising && std::ranges::all_of(loop.plan->members, [this](int m) {
            return net->shapes[at(m)]->exact_jacobian;
        });
    loop.is_singular = is_singular(loop.matrix, is_exact ? exact_rounding : difference_rounding);
    if (loop.is_singular) return false;
    loop.factors.compute(loop.matrix);
    loop.has_factors = loop.is_current = true;
    return true;
}

std::string OdeGroup::Impl::output_name(int output) const {
    const int m = net->member_of_output(output);
    return members[at(m)]->name() + "." +
           net->shapes[at(m)]->outputs[at(output - net->output_begin[at(m)])].name;
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
