// Systems of other tools run as the same system written by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/command_folder.hpp"

namespace tandem::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// What is the same in all files here, without connections, coupling and step.
const std::string subsystems = R"(
[subsystems.chassis]
source = "fmus/Chassis_fmi2.fmu"
kind = "cs"
parameters = { m = 300, x = 0.02 }
[subsystems.wheel]
source = "fmus/Wheel_fmi2.fmu"
kind = "cs"
parameters = { z = 0.05 }
)";

/// Imports `file`, checks and runs the result, and runs the system written by hand.
void expect_same_results(const CommandFolder& folder, const std::string& file,
                         const std::string& by_hand) {
    const Said said = folder.tandem("import " + file + " -o imported.toml");
    ASSERT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(folder.tandem("check imported.toml").code, 0);
    folder.write("by_hand.toml", by_hand + subsystems);
    ASSERT_EQ(folder.tandem("run imported.toml --output a.csv").code, 0);
    ASSERT_EQ(folder.tandem("run by_hand.toml --output b.csv").code, 0);
    const std::string results = read_bytes(folder / "a.csv");
    EXPECT_EQ(results, read_bytes(folder / "b.csv"));
    EXPECT_THAT(results, HasSubstr("chassis.x"));
}

const std::string osp_simulators = R"(<Simulators>
  <Simulator name="chassis" source="fmus/Chassis_fmi2.fmu"><InitialValues>
    <InitialValue variable="m"><Real value="300"/></InitialValue>
    <InitialValue variable="x"><Real value="0.02"/></InitialValue></InitialValues></Simulator>
  <Simulator name="wheel" source="fmus/Wheel_fmi2.fmu"><InitialValues>
    <InitialValue variable="z"><Real value="0.05"/></InitialValue></InitialValues></Simulator>
</Simulators>)";

std::string osp_connection(const std::string& chassis, const std::string& wheel) {
    return "<VariableConnection><Variable simulator=\"chassis\" name=\"" + chassis +
           "\"/><Variable simulator=\"wheel\" name=\"" + wheel + "\"/></VariableConnection>";
}

std::string osp_signal(const std::string& simulator, const std::string& variable,
                       const std::string& signal) {
    return "<SignalConnection><Variable simulator=\"" + simulator + "\" name=\"" + variable +
           "\"/><Signal function=\"f\" name=\"" + signal + "\"/></SignalConnection>";
}

std::string osp_system(const std::string& function, const std::string& connections) {
    return "<OspSystemStructure version=\"0.1\"><StartTime>0</StartTime><EndTime>0.3</EndTime>"
           "<BaseStepSize>1e-3</BaseStepSize>" +
           osp_simulators + "<Functions>" + function + "</Functions><Connections>" + connections +
           "</Connections></OspSystemStructure>";
}

const std::string jacobi = R"([experiment]
start = 0.0
stop = 0.3
step = 1e-3
[coupling]
method = "jacobi"
)";

TEST(Import, of_an_osp_system_with_a_linear_transformation_runs_like_one_written_by_hand) {
    const CommandFolder folder;
    folder.write(
        "OspSystemStructure.xml",
        osp_system("<LinearTransformation name=\"f\" factor=\"0.5\" offset=\"3\"/>",
                   osp_connection("x", "x_body") + osp_connection("v", "v_body") +
                       osp_signal("wheel", "F", "in") + osp_signal("chassis", "F", "out")));
    expect_same_results(folder, ".", R"(connections = ["chassis.x -> wheel.x_body",
  "chassis.v -> wheel.v_body", { from = "wheel.F", to = "chassis.F", factor = 0.5, offset = 3 }]
)" + jacobi);
}

TEST(Import, of_an_osp_system_with_a_sum_and_groups_runs_like_one_written_by_hand) {
    const CommandFolder folder;
    const auto groups = [&](const std::string& model, const char* position, const char* speed) {
        folder.write(
            model + "_OspModelDescription.xml",
            "<OspModelDescription><VariableGroups><Generic name=\"motion\"><Variable ref=\"" +
                std::string(position) + "\"/><Variable ref=\"" + speed +
                "\"/></Generic></VariableGroups></OspModelDescription>");
    };
    groups("Chassis", "x", "v");
    groups("Wheel", "x_body", "v_body");
    folder.write(
        "system.xml",
        osp_system("<Sum name=\"f\" inputCount=\"2\"/>",
                   "<VariableGroupConnection><VariableGroup simulator=\"wheel\" "
                   "name=\"motion\"/><VariableGroup simulator=\"chassis\" "
                   "name=\"motion\"/></VariableGroupConnection>" +
                       osp_signal("wheel", "F", "in[0]") + osp_signal("wheel", "v", "in[1]") +
                       osp_signal("chassis", "F", "out")));
    expect_same_results(folder, "system.xml",
                        R"(connections = ["chassis.x -> wheel.x_body", "chassis.v -> wheel.v_body"]
)" + jacobi + R"([[functions]]
target = "chassis.F"
expression = "a + b"
signals = { a = "wheel.F", b = "wheel.v" }
)");
}

TEST(Import, of_a_master_sim_project_runs_like_a_system_written_by_hand) {
    const CommandFolder folder;
    folder.write("car.msim", R"(# A quarter of a car
tStart 0 a
tEnd 5e-3 min
hStart 1 ms
hOutputMin 5 ms
MasterMode GAUSS_SEIDEL
maxIterations 1
simulator 0 1 chassis #ff8c00 "fmus/Chassis_fmi2.fmu"
simulator 1 0 wheel #008000 "fmus\Wheel_fmi2.fmu"
graph chassis.x wheel.x_body
graph chassis.v wheel.v_body
graph wheel.F chassis.F 3 0.5
parameter chassis.m 300
parameter chassis.x 0.02
parameter wheel.z 0.05
)");
    expect_same_results(folder, "car.msim", R"(connections = ["chassis.x -> wheel.x_body",
  "chassis.v -> wheel.v_body", { from = "wheel.F", to = "chassis.F", factor = 0.5, offset = 3 }]
[experiment]
stop = 0.3
step = 1e-3
[coupling]
method = "gauss_seidel"
sequence = ["wheel", "chassis"]
[record]
decimation = 5
)");
}

TEST(Import, of_a_maestro_multi_model_runs_like_a_system_written_by_hand) {
    const CommandFolder folder;
    folder.write("mm.json", R"({
"fmus": { "{c}": "fmus/Chassis_fmi2.fmu", "{w}": "fmus/Wheel_fmi2.fmu" },
"connections": { "{c}.chassis.x": ["{w}.wheel.x_body"], "{c}.chassis.v": ["{w}.wheel.v_body"],
                 "{w}.wheel.F": ["{c}.chassis.F"] },
"parameters": { "{c}.chassis.m": 300, "{c}.chassis.x": 0.02, "{w}.wheel.z": 0.05 },
"logVariables": { "{w}.wheel": ["F_road"] } })");
    folder.write("settings.json", R"({ "startTime": 0, "endTime": 0.3,
"algorithm": { "type": "fixed-step", "size": 0.001 } })");
    expect_same_results(folder, "mm.json --config settings.json",
                        R"(connections = ["chassis.x -> wheel.x_body",
  "chassis.v -> wheel.v_body", "wheel.F -> chassis.F"]
[record]
variables = ["chassis.x", "chassis.v", "wheel.F", "wheel.F_road"]
)" + jacobi);
}

TEST(Import, says_on_the_terminal_and_in_the_file_what_it_does_not_take_over) {
    const CommandFolder folder;
    folder.write("car.msim", R"(tEnd 1 s
outputTimeUnit h
simulator 0 0 chassis #ff8c00 "fmus/Chassis_fmi2.fmu"
parameter chassis.mass 300
parameter chassis.a 1
)");
    const Said said = folder.tandem("import car.msim");
    EXPECT_EQ(said.code, 0);
    EXPECT_THAT(said.out, HasSubstr("system.toml: 1 subsystem, 0 connections"));
    const std::string text = read_bytes(folder / "system.toml");
    for (const char* part :
         {"car.msim:2: 'outputTimeUnit' is not taken over",
          "car.msim:4: the value of chassis.mass is left out: the FMU has no such variable",
          "car.msim:5: the value of chassis.a is left out: the variable is calculated by the "
          "FMU"}) {
        EXPECT_THAT(said.err, HasSubstr(part));
        EXPECT_THAT(text, HasSubstr(std::string("# - ") + part));
    }
    EXPECT_EQ(folder.tandem("check system.toml").code, 0);
}

TEST(Import, writes_over_a_file_only_where_it_is_named) {
    const CommandFolder folder;
    folder.write("car.msim", "simulator 0 0 chassis #ff8c00 \"fmus/Chassis_fmi2.fmu\"\n");
    folder.write("system.toml", "mine");
    const Said said = folder.tandem("import car.msim");
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.err, HasSubstr("system.toml: exists already"));
    EXPECT_EQ(read_bytes(folder / "system.toml"), "mine");
    EXPECT_EQ(folder.tandem("import car.msim -o system.toml").code, 0);
    EXPECT_THAT(read_bytes(folder / "system.toml"), HasSubstr("[subsystems.chassis]"));
}

TEST(Import, names_fmus_relative_to_the_file_that_it_writes) {
    const CommandFolder folder;
    folder.write("car.msim", "tEnd 1 s\nsimulator 0 0 chassis #0 \"fmus/Chassis_fmi2.fmu\"\n");
    std::filesystem::create_directories(folder / "a/b");
    EXPECT_EQ(folder.tandem("import car.msim -o a/b/s.toml").code, 0);
    EXPECT_EQ(folder.tandem("check a/b/s.toml").code, 0);
    EXPECT_THAT(read_bytes(folder / "a/b/s.toml"), HasSubstr("source = \"../"));
    EXPECT_THAT(folder.tandem("import car.msim -o -").out,
                HasSubstr("source = \"fmus/Chassis_fmi2.fmu\""));
}

TEST(Import, refuses_a_broken_file_with_its_place_and_writes_nothing) {
    const CommandFolder folder;
    folder.write("a.msim", "tEnd 1 s\nsimulator 0 0 chassis\n");
    folder.write("a.json", "{\n\"fmus\": {\"{c}\": \"c.fmu\",}\n}");
    folder.write("a.xml", "<OspSystemStructure>\n<Simulators>\n</OspSystemStructure>");
    for (const auto& [file, place] : {std::pair{"a.msim", "a.msim:2: is not a simulator"},
                                      std::pair{"a.json", "a.json:2: is not JSON"},
                                      std::pair{"a.xml", "a.xml:3: is not well-formed XML"},
                                      std::pair{"none.json", "none.json: cannot be read"}}) {
        const Said said = folder.tandem(std::string("import ") + file);
        EXPECT_EQ(said.code, 2);
        EXPECT_THAT(said.err, HasSubstr(place));
        EXPECT_FALSE(folder.content().contains("system.toml"));
    }
}

}  // namespace
}  // namespace tandem::test
