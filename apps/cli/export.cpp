#include <fmt/format.h>

#include <map>
#include <memory>

#include "base/visible.hpp"
#include "description/flatten.hpp"
#include "description/read/read.hpp"
#include "description/write/write_ssp.hpp"
#include "fmi/import/fmu.hpp"
#include "tandem/error.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace tandem::cli {
namespace {

struct Options {
    std::string system;
    std::string output;
};

/// What the FMUs of a system say about their variables; each is opened once.
class FmuLookup {
public:
    std::optional<description::KnownVariable> operator()(
        const description::SubsystemDescription& subsystem, const std::string& name) {
        if (subsystem.type != description::SourceType::fmu) return std::nullopt;
        const fmi::Fmu* fmu = open(subsystem.source.string());
        const auto index = fmu == nullptr ? std::nullopt : fmu->description().find(name);
        if (!index) return std::nullopt;
        const fmi::Variable& variable = fmu->description().variables[*index];
        description::KnownVariable known{variable.type, {}, {}, true};
        for (const fmi::Dimension& dimension : variable.dimensions) {
            known.has_fixed_size = known.has_fixed_size && !dimension.parameter;
            known.dimensions.push_back(dimension.size);
        }
        if (const auto* type = fmu->description().type(variable.declared_type))
            for (const fmi::EnumerationItem& item : type->items)
                known.items.push_back({item.name, item.value});
        return known;
    }

private:
    /// Null if it cannot be opened: packing it will say so.
    const fmi::Fmu* open(const std::string& path) {
        const auto [known, is_new] = fmus_.try_emplace(path);
        try {
            if (is_new) known->second = fmi::Fmu::open(path);
        } catch (const InputError&) {
            return nullptr;
        }
        return known->second.get();
    }

    std::map<std::string, std::shared_ptr<fmi::Fmu>> fmus_;
};

int write_package(const Options& options) {
    if (!description::is_system_file(options.system))
        throw InputError(options.system, "is not a system file", "give a .toml, .ssd or .ssp file");
    Diagnostics findings;
    const description::SystemDescription description =
        description::read_system(options.system, findings);
    description::flatten(description, findings);
    throw_errors(findings);
    const Style style(stderr);
    for (const Diagnostic& finding : description.findings)
        say("{} {}\n", style.doubtful("warning:"),
            visible(sentence(finding.place, finding.problem, finding.hint)));
    description::write_ssp(description, options.output, FmuLookup());
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
