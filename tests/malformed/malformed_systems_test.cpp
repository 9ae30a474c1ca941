// Systems that cannot be run, each wrong in one way or in several. Whatever is wrong, `check` and
// `run` say all of it, with the place and what to do, and leave no results behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "files/zip.hpp"
#include "support/command_folder.hpp"
#include "system_rows.hpp"

namespace tandem::test {
namespace {

using testing::HasSubstr;

std::vector<Row> file_rows() {
    return {
        {"no_system", {{"other", ""}, {"s.toml", ""}}, {"missing.toml: does not exist"}},
        {"missing_fmus",
         toml("[subsystems.a]\nsource = 'a.fmu'\n[subsystems.b]\nsource = 'b.fmu'\n" + stop),
         {"s.toml:1: 'a': there is no file", "s.toml:3: 'b': there is no file"},
         {"check the path"}},
        {"sources_that_cannot_be",
         {{"s.toml",
           "[subsystems.a]\nkind = 'cs'\n[subsystems.b]\nsource = 'b.txt'\n[subsystems.c]\n"
           "source = 'http://x/c.fmu'\n[subsystems.d]\nsource = 'd.toml'\n[subsystems.'']\n"
           "source = 'fmus/Ground_fmi2.fmu'\n[bonds]\n"},
          {"b.txt", ""}},
         {"s.toml:1: [subsystems.a]: 'source' is missing",
          "s.toml:4: [subsystems.b]: the ending of 'b.txt' does not say what it is",
          "s.toml:6: 'http://x/c.fmu' cannot be opened", "s.toml:8: 'd.toml' does not exist",
          "s.toml:9: [subsystems.]: the name is empty",
          "s.toml:11: system file: 'bonds' must be a list, but is a table"},
         {"download it", "write [[bonds]]"}},
        {"fmu_that_is_no_zip",
         {{"s.toml", "[subsystems.a]\nsource = 'a.fmu'\n" + stop}, {"a.fmu", "hello"}},
         {"s.toml:1: subsystem 'a': "},
         {}},
        {"fmu_of_the_wrong_kind",
         toml("[subsystems.a]\nsource = 'fmus/Chassis_fmi1_cs.fmu'\nkind = 'me'\n" + stop),
         {"s.toml:1: subsystem 'a': the FMU Chassis_fmi1_cs.fmu does not offer Model Exchange"},
         {"use kind = \"cs\""}},
        {"library_that_is_none",
         {{"s.toml", "[subsystems.a]\nsource = 'a.so'\n" + stop}, {"a.so", "hello"}},
         {"s.toml:1: subsystem 'a': "}},
        {"bad_table_file",
         {{"s.toml", "[subsystems.a]\nsource = 'a.csv'\n" + stop}, {"a.csv", "time,x\n0,1\n1,b\n"}},
         {"s.toml:1: subsystem 'a': "}},
        {"unknown_interpolation",
         {{"s.toml", "[subsystems.a]\nsource = 'a.csv'\ninterpolation = 'spline'\n" + stop},
          {"a.csv", "time,x\n0,1\n1,2\n"}},
         {"s.toml:3: [subsystems.a]: unknown interpolation 'spline'"},
         {"use linear or hold"}},
        {"toml_that_is_none", toml("[subsystems.a\nsource = 1\n"), {"s.toml:1: is not valid TOML"}},
        {"key_twice", toml("name = 'a'\nname = 'b'\n" + car), {"s.toml:2: is not valid TOML"}},
        {"empty_system", toml(""), {"s.toml: describes no subsystem"}, {"[subsystems.plant]"}},
        {"system_in_itself",
         toml(car + "[systems.again]\nsource = 's.toml'\n"),
         {"s.toml:8: 's.toml' contains itself"},
         {"break the circle"}},
        {"systems_in_a_circle",
         {{"s.toml", car + "[systems.b]\nsource = 'b.toml'\n"},
          {"b.toml", "[systems.c]\nsource = 'c.toml'\n"},
          {"c.toml", "[systems.b]\nsource = 'b.toml'\n"}},
         {"c.toml:2: 'b.toml' contains itself"},
         {"break the circle"}},
        {"problem_inside_a_nested_file",
         {{"s.toml", stop + "[systems.b]\nsource = 'b.toml'\n"},
          {"b.toml", "connections = ['wheel.F -> chassis.G']\n" + chassis + wheel}},
         {"b.toml:1: subsystem 'b.chassis' has no variable 'G'"}},
    };
}

std::vector<Row> time_rows() {
    return {
        {"negative_step",
         toml(chassis + "[experiment]\nstop = 1\nstep = -0.1\n"),
         {"s.toml:5: [experiment]: 'step' must be greater than 0, but is -0.1"}},
        {"stop_before_start",
         toml(chassis + "[experiment]\nstart = 2\nstop = 1\n"),
         {"s.toml:5: [experiment]: stop = 1 lies before start = 2"}},
        {"no_stop",
         toml(chassis),
         {"s.toml: no stop time is given"},
         {"write stop = ... under [experiment], or use --stop"},
         "",
         true},
        {"stop_before_start_on_the_command_line",
         toml(chassis + stop),
         {"--stop: the run would end at -1 before it starts at 0"},
         {},
         "--stop -1",
         true},
        {"ratios_that_do_not_divide_each_other",
         toml(chassis + "step_ratio = 2\n" + wheel + "step_ratio = 3\n" + stop),
         {"s.toml:1: step_ratio 2 of 'chassis' does not divide the largest one, 3"},
         {"choose ratios like"}},
        {"ratio_below_one",
         toml(chassis + "step_ratio = 0\n" + wheel + "step_ratio = 1.5\n" + stop),
         {"s.toml:3: [subsystems.chassis]: 'step_ratio' must be at least 1, but is 0",
          "s.toml:6: [subsystems.wheel]: 'step_ratio' must be an integer"}},
        {"results_of_an_unknown_format",
         toml(chassis + stop),
         {"out.xlsx: results cannot be written as '.xlsx'"},
         {"use .csv"},
         "--output out.xlsx",
         true},
        {"no_pattern_of_the_command_line",
         toml(chassis + stop),
         {"--record: no variable matches 'wheel.*', which is to be recorded"},
         {},
         "--record 'wheel.*'",
         true},
    };
}

std::string ssd(const std::string& content) {
    return "<SystemStructureDescription version='1.0' name='n'>\n<System name='s'><Elements>\n"
           "<Component name='chassis' source='fmus/Chassis_fmi2.fmu'><Connectors>"
           "<Connector name='F' kind='input'><Real unit='N'/></Connector>"
           "<Connector name='v' kind='output'/></Connectors></Component>\n"
           "<Component name='wheel' source='fmus/Wheel_fmi2.fmu'/></Elements>\n" +
           content + "\n</System>\n<DefaultExperiment startTime='0' stopTime='0.1'/>\n" +
           "</SystemStructureDescription>";
}

std::string connection(const std::string& from, const std::string& to,
                       const std::string& content = "") {
    const auto dot = [](const std::string& name, const std::string& side) {
        const auto at = name.find('.');
        return side + "Element='" + name.substr(0, at) + "' " + side + "Connector='" +
               name.substr(at + 1) + "' ";
    };
    return "<Connection " + dot(from, "start") + dot(to, "end") + ">" + content + "</Connection>\n";
}

std::vector<File> wired(const std::string& connections) {
    return {{"s.ssd", ssd("<Connections>\n" + connections + "</Connections>")}};
}

std::vector<Row> ssd_rows() {
    return {
        {"ssd_that_is_no_xml",
         {{"s.ssd", "<SystemStructureDescription>\n<System>\n"}},
         {"s.ssd:"},
         {"correct the file, or export it again"}},
        {"ssd_with_a_control_character",
         {{"s.ssd", "<SystemStructureDescription>\n\x01"}},
         {"s.ssd:2: contains a control character"},
         {"XML does not allow it; correct the file, or export it again"}},
        {"ssd_of_another_root",
         {{"s.ssd", "<fmiModelDescription/>"}},
         {"s.ssd:1: holds <fmiModelDescription>"}},
        {"ssd_with_unknown_names",
         wired(connection("wheel.F", "chasis.F") + connection("wheel.G", "chassis.F")),
         {"s.ssd:6: connection wheel.F -> chasis.F: there is no 'chasis.F'",
          "s.ssd:7: subsystem 'wheel' has no variable 'G'"},
         {"did you mean 'chassis'?"}},
        {"ssd_with_a_unit_clash",
         wired(connection("wheel.x", "chassis.F")),
         {"s.ssd:6: connection wheel.x -> chassis.F: unit 'm' cannot become 'N'"}},
        {"ssd_with_an_input_fed_twice",
         wired(connection("wheel.F", "chassis.F") + connection("wheel.F_road", "chassis.F")),
         {"s.ssd:7: 'chassis.F' is driven twice, here and at s.ssd:6"}},
        {"ssd_with_a_bad_transformation",
         wired(connection("wheel.F", "chassis.F", "<LinearTransformation factor='two'/>")),
         {"s.ssd:6: <LinearTransformation>: attribute 'factor' must be a number, but is 'two'"}},
        {"ssd_with_missing_files",
         {{"s.ssd",
           "<SystemStructureDescription version='1.0' name='n'><System name='s'><Elements>\n"
           "<Component name='a' source='a.fmu'/>\n<Component name='b' source='b.ssd'/></Elements>\n"
           "</System></SystemStructureDescription>"}},
         {"s.ssd:2: 'a': there is no file", "s.ssd:3: "}},
        {"ssd_with_bad_times",
         {{"s.ssd",
           "<SystemStructureDescription version='1.0' name='n'><System name='s'><Elements>\n"
           "<Component name='a' source='fmus/Ground_fmi2.fmu'/></Elements></System>\n"
           "<DefaultExperiment startTime='1' stopTime='0'/></SystemStructureDescription>"}},
         {"s.ssd:3: "}},
        {"ssd_with_a_component_without_source",
         {{"s.ssd",
           "<SystemStructureDescription version='1.0' name='n'><System name='s'><Elements>\n"
           "<Component name='a'/></Elements></System></SystemStructureDescription>"}},
         {"s.ssd:2: 'a' has no source and so cannot run"},
         {"give it an FMU"}},
        {"package_that_is_no_zip", {{"s.ssp", "hello"}}, {"s.ssp: "}},
    };
}

std::vector<Row> all_rows() {
    std::vector<Row> rows = name_rows();
    for (const auto& more : {connection_rows(), value_rows(), file_rows(), time_rows(), ssd_rows()})
        rows.insert(rows.end(), more.begin(), more.end());
    return rows;
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t result = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++result;
    return result;
}

class MalformedSystem : public testing::TestWithParam<Row> {
protected:
    void SetUp() override {
        for (const File& file : GetParam().files) folder_.write(file.name, file.content);
    }
    std::string system() const {
        const std::string& first = GetParam().files.front().name;
        return first == "other" ? "missing.toml" : first;
    }
    CommandFolder folder_;
};

TEST_P(MalformedSystem, is_refused_by_check_with_all_its_problems) {
    const Said said = folder_.tandem("check " + system());
    EXPECT_EQ(said.code, GetParam().only_run ? 0 : 2) << said.out << said.err;
    EXPECT_EQ(said.err, "");
    if (GetParam().only_run) return;
    for (const std::string& problem : GetParam().problems)
        EXPECT_THAT(said.out, HasSubstr("error: " + problem));
    EXPECT_EQ(count(said.out, "error: "), GetParam().problems.size()) << said.out;
    for (const std::string& hint : GetParam().hints) EXPECT_THAT(said.out, HasSubstr(hint));
}

TEST_P(MalformedSystem, is_refused_by_run_with_all_its_problems_and_without_results) {
    const std::set<std::string> before = folder_.content();
    const Said said = folder_.tandem("run " + system() + " " + GetParam().options);
    EXPECT_EQ(said.code, 2) << said.out << said.err;
    EXPECT_EQ(said.out, "");
    for (const std::string& problem : GetParam().problems)
        EXPECT_THAT(said.err, HasSubstr(problem));
    for (const std::string& hint : GetParam().hints) EXPECT_THAT(said.err, HasSubstr(hint));
    EXPECT_EQ(folder_.content(), before);
}

INSTANTIATE_TEST_SUITE_P(Every, MalformedSystem, testing::ValuesIn(all_rows()),
                         [](const auto& each) { return each.param.name; });

TEST(MalformedSystems, with_a_thousand_connections_are_reported_at_once) {
    std::string text = "connections = [\n";
    for (int i = 0; i < 1000; ++i) {
        const std::string other = "w" + std::to_string(i % 50);
        const std::string chassis_i = "c" + std::to_string(i % 50);
        switch (i % 4) {
            case 0: text += "'" + other + ".F -> " + chassis_i + ".force',\n"; break;
            case 1:
                text += "'" + other + ".G" + std::to_string(i) + " -> " + chassis_i + ".F',\n";
                break;
            case 2: text += "'" + other + ".x -> " + chassis_i + "x.F',\n"; break;
            default: text += "'" + other + ".x -> " + chassis_i + ".F',\n";
        }
    }
    text += "]\n" + stop;
    for (int i = 0; i < 50; ++i)
        text += "[subsystems.w" + std::to_string(i) + "]\nsource = 'fmus/Wheel_fmi2.fmu'\n" +
                "[subsystems.c" + std::to_string(i) + "]\nsource = 'fmus/Chassis_fmi2.fmu'\n";
    const CommandFolder folder;
    folder.write("s.toml", text);
    const Said said = folder.tandem("check s.toml");
    EXPECT_EQ(said.code, 2);
    for (int i = 0; i < 1000; ++i)
        EXPECT_THAT(said.out, HasSubstr("error: s.toml:" + std::to_string(i + 2) + ": "));
}

TEST(MalformedSystems, in_a_package_are_reported_with_places_inside_of_it) {
    const CommandFolder folder;
    const std::string structure =
        ssd("<Connections>" + connection("wheel.F", "chasis.F") + "</Connections>");
    write_zip(folder / "s.ssp", {{"SystemStructure.ssd", structure, {}}});
    const Said said = folder.tandem("check s.ssp");
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.out, HasSubstr("error: s.ssp/SystemStructure.ssd:5: connection wheel.F -> "
                                    "chasis.F: there is no 'chasis.F'"));
    EXPECT_THAT(said.out, HasSubstr("error: s.ssp/SystemStructure.ssd:3: 'chassis': there is no "
                                    "file"));
    EXPECT_THAT(said.out, HasSubstr("error: s.ssp/SystemStructure.ssd:4: 'wheel': there is no "
                                    "file"));
}

}  // namespace
}  // namespace tandem::test
