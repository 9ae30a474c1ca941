// SSP files as OMSimulator and the Open Simulation Platform write them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "files/zip.hpp"
#include "support/command_folder.hpp"
#include "support/result_files.hpp"

namespace tandem::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string annotation(const std::string& type, const std::string& content) {
    return content.empty() ? ""
                           : fmt::format(
                                 "<ssd:Annotations><ssc:Annotation type=\"{}\">{}"
                                 "</ssc:Annotation></ssd:Annotations>",
                                 type, content);
}

std::string of_omsimulator(const std::string& content) {
    return annotation("org.openmodelica", "<oms:Annotations><oms:SimulationInformation>" + content +
                                              "</oms:SimulationInformation></oms:Annotations>");
}

/// x' = -x from 1 in an FMU of both kinds; `fmu` is where it lies.
std::string ssd(const std::string& of_system, const std::string& of_experiment = "",
                const std::string& fmu = "fmus/LinearOde_fmi2.fmu") {
    return fmt::format(
        R"(<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription name="model" version="1.0" xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
 xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues"
 xmlns:oms="https://example.org/oms" xmlns:osp="https://example.org/osp">
<ssd:System name="root">
<ssd:Elements>
<ssd:Component name="a" type="application/x-fmu-sharedlibrary" source="{2}">
<ssd:Connectors><ssd:Connector name="y" kind="output"><ssc:Real/></ssd:Connector></ssd:Connectors>
<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version="1.0" name="p"><ssv:Parameters>
<ssv:Parameter name="x"><ssv:Real value="1"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues>
</ssd:ParameterBinding></ssd:ParameterBindings>
</ssd:Component>
</ssd:Elements>
{0}
</ssd:System>
<ssd:DefaultExperiment startTime="0" stopTime="1">{1}</ssd:DefaultExperiment>
</ssd:SystemStructureDescription>
)",
        of_system, of_experiment, fmu);
}

class ToolAnnotations : public ::testing::Test {
protected:
    /// Runs it; the record.
    nlohmann::json run(const std::string& text, const std::string& options = "") {
        folder.write("s.ssd", text);
        said = folder.tandem("run s.ssd --output o.csv " + options);
        EXPECT_EQ(said.code, 0) << said.err;
        return nlohmann::json::parse(read_bytes(folder / "run.json"));
    }
    CommandFolder folder;
    Said said;
};

TEST_F(ToolAnnotations, give_step_and_tolerance_of_a_fixed_step_master) {
    const std::string text =
        ssd(of_omsimulator("<oms:FixedStepMaster description=\"oms-ma\" stepSize=\"0.05\" "
                           "absoluteTolerance=\"0.001\" relativeTolerance=\"0.002\"/>"));
    const auto record = run(text);
    EXPECT_EQ(record["experiment"]["step"], 0.05);
    EXPECT_EQ(record["experiment"]["tolerance"], 0.002);
    EXPECT_THAT(said.err, Not(HasSubstr("ignored")));
    EXPECT_EQ(run(text, "--step 0.1")["experiment"]["step"], 0.1);
}

TEST_F(ToolAnnotations, give_the_solver_of_model_exchange_fmus) {
    const std::string text = ssd(
        of_omsimulator("<oms:VariableStepSolver description=\"cvode\" relativeTolerance=\"1e-7\" "
                       "minimumStepSize=\"1e-12\" maximumStepSize=\"0.01\" "
                       "initialStepSize=\"1e-05\"/>"),
        annotation("org.openmodelica",
                   "<oms:Annotations><oms:SimulationInformation resultFile=\"m_res.mat\" "
                   "loggingInterval=\"0.25\" bufferSize=\"10\" signalFilter=\"x.xml\"/>"
                   "</oms:Annotations>"));
    const auto record = run(text);
    EXPECT_EQ(record["coupling"]["method"], "aggregate");
    EXPECT_EQ(record["coupling"]["options"]["solver"], "cvode");
    EXPECT_EQ(record["coupling"]["options"]["max_step"], "0.01");
    EXPECT_EQ(record["coupling"]["options"]["first_step"], "1e-05");
    EXPECT_EQ(record["experiment"]["tolerance"], 1e-7);
    EXPECT_EQ(record["experiment"]["step"], 0.25);
    EXPECT_EQ(record["subsystems"][0]["kind"], "model exchange");
    EXPECT_THAT(said.err, Not(HasSubstr("ignored")));
    EXPECT_NEAR(read_csv_results(folder / "o.csv")["a.y"].back(), std::exp(-1.0), 1e-6);
}

// Euler's method with h = 0.1: (1 - h)^10.
TEST_F(ToolAnnotations, give_eulers_method_its_step) {
    const auto record =
        run(ssd(of_omsimulator("<oms:VariableStepSolver description=\"euler\" "
                               "relativeTolerance=\"1e-4\" maximumStepSize=\"0.1\"/>")),
            "--step 0.5");
    EXPECT_EQ(record["coupling"]["options"]["solver"], "euler");
    EXPECT_NEAR(read_csv_results(folder / "o.csv")["a.y"].back(), std::pow(0.9, 10.0), 1e-12);
}

TEST_F(ToolAnnotations, say_that_a_variable_step_master_is_not_taken_over) {
    const auto record = run(ssd(of_omsimulator(
        "<oms:VariableStepMaster description=\"oms-mav\" initialStepSize=\"0.000001\" "
        "minimumStepSize=\"0.000000\" maximumStepSize=\"0.020000\" "
        "relativeTolerance=\"0.000100\"/>")));
    EXPECT_EQ(record["experiment"]["step"], 0.02);
    EXPECT_THAT(said.err, HasSubstr("the step control of OMSimulator is not taken over: all "
                                    "communication steps have the length 0.02, its largest"));
}

TEST_F(ToolAnnotations, give_the_base_step_of_the_open_simulation_platform) {
    const auto record =
        run(ssd("", annotation("com.opensimulationplatform",
                               "<osp:Algorithm><osp:FixedStepAlgorithm baseStepSize=\"1e-2\"/>"
                               "</osp:Algorithm>")));
    EXPECT_EQ(record["experiment"]["step"], 0.01);
    EXPECT_THAT(said.err, Not(HasSubstr("ignored")));
}

TEST_F(ToolAnnotations, are_warned_about_where_they_are_not_understood) {
    run(ssd(of_omsimulator("<oms:FixedStepMaster stepSize=\"0\"/><oms:Wizard/>")));
    EXPECT_THAT(said.err, AllOf(HasSubstr("'stepSize' of <FixedStepMaster> is 0 and so not used"),
                                HasSubstr("<Wizard> is ignored")));
    run(ssd(annotation("com.example", "<x/>")));
    EXPECT_THAT(said.err, HasSubstr("<Annotation type=\"com.example\"> is ignored"));
}

TEST_F(ToolAnnotations, are_less_than_tandems_own) {
    std::string text = ssd(of_omsimulator("<oms:FixedStepMaster stepSize=\"0.05\"/>"));
    const std::string end = "</ssd:SystemStructureDescription>";
    text.replace(
        text.find(end), end.size(),
        annotation("org.tandem-cosim.settings", "<settings>[experiment]\nstep = 0.2\n</settings>") +
            end);
    EXPECT_EQ(run(text)["experiment"]["step"], 0.2) << said.err;
}

TEST_F(ToolAnnotations, unknown_attributes_of_any_ssp_file_are_named) {
    std::string text = ssd("");
    text.replace(text.find("<ssd:Component name"), 19, "<ssd:Component colour=\"red\" name");
    text.replace(text.find("startTime"), 9, "startTme");
    run(text);
    EXPECT_THAT(said.err, AllOf(HasSubstr("attribute 'colour' of <Component> is ignored"),
                                HasSubstr("attribute 'startTme' of <DefaultExperiment> is ignored\n"
                                          "  hint: did you mean 'startTime'?")));
    folder.write("p.ssv",
                 "<ssv:ParameterSet version=\"1.0\" name=\"p\" xmlns:ssv=\"x\"><ssv:Parameters>"
                 "<ssv:Parameter name=\"x\"><ssv:Real value=\"1\" unitt=\"m\"/></ssv:Parameter>"
                 "</ssv:Parameters></ssv:ParameterSet>");
    text = ssd("");
    text.replace(text.find("<ssd:ParameterBinding>"), 22,
                 "<ssd:ParameterBinding source=\"p.ssv\"/><ssd:ParameterBinding>");
    run(text);
    EXPECT_THAT(said.err, HasSubstr("p.ssv:1: attribute 'unitt' of <Real> is ignored\n  hint: did "
                                    "you mean 'unit'?"));
}

// The packages are unpacked somewhere; nobody wants to know where.
TEST(Packages, are_never_called_by_the_folder_they_are_unpacked_into) {
    const CommandFolder folder;
    const auto package = [&](const std::string& source, const std::string& content) {
        write_zip(folder / "p.ssp", {{"SystemStructure.ssd", ssd("", "", source), {}},
                                     {"resources/" + content, "no archive", {}}});
    };
    package("resources/gone.fmu", "other.fmu");
    EXPECT_THAT(folder.tandem("run p.ssp").err,
                HasSubstr("'a': there is no file 'p.ssp/resources/gone.fmu'"));
    for (const std::string name : {"resources/broken.fmu", "resources/broken.csv"}) {
        package(name, name.substr(10));
        for (const std::string verb : {"run", "check"}) {
            const Said said = folder.tandem(verb + " p.ssp");
            EXPECT_EQ(said.code, 2);
            EXPECT_THAT(said.out + said.err,
                        AllOf(HasSubstr("p.ssp/" + name), Not(HasSubstr("tandem-"))));
        }
    }
}

// Int32 from each to the other, reals from nobody.
TEST(Summaries, of_cycles_with_discrete_values_only_do_not_contradict_the_coupling) {
    const CommandFolder folder;
    const std::string source = "]\nsource = \"fmus/Feedthrough_fmi3.fmu\"\nkind = \"cs\"\n";
    folder.write("s.toml", "[experiment]\nstop = 1\n[subsystems.a" + source + "[subsystems.b" +
                               source +
                               "[[connections]]\nfrom = \"a.int32_out\"\nto = "
                               "\"b.int32_in\"\n[[connections]]\nfrom = "
                               "\"b.int32_out\"\nto = \"a.int32_in\"\n");
    EXPECT_THAT(folder.tandem("check s.toml").out,
                AllOf(HasSubstr("the connections of real values form no cycle"),
                      HasSubstr("cycles           1\n"),
                      HasSubstr("  a, b (through discrete values only)")));
}

}  // namespace
}  // namespace tandem::test
