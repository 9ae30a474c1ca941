// A pendulum and a mass with a stiff spring between them (models/coupled_pendulum): what the
// nearly energy preserving coupling makes of them. Errors are the largest sum of the errors of all
// outputs over all steps of the solvers, against the exact solution of the whole. Reference figures
// were computed with matrix exponentials, given with four digits and met within 2 percent.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "coupling/energy_correction.hpp"
#include "coupling/explicit.hpp"
#include "support/stabilised_scenarios.hpp"

namespace tandem {
namespace {

using coupling::EnergyCorrection;
using coupling::EnergyCorrectionOptions;
using testing::CoupledRun;
using testing::Samples;
using testing::Scenario;

constexpr double stop = 1.0;
constexpr double percent = 1e-2;

const EnergyCorrectionOptions held = {};
const EnergyCorrectionOptions averaged = {.anti_aliasing = true};

long steps_of(double h, double end = stop) { return std::lround(end / h); }

/// The outputs after each step of the solvers, which are `micro` long.
Samples micro_run(const Scenario& scenario, EnergyCorrectionOptions options, double h) {
    CoupledRun run(scenario, std::make_unique<EnergyCorrection>(options));
    const Eigen::VectorXd start = run.outputs();
    testing::sample(run, h, steps_of(h));
    return testing::micro_samples(run, start);
}

double linear_error(const Scenario& scenario, EnergyCorrectionOptions options, double h) {
    CoupledRun fresh(scenario, std::make_unique<EnergyCorrection>(options));
    const testing::LinearNetwork network = testing::linear_network(fresh);
    const double micro = scenario.solver.fixed_step;
    const Samples exact = testing::exact_samples(network, micro, steps_of(micro));
    return testing::largest_error(micro_run(scenario, options, h), exact);
}

struct Row {
    double h, error;
};

void expect_errors(const Scenario& scenario, EnergyCorrectionOptions options,
                   const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        const double error = linear_error(scenario, options, row.h);
        EXPECT_NEAR(error, row.error, 2.0 * percent * row.error) << "steps of " << row.h;
        printf("%g %g (%g)\n", row.h, error, row.error);
    }
}

TEST(Nepce, ReachesTheErrorsOfExactSubsystems) {
    expect_errors(testing::pendulum_oscillator(true), held,
                  {{1e-3, 1.588e-3}, {5e-3, 3.933e-2}, {1e-2, 0.1614}});
}

TEST(Nepce, ReachesTheErrorsOfExactSubsystemsWithAntiAliasing) {
    expect_errors(testing::pendulum_oscillator(true), averaged,
                  {{1e-3, 3.481e-3}, {5e-3, 8.664e-2}, {1e-2, 0.3659}});
}

/// The error of Euler's method itself is the floor.
TEST(Nepce, AddsNothingToTheErrorsOfEulersMethodWithShortSteps) {
    Scenario scenario = testing::pendulum_oscillator(true).solve(ode::Method::euler, 1e-4);
    expect_errors(scenario, held, {{1e-4, 0.016975}, {1e-3, 0.01694}, {5e-3, 0.0451}});
    expect_errors(scenario, averaged, {{1e-4, 0.016967}, {1e-3, 0.01698}, {5e-3, 0.0927}});
    scenario.solve(ode::Method::euler, 5e-5);
    expect_errors(scenario, held, {{5e-5, 0.008466}});
}

TEST(Nepce, ReachesTheErrorsOfTheNonlinearModels) {
    const Scenario scenario = testing::pendulum_oscillator(false);
    const double micro = scenario.solver.fixed_step;
    const Samples exact = testing::pendulum_oscillator_exactly(micro, steps_of(micro));
    for (const Row row : {Row{1e-3, 1.585e-3}, {5e-3, 3.914e-2}, {1e-2, 0.1602}}) {
        const double error = testing::largest_error(micro_run(scenario, held, row.h), exact);
        EXPECT_NEAR(error, row.error, 2.0 * percent * row.error) << "steps of " << row.h;
        printf("%g %g (%g)\n", row.h, error, row.error);
    }
}

/// The order that a coupling claims is the one it has.
TEST(Nepce, HasTheOrderThatItClaims) {
    for (const int order : {0, 1})
        for (const bool anti_aliasing : {false, true}) {
            const EnergyCorrectionOptions options{order, anti_aliasing};
            const auto error = [&](double h) {
                return linear_error(testing::pendulum_oscillator(true), options, h);
            };
            const double observed = testing::observed_order(error, 2e-3);
            EXPECT_NEAR(observed, EnergyCorrection(options).order(), 0.1)
                << "order " << order << ", anti_aliasing " << anti_aliasing;
            printf("order %d aa %d: %g   err %g %g\n", order, anti_aliasing, observed, error(2e-3), error(1e-3));
        }
}

/// The largest motion in the last of twelve seconds, by that in the first one.
double growth(EnergyCorrectionOptions options, double h) {
    CoupledRun run(testing::pendulum_oscillator(true), std::make_unique<EnergyCorrection>(options));
    const Samples samples = testing::sample(run, h, steps_of(h, 12.0));
    const Eigen::Index second = steps_of(h);
    return samples.rightCols(second).cwiseAbs().maxCoeff() /
           samples.leftCols(second).cwiseAbs().maxCoeff();
}

TEST(Nepce, StaysBoundedInTheLongRun) {
    for (int order : {0, 1})
    for (bool aa : {false, true})
    for (double h : {5e-3, 0.01, 0.02, 0.025, 0.03, 0.035, 0.04, 0.05, 0.06, 0.08, 0.1})
        printf("order %d aa %d h %g growth %g\n", order, aa, h, growth({order, aa}, h));
}

}  // namespace
}  // namespace tandem
