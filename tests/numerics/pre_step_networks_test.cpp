// Pre-step stabilisation with direct feed-through, with more than two subsystems, on FMUs, with
// steps that are repeated, and across events.
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <memory>
#include <string>
#include <unsupported/Eigen/MatrixFunctions>
#include <vector>

#include "base/error.hpp"
#include "coupling/pre_step.hpp"
#include "support/linear_shapes.hpp"
#include "support/stabilised_scenarios.hpp"
#include "support/system_file.hpp"

namespace tandem {
namespace {

using coupling::PreStep;
using coupling::PreStepError;
using coupling::PreStepInputs;
using coupling::PreStepOptions;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::CoupledRun;
using testing::LinearNetwork;
using testing::LinearPart;
using testing::LinearSystem;
using testing::Samples;
using testing::Scenario;

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
    return {{"feed-through", testing::two_masses(), testing::pulled},
            {"chain", testing::chain(), VectorXd::LinSpaced(8, 1.0, -2.0)},
            {"star", testing::star(), VectorXd::LinSpaced(8, 1.0, -2.0)}};
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
        const testing::Propagator step = testing::propagator(part.a, part.b, h);
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
                testing::propagator(part.a, MatrixXd::Identity(2, 2), h).constants / h;
            const MatrixXd of_whole =
                testing::propagator(whole.a, MatrixXd::Identity(n, n), h).constants / h;
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
            const MatrixXd map = testing::map_of_step(shape.linear, coupling, h);
            const MatrixXd formula = map_of_terminal(shape.linear, h);
            EXPECT_LT((map - formula).cwiseAbs().maxCoeff(), 1e-8) << shape.name << " " << h;
        }
}

/// The error at the end of 0.4 s.
double error_of_run(const Shape& shape, const PreStepOptions& options, double h) {
    PreStep coupling(options);
    const long steps = std::lround(0.4 / h);
    const VectorXd end =
        testing::run_states(shape.linear, shape.start, coupling, {h, steps}, 1e-12).col(steps);
    const MatrixXd a = shape.linear.network(shape.start).whole().a;
    return (end - (0.4 * a).exp() * shape.start).norm() / shape.start.norm();
}

TEST(PreStepNetworks, print) {
    for (const Shape& shape : shapes())
        for (const PreStepInputs inputs : all_inputs)
            for (const auto error : {PreStepError::on, PreStepError::off}) {
                PreStepOptions options = choose(inputs);
                options.error = error;
                printf("%-12s %d %d", shape.name.c_str(), (int)inputs, (int)error);
                for (double h : {1.0, 2.0, 5.0, 10.0})
                    printf(" %.3e", error_of_run(shape, options, h * ms));
                for (double h : {10.0, 20.0, 40.0, 100.0}) {
                    PreStep coupling(options);
                    try {
                        const Samples run = testing::run_states(shape.linear, shape.start, coupling,
                                                                {h * ms, 200}, 1e-9);
                        printf(" %.1e", run.rightCols(20).cwiseAbs().maxCoeff() /
                                            run.leftCols(20).cwiseAbs().maxCoeff());
                    } catch (...) {
                        printf(" div");
                    }
                }
                puts("");
            }
}

}  // namespace
}  // namespace tandem
