#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "assemble/load/assignment.hpp"
#include "base/visible.hpp"
#include "files/whole_file.hpp"
#include "fmi/import/fmu.hpp"
#include "foreign/read.hpp"
#include "foreign/write.hpp"
#include "tandem/error.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace tandem::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
    std::string source;
    std::string config;
    std::string output;
};

foreign::ModelFacts facts_of(const fs::path& path) {
    using fmi::Causality;
    const std::shared_ptr<fmi::Fmu> fmu = fmi::Fmu::open(path);
    foreign::ModelFacts facts;
    facts.name = fmu->description().model_name;
    for (const fmi::Variable& variable : fmu->description().variables) {
        foreign::VariableFacts known;
        known.type = variable.type;
        known.is_output = variable.causality == Causality::output ||
                          variable.causality == Causality::calculated_parameter;
        known.is_input = variable.causality == Causality::input;
        known.unit = variable.attributes.unit;
        known.why_not_settable = assemble::why_not_settable(variable);
        facts.variables.emplace(variable.name, known);
        for (const fmi::Alias& alias : variable.aliases) facts.variables.emplace(alias.name, known);
    }
    return facts;
}

/// Without --output a file that is there stays.
std::string output_of(const Options& options) {
    if (!options.output.empty()) return options.output;
    if (fs::exists("system.toml"))
        throw InputError("system.toml", "exists already",
                         "remove it, or say with --output where to write");
    return "system.toml";
}

int import_system(const Options& options) {
    const std::string output = output_of(options);
    const foreign::System system = foreign::read_system({options.source, options.config}, facts_of);
    const Style style(stderr);
    for (const Diagnostic& note : system.notes)
        say("{} {}\n", style.doubtful("warning:"),
            visible(sentence(note.place, note.problem, note.hint)));
    const bool is_standard_output = output == "-";
    const std::string text = foreign::system_file_text(
        system, is_standard_output ? "." : fs::path(output).parent_path());
    if (is_standard_output) {
        fmt::print("{}", text);
        return fine;
    }
    write_whole_file(output, "say with --output where to write", text);
    fmt::print(
        "{}: {}, {}; {}\n", output, counted(system.subsystems.size(), "subsystem"),
        counted(system.connections.size() + system.sums.size(), "connection"),
        system.notes.empty() ? "all was taken over" : "what was not taken over stands at its head");
    return fine;
}

}  // namespace

void add_import(CLI::App& app, Action& action) {
    auto options = std::make_shared<Options>();
    CLI::App* verb = app.add_subcommand("import", "Make a system file of a system of another tool");
    verb->add_option("source", options->source,
                     "OspSystemStructure.xml or its folder, a .msim of MasterSim, or a multi-model "
                     "of maestro (.json)")
        ->required()
        ->type_name("FILE");
    verb->add_option("-o,--output", options->output,
                     "The system file to write; - is standard output. Without it: system.toml, "
                     "which must not exist")
        ->type_name("FILE.toml");
    verb->add_option("--config", options->config,
                     "maestro: the co-simulation configuration; without it, the one beside the "
                     "multi-model")
        ->type_name("FILE.json");
    verb->footer(
        "Warnings, and comments at the head of the file, tell what was not taken over.\n\n"
        "Example:\n  tandem import OspSystemStructure.xml -o system.toml\n"
        "  tandem check system.toml");
    verb->callback([options, &action] { action = [options] { return import_system(*options); }; });
}

}  // namespace tandem::cli
