#include "foreign/osp.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/foreign/files.hpp"

namespace tandem::foreign {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string simulators = R"(<Simulators>
<Simulator name="A" source="a.fmu"/>
<Simulator name="B" source="b%20c.fmu"/>
</Simulators>)";

class OspSystemStructureFile : public testing::Test {
protected:
    OspSystemStructureFile() {
        files.add_model("a.fmu", "ModelA");
        files.add_model("b c.fmu", "ModelB");
    }
    void write(const std::string& content) {
        files.write("OspSystemStructure.xml",
                    "<OspSystemStructure version=\"0.1\">\n" + content + "</OspSystemStructure>\n");
    }
    System read(const std::string& content) {
        write(content);
        return files.read("OspSystemStructure.xml");
    }
    std::string refusal(const std::string& content) {
        write(content);
        return files.refusal("OspSystemStructure.xml");
    }
    static std::vector<std::string> connections(const System& system) {
        std::vector<std::string> texts;
        for (const Connection& connection : system.connections) texts.push_back(connection.text());
        return texts;
    }
    Files files;
};

std::string variables(const std::string& a, const std::string& b) {
    return "<VariableConnection><Variable simulator=\"A\" name=\"" + a +
           "\"/><Variable simulator=\"B\" name=\"" + b + "\"/></VariableConnection>";
}

std::string signal(const std::string& simulator, const std::string& variable,
                   const std::string& function, const std::string& name) {
    return "<SignalConnection><Variable simulator=\"" + simulator + "\" name=\"" + variable +
           "\"/><Signal function=\"" + function + "\" name=\"" + name + "\"/></SignalConnection>";
}

TEST_F(OspSystemStructureFile, gives_times_and_values_with_their_types) {
    const System system = read(R"(<StartTime>1</StartTime><EndTime> 3.5 </EndTime>
<BaseStepSize>1e-3</BaseStepSize><Simulators><Simulator name="A" source="a.fmu"><InitialValues>
<InitialValue variable="k"><Real value="2"/></InitialValue>
<InitialValue variable="n"><Integer value="3"/></InitialValue>
<InitialValue variable="on"><Boolean value="1"/></InitialValue>
<InitialValue variable="label"><String value=" x "/></InitialValue>
</InitialValues></Simulator></Simulators>)");
    EXPECT_EQ(system.start, 1.0);
    EXPECT_EQ(system.stop, 3.5);
    EXPECT_EQ(system.step, 1e-3);
    EXPECT_THAT(system.notes, IsEmpty());
    EXPECT_THAT(files.text("OspSystemStructure.xml"),
                HasSubstr("k = 2.0\nn = 3\non = true\nlabel = \" x \"\n"));
}

TEST_F(OspSystemStructureFile, may_give_a_variable_two_values_of_which_the_last_one_counts) {
    const System system = read(R"(<Simulators><Simulator name="A" source="a.fmu"><InitialValues>
<InitialValue variable="k"><Real value="2"/></InitialValue>
<InitialValue variable="n"><Integer value="3"/></InitialValue>
<InitialValue variable="k"><Real value="5"/></InitialValue>
</InitialValues></Simulator></Simulators>)");
    EXPECT_THAT(files.notes(system),
                HasSubstr("this value of A.k is left out: another one follows"));
    EXPECT_THAT(files.text("OspSystemStructure.xml"), HasSubstr("n = 3\nk = 5.0\n"));
}

TEST_F(OspSystemStructureFile, is_found_in_its_folder) {
    write(simulators);
    EXPECT_EQ(files.read(".").subsystems.size(), 2U);
}

TEST_F(OspSystemStructureFile, has_connections_from_the_output_in_whatever_order_they_are_written) {
    EXPECT_THAT(connections(read(simulators + "<Connections>" + variables("y", "u") +
                                 variables("u", "y") + "</Connections>")),
                ElementsAre("A.y -> B.u", "B.y -> A.u"));
}

TEST_F(OspSystemStructureFile, says_that_a_direction_is_not_known_without_the_fmus) {
    const System system = read(
        R"(<Simulators><Simulator name="A" source="x.fmu"/><Simulator name="B" source="z.fmu"/>
</Simulators><Connections>)" +
        variables("p", "q") + "</Connections>");
    EXPECT_THAT(connections(system), ElementsAre("A.p -> B.q"));
    EXPECT_THAT(files.notes(system), HasSubstr("xml:3: which end of the connection is the output"));
    EXPECT_THAT(files.notes(system), HasSubstr("the FMU 'x.fmu' of A cannot be read"));
}

TEST_F(OspSystemStructureFile, connects_groups_variable_by_variable) {
    const std::string groups = R"(<OspModelDescription><VariableGroups><LinearMechanicalPort
name="port"><Force name="f"><Variable ref="FORCE"/></Force><LinearVelocity name="v"><Variable
ref="VELOCITY"/></LinearVelocity></LinearMechanicalPort></VariableGroups></OspModelDescription>)";
    const auto with = [&](const std::string& force, const std::string& velocity) {
        std::string text = groups;
        text.replace(text.find("FORCE"), 5, force);
        text.replace(text.find("VELOCITY"), 8, velocity);
        return text;
    };
    files.write("ModelA_OspModelDescription.xml", with("y", "u"));
    files.write("ModelB_OspModelDescription.xml", with("u", "y2"));
    EXPECT_THAT(connections(read(simulators + R"(<Connections><VariableGroupConnection>
<VariableGroup simulator="A" name="port"/><VariableGroup simulator="B" name="port"/>
</VariableGroupConnection></Connections>)")),
                ElementsAre("A.y -> B.u", "B.y2 -> A.u"));
}

TEST_F(OspSystemStructureFile, leaves_groups_out_that_nothing_describes) {
    const System system = read(simulators + R"(<Connections><VariableGroupConnection>
<VariableGroup simulator="A" name="port"/><VariableGroup simulator="B" name="port"/>
</VariableGroupConnection></Connections>)");
    EXPECT_THAT(system.connections, IsEmpty());
    EXPECT_THAT(files.notes(system), HasSubstr("xml:5: the connection of the group A.port"));
}

TEST_F(OspSystemStructureFile, gives_a_linear_transformation_as_factor_and_offset) {
    const System system =
        read(simulators +
             "<Functions><LinearTransformation name=\"f\" factor=\"0.5\" offset=\"3\"/></Functions>"
             "<Connections>" +
             signal("A", "y", "f", "in") + signal("B", "u", "f", "out") + "</Connections>");
    ASSERT_THAT(connections(system), ElementsAre("A.y -> B.u"));
    EXPECT_EQ(system.connections[0].factor, 0.5);
    EXPECT_EQ(system.connections[0].offset, 3.0);
}

TEST_F(OspSystemStructureFile, gives_a_sum_as_a_function) {
    read(simulators + "<Functions><Sum name=\"s\" inputCount=\"2\"/></Functions><Connections>" +
         signal("A", "y", "s", "in[0]") + signal("A", "y2", "s", "in[1]") +
         signal("B", "u", "s", "out") + "</Connections>");
    EXPECT_THAT(files.text("OspSystemStructure.xml"),
                HasSubstr("# The sum 's'\n[[functions]]\ntarget = \"B.u\"\n"
                          "expression = \"s1 + s2\"\n"
                          "signals = { s1 = \"A.y\", s2 = \"A.y2\" }\n"));
}

TEST_F(OspSystemStructureFile, gives_a_vector_sum_as_one_function_per_element) {
    const auto group = [](const char* a, const char* b) {
        return std::string("<OspModelDescription><VariableGroups><Generic name=\"g\">") +
               "<Variable ref=\"" + a + "\"/><Variable ref=\"" + b +
               "\"/></Generic></VariableGroups></OspModelDescription>";
    };
    files.write("ModelA_OspModelDescription.xml", group("y", "y2"));
    files.write("ModelB_OspModelDescription.xml", group("u", "u2"));
    const auto wire = [](const char* simulator, const char* name) {
        return std::string("<SignalGroupConnection><SignalGroup function=\"s\" name=\"") + name +
               "\"/><VariableGroup simulator=\"" + simulator +
               "\" name=\"g\"/></SignalGroupConnection>";
    };
    const System system =
        read(simulators +
             "<Functions><VectorSum name=\"s\" inputCount=\"1\" dimension=\"2\"/></Functions>"
             "<Connections>" +
             wire("A", "in[0]") + wire("B", "out") + "</Connections>");
    ASSERT_EQ(system.sums.size(), 2U);
    EXPECT_EQ(system.sums[1].target.text(), "B.u2");
    EXPECT_EQ(system.sums[1].signals.front().text(), "A.y2");
}

std::string with_steps(const char* a, const char* b) {
    return std::string("<EndTime>1</EndTime><BaseStepSize>1e-4</BaseStepSize><Simulators>\n") +
           "<Simulator name=\"A\" source=\"a.fmu\" stepSize=\"" + a + "\"/>\n" +
           "<Simulator name=\"B\" source=\"b c.fmu\" stepSize=\"" + b + "\"/></Simulators>";
}

TEST_F(OspSystemStructureFile, gives_the_step_that_all_simulators_take) {
    const System same = read(with_steps("3e-4", "3.5e-4"));
    EXPECT_DOUBLE_EQ(*same.step, 3e-4);
    EXPECT_THAT(same.notes, IsEmpty());
    const System different = read(with_steps("2e-4", "4e-4"));
    EXPECT_DOUBLE_EQ(*different.step, 2e-4);
    EXPECT_THAT(files.notes(different), HasSubstr("xml:4: B steps and exchanges values every"));
}

TEST_F(OspSystemStructureFile, gives_ecco_as_step_control_by_bonds) {
    std::string first = variables("y", "u"), second = variables("u2", "y2");
    for (std::string* text : {&first, &second})
        text->replace(0, 19, "<VariableConnection powerBond=\"b\"");
    read("<EndTime>1</EndTime><Algorithm>ecco</Algorithm>" + simulators + "<Connections>" + first +
         second +
         "</Connections><EccoConfiguration><StepSize>1e-4</StepSize>"
         "<MaximumStepSize>0.01</MaximumStepSize><MinimumStepSize>1e-5</MinimumStepSize>"
         "<RelativeTolerance>1e-6</RelativeTolerance></EccoConfiguration>");
    const std::string text = files.text("OspSystemStructure.xml");
    EXPECT_THAT(text,
                HasSubstr("method = \"power_residual\"\ntolerance = 1e-06\nfirst_step = 0.0001\n"
                          "min_step = 1e-05\n"));
    EXPECT_THAT(text, HasSubstr("[[bonds]]\nname = \"b\"\neffort = \"A.y -> B.u\"\n"
                                "flow = \"B.y2 -> A.u2\"\n"));
}

TEST_F(OspSystemStructureFile, says_what_it_leaves_out) {
    const System system = read("<Algorithm>magic</Algorithm><Weather/>" + simulators +
                               "<Connections>\n" + variables("y", "nothing") + variables("y", "u") +
                               variables("y2", "u") + "</Connections>");
    const std::string notes = files.notes(system);
    for (const char* part :
         {"xml:2: <Weather> is not taken over", "the algorithm 'magic'", "there is no EndTime",
          "the FMU of B has no variable 'nothing'", "B.u has another source already"})
        EXPECT_THAT(notes, HasSubstr(part));
    EXPECT_THAT(connections(system), ElementsAre("A.y -> B.u"));
}

TEST_F(OspSystemStructureFile, is_refused_with_the_line_of_what_is_wrong) {
    EXPECT_THAT(refusal("<StartTime>soon</StartTime>" + simulators),
                HasSubstr("xml:2: 'soon' in <StartTime> is not a number"));
    EXPECT_THAT(refusal("\n<Simulators/>"), HasSubstr("has no simulators"));
    EXPECT_THAT(refusal("<Simulators>\n<Simulator name=\"A\"/></Simulators>"),
                HasSubstr("xml:3: <Simulator> has no source"));
    EXPECT_THAT(refusal(simulators + "<Connections>\n<VariableConnection><Variable simulator=\"C\" "
                                     "name=\"y\"/><Variable simulator=\"B\" "
                                     "name=\"u\"/></VariableConnection></Connections>"),
                HasSubstr("xml:6: there is no simulator 'C'"));
    EXPECT_THAT(refusal(simulators + "<Functions><Sum name=\"s\" inputCount=\"2000000000\"/>"
                                     "</Functions>"),
                HasSubstr("xml:5: nothing is connected to 'in[0]' of the function 's'"));
    EXPECT_THAT(refusal(simulators + "<Functions><Sun name=\"s\"/></Functions>"),
                HasSubstr("did you mean 'Sum'?"));
    EXPECT_THAT(refusal("<Simulators><Simulator name=\"A\" source=\"a.fmu\"><InitialValues>"
                        "<InitialValue variable=\"k\"><Real value=\"x\"/></InitialValue>"
                        "</InitialValues></Simulator></Simulators>"),
                HasSubstr("'x' is not a value of the type Real"));
    EXPECT_THAT(refusal("<EndTime>0</EndTime>" + simulators), HasSubstr("EndTime is not after"));
    files.write("x.xml", "<Other/>");
    EXPECT_THAT(files.refusal("x.xml"), HasSubstr("x.xml:1: the root element is 'Other'"));
}

}  // namespace
}  // namespace tandem::foreign
