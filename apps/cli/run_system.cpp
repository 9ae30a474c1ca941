#include "run_system.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>

#include "base/log.hpp"
#include "base/unpacked.hpp"
#include "files/output_error.hpp"
#include "loading_record.hpp"
#include "page_file.hpp"
#include "process/process_guard.hpp"
#include "progress.hpp"
#include "report/page.hpp"
#include "tandem/error.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace tandem::cli {
namespace {

struct Ending {
    RunOutcome outcome = RunOutcome::complete;
    std::string sentence;
};

std::string growth_of(const InstabilityRecord& found) {
    return fmt::format("{} grew by a factor of {:.6g} per step at {:.6g}", found.connection,
                       found.growth, found.time);
}

Ending ending_of(const run::SystemRun& run) {
    const run::RunReport& report = run.report();
    switch (report.end) {
        case run::End::interrupted:
            return {RunOutcome::interrupted,
                    fmt::format("interrupted at {}, before {}", report.reached, run.grid().stop())};
        case run::End::terminated:
            return {RunOutcome::complete, fmt::format("a subsystem ended the run at {}, before {}",
                                                      report.reached, run.grid().stop())};
        case run::End::unstable:
            return {RunOutcome::interrupted,
                    fmt::format("ended at {}, before {}, because the coupling became unstable: {}",
                                report.reached, run.grid().stop(), growth_of(*report.instability))};
        case run::End::complete: break;
    }
    if (report.instability)
        return {RunOutcome::complete,
                fmt::format("completed, not credible: the coupling was unstable, {}",
                            growth_of(*report.instability))};
    for (const LineRecord& line : run.record().lines)
        if (line.is_unstable())
            return {RunOutcome::complete,
                    fmt::format("completed, not credible: the line '{}' generated {:.3g} of "
                                "spurious energy and stored {:.3g} at most",
                                line.name, line.created, line.most_stored)};
    return {};
}

/// A pace that was not kept becomes a warning.
void judge_pace(const run::SystemRun& run, double pace, Diagnostics& warnings) {
    const double simulated = run.report().reached - run.grid().start();
    const double needed = run.report().step_seconds + run.report().record_seconds;
    constexpr double tolerated = 1.05, wake_up = 1e-2;
    if (pace <= 0.0 || needed <= tolerated * simulated / pace + wake_up) return;
    warnings.push_back({Severity::warning, fmt::format("--realtime {}", pace),
                        fmt::format("the pace was not kept: the run reached {:.3g} simulated "
                                    "seconds per second",
                                    simulated / needed),
                        "take a larger step, or record less"});
    log(LogLevel::warning,
        sentence(warnings.back().place, warnings.back().problem, warnings.back().hint));
}

RunRecord complete_record(const run::SystemRun& run, const SystemRequest& request,
                          const Ending& ending) {
    RunRecord record = run.record();
    add_request(request, record);
    if (ending.outcome != RunOutcome::failed)
        judge_pace(run, request.run.realtime, record.warnings);
    record.outcome = ending.outcome;
    record.outcome_sentence = without_temporary_folders(ending.sentence);
    const std::filesystem::path folder = std::filesystem::absolute(record_path(run)).parent_path();
    for (ResultsRecord& results : record.results) {
        const std::filesystem::path path = std::filesystem::absolute(results.path);
        results.path = path.parent_path() == folder ? path.filename().string() : path.string();
    }
    return record;
}

void print_results(const run::SystemRun& run) {
    for (std::size_t k = 0; k < run.outputs().size(); ++k) {
        const std::uint64_t rows = run.rows_in_file(k);
        const bool is_complete = rows == static_cast<std::uint64_t>(run.rows());
        say("  results   {}: {}{}, {}\n",
            run.outputs()[k] == "-" ? "standard output" : run.outputs()[k], counted(rows, "row"),
            is_complete ? fmt::format(" up to {}", run.time()) : fmt::format(" of {}", run.rows()),
            counted(run.columns(), "variable"));
    }
}

void print_choices(const RunRecord& record) {
    if (record.coupling.explanation.starts_with("chosen"))
        say("  coupling  {} {}\n", record.coupling.method, printable(record.coupling.explanation));
    if (record.step_control.method == "fixed") return;
    const StepLengthsRecord& steps = record.step_lengths;
    say("  steps     {}: {:.3g} to {:.3g} long, {} repeated{}\n", record.step_control.method,
        steps.shortest, steps.longest, steps.repeated,
        steps.beyond_tolerance > 0
            ? fmt::format(", {} with an error beyond the tolerance", steps.beyond_tolerance)
            : "");
}

void print_cycles(const RunRecord& record) {
    for (const GroupRecord& group : record.groups) {
        const auto number = [&](const char* name) {
            const auto found = std::ranges::find(group.statistics, name, &Statistic::name);
            return found == group.statistics.end() ? 0.0 : found->value;
        };
        if (number("iterations") == 0.0) continue;
        const double failures = number("not converged");
        say("  cycle     {}: {:.3g} iterations a step, {} at most{}\n", printable(group.name),
            number("iterations") / std::max(1.0, number("steps")), number("most in a step"),
            failures > 0.0 ? fmt::format(", {} times without success", failures) : "");
    }
}

void print_summary(const run::SystemRun& run, const RunRecord& record) {
    const run::RunReport& reached = run.report();
    const double busy = reached.step_seconds + reached.record_seconds;
    const std::string lines =
        record.lines.empty() ? "" : ", " + counted(record.lines.size(), "line");
    say("{}: {}, {}{}, coupling {}\n", printable(run.name()), counted(run.size(), "subsystem"),
        counted(record.connections.size(), "connection"), lines, record.coupling.method);
    say("  run       {} to {} in {}, {}, {} retried\n", run.grid().start(), reached.reached,
        counted(record.totals.steps, "step"), counted(record.totals.events, "event"),
        reached.retried);
    print_choices(record);
    print_cycles(record);
    if (record.threads.reason.empty())
        say("  threads   {}, in {:.0f} % of the steps\n", record.threads.count,
            100.0 * record.threads.share);
    else
        say("  threads   1: {}\n", printable(record.threads.reason));
    if (!record.outcome_sentence.empty())
        say("  note      {}{}\n", record.outcome_sentence,
            record.outcome == RunOutcome::interrupted ? "; the results so far are kept" : "");
    print_results(run);
    say("  time      ");
    const char* separator = "";
    for (const PartRecord& part : record.totals.parts) {
        say("{}{} {:.3g} s", separator, part.name, part.seconds);
        separator = ", ";
    }
    say("\n");
    if (busy > 0.0)
        say("  speed     {:.3g}x real time\n", (reached.reached - run.grid().start()) / busy);
}

void write_report(const run::SystemRun& run, const RunRecord& record,
                  const SystemRequest& request) {
    if (request.report.empty()) return;
    write_page(record, record_path(run).parent_path().string(), request.report);
    if (!request.quiet) say("  report    {}\n", request.report);
}

/// What stands there from an earlier run must not be taken for this one, however it ends.
void remove_old_records(const run::SystemRun& run, const SystemRequest& request) {
    refuse_own_files(run, request);
    for (const std::filesystem::path& path :
         {record_path(run), std::filesystem::path(request.report)})
        if (std::error_code none; std::filesystem::is_regular_file(path, none))
            std::filesystem::remove(path, none);
}

/// A page of a run that failed shows its rows up to there; what ended it is what counts.
void close_failed(run::SystemRun& run) {
    try {
        run.close_results();
    } catch (const OutputError& error) {
        log(LogLevel::warning, error.what());
    }
}

/// On a full disk the record from the start of the run makes room for the last one.
void replace_record(const RunRecord& record, const std::filesystem::path& path) {
    try {
        write_run_record(record, path.string());
    } catch (const InputError&) {
        std::error_code none;
        std::filesystem::remove(path, none);
        write_run_record(record, path.string());
    }
}

/// What ended the run is what counts.
void write_failed_records(const run::SystemRun& run, const RunRecord& record,
                          const SystemRequest& request) {
    try {
        replace_record(record, record_path(run));
        write_report(run, record, request);
    } catch (const InputError& error) {
        log(LogLevel::warning, error.what());
    }
}

run::SystemRun loaded_run(SystemRequest& request) {
    LoadingRecord loading;
    request.run.before_loading = [&](const run::SystemRun& run) { loading.begin(run, request); };
    try {
        return run::SystemRun(request.run);
    } catch (const InputError&) {
        throw;
    } catch (const std::exception& error) {
        loading.fail(error);
        throw;
    }
}

/// FMUs can still end the process while they are freed and unloaded; what they change becomes a
/// warning.
void unload(run::SystemRun& run, RunRecord& record) {
    const std::size_t known = process_warnings().size();
    run.unload();
    const Diagnostics warnings = process_warnings();
    record.warnings.insert(record.warnings.end(),
                           warnings.begin() + static_cast<std::ptrdiff_t>(known), warnings.end());
}

}  // namespace

int perform_system(SystemRequest request) {
    request.date = fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
    std::unique_ptr<Progress> progress;
    request.run.go_on = [&progress](double t) {
        if (progress) progress->show(t);
        return !interrupt_requested();
    };
    run::SystemRun run = loaded_run(request);
    for (const Diagnostic& finding : run.findings())
        log(LogLevel::warning, sentence(finding.place, finding.problem, finding.hint));
    remove_old_records(run, request);
    progress = std::make_unique<Progress>(run.grid().start(), run.grid().stop(),
                                          request.shows_progress && !request.quiet);
    const GracefulInterrupt graceful;
    const EmergencyRecord unfinished(complete_record(run, request, {RunOutcome::failed, {}}),
                                     {record_path(run).string()}, run.live_numbers());
    try {
        run.perform();
    } catch (const std::exception& error) {
        progress->clear();
        check_process();
        close_failed(run);
        if (!request.quiet && run.rows() > 0) print_results(run);
        write_failed_records(run, complete_record(run, request, {RunOutcome::failed, error.what()}),
                             request);
        throw;
    }
    progress->clear();
    check_process();
    const bool run_was_interrupted = run.report().end == run::End::interrupted;
    RunRecord record = complete_record(run, request, ending_of(run));
    if (!request.quiet) print_summary(run, record);
    unload(run, record);
    write_run_record(record, record_path(run).string());
    write_report(run, record, request);
    if (run_was_interrupted) return interrupted;
    const bool is_credible =
        !record.instability && std::ranges::none_of(record.lines, &LineRecord::is_unstable);
    return is_credible ? fine : not_credible;
}

}  // namespace tandem::cli
