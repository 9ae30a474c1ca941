#include "foreign/write.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "description/read/read.hpp"
#include "foreign/values.hpp"
#include "unit/foreign/files.hpp"

namespace tandem::foreign {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

System sample() {
    System system;
    system.tool = "a tool";
    system.file = "/a/system.xml";
    system.name = "pair \"of\" two";
    for (const char* name : {"A", "B b"}) {
        Subsystem subsystem;
        subsystem.name = name;
        subsystem.source = std::string("/a/fmus/") + name + ".fmu";
        system.add(std::move(subsystem));
    }
    system.subsystems[0].parameters = {description::real_setting("spring.c", 2.0),
                                       integer_setting("n", -3), boolean_setting("on", true),
                                       description::text_setting("label", "a \"b\"\n\\c\x01")};
    Connection plain;
    plain.from = {"A", "y"};
    plain.to = {"B b", "u[1]"};
    Connection scaled = plain;
    scaled.to.variable = "odd->name";
    scaled.factor = -0.5;
    system.connections = {plain, scaled};
    system.start = 0.0;
    system.stop = 1e-3;
    system.step = 1e-4;
    system.coupling = {"All step at once", {description::text_setting("method", "jacobi")}};
    system.recorded = {"A.y"};
    system.decimation = 5;
    return system;
}

/// What our reader sees in the text.
description::SystemDescription described(const std::string& text, Files& files) {
    files.write("s.toml", text);
    Diagnostics findings;
    description::SystemDescription description =
        description::read_system(files / "s.toml", findings);
    EXPECT_THAT(findings, IsEmpty());
    return description;
}

TEST(WrittenSystemFile, says_to_our_reader_what_the_system_says) {
    Files files;
    const description::SystemDescription description =
        described(system_file_text(sample(), "/a/written"), files);
    const description::NestedSystem& system = description.system;
    EXPECT_EQ(system.name, "pair \"of\" two");
    ASSERT_EQ(system.subsystems.size(), 2U);
    EXPECT_EQ(system.subsystems[1].name, "B b");
    EXPECT_EQ(system.subsystems[0].kind, description::PreferredKind::co_simulation);
    const auto& parameters = system.subsystems[0].bindings.front().parameters;
    ASSERT_EQ(parameters.size(), 4U);
    EXPECT_EQ(parameters[0].name, "spring.c");
    EXPECT_EQ(parameters[0].value.values.reals.front(), 2.0);
    EXPECT_EQ(parameters[1].value.values.integers.front(), -3);
    EXPECT_EQ(parameters[3].value.values.strings.front(), "a \"b\"\n\\c\x01");
    ASSERT_EQ(system.connections.size(), 2U);
    EXPECT_EQ(system.connections[0].text(), "A.y -> B b.u[1]");
    EXPECT_EQ(system.connections[1].to.text(), "B b.odd->name");
    EXPECT_EQ(system.connections[1].transformation.factor, -0.5);
    EXPECT_EQ(description.experiment.stop, 1e-3);
    EXPECT_EQ(description.coupling.method, "jacobi");
    EXPECT_EQ(description.recording.decimation, 5);
}

TEST(WrittenSystemFile, names_files_relative_to_its_folder) {
    EXPECT_THAT(system_file_text(sample(), "/a"), HasSubstr("source = \"fmus/A.fmu\""));
    EXPECT_THAT(system_file_text(sample(), "/a/b/c"), HasSubstr("source = \"../../fmus/A.fmu\""));
}

TEST(WrittenSystemFile, keeps_what_strangers_wrote_inside_its_comments) {
    System system = sample();
    system.tool = "x\n[experiment]\nstop = 7";
    system.note("p\n[coupling]", "problem\r\n[record]\x1b[31m", "hint\n[[bonds]]");
    system.connections[0].comment = "c\n]";
    system.coupling.comment = "c\nevil = 1";
    Files files;
    EXPECT_EQ(described(system_file_text(system, "/a"), files).experiment.stop, 1e-3);
}

TEST(WrittenSystemFile, says_where_the_stop_time_goes_if_there_is_none) {
    System system = sample();
    system.stop.reset();
    EXPECT_THAT(system_file_text(system, "/a"), HasSubstr("# stop = 1.0  is needed here"));
}

TEST(WrittenSystemFile, passes_numbers_on_where_the_units_of_the_fmus_differ) {
    Files files;
    files.add_model("a.fmu", "a");
    files.add_model("b.fmu", "b");
    files.model("a.fmu").variables["y"].unit = "kN";
    files.model("b.fmu").variables["u"].unit = "N";
    files.write("p.msim",
                "simulator 0 0 A #0 \"a.fmu\"\nsimulator 1 0 B #0 \"b.fmu\"\ngraph A.y B.u\n");
    EXPECT_THAT(files.text("p.msim"),
                HasSubstr("{ from = \"A.y\", to = \"B.u\", suppress_unit_conversion = true },  # "
                          "'kN' to 'N': MasterSim does not convert units"));
}

TEST(ForeignValues, of_file_uris_and_paths_of_other_systems_are_files) {
    EXPECT_EQ(file_of("file:////a/b%20c.fmu", "/x"), "/a/b c.fmu");
    EXPECT_EQ(file_of("file:/a/b.fmu", "/x"), "/a/b.fmu");
    // No text: as it is.
    EXPECT_EQ(file_of("b%AE.fmu", "/x"), "/x/b%AE.fmu");
    EXPECT_EQ(file_of("b%00.fmu", "/x"), "/x/b%00.fmu");
    EXPECT_EQ(file_of("..\\b\\c.fmu", "/x/y"), "/x/b/c.fmu");
}

TEST(ForeignValues, become_the_type_of_their_variable_or_stay_as_they_are) {
    Setting value = integer_setting("k", 300);
    EXPECT_FALSE(give_type(value, ValueType::uint8));
    EXPECT_EQ(value.as_integer(), 300);
    EXPECT_TRUE(give_type(value, ValueType::int16));
    EXPECT_FALSE(give_type(value, ValueType::boolean));
    EXPECT_TRUE(give_type(value, ValueType::float64));
    EXPECT_EQ(value.type, Setting::Type::real);
    EXPECT_TRUE(give_type(value, ValueType::string));
    EXPECT_EQ(value.as_text(), "300");
    EXPECT_EQ(guessed("k", "1e3").as_real(), 1000.0);
    EXPECT_EQ(guessed("k", "inf").as_text(), "inf");
}

TEST(ForeignSystems, are_refused_if_the_tool_is_not_known) {
    Files files;
    files.write("x.txt", "");
    files.write("x.ssp", "");
    EXPECT_THAT(files.refusal("x.txt"), HasSubstr("x.txt: is no system of another tool"));
    EXPECT_THAT(files.refusal("x.ssp"), HasSubstr("Tandem reads it as it is"));
    EXPECT_THAT(files.refusal("none.msim"), HasSubstr("none.msim: cannot be read"));
    EXPECT_THAT(files.refusal("."), HasSubstr("is a folder without OspSystemStructure.xml"));
}

}  // namespace
}  // namespace tandem::foreign
