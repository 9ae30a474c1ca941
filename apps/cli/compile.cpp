#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/listed.hpp"
#include "base/visible.hpp"
#include "check_binary.hpp"
#include "fmi/import/compile_fmu.hpp"
#include "fmi/import/library.hpp"
#include "tandem/error.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace tandem::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
    std::string fmu;
    std::string output;
};

/// Without --output a file that is there stays.
std::string output_of(const Options& options, const fmi::Fmu& fmu) {
    std::error_code failed;
    if (fs::equivalent(options.fmu, options.output, failed))
        throw InputError(options.output, "is the FMU with the sources, which would be lost",
                         "say another file with --output");
    if (!options.output.empty()) return options.output;
    const fs::path file = fs::path(options.fmu).lexically_normal();
    const fs::path name = file.has_filename() ? file.filename() : file.parent_path().filename();
    const std::string output = fmt::format("{}_{}.fmu", name.stem().string(),
                                           fmi::platform_folder(fmu.description().version));
    if (fs::exists(output))
        throw InputError(output, "exists already",
                         "remove it, or say with --output where to write");
    return output;
}

/// What cannot be loaded does not stay.
Diagnostics findings_of(const std::string& output) {
    const std::shared_ptr<fmi::Fmu> fmu = fmi::Fmu::open(output);
    Diagnostics findings;
    check_binaries(*fmu, findings);
    if (has_errors(findings)) fs::remove(output);
    throw_errors(findings);
    return findings;
}

int compile(const Options& options) {
    const std::shared_ptr<fmi::Fmu> fmu = fmi::Fmu::open(options.fmu);
    const std::string output = output_of(options, *fmu);
    const std::vector<std::string> libraries = fmi::compile_fmu(*fmu, output);
    const Style style(stderr);
    for (const Diagnostic& finding : findings_of(output))
        say("{} {}\n", style.doubtful("warning:"),
            visible(sentence(finding.place, finding.problem, finding.hint)));
    fmt::print("{}: with {}\n", output, visible(listed(libraries)));
    return fine;
}

}  // namespace

void add_compile(CLI::App& app, Action& action) {
    auto options = std::make_shared<Options>();
    CLI::App* verb =
        app.add_subcommand("compile", "Make an FMU with a binary for this machine of its sources");
    verb->add_option("fmu", options->fmu, "The FMU with sources: an archive or an unpacked folder")
        ->required()
        ->type_name("FILE");
    verb->add_option("-o,--output", options->output,
                     "The FMU to write. Without it: its name with _linux64 (FMI 3.0: "
                     "_x86_64-linux), which must not exist")
        ->type_name("FILE.fmu");
    verb->footer(
        "The compilers are those that CC and CXX name, else cc and c++. The binary is loaded once "
        "to see that it works,\nwhich runs code of the FMU. Other verbs compile FMUs that have no "
        "binary for this platform by themselves.\n\n"
        "Example:\n  tandem compile ball.fmu -o ball_here.fmu");
    verb->callback([options, &action] { action = [options] { return compile(*options); }; });
}

}  // namespace tandem::cli
