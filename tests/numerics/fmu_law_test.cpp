// Stabilised couplings on Co-Simulation FMUs that take laws (docs/fmi_law_extension.md): the same
// results as with native models; and what is left without the extension.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "coupling/explicit/explicit.hpp"
#include "support/stabilised_options.hpp"
#include "support/stabilised_scenarios.hpp"

namespace tandem {
namespace {

using coupling::NeighbourForm;
using coupling::PredictedForm;
using coupling::Stabilised;
using coupling::StabilisedOptions;
using test::backward_euler;
using test::CoupledRun;
using test::implicit;
using test::lti;
using test::predicted;
using test::Samples;
using test::Scenario;
using test::trapezoidal;

constexpr double us = 1e-6;
/// Of the solvers, in the native models and in the FMUs; a tenth of what results may differ.
constexpr double tolerance = 1e-10;

struct Row {
    std::string name;
    StabilisedOptions options;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }
const std::vector<Row> rows = {
    {"deriv_backward_euler", implicit(NeighbourForm::derivative, backward_euler)},
    {"deriv_trapezoidal", implicit(NeighbourForm::derivative, trapezoidal)},
    {"frozen_backward_euler", implicit(NeighbourForm::frozen, backward_euler)},
    {"frozen_trapezoidal", implicit(NeighbourForm::frozen, trapezoidal)},
    {"value_backward_euler", implicit(NeighbourForm::value, backward_euler)},
    {"value_trapezoidal", implicit(NeighbourForm::value, trapezoidal)},
    {"lti", lti()},
    {"predicted_mean", predicted(PredictedForm::mean)},
    {"predicted_linear", predicted(PredictedForm::linear)},
    {"predicted_hermite", predicted(PredictedForm::hermite)}};

const std::vector<std::string> fmu_kinds = {"fmi2_cs", "fmi3_cs"};

Samples samples_of(Scenario scenario, const StabilisedOptions& options, const std::string& kind,
                   long steps) {
    scenario.kind = kind;
    CoupledRun run(scenario, std::make_unique<Stabilised>(options));
    return test::sample(run, 50.0 * us, steps);
}

/// The largest difference of each output, as a part of its largest value.
double largest_difference(const Samples& samples, const Samples& reference) {
    const Eigen::VectorXd sizes = reference.cwiseAbs().rowwise().maxCoeff();
    return ((samples - reference).cwiseAbs().rowwise().maxCoeff().cwiseQuotient(sizes)).maxCoeff();
}

class FmuLaw : public ::testing::TestWithParam<Row> {};
INSTANTIATE_TEST_SUITE_P(Every, FmuLaw, ::testing::ValuesIn(rows),
                         [](const auto& row) { return row.param.name; });

TEST_P(FmuLaw, gives_linear_elements_as_fmus_the_results_of_native_ones) {
    const Scenario scenario = test::viel_linear().solve(ode::Method::dopri5, tolerance);
    const Samples native = samples_of(scenario, GetParam().options, "native", 400);
    for (const std::string& kind : fmu_kinds)
        EXPECT_LT(largest_difference(samples_of(scenario, GetParam().options, kind, 400), native),
                  1e-8)
            << kind;
}

TEST_P(FmuLaw, gives_hydraulic_lines_as_fmus_the_results_of_native_ones) {
    const Scenario scenario = test::viel_hydraulic().solve(ode::Method::dopri5, tolerance);
    const Samples native = samples_of(scenario, GetParam().options, "native", 400);
    for (const std::string& kind : fmu_kinds)
        EXPECT_LT(largest_difference(samples_of(scenario, GetParam().options, kind, 400), native),
                  1e-8)
            << kind;
}

TEST(FmuLaws, have_the_figures_of_twenty_steps_of_50_us) {
    struct Golden {
        StabilisedOptions options;
        double e1, f2;
    };
    const std::vector<Golden> all = {
        {implicit(NeighbourForm::derivative, backward_euler), 0.016010264800, 1.522924500967},
        {implicit(NeighbourForm::frozen, trapezoidal), 0.022143004884, 1.527932037568},
        {implicit(NeighbourForm::value, trapezoidal), 0.015974401677, 1.522864747538}};
    for (const Golden& golden : all)
        for (const std::string& kind : fmu_kinds) {
            const Samples samples = samples_of(test::viel_linear(), golden.options, kind, 20);
            EXPECT_NEAR(samples(0, 20), golden.e1, 1e-8) << kind;
            EXPECT_NEAR(samples(1, 20), golden.f2, 1e-8) << kind;
        }
}

Scenario without_extension(Scenario scenario, const std::string& kind) {
    scenario.kind = kind;
    scenario.fmus.input_laws = false;
    return scenario;
}

bool takes_states_of_laws(CoupledRun& run) {
    return run.system().at(0).interface().capabilities.law_states;
}

// FMI 3.0 asks for inputs wherever it evaluates; a law without states of its own can go that way.
TEST(FmuLaws, of_values_work_at_intermediate_points_as_well) {
    for (const double theta : {backward_euler, trapezoidal})
        for (const Scenario& scenario :
             {test::viel_linear(), test::viel_hydraulic().solve(ode::Method::dopri5, tolerance)}) {
            const StabilisedOptions options = implicit(NeighbourForm::value, theta);
            const Samples native = samples_of(scenario, options, "native", 400);
            CoupledRun run(without_extension(scenario, "fmi3_cs"),
                           std::make_unique<Stabilised>(options));
            EXPECT_FALSE(takes_states_of_laws(run));
            EXPECT_LT(largest_difference(test::sample(run, 50.0 * us, 400), native), 1e-8);
        }
}

// A line is followed by calls in FMI 2.0 and at intermediate points in FMI 3.0.
TEST(FmuLaws, are_replaced_by_predictions_where_nobody_takes_them) {
    const Scenario scenario = test::viel_linear();
    const Samples predicted_native =
        samples_of(scenario, predicted(PredictedForm::linear), "native", 2000);
    for (const Row& row : {rows[0], rows[2], rows[6]})
        for (const std::string& kind : fmu_kinds) {
            CoupledRun run(without_extension(scenario, kind),
                           std::make_unique<Stabilised>(row.options));
            EXPECT_FALSE(takes_states_of_laws(run));
            const Samples samples = test::sample(run, 50.0 * us, 2000);
            EXPECT_LT(largest_difference(samples, predicted_native), 1e-8) << row.name << kind;
        }
}

/// The calls that an FMU gets in a run with held inputs.
std::vector<std::string> calls_of(const std::string& kind, bool input_laws) {
    std::vector<std::string> calls;
    Scenario scenario = test::viel_linear();
    scenario.kind = kind;
    scenario.fmus.input_laws = input_laws;
    scenario.fmus.on_call = [&](const std::string& call) { calls.push_back(call); };
    CoupledRun run(scenario, std::make_unique<coupling::Explicit>(coupling::ExplicitOptions{}));
    test::sample(run, 50.0 * us, 3);
    return calls;
}

TEST(FmuLaws, are_nothing_to_an_importer_that_gives_none) {
    for (const std::string& kind : fmu_kinds)
        for (const bool input_laws : {false, true}) {
            const std::vector<std::string> calls = calls_of(kind, input_laws);
            EXPECT_GT(calls.size(), 20U);
            for (const std::string& call : calls) EXPECT_TRUE(call.starts_with("fmi")) << call;
        }
}

}  // namespace
}  // namespace tandem
