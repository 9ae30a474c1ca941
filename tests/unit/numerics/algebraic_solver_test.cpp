#include "numerics/algebraic_solver.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace tandem::numerics {
namespace {

using Function = std::function<bool(std::span<const double>, std::span<double>)>;

class Problem final : public AlgebraicProblem {
public:
    Problem(int size, Function function, Function jacobian = nullptr)
        : size_(size), function_(std::move(function)), jacobian_(std::move(jacobian)) {}
    int size() const override { return size_; }
    bool residual(std::span<const double> x, std::span<double> r) override {
        return function_(x, r);
    }
    bool jacobian(std::span<const double> x, std::span<double> entries) override {
        return jacobian_ && jacobian_(x, entries);
    }

private:
    int size_;
    Function function_, jacobian_;
};

TEST(AlgebraicSolver, a_linear_loop_takes_one_iteration) {
    // y_a = 9 - u_a, y_b = u_b / 2, u_a = y_b, u_b = y_a: y = (6, 3).
    Problem problem(2, [](auto y, auto r) {
        r[0] = y[0] - (9.0 - y[1]);
        r[1] = y[1] - y[0] / 2.0;
        return true;
    });
    std::array y{0.0, 0.0};
    const auto result = AlgebraicSolver(problem, std::array{1.0, 1.0}).solve(y);
    EXPECT_TRUE(result.converged);
    EXPECT_LE(result.iterations, 2);  // the second only polishes the error of the differences
    EXPECT_NEAR(y[0], 6.0, 1e-10);
    EXPECT_NEAR(y[1], 3.0, 1e-10);
}

TEST(AlgebraicSolver, an_exact_jacobian_that_is_not_symmetric_is_used_the_right_way_round) {
    int jacobians = 0;
    Problem problem(
        2,
        [](auto x, auto r) {
            r[0] = x[0] + 10.0 * x[1] - 21.0;
            r[1] = x[1] - 2.0;
            return true;
        },
        [&](auto, auto entries) {
            ++jacobians;
            entries[0] = 1.0, entries[1] = 0.0, entries[2] = 10.0, entries[3] = 1.0;
            return true;
        });
    std::array x{0.0, 0.0};
    const auto result = AlgebraicSolver(problem, std::array{1.0, 1.0}).solve(x);
    EXPECT_TRUE(result.converged);
    EXPECT_EQ(result.iterations, 1);
    EXPECT_GE(jacobians, 1);
    EXPECT_NEAR(x[0], 1.0, 1e-12);
}

TEST(AlgebraicSolver, unknowns_of_very_different_size_are_scaled_by_their_nominals) {
    // A pressure of 1e7 and an area of 1e-6 with p * a = 10 and p = 1e13 * a.
    Problem problem(2, [](auto x, auto r) {
        r[0] = (x[0] * x[1] - 10.0) * 1e6;
        r[1] = (x[0] - 1e13 * x[1]) * 1e-13;
        return true;
    });
    std::array x{3e6, 4e-7};
    const auto result = AlgebraicSolver(problem, std::array{1e7, 1e-6}).solve(x);
    EXPECT_TRUE(result.converged);
    EXPECT_NEAR(x[0] / 1e7, 1.0, 1e-8);
    EXPECT_NEAR(x[1] / 1e-6, 1.0, 1e-8);
}

TEST(AlgebraicSolver, the_line_search_finds_a_root_that_plain_newton_overshoots) {
    Problem problem(1, [](auto x, auto r) {
        r[0] = std::atan(x[0]);
        return true;
    });
    std::array x{3.0};  // plain Newton diverges for |x| > 1.39
    EXPECT_TRUE(AlgebraicSolver(problem, std::array{1.0}).solve(x).converged);
    EXPECT_NEAR(x[0], 0.0, 1e-10);
}

TEST(AlgebraicSolver, a_loop_without_solution_says_so) {
    Problem problem(1, [](auto x, auto r) {
        r[0] = x[0] * x[0] + 1.0;
        return true;
    });
    std::array x{1.0};
    const auto result = AlgebraicSolver(problem, std::array{1.0}).solve(x);
    EXPECT_FALSE(result.converged);
    EXPECT_GE(result.residual, 0.99);
}

TEST(AlgebraicSolver, a_singular_loop_says_so) {
    Problem problem(2, [](auto x, auto r) {
        r[0] = x[0] - x[1];
        r[1] = x[0] - x[1] - 1.0;
        return true;
    });
    std::array x{0.0, 0.0};
    const auto result = AlgebraicSolver(problem, std::array{1.0, 1.0}).solve(x);
    EXPECT_FALSE(result.converged);
    EXPECT_TRUE(result.singular);
}

// y = gain (u - y): the residual is the gain times what is wrong with y, and 1e8 units in the last
// place of rounding errors; y itself is known to one.
TEST(AlgebraicSolver, a_gain_does_not_change_the_accuracy_of_the_solution) {
    for (const double gain : {1e-6, 1.0, 1e3, 1e8, 1e12})
        for (const double u : {3e-10, 0.7, 2e10}) {
            Problem problem(1, [&](auto y, auto r) {
                r[0] = y[0] - gain * (u - y[0]);
                return true;
            });
            std::array y{0.0};
            EXPECT_TRUE(AlgebraicSolver(problem, std::array{1.0}).solve(y).converged) << gain;
            EXPECT_NEAR(y[0] / (u * (gain / (1.0 + gain))), 1.0, 1e-15) << gain << " " << u;
        }
}

// y = s sqrt(y / s + 2): y = 2 s, which is found however far the nominal is off.
TEST(AlgebraicSolver, a_nominal_that_is_off_by_many_powers_does_not_matter) {
    for (const double s : {1e-10, 1e-5, 1.0, 1e7}) {
        Problem problem(1, [&](auto y, auto r) {
            r[0] = y[0] - s * std::sqrt(y[0] / s + 2.0);
            return true;
        });
        std::array y{0.3 * s};
        EXPECT_TRUE(AlgebraicSolver(problem, std::array{1.0}).solve(y).converged) << s;
        EXPECT_NEAR(y[0] / s, 2.0, 1e-10) << s;  // the tolerance
    }
}

TEST(AlgebraicSolver, an_undetermined_loop_is_singular_though_the_guess_is_a_solution) {
    Problem problem(2, [](auto y, auto r) {
        r[0] = y[0] - 7.0 * y[1];
        r[1] = y[1] - y[0] / 7.0;
        return true;
    });
    std::array y{7.0, 1.0};
    const auto result = AlgebraicSolver(problem, std::array{1.0, 1.0}).solve(y);
    EXPECT_FALSE(result.converged);
    EXPECT_TRUE(result.singular);
}

}  // namespace
}  // namespace tandem::numerics
