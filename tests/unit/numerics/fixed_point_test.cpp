#include "numerics/fixed_point.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace tandem::numerics {
namespace {

using Reals = std::vector<double>;

/// G by a function; its Jacobian by forward differences, as a system has it.
class Problem final : public FixedPointProblem {
public:
    using Function = std::function<Reals(const Reals&)>;
    Problem(std::size_t size, Function function) : size_(size), function_(std::move(function)) {}

    std::size_t size() const override { return size_; }
    bool evaluate(std::span<const double> z, std::span<double> g) override {
        const Reals value = function_({z.begin(), z.end()});
        std::ranges::copy(value, g.begin());
        return true;
    }
    bool jacobian(std::span<const double> z, std::span<const double> g,
                  std::span<const double> sizes, std::span<double> matrix) override {
        Reals moved(z.begin(), z.end());
        for (std::size_t j = 0; j < size_; ++j) {
            const double increment = 1e-6 * sizes[j];
            moved[j] += increment;
            const Reals value = function_(moved);
            moved[j] = z[j];
            for (std::size_t i = 0; i < size_; ++i)
                matrix[j * size_ + i] = (value[i] - g[i]) / increment;
        }
        return true;
    }

private:
    std::size_t size_;
    Function function_;
};

/// z = b - (A - I) z, all at once or each with the newest.
Problem linear(std::vector<Reals> a, Reals b, bool newest = false) {
    const std::size_t n = b.size();
    return {n, [a = std::move(a), b = std::move(b), newest](const Reals& z) {
                Reals value = z, used = z;
                for (std::size_t i = 0; i < b.size(); ++i) {
                    double sum = b[i];
                    for (std::size_t j = 0; j < b.size(); ++j)
                        if (i != j) sum -= a[i][j] * used[j];
                    value[i] = sum / a[i][i];
                    if (newest) used[i] = value[i];
                }
                return value;
            }};
}

const std::vector<Reals> weak = {{1.0, 0.8, 0.8}, {0.8, 1.0, 0.8}, {0.8, 0.8, 1.0}};
const std::vector<Reals> cyclic = {{1.0, 2.0, -2.0}, {1.0, 1.0, 1.0}, {2.0, 2.0, 1.0}};
const Reals right = {1.0, 2.0, 3.0};

struct Solved {
    FixedPointResult result;
    Reals z;
};

Solved solve(Problem problem, FixedPointOptions options, Reals start) {
    FixedPointSolver solver(start.size(), Reals(start.size(), 1.0), options);
    const FixedPointResult result = solver.solve(problem, start);
    return {result, start};
}

FixedPointOptions plain(double tolerance, double relaxation = 1.0, int most = 500) {
    return {.accelerator = Accelerator::fixed_point,
            .relaxation = relaxation,
            .tolerance = tolerance,
            .max_evaluations = most};
}

TEST(FixedPoint, of_sweeps_converges_in_one_order_and_not_in_the_other) {
    const Reals zeros(3, 0.0);
    EXPECT_FALSE(solve(linear(weak, right), plain(1e-10), zeros).result.converged);
    const Solved sweep = solve(linear(weak, right, true), plain(1e-10), zeros);
    EXPECT_TRUE(sweep.result.converged);
    EXPECT_NEAR(sweep.z[0], -4.2307692307692335, 1e-8);
    EXPECT_FALSE(solve(linear(cyclic, right, true), plain(1e-10), zeros).result.converged);
    const Solved exact = solve(linear(cyclic, right), plain(1e-10), zeros);
    EXPECT_TRUE(exact.result.converged);
    EXPECT_EQ(exact.result.evaluations, 4);  // exact after three, the fourth confirms
    EXPECT_NEAR(exact.z[0], -1.0, 1e-12);
    EXPECT_NEAR(exact.z[1], 2.0, 1e-12);
}

// A transposed Jacobian does not converge in two.
TEST(FixedPoint, of_a_linear_loop_is_found_by_newton_at_the_second_evaluation) {
    const auto newton = [](const std::vector<Reals>& a, const Reals& b) {
        const Solved found = solve(linear(a, b), {.tolerance = 1e-9}, Reals(b.size(), 0.0));
        EXPECT_TRUE(found.result.converged);
        EXPECT_EQ(found.result.evaluations, 2);
        EXPECT_EQ(found.result.jacobians, 1);
        for (std::size_t i = 0; i < b.size(); ++i) {
            double sum = 0.0;
            for (std::size_t j = 0; j < b.size(); ++j) sum += a[i][j] * found.z[j];
            EXPECT_NEAR(sum, b[i], 1e-7);
        }
    };
    newton({{1.0, 3.0}, {-0.5, 1.0}}, {1.0, 2.0});
    newton({{1.0, 2.0, 0.0, 0.0, 5.0},
            {0.0, 1.0, 3.0, 0.0, 0.0},
            {4.0, 0.0, 1.0, 1.0, 0.0},
            {0.0, 2.0, 0.0, 1.0, 7.0},
            {1.0, 0.0, 0.0, 6.0, 1.0}},
           {1.0, 2.0, 3.0, 4.0, 5.0});
}

// y1 = 3 exp(-u1), y2 = u2^2 / 2, each fed by the other: a loop gain of -1.68.
Problem pair(bool newest = false) {
    return {2, [newest](const Reals& z) {
                const double first = 3.0 * std::exp(-z[1]);
                const double used = newest ? first : z[0];
                return Reals{first, used * used / 2.0};
            }};
}

TEST(FixedPoint, of_a_nonlinear_pair_needs_newton_or_relaxation) {
    EXPECT_FALSE(solve(pair(), plain(1e-12), {1.0, 1.0}).result.converged);
    EXPECT_FALSE(solve(pair(true), plain(1e-12), {1.0, 1.0}).result.converged);
    for (const auto& [options, most] : std::vector<std::pair<FixedPointOptions, int>>{
             {{.tolerance = 1e-12}, 8}, {plain(1e-12, 0.5), 140}}) {
        const Solved found = solve(pair(), options, {1.0, 1.0});
        EXPECT_TRUE(found.result.converged);
        EXPECT_LE(found.result.evaluations, most);
        EXPECT_NEAR(found.z[0], 1.2957686598253555, 1e-9);
        EXPECT_NEAR(found.z[1], 0.839508209892799, 1e-9);
    }
}

/// The loop of two negative resistors: eigenvalues +-sqrt(R), so that no relaxation helps.
Problem resistors(double resistance) {
    return linear({{1.0, -resistance, 0.0, 0.0},
                   {-1.0, 1.0, 0.0, 0.0},
                   {0.0, 0.0, 1.0, -1.02 * resistance},
                   {0.0, 0.0, -1.0, 1.0}},
                  {1e-3, 2e-3, -1e-3, 3e-3});
}

TEST(FixedPoint, of_negative_resistors_is_found_by_what_learns_and_by_nothing_else) {
    const Reals zeros(4, 0.0);
    const auto with = [](Accelerator accelerator) {
        return FixedPointOptions{
            .accelerator = accelerator, .starts_by_identity = true, .tolerance = 1e-10};
    };
    for (const double relaxation : {1.0, 0.5, 1e-3})
        EXPECT_FALSE(solve(resistors(1001.0), plain(1e-10, relaxation), zeros).result.converged);
    EXPECT_FALSE(solve(resistors(1001.0), with(Accelerator::aitken), zeros).result.converged);
    for (const Accelerator accelerator :
         {Accelerator::anderson, Accelerator::broyden, Accelerator::newton}) {
        const Solved found = solve(resistors(1001.0), with(accelerator), zeros);
        EXPECT_TRUE(found.result.converged);
        EXPECT_LE(found.result.evaluations, 12);
        EXPECT_NEAR(found.z[0], (1e-3 + 1001.0 * 2e-3) / (1.0 - 1001.0), 1e-7);
    }
}

/// The same problem in other units: value i is scales[i] times as large.
Problem in_units(Problem problem, Reals scales) {
    const std::size_t n = scales.size();
    return {n, [problem = std::move(problem), scales = std::move(scales)](const Reals& z) mutable {
                Reals own(z.size()), g(z.size());
                for (std::size_t i = 0; i < z.size(); ++i) own[i] = z[i] / scales[i];
                EXPECT_TRUE(problem.evaluate(own, g));
                for (std::size_t i = 0; i < z.size(); ++i) g[i] *= scales[i];
                return g;
            }};
}

// Powers of two, which do not change rounding errors. Without nominals that say so, too: 1 says
// nothing about these values.
TEST(FixedPoint, is_found_in_any_units_with_as_many_evaluations) {
    const Reals scales = {0x1p20, 0x1p-20, 0x1p-20, 0x1p20}, zeros(4, 0.0);
    const auto with = [](Accelerator accelerator) {
        return FixedPointOptions{.accelerator = accelerator,
                                 .starts_by_identity = true,
                                 .tolerance = 1e-10,
                                 .max_evaluations = 100};
    };
    const auto evaluations = [&](Problem problem, FixedPointOptions options, Reals nominals) {
        FixedPointSolver solver(4, std::move(nominals), options);
        Reals z = zeros;
        const FixedPointResult result = solver.solve(problem, z);
        EXPECT_TRUE(result.converged);
        return result.evaluations;
    };
    const auto mild = linear(
        {{1.0, 0.5, 0.2, 0.0}, {-0.6, 1.0, 0.0, 0.3}, {0.1, 0.2, 1.0, -0.4}, {0.0, -0.3, 0.5, 1.0}},
        {1.0, 2.0, -1.0, 3.0});
    for (const Accelerator accelerator :
         {Accelerator::aitken, Accelerator::anderson, Accelerator::broyden}) {
        const int plainly = evaluations(mild, with(accelerator), Reals(4, 1.0));
        EXPECT_EQ(evaluations(in_units(mild, scales), with(accelerator), scales), plainly);
        EXPECT_LE(evaluations(in_units(mild, scales), with(accelerator), Reals(4, 1.0)),
                  plainly + plainly / 4);
    }
}

// An iteration without a solution runs away; the values that it passes are no sizes of solutions.
TEST(FixedPoint, solves_small_values_to_their_size_after_it_has_failed) {
    Problem diverges(1, [](const Reals& z) { return Reals{10.0 * z[0] + 1.0}; });
    Problem halves(1, [](const Reals& z) { return Reals{0.5 * z[0] + 0.5e-6}; });
    FixedPointSolver solver(1, {1.0}, plain(1e-10, 1.0, 50));
    Reals z = {1e-6};
    EXPECT_FALSE(solver.solve(diverges, z).converged);
    z = {2e-6};
    EXPECT_TRUE(solver.solve(halves, z).converged);
    EXPECT_NEAR(z[0], 1e-6, 1e-9 * 1e-6);
}

// 3 z - z^3 = s has the solution near 1 for s < 2 only. Behind that the Jacobian of before leads
// far away, where the derivatives are large: with those a small correction is left of any residual.
TEST(FixedPoint, broyden_finds_no_solution_where_there_is_none) {
    double s = 0.0;
    Problem cubic(1, [&](const Reals& z) {
        return Reals{z[0] + 0.05 * (3.0 * z[0] - z[0] * z[0] * z[0] - s)};
    });
    FixedPointSolver solver(1, {1.0}, {.accelerator = Accelerator::broyden});
    Reals z = {1.1};
    for (const double distance : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
        s = 2.0 - 3.0 * distance * distance;
        ASSERT_TRUE(solver.solve(cubic, z).converged) << distance;
    }
    for (const double behind : {1e-3, 1e-2, 0.05, 0.1}) {
        s = 2.0 + behind;
        Reals other = z;
        if (!solver.solve(cubic, other).converged) continue;
        EXPECT_NEAR(3.0 * other[0] - std::pow(other[0], 3), s, 1e-8) << behind;
    }
}

}  // namespace
}  // namespace tandem::numerics
