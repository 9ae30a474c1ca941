#include "foreign/maestro.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/foreign/files.hpp"

namespace tandem::foreign {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A multi-model with two instances, and what else is given.
std::string model(const std::string& more = "") {
    return R"({ "fmus": { "{a}": "a.fmu", "{b}": "b.fmu" },
"connections": {
"{a}.first.y": ["{b}.second.u", "{b}.second.u2"],
"{b}.second.y": ["{a}.first.u"] })" +
           more + "}";
}

class MaestroMultiModel : public testing::Test {
protected:
    MaestroMultiModel() {
        files.add_model("a.fmu", "a");
        files.add_model("b.fmu", "b");
    }
    System read(const std::string& text) {
        files.write("mm.json", text);
        return files.read("mm.json");
    }
    std::string refusal(const std::string& text) {
        files.write("mm.json", text);
        return files.refusal("mm.json");
    }
    Files files;
};

TEST_F(MaestroMultiModel, gives_instances_connections_and_steps_all_at_once) {
    const System system =
        read(model(R"(, "algorithm": {"type": "fixed-step", "size": 0.1}, "endTime": 10)"));
    ASSERT_EQ(system.subsystems.size(), 2U);
    EXPECT_EQ(system.subsystems[0].name, "first");
    EXPECT_EQ(system.subsystems[1].source, files / "b.fmu");
    ASSERT_EQ(system.connections.size(), 3U);
    EXPECT_EQ(system.connections[1].text(), "first.y -> second.u2");
    EXPECT_EQ(system.step, 0.1);
    EXPECT_EQ(system.stop, 10.0);
    EXPECT_EQ(system.coupling.settings.front().as_text(), "jacobi");
    EXPECT_THAT(system.notes, IsEmpty());
}

TEST_F(MaestroMultiModel, gives_values_the_types_of_their_variables) {
    read(model(R"(, "parameters": { "{a}.first.k": 2, "{a}.first.n": 3.0, "{a}.first.on": true,
"{a}.first.label": "text" })"));
    EXPECT_THAT(files.text("mm.json"), HasSubstr("[subsystems.first.parameters]\nk = 2.0\nn = 3\n"
                                                 "on = true\nlabel = \"text\"\n"));
}

TEST_F(MaestroMultiModel, tells_instances_of_one_name_apart) {
    const System system = read(R"({"fmus": {"{a}": "a.fmu", "{b}": "b.fmu"},
"connections": {"{a}.x.y": ["{b}.x.u"]}})");
    EXPECT_EQ(system.connections[0].text(), "x.y -> x_2.u");
    EXPECT_THAT(files.notes(system), HasSubstr("mm.json:2: the instance '{b}.x' is called x_2"));
}

TEST_F(MaestroMultiModel, records_connected_outputs_and_what_is_logged) {
    EXPECT_THAT(read(model(R"(, "logVariables": {"{a}.first": ["y2", "y"]})")).recorded,
                ElementsAre("first.y", "second.y", "first.y2"));
    EXPECT_THAT(read(model()).recorded, IsEmpty());
}

TEST_F(MaestroMultiModel, iterates_where_it_is_stabilised) {
    read(model(R"(, "stabalizationEnabled": true, "global_relative_tolerance": 0.001)"));
    EXPECT_THAT(files.text("mm.json"),
                HasSubstr("method = \"iterative\"\naccelerator = \"fixed_point\"\n"
                          "inputs = \"constant\"\ntolerance = 0.001\n"));
}

TEST_F(MaestroMultiModel, takes_times_from_the_configuration_that_is_given_or_beside_it) {
    files.write("run.json", R"({"startTime": 1, "endTime": 4, "algorithm": {"type": "fixed-step",
"size": 0.5}})");
    const System beside = read(model());
    EXPECT_EQ(beside.start, 1.0);
    EXPECT_EQ(beside.step, 0.5);
    EXPECT_THAT(files.notes(beside), HasSubstr("mm.json: times are those of run.json beside it"));
    files.write("other.json", R"({"startTime": 0, "endTime": 9})");
    const System choice = files.read("mm.json");
    EXPECT_FALSE(choice.stop);
    EXPECT_THAT(files.notes(choice), HasSubstr("its configuration: other.json, run.json"));
    EXPECT_EQ(files.read("mm.json", "other.json").stop, 9.0);
}

TEST_F(MaestroMultiModel, is_found_from_the_configuration_that_names_it) {
    files.write("mm/mm.json", R"({"fmus": {"{a}": "a.fmu"}, "connections": {},
"parameters": {"{a}.x.k": 1}})");
    files.add_model("FMUs/a.fmu", "a");
    std::filesystem::remove(files / "a.fmu");
    files.write("mm/run/c.coe.json", R"({"endTime": 2, "multimodel_path": "mm/mm.json"})");
    const System system = files.read("mm/run/c.coe.json");
    EXPECT_EQ(system.stop, 2.0);
    EXPECT_EQ(system.subsystems[0].source, files / "FMUs/a.fmu");
    EXPECT_THAT(files.notes(system), HasSubstr("the FMU 'a.fmu' was found as FMUs/a.fmu"));
}

TEST_F(MaestroMultiModel, may_stand_in_a_file_with_its_execution_parameters) {
    const System system = read(R"({"masterModel": "scenario", "multiModel": )" + model() +
                               R"(, "executionParameters": {"endTime": 3, "stepSize": 0.25}})");
    EXPECT_EQ(system.stop, 3.0);
    EXPECT_EQ(system.step, 0.25);
}

TEST_F(MaestroMultiModel, gives_the_longest_step_where_the_first_is_not_given) {
    EXPECT_EQ(
        read(model(R"(, "algorithm": {"type": "var-step", "initsize": 0, "size": [1e-16, 1]})"))
            .step,
        1.0);
}

TEST_F(MaestroMultiModel, says_what_it_leaves_out) {
    const System system = read(model(R"(,
"algorithm": {"type": "var-step", "size": [1e-6, 1], "initsize": 0.01, "constraints": {}},
"modelSwaps": {"first": {}}, "loggingOn": true, "visible": false,
"parameters": {"{a}.first.kk": 1, "{a}.first.y": 1, "{a}.first.n": 1.5}, "environmentParameters": [])"));
    const std::string notes = files.notes(system);
    for (const char* part :
         {"mm.json:5: the algorithm 'var-step'", "mm.json:6: 'modelSwaps' is not taken over",
          "not taken over: loggingOn", "there is no end time",
          "mm.json:7: the value of first.kk is left out: the FMU has no such variable",
          "the value of first.y is left out: the variable is calculated by the FMU",
          "the value of first.n is left out: it does not fit the type Int32"})
        EXPECT_THAT(notes, HasSubstr(part));
    EXPECT_THAT(notes, Not(HasSubstr("visible")));
    EXPECT_EQ(system.step, 0.01);
}

TEST_F(MaestroMultiModel, is_refused_with_the_line_of_what_is_wrong) {
    EXPECT_THAT(refusal("{\n\"fmus\": {}\n"), HasSubstr("mm.json:3: is not JSON"));
    EXPECT_THAT(refusal("[]"), HasSubstr("mm.json: is not an object of settings"));
    EXPECT_THAT(refusal("{}"), HasSubstr("mm.json: has no 'fmus'"));
    EXPECT_THAT(refusal("{\"fmus\": {\"{a}\": \"a.fmu\"}}"),
                HasSubstr("mm.json: names no instance of its FMUs"));
    EXPECT_THAT(refusal("{\"fmus\":\n {\"{a}\": 3}}"),
                HasSubstr("mm.json:2: the file of '{a}' must be a text"));
    EXPECT_THAT(refusal("{\"fmus\": {\"{a}\": \"a.fmu\"}, \"connections\": {\n\"{c}.x.y\": []}}"),
                HasSubstr("mm.json:2: '{c}' is not one of the 'fmus'"));
    EXPECT_THAT(refusal(model(",\n\"parameters\": {\n\"{a}.k\": 1}")),
                HasSubstr("mm.json:6: '{a}.k' is not the name of a variable"));
    EXPECT_THAT(refusal(model(",\n\"endTime\": \"soon\"")),
                HasSubstr("mm.json:5: 'endTime' must be a number"));
    EXPECT_THAT(refusal("{\"fmus\": {\"{a}\": \"a.fmu\",\n\"{a}\": \"b.fmu\"}}"),
                HasSubstr("mm.json:1: the key '{a}' stands twice"));
    EXPECT_THAT(refusal(std::string(100000, '[')), HasSubstr("nests deeper than 256 levels"));
    EXPECT_THAT(refusal(model(", \"parameters\": {\"{a}.first.k\": 1e999}")),
                HasSubstr("holds a number that no double can hold"));
}

}  // namespace
}  // namespace tandem::foreign
