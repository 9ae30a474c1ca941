// The command: what it prints and writes, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command_folder.hpp"
#include "support/example_folder.hpp"
#include "support/result_files.hpp"

namespace tandem::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(LineariseCommand, prints_names_values_and_small_matrices) {
    const CommandFolder folder;
    const Said said = folder.tandem("linearise fmus/Oscillator_fmi2.fmu --set x=0.5");
    EXPECT_EQ(said.code, 0);
    EXPECT_THAT(said.out, HasSubstr("Oscillator at t = 0: 2 states, 4 inputs, 2 outputs"));
    EXPECT_THAT(said.out, HasSubstr("  x      m     0.5    0\n"));
    EXPECT_THAT(said.out, HasSubstr("  A  x    v\n  x  0    1\n  v  -50  -0.25\n"));
    EXPECT_THAT(said.out, Not(HasSubstr("damping")));
    EXPECT_THAT(said.err, IsEmpty());
}

TEST(LineariseCommand, says_how_large_a_matrix_is_that_is_not_shown) {
    const CommandFolder folder;
    const Said said = folder.tandem("linearise fmus/RaceCar_fmi2.fmu");
    EXPECT_EQ(said.code, 0);
    EXPECT_THAT(said.out, HasSubstr("A: 47 x 47, "));
}

TEST(LineariseCommand, prints_eigenvalues_and_writes_files) {
    const CommandFolder folder;
    const Said said = folder.tandem("linearise fmus/Oscillator_fmi2.fmu --eigen -o m.json");
    EXPECT_EQ(said.code, 0);
    EXPECT_THAT(said.out, HasSubstr("m.json\n"));
    EXPECT_THAT(said.out, HasSubstr("-0.125      7.06996    1.12522         0.0176777  8"));
    const auto json = nlohmann::json::parse(read_bytes(folder / "m.json"));
    EXPECT_EQ(json["A"], nlohmann::json::parse("[[0.0, 1.0], [-50.0, -0.25]]"));
    EXPECT_EQ(json["eigenvalues"].size(), 2U);
    EXPECT_EQ(folder.tandem("linearise fmus/Oscillator_fmi2.fmu -o m.mat").code, 0);
    std::size_t rows = 0;
    MatFile mat((folder / "m.mat").string());
    EXPECT_EQ(mat.doubles("A", rows), (std::vector<double>{0.0, -50.0, 1.0, -0.25}));
}

TEST(LineariseCommand, gives_the_jacobian_of_coupled_pendulums_at_a_time) {
    const ExampleFolder examples;
    const std::string example = examples.in_folder("examples/");
    const CommandFolder folder;
    for (const char* variant : {"system", "system_native", "system_mixed"}) {
        const Said said = folder.tandem("linearise " + example + "pendulums_polar/" + variant +
                                        ".toml --at 1 -o m.json");
        ASSERT_EQ(said.code, 0) << said.err;
        const auto json = nlohmann::json::parse(read_bytes(folder / "m.json"));
        // From the equations of both as one, at the exact solution; the run to t = 1 errs by up to
        // 1e-6 at the tolerance 1e-8 of the example, and A by its derivatives times that.
        const double expected[4][4] = {{0.0, 1.0, 0.0, 0.0},
                                       {-4.7484633, 0.0, -0.48439177, 0.0},
                                       {0.0, 0.0, 0.0, 1.0},
                                       {-0.48439177, 0.0, -5.51303077, 0.0}};
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 4; ++j)
                EXPECT_NEAR(json["A"][i][j].get<double>(), expected[i][j], 2e-5) << i << j;
        EXPECT_EQ(json["states"][0]["name"], "left.theta");
        EXPECT_EQ(json["time"], 1.0);
    }
}

TEST(LineariseCommand, sees_an_algebraic_loop_solved) {
    const ExampleFolder examples;
    const std::string example = examples.in_folder("examples/");
    const CommandFolder folder;
    const Said said =
        folder.tandem("linearise " + example + "algebraic_loop/system.toml -o m.json");
    ASSERT_EQ(said.code, 0) << said.err;
    const auto json = nlohmann::json::parse(read_bytes(folder / "m.json"));
    const double expected[2][2] = {{-2.0 / 3.0, 0.0}, {2.0 / 3.0, -1.0}};
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 2; ++j)  // a linear system: rounding alone
            EXPECT_NEAR(json["A"][i][j].get<double>(), expected[i][j], 1e-10);
}

TEST(LineariseCommand, refuses_wrong_input_before_anything_is_written) {
    const CommandFolder folder;
    const auto refused = [&](const std::string& arguments) {
        const Said said = folder.tandem("linearise " + arguments);
        EXPECT_EQ(said.code, 2) << arguments << said.err;
        return said.err;
    };
    const std::string model = "fmus/LinearOde_fmi2.fmu ";
    EXPECT_THAT(refused(model + "--at -1"), HasSubstr("-1 lies before the start time 0"));
    EXPECT_THAT(refused(model + "--at soon"), HasSubstr("--at"));
    EXPECT_THAT(refused(model + "-o m.txt"), HasSubstr("cannot be written as '.txt'"));
    EXPECT_THAT(refused(model + "-o none/m.mat"), HasSubstr("none/m.mat: cannot be written"));
    EXPECT_THAT(refused(model + "-o ."), HasSubstr("extension"));
    EXPECT_THAT(refused(model + "--set none=1 -o m.mat"), HasSubstr("none"));
    EXPECT_THAT(refused(model + "--tolerance 0"), HasSubstr("must be positive and finite"));
    EXPECT_THAT(refused(model + "--option clusters=all"), HasSubstr("--option is for the"));
    EXPECT_THAT(refused("fmus/LinearOde_fmi1_cs.fmu"), HasSubstr("has no Model Exchange"));
    EXPECT_THAT(refused("none.fmu"), HasSubstr("none.fmu"));
    EXPECT_THAT(refused("none.toml"), HasSubstr("none.toml"));
    EXPECT_EQ(folder.content(), std::set<std::string>{"fmus"});
}

TEST(LineariseCommand, takes_tolerances_of_one_and_more_with_a_warning) {
    const CommandFolder folder;
    folder.write("s.toml",
                 "[experiment]\nstop = 1\n[subsystems.a]\nsource = "
                 "'fmus/LinearOde_fmi2.fmu'\nkind = 'me'\n");
    for (const std::string model : {"fmus/LinearOde_fmi2.fmu", "s.toml"}) {
        const Said said = folder.tandem("linearise " + model + " --tolerance 2");
        EXPECT_EQ(said.code, 0) << said.err;
        EXPECT_THAT(said.err, HasSubstr("warning: --tolerance: the tolerance 2 is relative"));
    }
}

TEST(LineariseCommand, names_the_subsystem_that_has_no_equations) {
    const CommandFolder folder;
    folder.write("s.toml",
                 "connections = ['a.y -> b.u']\n[experiment]\nstop = 1\n"
                 "[subsystems.a]\nsource = 'fmus/LinearOde_fmi2.fmu'\nkind = 'me'\n"
                 "[subsystems.b]\nsource = 'fmus/LinearOde_fmi2.fmu'\nkind = 'cs'\n");
    const Said said = folder.tandem("linearise s.toml");
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.err, HasSubstr("s.toml: 'b' is a Co-Simulation FMU"));
    EXPECT_THAT(said.err, HasSubstr("kind = \"me\""));
}

}  // namespace
}  // namespace tandem::test
