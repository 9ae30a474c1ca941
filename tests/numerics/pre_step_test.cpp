// A pendulum and a mass with a stiff spring between them (models/coupled_pendulum): what pre-step
// stabilisation makes of them. Errors are the largest sum of the errors of all outputs over all
// steps of the solvers, against the exact solution of the whole. Reference figures were computed
// with matrix exponentials, given with four digits and met within 2 percent.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "coupling/network/pre_step.hpp"
#include "support/stabilised_scenarios.hpp"

namespace tandem {
namespace {

using coupling::FlowMethod;
using coupling::FlowRule;
using coupling::PreStep;
using coupling::PreStepError;
using coupling::PreStepInputs;
using coupling::PreStepOptions;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::CoupledRun;
using test::Samples;
using test::Scenario;

constexpr double stop = 1.0;
constexpr double percent = 1e-2;

PreStepOptions choose(PreStepInputs inputs, FlowMethod extrapolation = {}) {
    PreStepOptions options;
    options.optimisation = inputs;
    options.extrapolation = extrapolation;
    return options;
}
PreStepOptions without_error(PreStepOptions options) {
    options.error = PreStepError::off;
    return options;
}
/// As the reference draws signals between steps of the solvers.
PreStepOptions straight(PreStepOptions options) {
    options.lines = coupling::OutputTraces::Lines::straight;
    return options;
}
const PreStepOptions terminal = choose(PreStepInputs::terminal);
const PreStepOptions trapezoidal = choose(PreStepInputs::terminal, {FlowRule::trapezoidal});
const PreStepOptions one_implicit = choose(PreStepInputs::terminal, {FlowRule::backward_euler, 1});
const PreStepOptions variational = choose(PreStepInputs::variational);
const PreStepOptions variational_linear = choose(PreStepInputs::variational_linear);
const PreStepOptions mean = choose(PreStepInputs::mean);
const PreStepOptions interpolated = choose(PreStepInputs::interpolated);
const PreStepOptions linear = choose(PreStepInputs::linear);

long steps_of(double h, double end = stop) { return std::lround(end / h); }

/// The outputs after each step of the solvers, until `end`. The figures of variational forms count
/// the distance where steps of the solvers end.
Samples micro_run(const Scenario& scenario, PreStepOptions options, double h, double end = stop) {
    const double micro = scenario.solver.fixed_step;
    options.nodes = static_cast<int>(std::lround(h / micro));
    CoupledRun run(scenario, std::make_unique<PreStep>(options));
    const VectorXd start = run.outputs();
    test::sample(run, h, static_cast<long>(std::ceil(end / h - 1e-6)));
    return test::micro_samples(run, start).leftCols(steps_of(micro, end) + 1);
}

double linear_error(const Scenario& scenario, const PreStepOptions& options, double h) {
    CoupledRun fresh(scenario, std::make_unique<PreStep>(options));
    const test::LinearNetwork network = test::linear_network(fresh);
    const double micro = scenario.solver.fixed_step;
    const Samples exact = test::exact_samples(network, micro, steps_of(micro));
    return test::largest_error(micro_run(scenario, options, h), exact);
}

Scenario exactly_solved() { return test::pendulum_oscillator(true); }
Scenario solved_by_euler(double micro) {
    return test::pendulum_oscillator(true).solve(ode::Method::euler, micro);
}

MatrixXd matrix(std::span<const double> values, Eigen::Index rows) {
    return Eigen::Map<const MatrixXd>(values.data(), rows, std::ssize(values) / rows);
}

// Steps of 5 ms from the start, about the equilibrium.
TEST(PreStep, makes_of_the_step_what_matrix_exponentials_say) {
    constexpr double h = 5e-3;
    CoupledRun run(exactly_solved(), std::make_unique<PreStep>(terminal));
    coupling::Linearisation linearisation;
    linearisation.prepare(run.system(), {});
    linearisation.begin_step(run.system(), {0.0, h});
    const NetworkModel& network = linearisation.network();

    numerics::StepResponse response;
    response.prepare(2);
    response.compute(network.of(0).a, h);
    const MatrixXd phi_a{{0.98761115717, 0.00485656387}, {-4.90420675864, 0.93904551850}};
    EXPECT_LT((matrix(response.states(), 2) - phi_a).cwiseAbs().maxCoeff(), 1e-11);
    const MatrixXd phi_b = matrix(response.constants(), 2) * matrix(network.of(0).b, 2);
    const MatrixXd known_phi_b{{0.01226848895, 0.00012268489}, {4.85656386710, 0.04856563867}};
    EXPECT_LT((phi_b - known_phi_b).cwiseAbs().maxCoeff(), 1e-11);

    numerics::LeastSquares least_squares;
    least_squares.prepare(2, 2);
    std::ranges::copy(std::span(phi_b.data(), 4), least_squares.matrix().begin());
    least_squares.factor();
    MatrixXd inverse(2, 2);
    for (Eigen::Index j = 0; j < 2; ++j) {
        const VectorXd unit = VectorXd::Unit(2, j);
        least_squares.solve({unit.data(), 2}, {inverse.col(j).data(), 2});
    }
    const MatrixXd known_inverse{{5.2009977840e-4, 0.20588499534},
                                 {5.2009977840e-6, 2.0588499534e-3}};
    EXPECT_LT((inverse - known_inverse).cwiseAbs().maxCoeff(), 1e-11);

    coupling::NetworkFlow flow;
    flow.prepare(network);
    flow.follow(network, h);
    const VectorXd expected = run.outputs() + matrix(flow.end(), 4);
    const VectorXd known{{0.08845895667, 0.46715653305, 0.18595252287, -0.47145664541}};
    EXPECT_LT((expected - known).cwiseAbs().maxCoeff(), 1e-11);

    // The figures are the smallest inputs that lead there, ours those nearest to the routed ones:
    // they differ by what has no effect.
    coupling::InputOptimisation optimisation;
    optimisation.prepare(run.system(), network, {});
    optimisation.optimise(run.system(), network, {.h = h});
    const VectorXd u1 = inverse * phi_b * matrix(optimisation.course(0).values, 2);
    EXPECT_LT((u1 - VectorXd{{0.18429487607, 0.00184294876}}).cwiseAbs().maxCoeff(), 1e-10);
    const VectorXd u2 = inverse * phi_b * matrix(optimisation.course(1).values, 2);
    EXPECT_LT((u2 - VectorXd{{0.09007452800, 0.00090074528}}).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(PreStep, reaches_the_samples_of_exact_subsystems) {
    CoupledRun run(exactly_solved(), std::make_unique<PreStep>(straight(terminal)));
    const Samples samples = test::sample(run, 5e-3, 100);
    const VectorXd first{{0.08844657786, 0.46715656432, 0.18596478918, -0.47145667640}};
    const VectorXd tenth{{0.14772573393, 1.10403122023, 0.12544278841, -1.15954133675}};
    const VectorXd last{{0.06242465368, -0.26715224625, 0.06232037379, -0.27361292075}};
    // rk4 of 0.1 ms adds less than 1e-9.
    EXPECT_LT((samples.col(1) - first).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((samples.col(10) - tenth).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((samples.col(100) - last).cwiseAbs().maxCoeff(), 1e-9);
}

struct Row {
    double h, error;
};
struct Form {
    std::string name;
    PreStepOptions options;
    std::vector<Row> rows;
};

void expect_errors(const Scenario& scenario, const std::vector<Form>& forms) {
    for (const Form& form : forms)
        for (const Row& row : form.rows) {
            const double error = linear_error(scenario, form.options, row.h);
            EXPECT_NEAR(error, row.error, 2.0 * percent * row.error) << form.name << " " << row.h;
        }
}

// Third order with short steps: between the steps of the solvers the reference draws straight lines
// through what is known of outputs, which shows there; with curves it does not.
TEST(PreStep, reaches_the_errors_of_exact_subsystems) {
    expect_errors(
        exactly_solved(),
        {{"terminal",
          terminal,
          {{1e-3, 4.591e-4}, {5e-3, 1.143e-2}, {1e-2, 4.532e-2}, {4e-2, 0.8184}}},
         {"one implicit step",
          one_implicit,
          {{1e-3, 4.144e-3}, {5e-3, 0.1008}, {1e-2, 0.3759}, {4e-2, 1.913}}},
         {"variational",
          variational,
          {{1e-3, 2.71e-4}, {5e-3, 7.575e-3}, {1e-2, 3.343e-2}, {4e-2, 0.7148}}},
         {"mean", mean, {{1e-3, 4.223e-4}, {5e-3, 1.056e-2}, {1e-2, 4.157e-2}, {4e-2, 0.5626}}},
         {"interpolated",
          interpolated,
          {{1e-3, 3.416e-4}, {5e-3, 8.571e-3}, {1e-2, 3.426e-2}, {4e-2, 0.4917}}},
         {"variational, linear",
          variational_linear,
          {{5e-3, 2.161e-4}, {1e-2, 1.731e-3}, {4e-2, 7.508e-2}}},
         {"linear",
          linear,
          {{1e-3, 1.24e-6}, {5e-3, 1.415e-4}, {1e-2, 9.867e-4}, {4e-2, 6.597e-2}}},
         {"variational, linear, straight", straight(variational_linear), {{1e-3, 3.2e-6}}},
         {"linear, straight", straight(linear), {{1e-3, 3.3e-6}}},
         {"linear, no error", without_error(linear), {{1e-3, 1.24e-6}}}});
}

/// The error of Euler's method itself is the floor.
TEST(PreStep, adds_nothing_to_the_errors_of_eulers_method_with_moderate_steps) {
    expect_errors(
        solved_by_euler(1e-4),
        {{"terminal", terminal, {{1e-4, 0.016965}, {1e-3, 0.01687}, {5e-3, 0.01653}}},
         {"trapezoidal", trapezoidal, {{1e-4, 0.016965}, {1e-3, 0.01687}, {5e-3, 0.01697}}},
         {"one implicit step", one_implicit, {{1e-4, 0.016947}, {1e-3, 0.01510}, {5e-3, 0.0961}}},
         {"variational", variational, {{1e-4, 0.016956}, {1e-3, 0.01697}, {5e-3, 0.01989}}},
         {"mean", mean, {{1e-4, 0.012791}, {1e-3, 0.01245}, {5e-3, 0.01195}}},
         {"interpolated", interpolated, {{1e-4, 0.016975}, {1e-3, 0.01685}, {5e-3, 0.01598}}},
         {"variational, linear",
          variational_linear,
          {{2e-4, 0.016956}, {1e-3, 0.01691}, {5e-3, 0.01670}}},
         {"linear", linear, {{1e-4, 0.016976}, {1e-3, 0.01695}, {5e-3, 0.01683}}}});
    expect_errors(solved_by_euler(5e-5),
                  {{"terminal", terminal, {{5e-5, 0.008464}}}, {"mean", mean, {{5e-5, 0.006388}}}});
}

/// Reference borders are steps of a grid, each about 1.19 times the one before with some between:
/// the last with an error of at most 1.1 times that of steps as short as the solver's, or of at
/// most one. Borders lie there or beyond, within 2 percent, and before the next step of the grid.
struct Border {
    std::string name;
    PreStepOptions options;
    double micro;
    double near_floor, beyond_floor;
    double below_one, above_one;
};

TEST(PreStep, stays_near_the_error_of_eulers_method_up_to_its_borders) {
    for (const Border& border :
         {Border{"terminal", terminal, 1e-4, 7e-3, 8e-3, 0.0407, 0.0486},
          {"terminal", terminal, 5e-5, 5e-3, 5.1e-3, 0.0428, 0.0511},
          {"trapezoidal", trapezoidal, 1e-4, 6e-3, 7e-3, 0.0407, 0.0486},
          {"variational", variational, 1e-4, 3.4e-3, 4.1e-3, 0.0407, 0.0486},
          {"mean", mean, 1e-4, 5.8e-3, 6e-3, 0.0486, 0.058},
          {"interpolated", interpolated, 1e-4, 7e-3, 8e-3, 0.060, 0.0693},
          {"variational, linear", variational_linear, 1e-4, 0.0168, 0.0201, 0.0826, 0.0986},
          {"linear", linear, 1e-4, 0.0201, 0.024, 0.0986, 0.1177},
          {"linear", linear, 5e-5, 0.0163, 0.0195, 0.0986, 0.1177}}) {
        const Scenario scenario = solved_by_euler(border.micro);
        const auto error = [&](double h) {
            const double whole = border.micro * std::round(h / border.micro);
            return linear_error(scenario, border.options, whole);
        };
        const double limit = 1.1 * error(2.0 * border.micro);
        EXPECT_LE(error(98.0 * percent * border.near_floor), limit) << border.name;
        EXPECT_GT(error(border.beyond_floor), limit) << border.name;
        EXPECT_LT(error(98.0 * percent * border.below_one), 1.0) << border.name;
        EXPECT_GT(error(border.above_one), 1.0) << border.name;
    }
}

/// The order that a coupling claims is the one it has; with solvers so accurate that their traces
/// do not show.
TEST(PreStep, has_the_order_that_it_claims) {
    const Scenario fine = test::pendulum_oscillator(true).solve(ode::Method::rk4, 2e-5);
    for (const PreStepOptions& options :
         {terminal, variational, mean, interpolated, variational_linear, linear}) {
        CoupledRun run(fine, std::make_unique<PreStep>(options));
        const auto error = [&](double h) { return linear_error(fine, options, h); };
        EXPECT_NEAR(test::observed_order(error, 4e-3), run.order(), 0.1)
            << static_cast<int>(options.optimisation);
    }
}

/// The largest motion in the last of twelve seconds, by that in the first one.
double growth(const PreStepOptions& options, double h) {
    const Scenario scenario = exactly_solved().solve(ode::Method::rk4, 1e-3);
    CoupledRun run(scenario, std::make_unique<PreStep>(options));
    const Samples samples = test::sample(run, h, steps_of(h, 12.0));
    const Eigen::Index second = steps_of(h);
    return samples.rightCols(second).cwiseAbs().maxCoeff() /
           samples.leftCols(second).cwiseAbs().maxCoeff();
}

TEST(PreStep, does_not_grow_in_the_long_run) {
    for (const PreStepOptions& options :
         {terminal, one_implicit, variational, mean, interpolated, variational_linear, linear})
        for (const double h : {5e-3, 0.02, 0.04, 0.06, 0.08, 0.12})
            EXPECT_LT(growth(options, h), 1.0) << static_cast<int>(options.optimisation) << h;
}

TEST(PreStep, reaches_the_errors_of_the_nonlinear_models) {
    const Scenario scenario = test::pendulum_oscillator(false);
    const double micro = scenario.solver.fixed_step;
    const Samples exact = test::pendulum_oscillator_exactly(micro, steps_of(micro, 10.0));
    const auto expect = [&](const PreStepOptions& options, const std::vector<Row>& rows,
                            double end = stop) {
        for (const Row& row : rows) {
            const Samples run = micro_run(scenario, options, row.h, end);
            const double error = test::largest_error(run, exact.leftCols(run.cols()));
            EXPECT_NEAR(error, row.error, 2.0 * percent * row.error)
                << static_cast<int>(options.optimisation) << ", steps of " << row.h;
        }
    };
    expect(terminal, {{1e-3, 4.574e-4},
                      {5e-3, 1.139e-2},
                      {1e-2, 4.514e-2},
                      {2e-2, 0.173},
                      {4e-2, 0.815},
                      {6e-2, 2.08}});
    expect(without_error(terminal), {{1e-3, 4.00e-4}, {5e-3, 1.041e-2}, {1e-2, 4.40e-2}});
    expect(terminal, {{5e-3, 1.14e-2}}, 10.0);
    expect(without_error(terminal), {{5e-3, 1.51e-2}}, 10.0);
    expect(interpolated, {{1e-3, 3.41e-4}, {5e-3, 8.56e-3}, {1e-2, 3.42e-2}});
    expect(mean, {{1e-3, 4.20e-4}, {5e-3, 1.047e-2}, {1e-2, 4.11e-2}});
    expect(straight(linear), {{1e-3, 3.3e-6}});
    expect(linear,
           {{1e-3, 1.24e-6}, {5e-3, 1.410e-4}, {1e-2, 9.87e-4}, {2e-2, 8.3e-3}, {4e-2, 6.6e-2}});
    expect(linear, {{5e-3, 1.410e-4}}, 10.0);
}

}  // namespace
}  // namespace tandem
