#include <fmt/format.h>

#include <memory>

#include "base/error.hpp"
#include "ssp/read.hpp"
#include "ssp/write_ssp.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace tandem::cli {
namespace {

struct Options {
    std::string system;
    std::string output;
};

int write_package(const Options& options) {
    if (!ssp::is_system_file(options.system))
        throw InputError(options.system, "is not a system file", "give a .toml, .ssd or .ssp file");
    const ssp::SystemDescription description = ssp::read_system(options.system);
    const Style style(stderr);
    for (const Diagnostic& finding : description.findings)
        fmt::print(stderr, "{} {}\n", style.doubtful("warning:"),
                   sentence(finding.place, finding.problem, finding.hint));
    ssp::write_ssp(description, options.output);
    fmt::print("{}\n", options.output);
    return fine;
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
    auto options = std::make_shared<Options>();
    CLI::App* verb = app.add_subcommand("export", "Write a system as an SSP package");
    verb->add_option("system", options->system, "The system: .toml, .ssd or .ssp")
        ->required()
        ->type_name("FILE");
    verb->add_option("-o,--output", options->output, "The package to write")
        ->required()
        ->type_name("FILE.ssp");
    verb->footer(
        "The package holds the description and all FMUs, libraries, tables and parameter files.\n\n"
        "Example:\n  tandem export system.toml -o system.ssp");
    verb->callback([options, &action] { action = [options] { return write_package(*options); }; });
}

}  // namespace tandem::cli
