#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "assemble/prepare_system.hpp"
#include "base/visible.hpp"
#include "check_binary.hpp"
#include "check_rollback.hpp"
#include "check_system.hpp"
#include "command_line.hpp"
#include "description/read/read.hpp"
#include "fmi/import/fmu.hpp"
#include "tandem/error.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace tandem::cli {
namespace {

struct Options {
    std::string fmu;
    bool no_binary = false;
    bool rollback = false;
    std::vector<std::string> plugins;
    int rollback_of = -1;  ///< in a process that check_rollback() made
};

/// The number behind the last colon of "path:12"; places without one come first.
long line_of(const Diagnostic& finding) {
    const auto colon = finding.place.rfind(':');
    return colon == std::string::npos ? -1 : std::atol(finding.place.c_str() + colon + 1);
}

/// What a check found, and a few words about what was checked.
struct Result {
    Diagnostics findings;
    std::vector<std::string> summary;
};

Result result_of_system(const std::string& file) {
    assemble::PrepareOptions options;
    options.assemble.keeps_apart = true;
    std::optional<assemble::PreparedSystem> prepared = assemble::prepare_system(file, options);
    Result result;
    result.findings = prepared->findings;
    if (!has_errors(result.findings)) {
        check_times(*prepared, file, result.findings);
        result.summary = system_summary(*prepared);
    }
    const auto& cycles = prepared->assembly.graph.cycles;
    const bool has_loops = std::ranges::any_of(
        cycles, [](const assemble::SubsystemCycle& cycle) { return !cycle.loops.empty(); });
    prepared.reset();  // an FMU may allow one instance only
    if (has_loops && !has_errors(result.findings)) check_loops(file, result.findings);
    return result;
}

Result result_of_description(const std::string& file) {
    const assemble::DescribedSystem described = assemble::describe_system(file);
    return {described.findings, has_errors(described.findings) ? std::vector<std::string>{}
                                                               : description_summary(described)};
}

Result result_of(const Options& options) {
    Result result;
    Diagnostics& findings = result.findings;
    try {
        if (description::is_system_file(options.fmu))
            return options.no_binary ? result_of_description(options.fmu)
                                     : result_of_system(options.fmu);
        const std::shared_ptr<fmi::Fmu> fmu = fmi::Fmu::open(options.fmu);
        findings = fmu->findings();
        if (options.no_binary) return result;
        check_binaries(*fmu, findings);
    } catch (const InputError& error) {
        add_error(findings, error);
    }
    return result;
}

void sort(Diagnostics& findings) {
    std::stable_sort(findings.begin(), findings.end(), [](const auto& a, const auto& b) {
        if (a.severity != b.severity) return a.severity > b.severity;
        return line_of(a) < line_of(b);
    });
    const auto same = [](const Diagnostic& a, const Diagnostic& b) {
        return a.place == b.place && a.problem == b.problem;
    };
    findings.erase(std::unique(findings.begin(), findings.end(), same), findings.end());
}

void print(const Diagnostic& finding, const Style& style) {
    const bool is_error = finding.severity == Severity::error;
    fmt::print("{} {}\n", is_error ? style.bad("error:") : style.doubtful("warning:"),
               visible(sentence(finding.place, finding.problem, finding.hint)));
}

int check(const Options& options) {
    if (options.rollback_of >= 0) return try_rollback_of(options.fmu, options.rollback_of);
    expect_model_file(options.fmu);
    if (!options.no_binary) load_plugins(options.plugins);
    Result result = result_of(options);
    Diagnostics& findings = result.findings;
    if (options.rollback && !has_errors(findings))
        check_rollback(options.fmu, findings, result.summary);
    sort(findings);
    const Style style(stdout);
    constexpr std::size_t most_shown = 10'000;
    for (std::size_t i = 0; i < std::min(findings.size(), most_shown); ++i)
        print(findings[i], style);
    if (findings.size() > most_shown) fmt::print("... and {} more\n", findings.size() - most_shown);
    const auto errors = std::count_if(findings.begin(), findings.end(),
                                      [](const auto& f) { return f.severity == Severity::error; });
    const auto warnings = static_cast<std::ptrdiff_t>(findings.size()) - errors;
    const std::string verdict = errors > 0     ? style.bad("cannot be used")
                                : warnings > 0 ? style.doubtful("usable")
                                               : style.good("in order");
    fmt::print("{}: {}, {}, {}\n", options.fmu, verdict, counted(errors, "error"),
               counted(warnings, "warning"));
    for (const std::string& line : result.summary) fmt::print("  {}\n", visible(line));
    return errors > 0 ? wrong_input : fine;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
    auto options = std::make_shared<Options>();
    CLI::App* verb = app.add_subcommand("check", "Look for errors and slips in an FMU or a system");
    verb->add_option("model", options->fmu,
                     "An FMU (archive or unpacked folder) or a system (.toml, .ssd, .ssp)")
        ->required()
        ->type_name("FILE");
    CLI::Option* no_binary = verb->add_flag(
        "--no-binary", options->no_binary,
        "Run no code of FMUs and libraries: look at their descriptions only (loading a binary runs "
        "its start-up code)");
    verb->add_flag("--rollback", options->rollback,
                   "Also start it, and let each subsystem that says it can go back repeat steps")
        ->excludes(no_binary);
    verb->add_option("--rollback-of", options->rollback_of)->group("");
    add_plugin_option(*verb, options->plugins);
    verb->footer(
        "Errors make it unusable, warnings do not. The exit code is 2 with errors, else 0.\n\n"
        "Examples:\n  tandem check ball.fmu\n  tandem check system.toml --rollback");
    verb->callback([options, &action] { action = [options] { return check(*options); }; });
}

}  // namespace tandem::cli
