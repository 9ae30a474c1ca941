// Couplings that read the linear model of the network: with direct feed-through, and with more than
// two subsystems, in a chain and in a star whose outputs fan out.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <unsupported/Eigen/MatrixFunctions>
#include <vector>

#include "coupling/explicit/explicit.hpp"
#include "support/linear_shapes.hpp"
#include "support/stabilised_options.hpp"

namespace tandem {
namespace {

using coupling::NeighbourForm;
using coupling::PredictedForm;
using coupling::Stabilised;
using coupling::StabilisedOptions;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::backward_euler;
using test::implicit;
using test::LinearNetwork;
using test::LinearPart;
using test::LinearSystem;
using test::lti;
using test::predicted;
using test::pulled;
using test::Samples;
using test::trapezoidal;
using test::two_masses;

constexpr double ms = 1e-3;

double rms_of_places(const StabilisedOptions& options, double h) {
    Stabilised coupling(options);
    const long steps = std::lround(0.5 / h);
    const LinearSystem linear = two_masses();
    const Samples run = test::run_states(linear, pulled, coupling, {h, steps});
    LinearNetwork network = linear.network(pulled);
    const LinearNetwork::Whole whole = network.whole();
    const MatrixXd step = test::exponential(h * whole.a);
    VectorXd x = pulled;
    double sum = 0.0;
    for (long k = 0; k <= steps; ++k, x = step * x)
        sum += std::pow(run(0, k) - x[0], 2) + std::pow(run(2, k) - x[2], 2);
    return std::sqrt(sum / (2.0 * static_cast<double>(steps + 1)));
}

struct FeedThroughRow {
    std::string name;
    StabilisedOptions options;
    double limit_ms, rms;  ///< with 1 ms
};
const std::vector<FeedThroughRow> feed_through_rows = {
    {"deriv, backward Euler", implicit(NeighbourForm::derivative, backward_euler), 4.987, 3.730e-6},
    {"deriv, trapezoidal", implicit(NeighbourForm::derivative, trapezoidal), 4.932, 5.270e-5},
    {"frozen, backward Euler", implicit(NeighbourForm::frozen, backward_euler), 27.37, 2.094e-4},
    {"frozen, trapezoidal", implicit(NeighbourForm::frozen, trapezoidal), 21.06, 5.257e-5},
    {"value, backward Euler", implicit(NeighbourForm::value, backward_euler), 3.963, 1.049e-4},
    {"value, trapezoidal", implicit(NeighbourForm::value, trapezoidal), 6.128, 1.873e-6}};

TEST(StabilisedFeedThrough, has_the_limits_of_each_form) {
    coupling::Explicit jacobi{coupling::ExplicitOptions{}};
    for (const double factor : {0.995, 1.005}) {
        const double radius =
            test::spectral_radius(test::map_of_step(two_masses(), jacobi, factor * 0.13333 * ms));
        EXPECT_EQ(radius < 1.0, factor < 1.0) << radius;
    }
    for (const FeedThroughRow& row : feed_through_rows) {
        Stabilised coupling(row.options);
        const auto radius = [&](double part) {
            return test::spectral_radius(
                test::map_of_step(two_masses(), coupling, part * row.limit_ms * ms));
        };
        for (const double part : {0.1, 0.5, 0.8, 0.995}) EXPECT_LT(radius(part), 1.0) << row.name;
        EXPECT_GT(radius(1.005), 1.0) << row.name;
    }
}

TEST(StabilisedFeedThrough, errs_as_each_form_should) {
    for (const FeedThroughRow& row : feed_through_rows)
        EXPECT_NEAR(rms_of_places(row.options, 1.0 * ms) / row.rms, 1.0, 0.01) << row.name;
    EXPECT_LT(rms_of_places(lti(), 1.0 * ms), 1e-10);
    EXPECT_LT(rms_of_places(lti(), 50.0 * ms), 1e-8);
}

/// The exact map of a step with predicted inputs: those of the whole, v(t) = exp(A t) x, by their
/// mean and first moment, for which exp of [A, 1, 0; 0, 0, 1; 0, 0, 0] has the integrals.
MatrixXd map_of_prediction(const LinearNetwork& network, bool is_linear, double h) {
    const LinearNetwork::Whole whole = network.whole();
    const Eigen::Index n = whole.a.rows();
    MatrixXd all = MatrixXd::Zero(3 * n, 3 * n);
    all.topLeftCorner(n, n) = h * whole.a;
    all.block(0, n, n, n).setIdentity();
    all.block(n, 2 * n, n, n).setIdentity();
    const MatrixXd e = test::exponential(all);
    // Integrals over 0 < x < 1 of exp(A h x), and of (1 - x) exp(A h x).
    const MatrixXd mean = e.block(0, n, n, n);
    const MatrixXd moment = mean - e.block(0, 2 * n, n, n);
    const MatrixXd rise = is_linear ? MatrixXd(12.0 * (moment - 0.5 * mean)) : 0.0 * mean;
    const test::Propagator step = test::propagator(network.a, network.b, h);
    const MatrixXd inputs = network.k * whole.outputs;
    return step.states + step.constants * inputs * (mean - 0.5 * rise) + step.ramps * inputs * rise;
}

/// The map of a step in which each part s integrates its inputs with its own states, by the formula
///   u' = sum over its neighbours o of K_so C_o (I - h A_o)^-1 (x'_o + B_o w_o),
///   w_o = K_os C_s (x_s - x_sk) + h (what all others add to the derivative of u_o)
/// for parts of two states, one output and no feed-through; classical Runge-Kutta steps.
MatrixXd map_of_neighbours(const LinearSystem& linear, double h) {
    const Eigen::Index n = 2 * std::ssize(linear.parts);
    const LinearNetwork network = linear.network(VectorXd::Zero(n));
    const MatrixXd inputs = network.k * network.c;
    MatrixXd map(n, n);
    for (Eigen::Index column = 0; column < n; ++column) {
        const VectorXd x = VectorXd::Unit(n, column);
        const VectorXd rates = network.a * x + network.b * inputs * x;
        Eigen::Index first_input = 0;
        for (Eigen::Index s = 0; s < std::ssize(linear.parts); ++s) {
            const LinearPart& own = linear.parts[static_cast<std::size_t>(s)];
            const Eigen::Index m = own.b.cols();
            const auto f = [&](double t, const VectorXd& z) {
                VectorXd dz = VectorXd::Zero(2 + m);
                dz.head(2) = own.a * z.head(2) + own.b * z.tail(m);
                Eigen::Index begin = 0;
                for (Eigen::Index o = 0; o < std::ssize(linear.parts); ++o) {
                    const LinearPart& part = linear.parts[static_cast<std::size_t>(o)];
                    const Eigen::Index width = part.b.cols();
                    if (o != s) {
                        const MatrixXd k = network.k.middleRows(begin, width);
                        VectorXd y = t * network.c * rates;
                        y[s] = (own.c * (z.head(2) - x.segment(2 * s, 2)))(0);
                        const VectorXd right = rates.segment(2 * o, 2) + part.b * (k * y);
                        const MatrixXd shifted = MatrixXd::Identity(2, 2) - t * part.a;
                        dz.tail(m) += network.k.block(first_input, o, m, 1) *
                                      (part.c * shifted.partialPivLu().solve(right));
                    }
                    begin += width;
                }
                return dz;
            };
            VectorXd z(2 + m);
            z << x.segment(2 * s, 2), (inputs * x).segment(first_input, m);
            // One for 0.15 ms and thirty at least: an error of (50/s 0.15 ms)^5 in each.
            const int parts = std::max(30, static_cast<int>(std::lround(h / (0.15 * ms))));
            const double length = h / parts;
            for (int i = 0; i < parts; ++i) {
                const double t = length * i;
                const VectorXd k1 = f(t, z), k2 = f(t + length / 2, z + length / 2 * k1);
                const VectorXd k3 = f(t + length / 2, z + length / 2 * k2);
                const VectorXd k4 = f(t + length, z + length * k3);
                z += length / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
            }
            map.col(column).segment(2 * s, 2) = z.head(2);
            first_input += m;
        }
    }
    return map;
}

struct Shape {
    std::string name;
    LinearSystem linear;
};
std::vector<Shape> shapes() { return {{"chain", test::chain()}, {"star", test::star()}}; }

MatrixXd run_map(const LinearSystem& linear, const StabilisedOptions& options, double h) {
    Stabilised coupling(options);
    return test::map_of_step(linear, coupling, h);
}

using MapOfStep = std::function<MatrixXd(double h)>;

/// Runs have the map of the formula, and are stable up to where it is.
void expect_limit_of(const MapOfStep& formula, const LinearSystem& linear,
                     const StabilisedOptions& options) {
    for (const double h : {1.0 * ms, 20.0 * ms, 60.0 * ms})
        EXPECT_LT((run_map(linear, options, h) - formula(h)).cwiseAbs().maxCoeff(), 1e-8) << h;
    const double limit = test::stability_limit(
        [&](double h) { return test::spectral_radius(formula(h)); }, 10.0 * ms, 1.0);
    ASSERT_LT(limit, 1.0);
    EXPECT_LT(test::spectral_radius(run_map(linear, options, 0.995 * limit)), 1.0) << limit;
    EXPECT_GT(test::spectral_radius(run_map(linear, options, 1.005 * limit)), 1.0) << limit;
}

double order_of_run(const LinearSystem& linear, const StabilisedOptions& options, double h) {
    const VectorXd start = VectorXd::LinSpaced(8, 1.0, -2.0);
    const auto error = [&](double step) {
        Stabilised coupling(options);
        const long steps = std::lround(0.4 / step);
        const VectorXd end =
            test::run_states(linear, start, coupling, {step, steps}, 1e-12).col(steps);
        const MatrixXd a = linear.network(start).whole().a;
        return (end - test::exponential(0.4 * a) * start).norm();
    };
    return test::observed_order(error, h);
}

TEST(StabilisedNetworks, a_predicted_mean_has_its_order_and_the_limit_of_its_map) {
    for (const Shape& shape : shapes()) {
        SCOPED_TRACE(shape.name);
        const LinearNetwork network = shape.linear.network(VectorXd::Zero(8));
        expect_limit_of([&](double h) { return map_of_prediction(network, false, h); },
                        shape.linear, predicted(PredictedForm::mean));
        EXPECT_NEAR(order_of_run(shape.linear, predicted(PredictedForm::mean), 1.0 * ms), 2.0, 0.1);
    }
}

TEST(StabilisedNetworks, a_predicted_line_has_its_order_and_the_limit_of_its_map) {
    for (const Shape& shape : shapes()) {
        SCOPED_TRACE(shape.name);
        const LinearNetwork network = shape.linear.network(VectorXd::Zero(8));
        expect_limit_of([&](double h) { return map_of_prediction(network, true, h); }, shape.linear,
                        predicted(PredictedForm::linear));
        EXPECT_NEAR(order_of_run(shape.linear, predicted(PredictedForm::linear), 5.0 * ms), 4.0,
                    0.1);
    }
}

TEST(StabilisedNetworks, neighbours_have_their_order_and_the_limit_of_their_map) {
    const StabilisedOptions options = implicit(NeighbourForm::derivative, backward_euler);
    for (const Shape& shape : shapes()) {
        SCOPED_TRACE(shape.name);
        expect_limit_of([&](double h) { return map_of_neighbours(shape.linear, h); }, shape.linear,
                        options);
        EXPECT_NEAR(order_of_run(shape.linear, options, 1.0 * ms), 3.0, 0.1);
        EXPECT_NEAR(
            order_of_run(shape.linear, implicit(NeighbourForm::value, trapezoidal), 1.0 * ms), 3.0,
            0.1);
    }
}

TEST(StabilisedNetworks, the_linear_model_of_all_others_is_exact) {
    for (const Shape& shape : shapes())
        for (const double h : {10.0 * ms, 100.0 * ms, 400.0 * ms}) {
            const MatrixXd exact =
                test::exponential(h * shape.linear.network(VectorXd::Zero(8)).whole().a);
            EXPECT_LT((run_map(shape.linear, lti(), h) - exact).cwiseAbs().maxCoeff(), 1e-8)
                << shape.name << h;
        }
}

}  // namespace
}  // namespace tandem
