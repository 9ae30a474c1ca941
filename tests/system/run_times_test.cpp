// Start, stop, step and tolerance of a run, in the file and on the command line: what makes no
// sense is refused with one sentence that names the place where it was given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/command_folder.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// x' = a x + u from 1, as the FMU has it.
class RunTimes : public ::testing::Test {
protected:
    Said run(const std::string& experiment, const std::string& options = "") const {
        folder.write("s.toml", "[experiment]\n" + experiment +
                                   "[subsystems.x]\nsource = 'fmus/LinearOde_fmi2.fmu'\n"
                                   "kind = 'cs'\nparameters = { u = 0 }\n");
        return folder.tandem("run s.toml --quiet --log-level error --output out.csv " + options);
    }
    void expect_refused(const Said& said, const std::string& sentence) const {
        EXPECT_EQ(said.code, 2) << said.err;
        EXPECT_EQ(said.err.substr(0, said.err.find("\n  hint:")), "error: " + sentence);
    }
    CommandFolder folder;
};

TEST_F(RunTimes, that_end_where_they_start_have_one_row) {
    for (const char* experiment :
         {"stop = 0\n", "start = 0\nstop = 0\nstep = 0.1\n", "start = 2\nstop = 2\n"}) {
        const Said said = run(experiment);
        EXPECT_EQ(said.code, 0) << experiment << said.err;
        const std::string rows = read_bytes(folder / "out.csv");
        EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 2) << rows;
        EXPECT_EQ(folder.tandem("check s.toml").code, 0) << experiment;
    }
}

TEST_F(RunTimes, of_the_file_are_refused_there) {
    expect_refused(run("stop = 1\nstep = 1e-320\n"),
                   "s.toml:1: a step of 1e-320 is too small to be seen at time 1, where numbers "
                   "are 2.2e-16 apart");
    expect_refused(run("stop = 1\ntolerance = inf\n"),
                   "s.toml:3: [experiment]: 'tolerance' must be a finite number\n");
    expect_refused(run("stop = -1\n"), "s.toml:2: [experiment]: stop = -1 lies before start = 0\n");
    expect_refused(run("stop = nan\n"), "s.toml:2: [experiment]: 'stop' must be a finite number\n");
    expect_refused(run("stop = 1\nstep = -1\n"),
                   "s.toml:3: [experiment]: 'step' must be greater than 0, but is -1\n");
    run("stop = 1e300\nstep = 1\n");
    EXPECT_THAT(folder.tandem("check s.toml").out,
                HasSubstr("error: s.toml:1: a step of 1 is too"));
}

TEST_F(RunTimes, tolerances_of_one_and_more_are_a_warning) {
    run("stop = 1\ntolerance = 5\n");
    EXPECT_THAT(folder.tandem("run s.toml").err,
                HasSubstr("warning: s.toml:1: the tolerance 5 is relative"));
    run("stop = 1\ntolerance = 0.5\n");
    EXPECT_THAT(folder.tandem("run s.toml").err, Not(HasSubstr("tolerance")));
}

TEST_F(RunTimes, of_the_command_line_are_refused_there) {
    const std::string file = "start = 1\nstop = 2\n";
    expect_refused(run(file, "--start nan"),
                   "--start: the start time must be a finite number, not "
                   "nan\n");
    expect_refused(run(file, "--stop inf"),
                   "--stop: the stop time must be a finite number, not "
                   "inf\n");
    expect_refused(run(file, "--step nan"), "--step: the step must be a finite number, not nan\n");
    expect_refused(run(file, "--step -1"), "--step: the step must be positive, not -1\n");
    expect_refused(run(file, "--tolerance inf"),
                   "--tolerance: the tolerance must be positive and finite, but is inf");
    expect_refused(run(file, "--stop 0"), "--stop: the run would end at 0 before it starts at 1");
    const Said late = run(file, "--start 5");
    expect_refused(late, "s.toml:1: the run would end at 2 before it starts at 5");
    EXPECT_THAT(late.err, HasSubstr("hint: the start time comes from --start\n"));
}

TEST_F(RunTimes, of_a_package_are_refused_where_they_stand) {
    folder.write("s.ssd",
                 R"(<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription version="1.0" name="s"
    xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription">
<ssd:System name="s"><ssd:Elements>
<ssd:Component name="x" source="fmus/LinearOde_fmi2.fmu"/></ssd:Elements></ssd:System>
<ssd:DefaultExperiment startTime="0" stopTime="INF"/>
</ssd:SystemStructureDescription>)");
    expect_refused(folder.tandem("run s.ssd"),
                   "s.ssd:6: the stop time must be a finite number, not inf\n");
}

TEST_F(RunTimes, of_a_single_fmu_are_refused_by_name) {
    const auto run_fmu = [&](const std::string& options) {
        return folder.tandem("run fmus/LinearOde_fmi2.fmu --output out.csv " + options);
    };
    expect_refused(run_fmu("--stop nan"),
                   "--stop: the stop time must be a finite number, not nan\n");
    expect_refused(run_fmu("--start inf"),
                   "--start: the start time must be a finite number, not inf\n");
    expect_refused(run_fmu("--start 5 --stop 1"),
                   "--stop: the run would end at 1 before it starts at 5");
    expect_refused(run_fmu("--kind me --solver rk4 --solver-step inf"),
                   "--solver-step: must be positive and finite\n");
    expect_refused(folder.tandem("linearise fmus/LinearOde_fmi2.fmu --start nan"),
                   "--start: must be a finite time\n");
}

}  // namespace
}  // namespace tandem::test
