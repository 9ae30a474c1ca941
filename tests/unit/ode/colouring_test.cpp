#include "ode/colouring.hpp"

#include <gtest/gtest.h>

#include "ode/block_jacobian.hpp"
#include "support/test_models.hpp"
#include "tandem/error.hpp"

namespace tandem::ode {
namespace {

using test::Chain;

TEST(Colouring, a_tridiagonal_matrix_of_any_size_needs_three_colours) {
    Pattern pattern;
    pattern.entries.emplace();
    for (int i = 0; i < 50; ++i)
        for (int j = std::max(0, i - 1); j <= std::min(49, i + 1); ++j)
            pattern.entries->emplace_back(i, j);
    EXPECT_EQ(colour_columns(pattern, 50, 50).colours.size(), 3U);
}

TEST(Colouring, no_two_columns_of_a_colour_share_a_row_and_every_column_has_one_colour) {
    Pattern pattern;
    pattern.entries = {{0, 0}, {0, 3}, {1, 1}, {1, 3}, {2, 2}, {2, 0}, {3, 4}, {0, 0}};
    const Colouring colouring = colour_columns(pattern, 4, 5);
    std::vector<int> seen(5, 0);
    for (const auto& columns : colouring.colours) {
        std::vector<int> row_use(4, 0);
        for (const int column : columns) {
            ++seen[static_cast<std::size_t>(column)];
            for (const int row : colouring.rows[static_cast<std::size_t>(column)])
                EXPECT_EQ(++row_use[static_cast<std::size_t>(row)], 1);
        }
    }
    EXPECT_EQ(seen, std::vector<int>(5, 1));
}

TEST(Colouring, an_undeclared_pattern_is_full_and_an_empty_one_needs_nothing) {
    EXPECT_EQ(colour_columns({}, 3, 4).colours.size(), 4U);
    Pattern empty;
    empty.entries.emplace();
    EXPECT_TRUE(colour_columns(empty, 3, 4).colours.empty());
}

TEST(Colouring, an_entry_outside_the_block_is_a_broken_promise) {
    Pattern pattern;
    pattern.entries = {{3, 0}};
    EXPECT_THROW(colour_columns(pattern, 3, 3), ContractViolation);
}

TEST(BlockJacobian, differences_of_a_chain_cost_one_evaluation_per_colour_and_one_for_the_base) {
    Chain chain;
    BlockJacobian jacobian(chain);
    const std::vector<double> x(Chain::length, 1.0);
    const std::vector<double> u(1, 0.5);
    std::vector<double> a(Chain::length * Chain::length);
    ASSERT_TRUE(jacobian.evaluate(JacobianBlock::a, {0.0, x, u}, a));
    EXPECT_EQ(jacobian.evaluations(), 1 + 3);
}

TEST(BlockJacobian, coloured_differences_equal_those_without_a_pattern) {
    Chain declared(true);
    Chain undeclared(false);
    BlockJacobian coloured(declared);
    BlockJacobian full(undeclared);
    const std::vector<double> x = {1.0, -2.0, 3.0, 0.0, 5.0, 1e-9, 7.0, 8.0, 9.0, 10.0};
    const std::vector<double> u(1, 0.5);
    std::vector<double> a(Chain::length * Chain::length);
    std::vector<double> b(a.size());
    ASSERT_TRUE(coloured.evaluate(JacobianBlock::a, {0.0, x, u}, a));
    ASSERT_TRUE(full.evaluate(JacobianBlock::a, {0.0, x, u}, b));
    // Columns perturbed together change no common row: only rounding, eps / sqrt(eps) * |f|.
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-6) << i;
}

TEST(BlockJacobian, leaves_the_model_at_the_point) {
    Chain chain;
    BlockJacobian jacobian(chain);
    const std::vector<double> x(Chain::length, 1.0);
    const std::vector<double> u(1, 0.5);
    std::vector<double> b(Chain::length);
    ASSERT_TRUE(jacobian.evaluate(JacobianBlock::b, {0.25, x, u}, b));
    EXPECT_EQ(chain.t, 0.25);
    EXPECT_EQ(chain.x, x);
    EXPECT_EQ(chain.u, u);
}

}  // namespace
}  // namespace tandem::ode
