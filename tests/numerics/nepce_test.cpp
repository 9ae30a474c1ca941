// A pendulum and a mass with a stiff spring between them (models/coupled_pendulum): what the
// nearly energy preserving coupling makes of them. Errors are the largest sum of the errors of all
// outputs over all steps of the solvers, against the exact solution of the whole. Reference figures
// were computed with matrix exponentials, given with four digits and met within 2 percent.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "coupling/explicit/nepce.hpp"
#include "support/pair_with_event.hpp"
#include "support/stabilised_scenarios.hpp"
#include "support/system_file.hpp"

namespace tandem {
namespace {

using coupling::Nepce;
using coupling::NepceOptions;
using test::CoupledRun;
using test::Samples;
using test::Scenario;

constexpr double stop = 1.0;
constexpr double percent = 1e-2;

const NepceOptions held = {};
const NepceOptions averaged = {.anti_aliasing = true};
const NepceOptions linear = {.order = 1};

long steps_of(double h, double end = stop) { return std::lround(end / h); }

/// The outputs after each step of the solvers.
Samples micro_run(const Scenario& scenario, NepceOptions options, double h) {
    CoupledRun run(scenario, std::make_unique<Nepce>(options));
    const Eigen::VectorXd start = run.outputs();
    test::sample(run, h, static_cast<long>(std::ceil(stop / h - 1e-6)));
    return test::micro_samples(run, start).leftCols(steps_of(scenario.solver.fixed_step) + 1);
}

double linear_error(const Scenario& scenario, NepceOptions options, double h) {
    CoupledRun fresh(scenario, std::make_unique<Nepce>(options));
    const test::LinearNetwork network = test::linear_network(fresh);
    const double micro = scenario.solver.fixed_step;
    const Samples exact = test::exact_samples(network, micro, steps_of(micro));
    return test::largest_error(micro_run(scenario, options, h), exact);
}

struct Row {
    double h, error;
};

void expect_errors(const Scenario& scenario, NepceOptions options, const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        const double error = linear_error(scenario, options, row.h);
        EXPECT_NEAR(error, row.error, 2.0 * percent * row.error) << "steps of " << row.h;
    }
}

TEST(Nepce, reaches_the_errors_of_exact_subsystems) {
    expect_errors(test::pendulum_oscillator(true), held,
                  {{1e-3, 1.588e-3}, {5e-3, 3.933e-2}, {1e-2, 0.1614}});
}

TEST(Nepce, reaches_the_errors_of_exact_subsystems_with_anti_aliasing) {
    expect_errors(test::pendulum_oscillator(true), averaged,
                  {{1e-3, 3.481e-3}, {5e-3, 8.664e-2}, {1e-2, 0.3659}});
}

/// The error of Euler's method itself is the floor.
TEST(Nepce, adds_nothing_to_the_errors_of_eulers_method_with_short_steps) {
    Scenario scenario = test::pendulum_oscillator(true).solve(ode::Method::euler, 1e-4);
    expect_errors(scenario, held, {{1e-4, 0.016975}, {1e-3, 0.01694}, {5e-3, 0.0451}});
    expect_errors(scenario, averaged, {{1e-4, 0.016967}, {1e-3, 0.01698}, {5e-3, 0.0927}});
    scenario.solve(ode::Method::euler, 5e-5);
    expect_errors(scenario, held, {{5e-5, 0.008466}});
}

/// Reference borders are steps of a grid, each about 1.19 times the one before: the last with an
/// error of at most 1.1 or 1.3 times the floor. Borders lie there or beyond, within 2 percent, and
/// before the next step of the grid.
TEST(Nepce, stays_near_the_error_of_eulers_method_up_to_its_borders) {
    struct Border {
        NepceOptions options;
        double micro, factor, within, beyond;
    };
    for (const Border& border : {Border{held, 1e-4, 1.1, 2.0e-3, 2.4e-3},
                                 {held, 1e-4, 1.3, 2.9e-3, 3.4e-3},
                                 {averaged, 1e-4, 1.1, 1.4e-3, 1.7e-3},
                                 {averaged, 1e-4, 1.3, 2.0e-3, 2.4e-3},
                                 {held, 5e-5, 1.1, 1.6e-3, 1.95e-3},
                                 {averaged, 5e-5, 1.1, 1.1e-3, 1.35e-3}}) {
        const Scenario scenario =
            test::pendulum_oscillator(true).solve(ode::Method::euler, border.micro);
        const auto error = [&](double h) {
            const double whole = border.micro * std::round(h / border.micro);
            return linear_error(scenario, border.options, whole);
        };
        const double limit = border.factor * error(border.micro);
        EXPECT_LE(error(98.0 * percent * border.within), limit) << border.within;
        EXPECT_GT(error(border.beyond), limit) << border.beyond;
    }
}

TEST(Nepce, reaches_the_errors_of_the_nonlinear_models) {
    const Scenario scenario = test::pendulum_oscillator(false);
    const double micro = scenario.solver.fixed_step;
    const Samples exact = test::pendulum_oscillator_exactly(micro, steps_of(micro));
    for (const Row row : {Row{1e-3, 1.585e-3}, {5e-3, 3.914e-2}, {1e-2, 0.1602}}) {
        const double error = test::largest_error(micro_run(scenario, held, row.h), exact);
        EXPECT_NEAR(error, row.error, 2.0 * percent * row.error) << "steps of " << row.h;
    }
}

/// Extrapolated inputs show the third order until the straight lines between points of traces
/// count: it is not claimed.
TEST(Nepce, has_the_order_that_it_claims_at_least) {
    const Scenario fine = test::pendulum_oscillator(true).solve(ode::Method::rk4, 2e-5);
    for (const int order : {0, 1})
        for (const bool anti_aliasing : {false, true}) {
            const NepceOptions options{order, anti_aliasing};
            const auto error = [&](double h) { return linear_error(fine, options, h); };
            const double observed = test::observed_order(error, 1e-3);
            EXPECT_NEAR(observed, order + 2, 0.1)
                << "order " << order << ", anti_aliasing " << anti_aliasing;
            EXPECT_EQ(Nepce(options).traits().order, 2);
        }
}

/// The largest motion in the last of twelve seconds, by that in the first one.
double growth(NepceOptions options, double h) {
    CoupledRun run(test::pendulum_oscillator(true), std::make_unique<Nepce>(options));
    const Samples samples = test::sample(run, h, steps_of(h, 12.0));
    const Eigen::Index second = steps_of(h);
    return samples.rightCols(second).cwiseAbs().maxCoeff() /
           samples.leftCols(second).cwiseAbs().maxCoeff();
}

TEST(Nepce, stays_bounded_in_the_long_run) {
    for (const double h : {5e-3, 0.02, 0.03}) EXPECT_LT(growth(held, h), 1.0) << h;
    EXPECT_GT(growth(held, 0.05), 1e3);
    for (const double h : {5e-3, 0.01, 0.02}) EXPECT_LT(growth(averaged, h), 1.0) << h;
    EXPECT_GT(growth(averaged, 0.03), 1e3);
}

/// At communication points.
double error_of_kind(const std::string& kind, NepceOptions options, double h) {
    Scenario scenario = test::pendulum_oscillator(true).solve(ode::Method::dopri5, 1e-10);
    CoupledRun native(scenario, std::make_unique<Nepce>(options));
    const Samples exact = test::exact_samples(test::linear_network(native), h, steps_of(h));
    scenario.kind = kind;
    scenario.watches = false;
    CoupledRun run(scenario, std::make_unique<Nepce>(options));
    return test::largest_error(test::sample(run, h, steps_of(h)), exact);
}

TEST(Nepce, has_its_order_on_models_with_traces) {
    for (const std::string kind : {"native", "fmi2_me", "fmi3_me"})
        for (const NepceOptions options : {held, averaged, linear}) {
            const auto error = [&](double h) { return error_of_kind(kind, options, h); };
            EXPECT_NEAR(test::observed_order(error, 2e-3), 2 + options.order, 0.13) << kind;
            const double native = error_of_kind("native", options, 2e-3);
            EXPECT_NEAR(error(2e-3), native, 2.0 * percent * native) << kind;
        }
}

/// Straight lines from point to point, which is all that is known of FMI 2.0, are of second order
/// themselves: they change the error, not its order. FMI 3.0 tells the ends of the solver's own
/// steps: the shorter the step, the fewer of them, until there is only one.
TEST(Nepce, has_second_order_on_fmus_that_bring_their_solver) {
    for (const std::string kind : {"fmi2_cs", "fmi3_cs"})
        for (const NepceOptions options : {held, averaged, linear}) {
            const auto error = [&](double h) { return error_of_kind(kind, options, h); };
            EXPECT_NEAR(test::observed_order(error, 0.5e-3), 2.0, 0.13) << kind;
            const double native = error_of_kind("native", options, 2e-3);
            EXPECT_LT(error(2e-3), 3.0 * native) << kind;
        }
}

double error_behind_event(const std::string& options, double h) {
    return test::error_behind_event("method = \"nepce\"\n" + options, h);
}

// The order of the third follows less evenly: the event lies elsewhere in its step each time.
TEST(Nepce, keeps_its_order_across_an_event) {
    for (const std::string options : {"", "anti_aliasing = true"})
        EXPECT_NEAR(error_behind_event(options, 0.04) / error_behind_event(options, 0.01), 16.0,
                    1.0)
            << options;
    for (const std::string options : {"order = 1", "order = 1\nanti_aliasing = true"})
        EXPECT_GT(error_behind_event(options, 0.04) / error_behind_event(options, 0.01), 32.0)
            << options;
}

}  // namespace
}  // namespace tandem
