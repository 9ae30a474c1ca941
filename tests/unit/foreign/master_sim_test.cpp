#include "foreign/master_sim.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/foreign/files.hpp"

namespace tandem::foreign {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string simulators =
    "simulator 0 1 A #ff0000 \"a.fmu\"\nsimulator 1 0 B #00ff00 \"fmus with blanks\\b.fmu\"\n";

class MasterSimProjectFile : public testing::Test {
protected:
    MasterSimProjectFile() {
        files.add_model("a.fmu", "a");
        files.add_model("fmus with blanks/b.fmu", "b");
    }
    System read(const std::string& lines) {
        files.write("p.msim", simulators + lines);
        return files.read("p.msim");
    }
    std::string refusal(const std::string& lines) {
        files.write("p.msim", simulators + lines);
        return files.refusal("p.msim");
    }
    Files files;
};

TEST_F(MasterSimProjectFile, gives_times_in_seconds_whatever_their_units) {
    const System system = read("tStart 1 min\ntEnd 2 h\nhStart 500 ms\n");
    EXPECT_EQ(system.start, 60.0);
    EXPECT_EQ(system.stop, 7200.0);
    EXPECT_EQ(system.step, 0.5);
}

TEST_F(MasterSimProjectFile, gives_files_relative_to_the_project) {
    EXPECT_THAT(files.text((read(""), "p.msim")), HasSubstr("source = \"fmus with blanks/b.fmu\""));
}

TEST_F(MasterSimProjectFile, gives_connections_offset_and_factor) {
    const System system = read("graph A.y B.u\ngraph B.y A.u 3 -2 0.8 #000000\n");
    ASSERT_EQ(system.connections.size(), 2U);
    EXPECT_TRUE(system.connections[0].is_plain());
    EXPECT_EQ(system.connections[1].offset, 3.0);
    EXPECT_EQ(system.connections[1].factor, -2.0);
}

TEST_F(MasterSimProjectFile, gives_values_the_types_of_their_variables) {
    const std::string text =
        (read("parameter A.k 2\nparameter A.n 3\nparameter A.on true\nparameter A.label 7\n"
              "parameter B.k 1e-3\n"),
         files.text("p.msim"));
    EXPECT_THAT(text, HasSubstr("k = 2.0\nn = 3\non = true\nlabel = \"7\"\n"));
    EXPECT_THAT(text, HasSubstr("[subsystems.B.parameters]\nk = 0.001\n"));
}

TEST_F(MasterSimProjectFile, takes_the_later_of_two_values) {
    const System system = read("parameter A.k 2\nparameter A.k 3\n");
    ASSERT_EQ(system.subsystems[0].parameters.size(), 1U);
    EXPECT_EQ(system.subsystems[0].parameters[0].as_real(), 3.0);
}

TEST_F(MasterSimProjectFile, steps_gauss_seidel_by_cycles) {
    const System system = read("MasterMode GAUSS_SEIDEL\n");
    ASSERT_EQ(system.coupling.settings.size(), 2U);
    EXPECT_EQ(system.coupling.settings[0].as_text(), "gauss_seidel");
    EXPECT_EQ(system.coupling.settings[1], description::text_list("sequence", {"B", "A"}));
}

TEST_F(MasterSimProjectFile, gives_iterations_the_coupling_iterative) {
    const System system =
        read("MasterMode GAUSS_SEIDEL\nmaxIterations 3\nrelTol 1e-4\nhFallBackLimit 1 s\n");
    EXPECT_THAT(files.text("p.msim"), HasSubstr("method = \"iterative\"\n"
                                                "accelerator = \"fixed_point\"\n"
                                                "inputs = \"constant\"\n"
                                                "tolerance = 0.0001\n"
                                                "sweep = \"gauss_seidel\"\n"));
    EXPECT_THAT(files.notes(system), HasSubstr("p.msim:4: 'maxIterations' is not taken over"));
    EXPECT_THAT(files.notes(system), HasSubstr("p.msim:6: 'hFallBackLimit' is not taken over"));
    read("MasterMode NEWTON\n");
    EXPECT_THAT(files.text("p.msim"), HasSubstr("accelerator = \"newton\""));
}

// hOutputMin is the least distance of rows, not a step: no step has to end there.
TEST_F(MasterSimProjectFile, gives_step_doubling_the_limits_of_its_steps) {
    // The root of relTol, and the longest step, are exact in binary.
    const System system = read(
        "ErrorControlMode ADAPT_STEP\nadjustStepSize yes\nhOutputMin 1e-5 s\nhStart 0.0625 s\n"
        "hMin 1e-6 s\nhMax 0.125 s\ntEnd 10 s\nrelTol 0.0009765625\n");
    EXPECT_EQ(system.step, 0.125);
    EXPECT_THAT(files.text("p.msim"), HasSubstr("method = \"richardson\"\n"
                                                "tolerance = 0.03125\n"
                                                "first_step = 0.0625\n"
                                                "min_step = 1e-06\n"
                                                "max_step = 0.125\n"));
    const std::string notes = files.notes(system);
    EXPECT_THAT(notes, HasSubstr("p.msim:5: 'hOutputMin' is not taken over: rows of the results "
                                 "are 0.125 s apart"));
    EXPECT_THAT(notes, HasSubstr("p.msim:10: 'relTol' is the error of one step"));
    EXPECT_THAT(notes, Not(HasSubstr("hMax")));
}

TEST_F(MasterSimProjectFile, keeps_rows_apart_that_step_doubling_has_apart) {
    const System system = read(
        "ErrorControlMode STEP_DOUBLING\nhOutputMin 0.5 s\nhStart 1 s\nhMax 0.125 s\ntEnd 10 s\n");
    EXPECT_EQ(system.step, 0.5);
    EXPECT_THAT(files.text("p.msim"), HasSubstr("first_step = 0.125\n"));
    EXPECT_THAT(files.text("p.msim"), HasSubstr("max_step = 0.125\n"));
    EXPECT_THAT(files.notes(system), Not(HasSubstr("hOutputMin")));
}

TEST_F(MasterSimProjectFile, leaves_a_run_with_step_doubling_at_least_fifty_rows) {
    const System system = read(
        "ErrorControlMode STEP_DOUBLING\nhOutputMin 0.01 s\nhStart 1 s\nhMax 50 s\ntEnd 100 s\n");
    EXPECT_EQ(system.step, 2.0);
    EXPECT_THAT(files.text("p.msim"), HasSubstr("max_step = 2.0\n"));
    EXPECT_THAT(files.notes(system), HasSubstr("p.msim:6: 'hMax' is not taken over"));
}

// Its steps double until they have the length hMax, unless the iteration fails.
TEST_F(MasterSimProjectFile, gives_steps_that_grow_with_iterations_their_greatest_length) {
    const std::string growing =
        "adjustStepSize yes\nhStart 1e-6 s\nhMax 0.1 s\ntEnd 10 s\nhOutputMin 0.1 s\n";
    EXPECT_EQ(read("maxIterations 5\n" + growing).step, 0.1);
    const System single = read(growing);
    EXPECT_EQ(single.step, 1e-6);
    EXPECT_THAT(files.notes(single), HasSubstr("p.msim:3: 'adjustStepSize'"));
}

TEST_F(MasterSimProjectFile, keeps_the_distance_of_rows_of_a_fixed_step) {
    EXPECT_EQ(read("hStart 0.1 s\nhOutputMin 0.3 s\n").decimation, 3);
    EXPECT_EQ(read("hStart 0.1 s\nhOutputMin 0.01 s\n").decimation, 1);
}

TEST_F(MasterSimProjectFile, records_internal_variables_where_it_says_so) {
    EXPECT_THAT(read("writeInternalVariables yes\n").recorded, ElementsAre("*"));
    EXPECT_TRUE(read("writeInternalVariables no\n").recorded.empty());
}

TEST_F(MasterSimProjectFile, takes_a_file_reader_as_a_table_whose_units_do_not_count) {
    files.write("t.tsv", "Time [h]\tv [C]\n0\t1\n");
    const System system = read("simulator 2 0 T #0000ff \"t.tsv\"\ngraph T.v A.u\n");
    EXPECT_TRUE(system.subsystems[2].is_table);
    EXPECT_TRUE(system.connections[0].suppresses_units);
}

TEST_F(MasterSimProjectFile, holds_what_a_table_gives_to_variables_that_are_not_real) {
    files.write("t.csv", "Time [s]\tv\tn\n0\t1\t2\n");
    const System system = read("simulator 2 0 T #0000ff \"t.csv\"\ngraph T.v A.u\ngraph T.n A.n\n");
    EXPECT_EQ(system.connections[0].text(), "T.v -> A.u");
    EXPECT_EQ(system.connections[1].text(), "T_held.n -> A.n");
    EXPECT_EQ(system.coupling.settings[1],
              description::text_list("sequence", {"B", "T", "T_held", "A"}));
    EXPECT_THAT(files.text("p.msim"), HasSubstr("[subsystems.T_held]\nsource = \"t.csv\"\n"
                                                "interpolation = \"hold\"\n"));
}

TEST_F(MasterSimProjectFile, says_what_it_leaves_out) {
    const System system = read(
        "outputTimeUnit h\nErrorControlMode CHECK\nbinaryOutputFiles no\nadjustStepSize yes\n"
        "parameter A.kk 1\ngraph A.y B.v\n");
    const std::string notes = files.notes(system);
    for (const char* part :
         {"p.msim:3: 'outputTimeUnit'", "p.msim:4: 'CHECK'", "p.msim:5: 'binaryOutputFiles'",
          "p.msim:6: 'adjustStepSize'", "p.msim:7: the value of A.kk is left out",
          "did you mean 'k'?", "p.msim:8: the connection A.y -> B.v is left out"})
        EXPECT_THAT(notes, HasSubstr(part));
    EXPECT_TRUE(system.connections.empty());
    EXPECT_TRUE(system.subsystems[0].parameters.empty());
}

TEST_F(MasterSimProjectFile, is_refused_with_the_line_of_what_is_wrong) {
    EXPECT_THAT(refusal("tEnd ten s\n"), HasSubstr("p.msim:3: 'ten s' is not a time"));
    EXPECT_THAT(refusal("tEnd 1 week\n"), HasSubstr("p.msim:3: '1 week' is not a time"));
    EXPECT_THAT(refusal("tStart 2 s\ntEnd 1 s\n"), HasSubstr("p.msim:4: tEnd is not after"));
    EXPECT_THAT(refusal("\nMasterMod NEWTON\n"), HasSubstr("did you mean 'MasterMode'?"));
    EXPECT_THAT(refusal("MasterMode NEWTO\n"), HasSubstr("p.msim:3: 'NEWTO' is not a value"));
    EXPECT_THAT(refusal("graph A.y\n"), HasSubstr("p.msim:3: is not a connection"));
    EXPECT_THAT(refusal("graph A.y B.u x 1\n"), HasSubstr("p.msim:3: the offset"));
    EXPECT_THAT(refusal("graph A.y C.u\n"), HasSubstr("p.msim:3: there is no simulator 'C'"));
    EXPECT_THAT(refusal("graph \"A.y B.u\n"), HasSubstr("p.msim:3: opens a quote"));
    EXPECT_THAT(refusal("simulator 2 0 A #fff \"a.fmu\"\n"), HasSubstr("two simulators 'A'"));
    EXPECT_THAT(refusal("tEnd \xe4 s\n"), HasSubstr("p.msim:3: is not valid UTF-8"));
    files.write("empty.msim", "# nothing\n");
    EXPECT_THAT(files.refusal("empty.msim"), HasSubstr("empty.msim: has no simulators"));
}

}  // namespace
}  // namespace tandem::foreign
