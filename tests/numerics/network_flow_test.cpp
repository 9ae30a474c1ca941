// Where a linear network goes over a step: against the exponential of its matrix, for networks that
// are stiff and such that are not.
#include <gtest/gtest.h>

#include <cmath>

#include "coupling/network/linearisation.hpp"
#include "coupling/network/network_flow.hpp"
#include "support/linear_chain.hpp"

namespace tandem {
namespace {

using coupling::Linearisation;
using coupling::NetworkFlow;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::LinearSystem;

/// End, mean and moment as exp of [A h, x' h, 0; 0, 0, 1; ...] has them, against those found.
void expect_exact(const LinearSystem& linear, double h, double tolerance) {
    const VectorXd start = test::wave(linear);
    const auto system = linear.make(start, 1e-10);
    Linearisation linearisation;
    linearisation.prepare(*system, {});
    linearisation.begin_step(*system, {0.0, 1.0});
    NetworkFlow flow;
    flow.prepare(linearisation.network());
    flow.follow(linearisation.network(), h);
    const MatrixXd a = linear.network(start).whole().a;
    const Eigen::Index n = a.rows();
    const VectorXd rates = a * start;
    MatrixXd all = MatrixXd::Zero(n + 3, n + 3);
    all.topLeftCorner(n, n) = h * a;
    all.block(0, n, n, 1) = h * rates;
    all(n, n + 1) = all(n + 1, n + 2) = 1.0;
    const MatrixXd e = test::exponential(all);
    const VectorXd end = e.block(0, n, n, 1), mean = e.block(0, n + 1, n, 1);
    const VectorXd moment = mean - e.block(0, n + 2, n, 1);
    const auto error = [&](std::span<const double> found, const VectorXd& exact) {
        return (Eigen::Map<const VectorXd>(found.data(), n) - exact).norm() / exact.norm();
    };
    EXPECT_LT(error(flow.end(), end), tolerance);
    EXPECT_LT(error(flow.mean(), mean), tolerance);
    EXPECT_LT(error(flow.moment(), moment), tolerance);
}

// Both sums lose three digits to terms that cancel, over 0.5 s and 20 radians.
TEST(NetworkFlow, is_exact_to_rounding_over_short_and_long_steps) {
    for (const double h : {1e-4, 1e-2, 0.1, 0.5})
        expect_exact(test::linear_chain(3, 2, 0.0), h, 1e-11);
}

// The slow part, whose periods are 0.1 s, to the order of the method: (60/s 0.03 s / 16)^4 = 2e-4
// of the motion and less; what cools within a microsecond must not disturb it.
TEST(NetworkFlow, follows_the_slow_part_of_a_stiff_network) {
    for (const double fast : {1e6, 1e9}) expect_exact(test::linear_chain(3, 2, fast), 0.03, 1e-4);
}

}  // namespace
}  // namespace tandem
