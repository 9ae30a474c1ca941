#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "files/whole_file.hpp"
#include "page_file.hpp"
#include "report/page.hpp"
#include "tandem/error.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace tandem::cli {
namespace {

struct Options {
    std::string record;
    std::string output;
    std::string reference;
};

int write_report(const Options& options) {
    RunRecord record = read_run_record(options.record);
    if (!options.reference.empty()) {
        report::read_reference(options.reference);
        record.reference = std::filesystem::absolute(options.reference).string();
    }
    const std::string folder = std::filesystem::path(options.record).parent_path().string();
    const std::size_t plotted = write_page(record, folder, options.output);
    fmt::print("{}: {}, {}\n", options.output, counted(record.subsystems.size(), "subsystem"),
               counted(plotted, "plotted variable"));
    return fine;
}

}  // namespace

std::size_t write_page(const RunRecord& record, const std::string& folder,
                       const std::string& output) {
    const report::LoadedResults results = report::load_results(record, folder);
    const Style style(stderr);
    for (const std::string& note : results.notes)
        say("{} {}\n", style.doubtful("note:"), printable(note));
    write_whole_file(output, "choose another file", report::html_page(record, results));
    return results.series.size();
}

void add_report(CLI::App& app, Action& action) {
    auto options = std::make_shared<Options>();
    CLI::App* verb = app.add_subcommand("report", "Make a web page of a finished run");
    verb->add_option("record", options->record, "The run.json that the run has written")
        ->required()
        ->type_name("FILE");
    verb->add_option("-o,--output", options->output, "The page to write")
        ->default_val("report.html")
        ->type_name("FILE");
    verb->add_option("--reference", options->reference,
                     "Results to compare with, instead of those the system names")
        ->type_name("FILE");
    verb->footer(
        "The page needs no network: the system as a graph, plots with zoom, the error against a\n"
        "reference, the cost of every subsystem, warnings, settings, files. Results are looked\n"
        "for where run.json says, relative to its folder.\n\n"
        "Example:\n  tandem report run.json -o report.html");
    verb->callback([options, &action] { action = [options] { return write_report(*options); }; });
}

}  // namespace tandem::cli
