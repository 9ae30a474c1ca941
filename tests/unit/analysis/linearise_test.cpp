#include "analysis/linearise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "analysis/linear_model_file.hpp"
#include "support/result_files.hpp"
#include "support/scratch_file.hpp"
#include "support/system_file.hpp"
#include "support/test_models.hpp"
#include "tandem/error.hpp"

namespace tandem::analysis {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pointwise;

const std::string fmus = std::string(TANDEM_FMU_DIR) + "/";

std::vector<std::string> names(const std::vector<LinearVariable>& variables) {
    std::vector<std::string> result;
    for (const LinearVariable& variable : variables) result.push_back(variable.name);
    return result;
}

template <class Action>
std::string complaint(Action action) {
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no complaint";
}

TEST(Linearise, gives_the_matrices_of_a_linear_model_exactly) {
    for (const char* version : {"fmi1_me", "fmi2", "fmi3"}) {
        const LinearModel model =
            linearise({.file = fmus + "LinearOde_" + version + ".fmu",
                       .at = 0.5,
                       .set = {"a=-3", "b=2", "c=5", "d=0.25", "x=1", "u=4"}});
        EXPECT_EQ(model.name, "LinearOde");
        EXPECT_EQ(model.t, 0.5);
        EXPECT_THAT(names(model.states), ElementsAre("x"));
        EXPECT_THAT(names(model.inputs), ElementsAre("u"));
        EXPECT_THAT(names(model.outputs), ElementsAre("y"));
        // FMI 1.0 has no directional derivatives: differences err by about 1e-8.
        const double error = std::string(version) == "fmi1_me" ? 1e-6 : 0.0;
        EXPECT_THAT(model.a, ElementsAre(DoubleNear(-3.0, error)));
        EXPECT_THAT(model.b, ElementsAre(DoubleNear(2.0, error)));
        EXPECT_THAT(model.c, ElementsAre(DoubleNear(5.0, error)));
        EXPECT_THAT(model.d, ElementsAre(DoubleNear(0.25, error)));
        // x' = -3 x + 8, x(0) = 1; a hundred times the tolerance 1e-9 of the FMU.
        const double x = 8.0 / 3.0 + (1.0 - 8.0 / 3.0) * std::exp(-1.5);
        EXPECT_NEAR(model.states[0].value, x, 1e-7);
        EXPECT_EQ(model.inputs[0].value, 4.0);
        EXPECT_NEAR(model.outputs[0].value, 5.0 * x + 1.0, 5e-7);
        EXPECT_NEAR(model.derivatives[0], -3.0 * x + 8.0, 3e-7);
    }
}

TEST(Linearise, takes_the_derivatives_at_the_time_reached) {
    // dx = -x + u0 + 2 u1; y0 = x, y1 = x + 3 u0^2 + t
    ode::HostedOde hosted(std::make_unique<tandem::test::Driven>(), {});
    hosted.enter_initialisation({});
    const std::vector<double> u = {2.0, -1.0};
    hosted.set_inputs({u});
    hosted.exit_initialisation();
    hosted.step({0.0, 1.0});
    const LinearModel model = linearise(hosted);
    EXPECT_EQ(model.t, 1.0);
    const double error = 1e-6;  // of differences over sqrt(eps) of the size
    EXPECT_THAT(model.a, Pointwise(DoubleNear(error), {-1.0}));
    EXPECT_THAT(model.b, Pointwise(DoubleNear(error), {1.0, 2.0}));
    EXPECT_THAT(model.c, Pointwise(DoubleNear(error), {1.0, 1.0}));
    EXPECT_THAT(model.d, Pointwise(DoubleNear(error), {0.0, 12.0, 0.0, 0.0}));
    EXPECT_EQ(model.inputs[0].value, 2.0);
    EXPECT_EQ(model.outputs[0].value, model.states[0].value);
    EXPECT_EQ(model.outputs[1].value, model.states[0].value + 12.0 + 1.0);
}

const std::string loop = R"(connections = ["b.y -> a.u", "a.y -> b.u"]
[experiment]
stop = 2
[coupling]
method = "aggregate"
)";

/// The algebraic loop y_A = x_A - y_B, y_B = y_A / 2: see the readme of LinearOde.
std::string loop_of(const std::string& kind_a, const std::string& kind_b) {
    return loop +
           tandem::test::subsystem_text("a", "LinearOde", kind_a,
                                        "x = 9, a = 0, b = -2, c = 1, d = -1") +
           tandem::test::subsystem_text("b", "LinearOde", kind_b, "x = 2, c = 0, d = 0.5");
}

TEST(Linearise, sees_through_algebraic_loops_of_a_system) {
    // With y_A = 2/3 x_A, y_B = x_A / 3: x_A' = -2 y_B = -2/3 x_A, x_B' = -x_B + y_A.
    for (const auto& [first, second] :
         {std::pair{"fmi2_me", "fmi3_me"}, {"native", "native"}, {"native", "fmi2_me"}}) {
        const tandem::test::SystemFile file(loop_of(first, second));
        const LinearModel model = linearise({.file = file.in_folder("system.toml"), .at = 1.0});
        EXPECT_THAT(names(model.states), ElementsAre("a.x", "b.x"));
        EXPECT_THAT(model.inputs, IsEmpty());
        EXPECT_THAT(names(model.outputs), ElementsAre("a.y", "b.y"));
        EXPECT_THAT(model.a, Pointwise(DoubleNear(1e-12), {-2.0 / 3.0, 2.0 / 3.0, 0.0, -1.0}));
        EXPECT_THAT(model.c, Pointwise(DoubleNear(1e-12), {2.0 / 3.0, 1.0 / 3.0, 0.0, 0.0}));
        EXPECT_NEAR(model.states[0].value, 9.0 * std::exp(-2.0 / 3.0), 1e-4);  // tolerance 1e-6
    }
}

TEST(Linearise, has_the_inputs_that_nothing_feeds) {
    const tandem::test::SystemFile file(
        "connections = ['a.y -> b.u']\n" +
        tandem::test::subsystem_text("a", "LinearOde", "fmi2_me", "b = 2, d = 3") +
        tandem::test::subsystem_text("b", "LinearOde", "native", "b = 5, d = 7"));
    const LinearModel model = linearise({.file = file.in_folder("system.toml")});
    EXPECT_THAT(names(model.inputs), ElementsAre("a.u"));
    EXPECT_THAT(model.b, Pointwise(DoubleNear(1e-12), {2.0, 15.0}));
    EXPECT_THAT(model.d, Pointwise(DoubleNear(1e-12), {3.0, 21.0}));
    EXPECT_EQ(model.t, 0.0);
}

TEST(Linearise, refuses_what_has_no_equations) {
    const tandem::test::SystemFile file(loop_of("fmi2_me", "fmi2_cs"));
    EXPECT_THAT(complaint([&] { linearise({.file = file.in_folder("system.toml")}); }),
                HasSubstr("'b' is a Co-Simulation FMU, which has no equations to linearise"));
    EXPECT_THAT(complaint([] { linearise({.file = fmus + "LinearOde_fmi1_cs.fmu"}); }),
                HasSubstr("has no Model Exchange"));
}

TEST(Linearise, refuses_a_time_before_the_start) {
    EXPECT_THAT(complaint([] {
                    linearise({.file = fmus + "LinearOde_fmi2.fmu", .at = 1.0, .start = 2.0});
                }),
                HasSubstr("--at: 1 lies before the start time 2"));
    const tandem::test::SystemFile file(loop_of("native", "native"));
    EXPECT_THAT(complaint([&] { linearise({.file = file.in_folder("system.toml"), .at = -1.0}); }),
                HasSubstr("--at: -1 lies before the start time 0"));
    EXPECT_THAT(complaint([&] { linearise({.file = file.in_folder("system.toml"), .at = NAN}); }),
                HasSubstr("finite"));
}

TEST(Linearise, goes_beyond_the_stop_time_of_the_file) {
    const tandem::test::SystemFile file(loop_of("native", "native"));
    EXPECT_EQ(linearise({.file = file.in_folder("system.toml"), .at = 2.5}).t, 2.5);
}

TEST(Eigenvalues, of_an_oscillator_are_its_frequency_and_damping) {
    // m = 1, k = 10 + 2*20, d = 0.05 + 2*0.1: s^2 + 0.25 s + 50 = 0.
    const std::vector<Mode> modes = modes_of(linearise({.file = fmus + "Oscillator_fmi2.fmu"}));
    ASSERT_EQ(modes.size(), 2U);
    const double imaginary = std::sqrt(50.0 - 0.125 * 0.125);
    const double rounding = 1e-13;
    EXPECT_NEAR(modes[0].eigenvalue.real(), -0.125, rounding);
    EXPECT_NEAR(modes[0].eigenvalue.imag(), imaginary, 10 * rounding);
    EXPECT_EQ(modes[1].eigenvalue, std::conj(modes[0].eigenvalue));
    EXPECT_NEAR(modes[0].frequency, imaginary / (2.0 * std::numbers::pi), rounding);
    EXPECT_NEAR(modes[0].damping, 0.125 / std::sqrt(50.0), rounding);
    EXPECT_NEAR(modes[0].time_constant, 8.0, 100 * rounding);
}

TEST(Eigenvalues, are_sorted_from_slow_to_fast_and_zero_where_they_are_rounding) {
    const std::vector<Mode> modes = modes_of(linearise({.file = fmus + "HeatRod_fmi2.fmu"}));
    ASSERT_EQ(modes.size(), 8U);
    EXPECT_EQ(modes[0].eigenvalue, 0.0);  // an isolated rod keeps its heat
    EXPECT_TRUE(std::isinf(modes[0].time_constant));
    EXPECT_TRUE(std::isnan(modes[0].damping));
    for (std::size_t k = 0; k < modes.size(); ++k)
        // -8 sin^2(k pi / 16) of the second difference with 8 cells and insulated ends
        EXPECT_NEAR(modes[k].eigenvalue.real(),
                    -8.0 * std::pow(std::sin(static_cast<double>(k) * std::numbers::pi / 16.0), 2),
                    1e-12);
}

TEST(LinearModelFile, holds_matrices_and_names_as_mat) {
    const tandem::test::ScratchFile scratch(".mat");
    const LinearModel model = linearise({.file = fmus + "Oscillator_fmi2.fmu", .at = 0.1});
    write_linear_model(model, modes_of(model), scratch.path());
    tandem::test::MatFile file(scratch.path());
    EXPECT_THAT(file.matrices(),
                ElementsAre("A", "B", "C", "D", "t", "states", "state_units", "x", "dx", "inputs",
                            "input_units", "u", "outputs", "output_units", "y", "eigenvalues"));
    std::size_t rows = 0;
    EXPECT_EQ(file.doubles("A", rows), model.a);
    EXPECT_EQ(file.doubles("B", rows), model.b);
    EXPECT_EQ(rows, 2U);
    EXPECT_THAT(file.doubles("t", rows), ElementsAre(0.1));
    EXPECT_THAT(file.text_rows("inputs"), ElementsAre("x_left", "v_left", "x_right", "v_right"));
    EXPECT_THAT(file.text_rows("state_units"), ElementsAre("m", "m/s"));
}

TEST(LinearModelFile, holds_matrices_as_rows_in_json) {
    const tandem::test::ScratchFile scratch(".json");
    const LinearModel model = linearise({.file = fmus + "HeatRod_fmi2.fmu"});
    write_linear_model(model, modes_of(model), scratch.path());
    std::ifstream stream(scratch.path());
    const nlohmann::json json = nlohmann::json::parse(stream);
    EXPECT_EQ(json["A"].size(), 8U);
    EXPECT_EQ(json["A"][1][2], 2.0);
    EXPECT_EQ(json["B"].size(), 8U);
    EXPECT_EQ(json["C"].size(), model.outputs.size());
    EXPECT_EQ(json["states"][0]["name"], "T[1]");
    EXPECT_EQ(json["states"][0]["unit"], "K");
    EXPECT_EQ(json["states"][0]["derivative"], model.derivatives[0]);
    EXPECT_TRUE(json["eigenvalues"][0]["damping"].is_null());
    EXPECT_EQ(json["eigenvalues"].size(), 8U);
}

TEST(LinearModelFile, is_refused_where_it_cannot_be_written) {
    EXPECT_THAT(complaint([] { check_linear_model_path("model.txt"); }),
                HasSubstr("a linear model cannot be written as '.txt'"));
    EXPECT_THAT(complaint([] { check_linear_model_path("model"); }), HasSubstr("extension"));
    EXPECT_THAT(complaint([] { check_linear_model_path("no/such/folder/model.mat"); }),
                HasSubstr("cannot be written: No such file"));
}

}  // namespace
}  // namespace tandem::analysis
