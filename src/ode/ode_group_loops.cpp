#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "ode/block_jacobian.hpp"
#include "ode/ode_group_impl.hpp"

namespace tandem::ode {
namespace {

constexpr double loop_tolerance = 1e-10;      // of the nominal values
constexpr double smallest_condition = 1e-12;  // reciprocal; below it I - D L counts as singular
constexpr std::size_t names_shown = 6;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

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
        for (const int output : own.outputs) {
            const int m = net->member_of_output(output);
            const Port& port = net->shapes[at(m)]->outputs[at(output - net->output_begin[at(m)])];
            loop.nominals.push_back(usable_nominal(port.nominal));
        }
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

double OdeGroup::Impl::size_of(const Loop& loop) const {
    double largest = 0.0;
    for (std::size_t i = 0; i < loop.r.size(); ++i) {
        const double size = std::abs(loop.r[i]) / loop.nominals[i];
        if (!(size <= largest)) largest = size;  // also what is no number
    }
    return largest;
}

/// From the last solution: first with the factors at hand, which is enough for a linear loop and
/// mostly for others; then by Newton's method.
bool OdeGroup::Impl::solve(Loop& loop) {
    const GroupLoop& own = *loop.plan;
    feed(loop.outside);
    for (std::size_t i = 0; i < loop.y.size(); ++i) loop.y[i] = y[at(own.outputs[i])];
    loop.start = loop.y;
    if (!loop.has_factors) {
        if (!loop_values(loop, loop.y, loop.r)) return false;
        factorise(loop);
    }
    if (try_factors(loop)) return true;
    ++statistics.newton_solves;
    loop.y = loop.start;
    const AlgebraicResult result = loop.newton->solve(loop.y);
    if (!result.converged || !loop_values(loop, loop.y, loop.r)) {
        trouble = fmt::format(
            "the algebraic loop through {} {} (residual {:.3g} after {} iterations)", names_of(own),
            result.singular ? "is singular" : "has no solution near the last one", result.residual,
            result.iterations);
        loop.has_factors = false;
        return false;
    }
    factorise(loop);
    return loop_values(loop, loop.y, loop.r);
}

bool OdeGroup::Impl::try_factors(Loop& loop) {
    for (int correction = 0;; ++correction) {
        if (!loop_values(loop, loop.y, loop.r)) return false;
        if (size_of(loop) <= loop_tolerance) return true;
        if (correction == 2) return false;
        Eigen::Map<Eigen::VectorXd> values(loop.y.data(), static_cast<Eigen::Index>(loop.y.size()));
        const Eigen::Map<Eigen::VectorXd> residual(loop.r.data(),
                                                   static_cast<Eigen::Index>(loop.r.size()));
        loop.correction = loop.factors.solve(residual);
        values -= loop.correction;
    }
}

void OdeGroup::Impl::factorise(Loop& loop) {
    const auto n = static_cast<Eigen::Index>(loop.y.size());
    loop.matrix.resize(n, n);
    if (!loop_matrix(*loop.plan, {loop.matrix.data(), static_cast<std::size_t>(n * n)})) {
        loop.has_factors = false;
        return;
    }
    ++statistics.factorisations;
    loop.factors.compute(loop.matrix);
    loop.has_factors = loop.is_current = true;
    if (loop.factors.rcond() > smallest_condition) return;
    loop.has_factors = false;
    throw NumericsError(fmt::format(
        "{}: the algebraic loop through {} is singular at t = {}: I - D L has no inverse\n  hint: "
        "the "
        "connections determine these variables not at all or more than once; look at them",
        name, names_of(*loop.plan), t));
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
