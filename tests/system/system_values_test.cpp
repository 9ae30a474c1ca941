// What a system file and the command line say about values arrives in the subsystems, and `check`
// shows the graph.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "files/archive.hpp"
#include "files/csv_reader.hpp"
#include "support/command_folder.hpp"

namespace tandem::test {
namespace {

using testing::HasSubstr;

/// The last row of what a run records.
std::map<std::string, std::string> last_row(const CommandFolder& folder,
                                            const std::string& options) {
    const Said said = folder.tandem("run s.toml --quiet --output - --record '*' " + options);
    EXPECT_EQ(said.code, 0) << said.err;
    std::map<std::string, std::string> row;
    if (said.code != 0) return row;
    CsvReader reader(said.out, "results");
    std::vector<std::string_view> cells;
    while (reader.next(cells))
        for (std::size_t i = 0; i < cells.size(); ++i) row[reader.header()[i]] = cells[i];
    return row;
}

const std::string experiment = "[experiment]\nstop = 0.2\nstep = 0.1\n";

class ValuesOf : public testing::TestWithParam<const char*> {
protected:
    std::string subsystem(const std::string& name, const std::string& more) const {
        return "[subsystems." + name + "]\nsource = 'fmus/" + GetParam() + "'\n" + more;
    }
    CommandFolder folder_;
};

TEST_P(ValuesOf, a_system_file_are_set_whatever_their_type) {
    folder_.write("s.toml",
                  subsystem("a",
                            "parameters = { enumeration_in = 'fast', boolean_in = 1, "
                            "string_in = 'x, y', uint64_in = 7, float32_in = 3 }\n") +
                      subsystem("b", "parameters = { enumeration_in = 1, boolean_in = true }\n") +
                      experiment);
    auto row = last_row(folder_, "");
    EXPECT_EQ(row["a.enumeration_out"], "3");
    EXPECT_EQ(row["a.boolean_out"], "1");
    EXPECT_EQ(row["a.string_out"], "x, y");
    EXPECT_EQ(row["a.uint64_out"], "7");
    EXPECT_EQ(row["a.float32_out"], "3");
    EXPECT_EQ(row["b.enumeration_out"], "1");
    EXPECT_EQ(row["b.boolean_out"], "1");
}

TEST_P(ValuesOf, the_command_line_beat_those_of_the_file) {
    folder_.write(
        "s.toml",
        subsystem("a", "parameters = { enumeration_in = 'fast', float64_in = 1 }\n") + experiment);
    auto row = last_row(folder_,
                        "--set a.enumeration_in=off --set a.float64_in=2.5 --set "
                        "'a.string_in=u=v,w' --set a.boolean_in=true --set a.int8_in=-3");
    EXPECT_EQ(row["a.enumeration_out"], "1");
    EXPECT_EQ(row["a.float64_out"], "2.5");
    EXPECT_EQ(row["a.string_out"], "u=v,w");
    EXPECT_EQ(row["a.boolean_out"], "1");
    EXPECT_EQ(row["a.int8_out"], "-3");
}

TEST_P(ValuesOf, arrays_are_set_and_connected_as_a_whole_and_by_element) {
    folder_.write("s.toml",
                  "connections = [\n'a.matrix_out[2,1:2] -> b.vector_in[2:3]',\n"
                  "'a.matrix_out[1,2] -> b.vector_in[1]',\n"
                  "'a.vector_out[1:2] -> b.matrix_in[1:2,2]',\n"
                  "'a.matrix_out[4] -> b.float64_in']\n" +
                      subsystem("a",
                                "parameters = { matrix_in = [[1, 2], [3, 4]], vector_in = "
                                "[10, 20, 30] }\n") +
                      subsystem("b", "") + experiment);
    auto row = last_row(folder_, "--set 'a.matrix_in[2,1]=9' --set a.integers_in=4,5,6");
    const auto values = [&](const std::string& name, int count) {
        std::string text;
        for (int i = 1; i <= count; ++i) text += row[name + "[" + std::to_string(i) + "]"] + " ";
        return text;
    };
    EXPECT_EQ(values("b.vector_out", 3), "2 9 4 ");
    EXPECT_EQ(values("b.matrix_out", 4), "1 10 3 20 ");
    EXPECT_EQ(row["b.float64_out"], "4");
    EXPECT_EQ(values("a.integers_out", 3), "4 5 6 ");
}

TEST_P(ValuesOf, elements_of_an_array_are_set_one_after_the_other) {
    folder_.write(
        "s.toml",
        subsystem("a", "parameters = { 'vector_in[1]' = 5, 'integers_in[2]' = 2 }\n") + experiment);
    auto row = last_row(folder_, "--set 'a.vector_in[3]=7' --set 'a.integers_in[1]=1'");
    EXPECT_EQ(row["a.vector_out[1]"], "5");
    EXPECT_EQ(row["a.vector_out[2]"], "0.5");
    EXPECT_EQ(row["a.vector_out[3]"], "7");
    EXPECT_EQ(row["a.integers_out[1]"], "1");
    EXPECT_EQ(row["a.integers_out[2]"], "2");
    EXPECT_EQ(row["a.integers_out[3]"], "7");
}

INSTANTIATE_TEST_SUITE_P(Fmi3, ValuesOf,
                         testing::Values("Feedthrough_fmi3.fmu", "native/Feedthrough.so"),
                         [](const auto& each) {
                             return std::string(each.param).ends_with(".so") ? "native" : "fmu";
                         });

TEST(SystemValues, of_nested_systems_are_set_from_the_command_line) {
    const CommandFolder folder;
    folder.write("s.toml",
                 "[systems.car.subsystems.body]\nsource = 'fmus/Chassis_fmi2.fmu'\n" + experiment);
    EXPECT_EQ(last_row(folder, "--set car.body.m=123")["car.body.m"], "123");
}

TEST(SystemValues, of_a_mapping_file_go_through_its_table) {
    const CommandFolder folder;
    folder.write("v.ssv",
                 "<ParameterSet version='1.0' name='p'><Parameters><Parameter name='gear'>"
                 "<Integer value='2'/></Parameter></Parameters></ParameterSet>");
    folder.write("n.ssm",
                 "<ParameterMapping version='1.0'><MappingEntry source='gear' "
                 "target='enumeration_in'><IntegerMappingTransformation><MapEntry source='2' "
                 "target='3'/></IntegerMappingTransformation></MappingEntry></ParameterMapping>");
    folder.write("s.toml",
                 "[subsystems.a]\nsource = 'fmus/Feedthrough_fmi2.fmu'\n"
                 "[[subsystems.a.parameter_sets]]\nsource = 'v.ssv'\nmapping = 'n.ssm'\n" +
                     experiment);
    EXPECT_EQ(last_row(folder, "")["a.enumeration_out"], "3");
}

TEST(SystemValues, of_enumerations_in_a_values_file_are_item_names) {
    const CommandFolder folder;
    folder.write("v.ssv",
                 "<ParameterSet version='1.0' name='p'><Parameters><Parameter "
                 "name='enumeration_in'><Enumeration value='fast'/></Parameter></Parameters>"
                 "</ParameterSet>");
    folder.write("s.toml",
                 "[subsystems.a]\nsource = 'fmus/Feedthrough_fmi2.fmu'\nparameter_sets = "
                 "['v.ssv']\n" +
                     experiment);
    EXPECT_EQ(last_row(folder, "")["a.enumeration_out"], "3");
}

TEST(SystemValues, of_a_table_are_interpolated_or_held) {
    const CommandFolder folder;
    folder.write("table.csv", "time,x\n0,1\n0.2,3\n0.4,9\n");
    const auto at_03 = [&](const std::string& interpolation) {
        folder.write("s.toml", "[subsystems.a]\nsource = 'table.csv'\n" + interpolation +
                                   "[experiment]\nstop = 0.3\nstep = 0.1\n");
        return last_row(folder, "")["a.x"];
    };
    EXPECT_DOUBLE_EQ(std::stod(at_03("")), 6.0);
    EXPECT_DOUBLE_EQ(std::stod(at_03("interpolation = 'linear'\n")), 6.0);
    EXPECT_EQ(at_03("interpolation = 'hold'\n"), "3");
}

/// An FMU of the build as a folder, with its description changed.
void write_changed(const CommandFolder& folder, const std::string& name, const std::string& from,
                   const std::string& to) {
    Archive(folder / ("fmus/" + name + ".fmu"), {}).unpack(folder / name);
    const std::string description = (folder / name / "modelDescription.xml").string();
    std::string text = read_bytes(description);
    ASSERT_NE(text.find(from), std::string::npos);
    text.replace(text.find(from), from.size(), to);
    write_bytes(description, text);
}

TEST(SystemValues, of_enumerations_with_the_same_items_are_connected_by_name) {
    const CommandFolder folder;
    write_changed(folder, "Feedthrough_fmi2", R"("fast" value="3")", R"("fast" value="7")");
    folder.write("s.toml",
                 "connections = ['a.enumeration_out -> b.enumeration_in']\n"
                 "[subsystems.a]\nsource = 'fmus/Feedthrough_fmi3.fmu'\n"
                 "parameters = { enumeration_in = 'fast' }\n"
                 "[subsystems.b]\nsource = 'Feedthrough_fmi2'\nkind = 'cs'\n" +
                     experiment);
    EXPECT_EQ(last_row(folder, "")["b.enumeration_out"], "7");
}

TEST(CheckOfASystem, warns_of_a_shorter_last_step_for_those_that_cannot_do_it) {
    const CommandFolder folder;
    write_changed(folder, "Chassis_fmi2", R"(canHandleVariableCommunicationStepSize="true")",
                  R"(canHandleVariableCommunicationStepSize="false")");
    folder.write("s.toml",
                 "[subsystems.a]\nsource = 'Chassis_fmi2'\nkind = 'cs'\n"
                 "[experiment]\nstop = 1\nstep = 0.3\n");
    EXPECT_THAT(folder.tandem("check s.toml").out,
                HasSubstr("warning: s.toml:4: the last step is shorter, but these cannot vary "
                          "their step: a"));
}

TEST(SystemValues, outside_of_minimum_and_maximum_are_a_warning) {
    const CommandFolder folder;
    folder.write("s.toml",
                 "[subsystems.a]\nsource = 'fmus/Feedthrough_fmi3.fmu'\n"
                 "parameters = { int32_in = 2000 }\n" +
                     experiment);
    const Said said = folder.tandem("check s.toml");
    EXPECT_EQ(said.code, 0);
    EXPECT_THAT(said.out, HasSubstr("warning: s.toml:3: parameter a.int32_in: 2000 is above the "
                                    "maximum 1000"));
}

TEST(CheckOfASystem, shows_its_graph) {
    const CommandFolder folder;
    folder.write("s.toml",
                 "connections = ['a.float64_out -> b.float64_in', 'b.float64_out -> a.float64_in',"
                 "'a.int32_out -> c.int32_in', 'c.boolean_out -> d.boolean_in', "
                 "'d.boolean_out -> c.boolean_in']\n"
                 "[subsystems.a]\nsource = 'fmus/Feedthrough_fmi2.fmu'\nstep_ratio = 2\n"
                 "[subsystems.b]\nsource = 'fmus/Feedthrough_fmi2.fmu'\n"
                 "[subsystems.c]\nsource = 'fmus/Feedthrough_fmi2.fmu'\n"
                 "[subsystems.d]\nsource = 'fmus/native/Feedthrough.so'\n" +
                     experiment);
    const Said said = folder.tandem("check s.toml");
    EXPECT_EQ(said.code, 0);
    EXPECT_THAT(said.out, HasSubstr("subsystems       4 (3 co-simulation, 1 native)\n"));
    EXPECT_THAT(said.out, HasSubstr("connections      5\n"));
    EXPECT_THAT(
        said.out,
        HasSubstr("coupling         gauss_seidel: chosen because 'a' takes several steps in one"));
    EXPECT_THAT(said.out, HasSubstr("step ratios      a 2\n"));
    EXPECT_THAT(
        said.out,
        HasSubstr("cycles           2\n    a, b\n    c, d (through discrete values only)\n"));
    EXPECT_THAT(said.out, HasSubstr("algebraic loops  1\n    a.float64_in -> a.float64_out -> "
                                    "b.float64_in -> b.float64_out -> a.float64_in\n"));
    EXPECT_THAT(said.out, HasSubstr("inputs of 'd' that nothing feeds: "));
}

TEST(CheckOfASystem, names_what_is_ignored) {
    const CommandFolder folder;
    folder.write("s.ssd",
                 "<SystemStructureDescription version='1.0' name='n'><System name='s'><Elements>\n"
                 "<Component name='a' source='fmus/Ground_fmi2.fmu'/></Elements>\n"
                 "<Curiosity/></System>\n<DefaultExperiment stopTime='1'/>"
                 "</SystemStructureDescription>");
    folder.write(
        "s.toml",
        "[subsystems.a]\nsource = 'fmus/Ground_fmi2.fmu'\ninterpolation = 'hold'\n" + experiment);
    EXPECT_THAT(folder.tandem("check s.ssd").out, HasSubstr("warning: s.ssd:3: <Curiosity>"));
    EXPECT_THAT(folder.tandem("check s.toml").out,
                HasSubstr("warning: s.toml:3: 'interpolation' is for tables; it is ignored here"));
}

TEST(CheckOfASystem, warns_of_a_missing_stop_time) {
    const CommandFolder folder;
    folder.write("s.toml", "[subsystems.a]\nsource = 'fmus/Ground_fmi2.fmu'\n");
    const Said said = folder.tandem("check s.toml");
    EXPECT_EQ(said.code, 0);
    EXPECT_THAT(said.out, HasSubstr("warning: s.toml: no stop time is given"));
    EXPECT_EQ(folder.tandem("run s.toml --stop 0.1 --quiet --output -").code, 0);
}

}  // namespace
}  // namespace tandem::test
