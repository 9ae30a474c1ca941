#include "record/run_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "files/temporary_folder.hpp"
#include "support/drafts.hpp"
#include "support/sample_run.hpp"

namespace tandem {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

RunRecord with_everything() {
    RunRecord record = test::quarter_car_record();
    record.threads = {2, 0.875, "none"};
    record.groups = {{"body", "aggregation", 2, {"chassis", "wheel"}, {{"steps", 12.0}}}};
    record.results = {{"results.csv", "csv", 11, {{"wheel.force", "N", "wheel", "force"}}}};
    record.plots = {{"the course", "car.X", {"car.Y", "*.z"}, true}, {"", "", {"car.X"}, false}};
    record.reference = "/car.ssp/resources/reference.csv";
    record.connections[1].gain = 1.0 / 3.0;
    record.connections[1].offset = -273.15;
    record.outcome = RunOutcome::interrupted;
    record.outcome_sentence = "stopped at 3 s by SIGINT";
    record.instability = {"chassis.x -> wheel.z", 1.0 / 3.0, 2.5};
    record.system_name = "a \"quoted\" näme\n";
    return record;
}

TEST(RunRecord, reads_back_as_it_was_written) {
    const RunRecord record = with_everything();
    const RunRecord back = run_record_from_json(to_json(record), "run.json");
    EXPECT_EQ(back.system_name, record.system_name);
    EXPECT_EQ(back.command_line, record.command_line);
    EXPECT_EQ(back.files, record.files);
    EXPECT_EQ(back.options, record.options);
    EXPECT_EQ(back.experiment, record.experiment);
    EXPECT_EQ(back.coupling, record.coupling);
    EXPECT_EQ(back.subsystems, record.subsystems);
    EXPECT_EQ(back.connections, record.connections);
    EXPECT_EQ(back.bonds, record.bonds);
    EXPECT_EQ(back.groups, record.groups);
    EXPECT_EQ(back.threads, record.threads);
    EXPECT_EQ(back.instability, record.instability);
    EXPECT_EQ(back.results, record.results);
    EXPECT_EQ(back.plots, record.plots);
    EXPECT_EQ(back.reference, record.reference);
    EXPECT_EQ(back.totals, record.totals);
    EXPECT_EQ(back.outcome, record.outcome);
    EXPECT_EQ(back.outcome_sentence, record.outcome_sentence);
    EXPECT_EQ(to_json(back), to_json(record));
}

TEST(RunRecord, keeps_its_warnings) {
    const RunRecord back = run_record_from_json(to_json(with_everything()), "run.json");
    ASSERT_EQ(back.warnings.size(), 1U);
    EXPECT_EQ(back.warnings[0].severity, Severity::warning);
    EXPECT_THAT(back.warnings[0].place, HasSubstr("wheel.fmu"));
    EXPECT_EQ(back.warnings[0].hint, "define it among the units");
}

TEST(RunRecord, writes_numbers_that_are_not_finite_as_null_and_reads_them_as_nan) {
    RunRecord record;
    record.totals.wall_seconds = std::numeric_limits<double>::infinity();
    const RunRecord back = run_record_from_json(to_json(record), "run.json");
    EXPECT_TRUE(std::isnan(back.totals.wall_seconds));
    EXPECT_FALSE(back.experiment.tolerance.has_value());
}

TEST(RunRecord, survives_texts_that_are_not_utf8) {
    RunRecord record;
    record.system_file = "fold\xE9r/system.toml";
    EXPECT_NO_THROW(run_record_from_json(to_json(record), "run.json"));
}

TEST(RunRecord, ignores_unknown_keys_and_defaults_missing_ones) {
    const RunRecord record = run_record_from_json(
        R"({"format": "tandem run record", "format_version": 1, "later": [1], "date": "today"})",
        "run.json");
    EXPECT_EQ(record.date, "today");
    EXPECT_TRUE(record.subsystems.empty());
    EXPECT_EQ(record.outcome, RunOutcome::complete);
}

std::string problem_of(const std::string& json) {
    try {
        run_record_from_json(json, "run.json");
    } catch (const InputError& error) {
        EXPECT_EQ(error.place(), "run.json");
        EXPECT_FALSE(error.hint().empty());
        return error.problem();
    }
    return "no problem";
}

TEST(RunRecord, says_what_is_wrong_with_a_file) {
    const std::string head = R"({"format": "tandem run record", "format_version": 1, )";
    EXPECT_THAT(problem_of("{"), HasSubstr("is not JSON"));
    EXPECT_THAT(problem_of(R"({"format": 1e999})"), HasSubstr("a number that no double can hold"));
    EXPECT_THAT(problem_of("[1, 2]"), HasSubstr("is not the record of a run"));
    EXPECT_THAT(problem_of(R"({"format": 7})"), HasSubstr("is not the record of a run"));
    EXPECT_THAT(problem_of(R"({"format": "tandem run record", "format_version": 9})"),
                HasSubstr("version 9"));
    EXPECT_EQ(problem_of(head + R"("date": 5})"), "'date' must be a text");
    EXPECT_EQ(problem_of(head + R"("outcome": "fine"})"),
              "'outcome' must be complete, failed or interrupted");
    EXPECT_EQ(problem_of(head + R"("subsystems": [{}, {"steps": -1}]})"),
              "'subsystems[1].steps' must be a whole number");
    EXPECT_EQ(problem_of(head + R"("subsystems": 5})"), "'subsystems' must be a list");
    EXPECT_EQ(problem_of(head + R"("totals": []})"), "'totals' must be an object");
    EXPECT_EQ(problem_of(head + R"("totals": {"wall_seconds": "1"}})"),
              "'totals.wall_seconds' must be a number");
    EXPECT_THAT(problem_of(head + R"("bonds": [{"name": "b", "effort": 3}]})"),
                HasSubstr("connection not listed"));
}

TEST(RunRecord, is_whole_where_several_processes_write_it) {
    const TemporaryFolder folder;
    const std::string path = folder.path() / "run.json";
    std::vector<pid_t> writers;
    for (int i = 0; i < 4; ++i) {
        writers.push_back(::fork());
        if (writers.back() != 0) continue;
        try {
            for (int k = 0; k < 50; ++k) write_run_record(with_everything(), path);
        } catch (const std::exception&) {
            ::_exit(1);
        }
        ::_exit(0);
    }
    for (const pid_t writer : writers) {
        int status = -1;
        ASSERT_EQ(::waitpid(writer, &status, 0), writer);
        EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(to_json(read_run_record(path)), to_json(with_everything()));
    EXPECT_THAT(test::drafts_in(folder.path()), IsEmpty());
}

TEST(RunRecord, is_written_completely_or_not_at_all) {
    const TemporaryFolder folder;
    const std::string path = folder.path() / "run.json";
    write_run_record(with_everything(), path);
    EXPECT_EQ(to_json(read_run_record(path)), to_json(with_everything()));
    EXPECT_THAT(test::drafts_in(folder.path()), IsEmpty());
    EXPECT_THROW(write_run_record(with_everything(), folder.path() / "none" / "run.json"),
                 InputError);
    EXPECT_THROW(read_run_record(folder.path() / "none.json"), InputError);
    EXPECT_THROW(read_run_record(folder.path()), InputError);
}

TEST(RunRecord, adds_up_time_and_calls) {
    SubsystemRecord subsystem;
    subsystem.parts = {{"set", 3, 0.5}, {"step", 4, 1.5}};
    EXPECT_EQ(subsystem.calls(), 7U);
    EXPECT_EQ(subsystem.seconds(), 2.0);
    TotalsRecord totals;
    EXPECT_EQ(totals.real_time_factor(), 0.0);
    totals.simulated_seconds = 10.0;
    totals.wall_seconds = 4.0;
    EXPECT_EQ(totals.real_time_factor(), 2.5);
}

}  // namespace
}  // namespace tandem
