#include "info.hpp"

#include <cstdio>
#include <memory>

#include "command_line.hpp"
#include "description/read/read.hpp"
#include "files/archive.hpp"
#include "tandem/error.hpp"
#include "verbs.hpp"

namespace tandem::cli {
namespace {

struct Options {
    std::string fmu;
    bool all = false;
    bool json = false;
};

int info(const Options& options) {
    if (description::is_system_file(options.fmu))
        throw InputError(options.fmu, "is a system, not an FMU",
                         "tandem check and tandem graph say what is in it");
    expect_model_file(options.fmu);
    const std::shared_ptr<fmi::Fmu> fmu = fmi::Fmu::open(options.fmu);
    const std::string text = options.json ? info_as_json(*fmu) : info_as_text(*fmu, options.all);
    std::fputs(text.c_str(), stdout);
    return fine;
}

}  // namespace

std::vector<std::string> platforms_of(const fmi::Fmu& fmu) {
    return Archive(fmu.path()).folders_in("binaries");
}

std::vector<std::string> sources_of(const fmi::Fmu& fmu) {
    return Archive(fmu.path()).files_below("sources");
}

void add_info(CLI::App& app, Action& action) {
    auto options = std::make_shared<Options>();
    CLI::App* verb = app.add_subcommand("info", "Show what is in an FMU");
    verb->add_option("fmu", options->fmu, "The FMU: an archive or an unpacked folder")
        ->required()
        ->type_name("FILE");
    verb->add_flag("--all", options->all, "Show all variables, however many there are");
    verb->add_flag("--json", options->json, "Write everything as JSON");
    verb->footer(
        "Examples:\n"
        "  tandem info ball.fmu\n"
        "  tandem info ball.fmu --json | jq '.variables[].name'");
    verb->callback([options, &action] { action = [options] { return info(*options); }; });
}

}  // namespace tandem::cli
