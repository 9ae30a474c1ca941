#include "run_system.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <memory>

#include "base/emergency.hpp"
#include "base/log.hpp"
#include "page_file.hpp"
#include "progress.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace tandem::cli {
namespace {

std::filesystem::path record_path(const run::SystemRun& run) {
    const std::filesystem::path results = run.outputs().front();
    return results == "-" ? std::filesystem::path("run.json") : results.parent_path() / "run.json";
}

RunRecord complete_record(const run::SystemRun& run, RunOutcome outcome,
                          const std::string& sentence) {
    RunRecord record = run.record();
    record.tandem_version = TANDEM_VERSION;
    record.date = fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
    record.outcome = outcome;
    record.outcome_sentence = sentence;
    for (ResultsRecord& results : record.results)
        results.path = std::filesystem::path(results.path).filename().string();
    return record;
}

void print_summary(const run::SystemRun& run, const RunRecord& record) {
    const run::RunReport& report = run.report();
    const double busy = report.step_seconds + report.record_seconds;
    fmt::print(stderr, "{}: {} subsystems, {} connections, coupling {}\n", printable(run.name()),
               run.size(), record.connections.size(), record.coupling.method);
    fmt::print(stderr, "  run       {} to {} in {} steps, {} events, {} retried\n",
               run.grid().start(), report.reached, report.steps, record.totals.events,
               report.retried);
    if (report.end == run::End::terminated)
        fmt::print(stderr, "  note      a subsystem ended the run before {}\n", run.grid().stop());
    if (report.end == run::End::interrupted)
        fmt::print(stderr, "  note      interrupted; the results so far are kept\n");
    for (const std::string& output : run.outputs())
        fmt::print(stderr, "  results   {}: {} rows, {} variables\n",
                   output == "-" ? "standard output" : output, run.rows(), run.columns());
    fmt::print(stderr, "  time      ");
    const char* separator = "";
    for (const PartRecord& part : record.totals.parts) {
        fmt::print(stderr, "{}{} {:.3g} s", separator, part.name, part.seconds);
        separator = ", ";
    }
    fmt::print(stderr, "\n");
    if (busy > 0.0)
        fmt::print(stderr, "  speed     {:.3g}x real time\n",
                   (report.reached - run.grid().start()) / busy);
}

void write_records(const run::SystemRun& run, const RunRecord& record,
                   const SystemRequest& request) {
    const std::filesystem::path path = record_path(run);
    write_run_record(record, path.string());
    if (request.report.empty()) return;
    write_page(record, path.parent_path().string(), request.report);
    if (!request.quiet) fmt::print(stderr, "  report    {}\n", request.report);
}

}  // namespace

int perform_system(SystemRequest request) {
    std::unique_ptr<Progress> progress;
    request.run.go_on = [&progress](double t) {
        if (progress) progress->show(t);
        return !interrupt_requested();
    };
    run::SystemRun run(request.run);
    for (const Diagnostic& finding : run.findings())
        log(LogLevel::warning, sentence(finding.place, finding.problem, finding.hint));
    progress = std::make_unique<Progress>(run.grid().start(), run.grid().stop(),
                                          request.shows_progress && !request.quiet);
    const GracefulInterrupt graceful;
    try {
        run.perform();
    } catch (const std::exception& error) {
        progress->clear();
        write_records(run, complete_record(run, RunOutcome::failed, error.what()), request);
        throw;
    }
    progress->clear();
    const bool was_interrupted = run.report().end == run::End::interrupted;
    const RunRecord record =
        complete_record(run, was_interrupted ? RunOutcome::interrupted : RunOutcome::complete, "");
    if (!request.quiet) print_summary(run, record);
    write_records(run, record, request);
    return was_interrupted ? interrupted : fine;
}

}  // namespace tandem::cli
