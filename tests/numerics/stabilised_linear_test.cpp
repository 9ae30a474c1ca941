// Couplings that read the linear model of the network, on two linear elements that exchange power
// (models/viel_linear): the figures of docs/couplings.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "support/stabilised_options.hpp"
#include "support/stabilised_scenarios.hpp"

namespace tandem {
namespace {

using coupling::NeighbourForm;
using coupling::PredictedForm;
using coupling::Stabilised;
using coupling::StabilisedOptions;
using Eigen::MatrixXd;
using test::backward_euler;
using test::CoupledRun;
using test::implicit;
using test::lti;
using test::predicted;
using test::Samples;
using test::Scenario;
using test::trapezoidal;

constexpr double us = 1e-6;
constexpr double stop = 0.1;
constexpr double none = 4000.0;

/// A row of the table; steps in microseconds. Limit 4000: none up to there.
struct Row {
    std::string name;
    StabilisedOptions options;
    double limit_40, limit_50;  ///< for w0_tau 40 and 50
    int order;
    double rms_1, rms_50;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }
const std::vector<Row> rows = {
    {"deriv, backward Euler", implicit(NeighbourForm::derivative, backward_euler), 144.75, 134.9, 3,
     1.452e-8, 1.863e-3},
    {"deriv, trapezoidal", implicit(NeighbourForm::derivative, trapezoidal), 97.02, 90.3, 2,
     9.70e-6, 2.573e-2},
    {"frozen, backward Euler", implicit(NeighbourForm::frozen, backward_euler), 93.87, 87.0, 2,
     2.08e-5, 5.03e-2},
    {"frozen, trapezoidal", implicit(NeighbourForm::frozen, trapezoidal), 109.15, 101.4, 2, 6.36e-6,
     1.607e-2},
    {"value, backward Euler", implicit(NeighbourForm::value, backward_euler), none, none, 2,
     1.94e-5, 3.951e-2},
    {"value, trapezoidal", implicit(NeighbourForm::value, trapezoidal), 138.26, 128.1, 3, 1.777e-8,
     2.284e-3},
    {"mean", predicted(PredictedForm::mean), 860.8, 856.1, 2, 5.19e-6, 1.298e-2},
    {"interpolated", predicted(PredictedForm::interpolated), 613.1, 611.3, 2, 9.70e-6, 2.22e-2},
    {"linear", predicted(PredictedForm::linear), 1455.0, 1246.0, 4, 3.39e-12, 2.09e-5},
    {"hermite", predicted(PredictedForm::hermite), 824.5, 820.9, 4, 8.75e-12, 5.43e-5}};

/// Without its source, the states after one macro step are linear in those before it, and all that
/// the couplings go on with: the matrix, column by column.
MatrixXd map_of_step(const StabilisedOptions& options, double w0_tau, double h) {
    MatrixXd map(4, 4);
    const std::vector<std::pair<std::string, std::string>> states = {
        {"s1", "q1"}, {"s1", "p1"}, {"s2", "q2"}, {"s2", "p2"}};
    for (Eigen::Index j = 0; j < 4; ++j) {
        Scenario scenario = test::viel_linear(w0_tau);
        scenario.set("s2", "f3", 0.0);
        scenario.solver.relative_tolerance = 1e-11;
        // About the size that makes a nominal output 1, so that tolerances mean something.
        const double size = 1.0 / 4568.0;
        scenario.set(states[static_cast<std::size_t>(j)].first,
                     states[static_cast<std::size_t>(j)].second, size);
        CoupledRun run(scenario, std::make_unique<Stabilised>(options));
        run.advance(h);
        map.col(j) = run.states() / size;
    }
    return map;
}

double radius(const Row& row, double w0_tau, double h) {
    return test::spectral_radius(map_of_step(row.options, w0_tau, h));
}

double rms_of(const StabilisedOptions& options, double h, double until = stop) {
    CoupledRun run(test::viel_linear(), std::make_unique<Stabilised>(options));
    const test::LinearNetwork network = test::linear_network(run);
    const long steps = std::lround(until / h);
    return test::rms(test::sample(run, h, steps), test::exact_samples(network, h, steps));
}

class StabilisedForm : public ::testing::TestWithParam<Row> {};
std::string suffix(const ::testing::TestParamInfo<Row>& info) {
    std::string name = info.param.name;
    std::erase_if(name, [](char c) { return c == ',' || c == ' '; });
    return name;
}
INSTANTIATE_TEST_SUITE_P(Every, StabilisedForm, ::testing::ValuesIn(rows), suffix);

TEST_P(StabilisedForm, is_stable_up_to_its_limit) {
    const Row& row = GetParam();
    for (const auto& [w0_tau, limit] : {std::pair{40.0, row.limit_40}, {50.0, row.limit_50}}) {
        for (const double part : {0.05, 0.2, 0.4, 0.6, 0.8, 0.995})
            EXPECT_LT(radius(row, w0_tau, part * limit * us), 1.0) << part << ' ' << w0_tau;
        if (limit < none) {
            EXPECT_GT(radius(row, w0_tau, 1.005 * limit * us), 1.0) << w0_tau;
        }
    }
}

// Below its limit of 1455 us the nearest line has a window in which motions grow slowly; with less
// damping, w0_tau 50, it begins at the limit.
TEST(StabilisedLinear, the_nearest_line_has_a_window_of_slow_growth) {
    const Row& linear = rows[8];
    EXPECT_LT(radius(linear, 40.0, 1250.0 * us), 1.0);
    EXPECT_GT(radius(linear, 40.0, 1260.0 * us), 1.0);
    EXPECT_LT(radius(linear, 40.0, 1300.0 * us), 1.04);
    EXPECT_GT(radius(linear, 40.0, 1340.0 * us), 1.0);
    EXPECT_LT(radius(linear, 40.0, 1350.0 * us), 1.0);
}

TEST_P(StabilisedForm, errs_as_it_should_with_steps_of_1_us) {
    EXPECT_NEAR(rms_of(GetParam().options, 1.0 * us) / GetParam().rms_1, 1.0, 0.01);
}

TEST_P(StabilisedForm, errs_as_it_should_with_steps_of_50_us) {
    EXPECT_NEAR(rms_of(GetParam().options, 50.0 * us) / GetParam().rms_50, 1.0, 0.01);
}

TEST_P(StabilisedForm, has_its_order) {
    const auto error = [&](double h) { return rms_of(GetParam().options, h, 0.1 * stop); };
    // Where errors are still far above rounding, and steps short enough for the leading term.
    const double h = GetParam().order == 4 ? 20.0 * us : 4.0 * us;
    EXPECT_NEAR(test::observed_order(error, h), GetParam().order, 0.1);
}

TEST(StabilisedLinear, the_linear_model_of_the_others_is_exact_with_any_step) {
    for (const double h : {1.0, 50.0, 400.0, 4000.0}) {
        Scenario scenario = test::viel_linear();
        scenario.solver.relative_tolerance = 1e-12;
        CoupledRun run(scenario, std::make_unique<Stabilised>(lti()));
        const test::LinearNetwork network = test::linear_network(run);
        const long steps = std::lround(0.02 / (h * us));
        // What the solver may err in 130 radians with 1e-12.
        EXPECT_LT(test::rms(test::sample(run, h * us, steps),
                            test::exact_samples(network, h * us, steps)),
                  1e-9)
            << h;
    }
}

TEST(StabilisedLinear, has_the_figures_of_twenty_steps_of_50_us) {
    struct Golden {
        StabilisedOptions options;
        double e1, f2;
    };
    const std::vector<Golden> all = {
        {implicit(NeighbourForm::derivative, backward_euler), 0.016010264800, 1.522924500967},
        {implicit(NeighbourForm::frozen, trapezoidal), 0.022143004884, 1.527932037568},
        {implicit(NeighbourForm::value, trapezoidal), 0.015974401677, 1.522864747538}};
    for (const Golden& golden : all) {
        CoupledRun run(test::viel_linear(), std::make_unique<Stabilised>(golden.options));
        test::sample(run, 50.0 * us, 20);
        EXPECT_NEAR(run.output("s1.e1"), golden.e1, 1e-8);
        EXPECT_NEAR(run.output("s2.f2"), golden.f2, 1e-8);
    }
}

}  // namespace
}  // namespace tandem
