// Pre-step stabilisation with direct feed-through, with more than two subsystems, on FMUs, with
// steps that are repeated, and across events.
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <memory>
#include <string>
#include <unsupported/Eigen/MatrixFunctions>
#include <vector>

#include "coupling/network/pre_step.hpp"
#include "support/linear_shapes.hpp"
#include "support/pair_with_event.hpp"
#include "support/stabilised_scenarios.hpp"
#include "support/system_file.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

using coupling::PreStep;
using coupling::PreStepError;
using coupling::PreStepInputs;
using coupling::PreStepOptions;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::CoupledRun;
using test::LinearNetwork;
using test::LinearPart;
using test::LinearSystem;
using test::Samples;
using test::Scenario;

constexpr double ms = 1e-3;
const std::vector<PreStepInputs> all_inputs = {
    PreStepInputs::linear,   PreStepInputs::mean,        PreStepInputs::interpolated,
    PreStepInputs::terminal, PreStepInputs::variational, PreStepInputs::variational_linear};

PreStepOptions choose(PreStepInputs inputs) {
    PreStepOptions options;
    options.optimisation = inputs;
    return options;
}

struct Shape {
    std::string name;
    LinearSystem linear;
    VectorXd start;
};
std::vector<Shape> shapes() {
    return {{"feed-through", test::two_masses(), test::pulled},
            {"chain", test::chain(), VectorXd::LinSpaced(8, 1.0, -2.0)},
            {"star", test::star(), VectorXd::LinSpaced(8, 1.0, -2.0)}};
}

/// The exact map of a step with the constants that bring the states of each part, and the outputs
/// that depend on inputs directly, nearest to those of the whole at its end.
MatrixXd map_of_terminal(const LinearSystem& linear, double h) {
    Eigen::Index n = 0;
    for (const LinearPart& part : linear.parts) n += part.a.rows();
    const LinearNetwork network = linear.network(VectorXd::Zero(n));
    const LinearNetwork::Whole whole = network.whole();
    const MatrixXd there = (h * whole.a).exp();
    MatrixXd map(n, n);
    Eigen::Index state = 0, input = 0, output = 0;
    for (const LinearPart& part : linear.parts) {
        const Eigen::Index states = part.a.rows(), inputs = part.b.cols(), p = part.c.rows();
        const test::Propagator step = test::propagator(part.a, part.b, h);
        const MatrixXd routed = (network.k * whole.outputs).middleRows(input, inputs);
        MatrixXd own = MatrixXd::Zero(states, n);
        own.middleCols(state, states) = step.states;
        own += step.constants * routed;
        const Eigen::Index fed = part.d.isZero() ? 0 : p;
        MatrixXd response(states + fed, inputs), distance(states + fed, n);
        response.topRows(states) = step.constants;
        distance.topRows(states) = there.middleRows(state, states) - own;
        if (fed > 0) {
            // Means: ramps are those of x for constant inputs.
            const MatrixXd of_start =
                test::propagator(part.a, MatrixXd::Identity(2, 2), h).constants / h;
            const MatrixXd of_whole =
                test::propagator(whole.a, MatrixXd::Identity(n, n), h).constants / h;
            MatrixXd own_mean = step.ramps * routed;
            own_mean.middleCols(state, states) += of_start;
            response.bottomRows(p) = part.c * step.ramps + part.d;
            distance.bottomRows(p) = (whole.outputs * of_whole).middleRows(output, p) -
                                     part.c * own_mean - part.d * routed;
        }
        Eigen::JacobiSVD<MatrixXd> svd(response, Eigen::ComputeThinU | Eigen::ComputeThinV);
        svd.setThreshold(1e-10);
        map.middleRows(state, states) = own + step.constants * svd.solve(distance);
        state += states;
        input += inputs;
        output += p;
    }
    return map;
}

TEST(PreStepNetworks, first_steps_have_the_map_of_the_formula) {
    for (const Shape& shape : shapes())
        for (const double h : {1.0 * ms, 20.0 * ms, 60.0 * ms}) {
            PreStep coupling(choose(PreStepInputs::terminal));
            const MatrixXd map = test::map_of_step(shape.linear, coupling, h);
            const MatrixXd formula = map_of_terminal(shape.linear, h);
            EXPECT_LT((map - formula).cwiseAbs().maxCoeff(), 1e-8) << shape.name << " " << h;
        }
}

/// The error at the end of 0.4 s.
double error_of_run(const Shape& shape, const PreStepOptions& options, double h) {
    PreStep coupling(options);
    const long steps = std::lround(0.4 / h);
    const VectorXd end =
        test::run_states(shape.linear, shape.start, coupling, {h, steps}, 1e-12).col(steps);
    const MatrixXd a = shape.linear.network(shape.start).whole().a;
    return (end - (0.4 * a).exp() * shape.start).norm() / shape.start.norm();
}

double order_of_run(const Shape& shape, PreStepInputs inputs, double h) {
    return test::observed_order(
        [&](double step) { return error_of_run(shape, choose(inputs), step); }, h);
}

/// Where steps end, straight lines are of fourth order on linear systems: their error inside a step
/// does not add up.
TEST(PreStepNetworks, inputs_have_their_orders) {
    for (const Shape& shape : shapes()) {
        SCOPED_TRACE(shape.name);
        EXPECT_NEAR(order_of_run(shape, PreStepInputs::linear, 10.0 * ms), 4.0, 0.15);
        EXPECT_GT(order_of_run(shape, PreStepInputs::variational_linear, 2.0 * ms), 2.9);
        for (const PreStepInputs inputs : {PreStepInputs::mean, PreStepInputs::interpolated,
                                           PreStepInputs::terminal, PreStepInputs::variational})
            EXPECT_NEAR(order_of_run(shape, inputs, 2.0 * ms), 2.0, 0.1);
    }
}

/// The largest state in the last twenty of 200 steps by that in the first twenty.
double growth(const Shape& shape, const PreStepOptions& options, double h) {
    PreStep coupling(options);
    const Samples run = test::run_states(shape.linear, shape.start, coupling, {h, 200}, 1e-9);
    return run.rightCols(20).cwiseAbs().maxCoeff() / run.leftCols(20).cwiseAbs().maxCoeff();
}

TEST(PreStepNetworks, what_is_made_up_for_keeps_long_steps_stable) {
    for (const Shape& shape : shapes()) {
        for (const double h : {10.0 * ms, 40.0 * ms, 100.0 * ms})
            EXPECT_LT(growth(shape, choose(PreStepInputs::linear), h), 1.0) << shape.name << h;
        EXPECT_LT(growth(shape, choose(PreStepInputs::mean), 100.0 * ms), 1.0) << shape.name;
        PreStepOptions without = choose(PreStepInputs::mean);
        without.error = PreStepError::off;
        EXPECT_GT(growth(shape, without, 100.0 * ms), 1e3) << shape.name;
    }
}

// Rounding aside: solvers go back to the bit.
TEST(PreStepNetworks, a_repeated_step_finds_what_was_known_when_it_began_first) {
    const Shape shape = shapes()[1];
    for (const PreStepInputs inputs : all_inputs) {
        const auto run = [&](bool repeats) {
            const auto system = shape.linear.make(shape.start, 1e-9);
            PreStep coupling(choose(inputs));
            coupling.prepare(*system, 0.0);
            const auto advance = [&](double begin, double end) {
                EXPECT_TRUE(coupling.advance(*system, {begin, end}));
            };
            advance(0.0, 0.01);
            advance(0.01, 0.02);
            if (repeats) {
                system->save(StateSlot::step_begin);
                advance(0.02, 0.04);
                system->restore(StateSlot::step_begin);
                for (int s = 0; s < system->size(); ++s) system->read_outputs(s);
                advance(0.02, 0.03);
                advance(0.03, 0.04);
                system->restore(StateSlot::step_begin);
                for (int s = 0; s < system->size(); ++s) system->read_outputs(s);
            }
            advance(0.02, 0.025);
            advance(0.025, 0.03);
            return test::states_of(*system);
        };
        EXPECT_LT((run(true) - run(false)).cwiseAbs().maxCoeff(), 1e-14)
            << static_cast<int>(inputs);
    }
}

/// After 0.2 s with steps of 5 ms.
VectorXd end_of_kind(const std::string& kind, const PreStepOptions& options) {
    Scenario scenario = test::pendulum_oscillator(false).solve(ode::Method::dopri5, 1e-10);
    scenario.kind = kind;
    scenario.watches = false;
    CoupledRun run(scenario, std::make_unique<PreStep>(options));
    return test::sample(run, 5.0 * ms, 40).rightCols(1);
}

// Solvers have tolerances of 1e-10. FMUs that bring their solver tell too little of their outputs
// inside a step; the error is not estimated there unless asked for, and straight lines are then all
// it has.
TEST(PreStepNetworks, fmus_agree_with_native_models) {
    for (const PreStepInputs inputs : all_inputs) {
        PreStepOptions options = choose(inputs);
        const VectorXd estimated = end_of_kind("native", options);
        const auto difference = [&](const std::string& kind, const VectorXd& native) {
            return (end_of_kind(kind, options) - native).cwiseAbs().maxCoeff();
        };
        for (const std::string kind : {"fmi2_me", "fmi3_me"})
            EXPECT_EQ(difference(kind, estimated), 0.0) << kind;
        options.error = PreStepError::off;
        const VectorXd native = end_of_kind("native", options);
        options.error = PreStepError::automatic;
        for (const std::string kind : {"fmi2_cs", "fmi3_cs"})
            EXPECT_LT(difference(kind, native), 1e-8) << kind;
    }
}

double error_behind_event(const std::string& inputs, double h) {
    return test::error_behind_event("method = \"pre_step\"\noptimisation = \"" + inputs + "\"", h);
}

/// The mean of an input is all that matters to an integrator, so some are exact here.
TEST(PreStepNetworks, keep_their_order_across_an_event) {
    for (const std::string inputs : {"linear", "mean"})
        EXPECT_LT(error_behind_event(inputs, 0.04), 1e-8) << inputs;
    for (const std::string inputs : {"interpolated", "terminal", "variational"})
        EXPECT_GT(error_behind_event(inputs, 0.04) / error_behind_event(inputs, 0.01), 14.0)
            << inputs;
    EXPECT_GT(error_behind_event("variational_linear", 0.04) /
                  error_behind_event("variational_linear", 0.01),
              60.0);
}

TEST(PreStepNetworks, say_which_subsystem_has_no_linear_model) {
    test::SystemFile file(
        "connections = [\"b.y -> a.u\", \"a.y -> b.u\"]\n[experiment]\nstop = 1\nstep = 0.1\n"
        "[coupling]\nmethod = \"pre_step\"\n" +
        test::subsystem_text("a", "LinearOde", "native") +
        test::subsystem_text("b", "LinearOde", "fmi1_cs"));
    try {
        file.run();
        FAIL() << "no error";
    } catch (const std::exception& error) {
        EXPECT_NE(std::string(error.what()).find("subsystem 'b' cannot do what"), std::string::npos)
            << error.what();
        EXPECT_NE(std::string(error.what()).find("linear_model"), std::string::npos);
    }
}

}  // namespace
}  // namespace tandem
