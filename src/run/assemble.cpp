#include "run/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "coupling/catalog.hpp"
#include "run/apply_parameters.hpp"
#include "run/check_capabilities.hpp"
#include "run/check_connectors.hpp"
#include "run/connect.hpp"

namespace tandem::run {
namespace {

OptionValue option_value(const ssp::Setting& setting) {
    switch (setting.type) {
        case ssp::Setting::Type::boolean: return setting.as_boolean();
        case ssp::Setting::Type::integer: return setting.as_integer();
        case ssp::Setting::Type::real: return setting.as_real();
        case ssp::Setting::Type::text: return setting.as_text();
        default: break;
    }
    std::vector<std::string> texts;
    for (const ssp::Setting& entry : setting.entries)
        if (entry.type == ssp::Setting::Type::text) texts.push_back(entry.as_text());
    return texts;
}

constexpr const char* default_method = "jacobi";

coupling::Choice choice_of(const ssp::FlatSystem& flat, const AssembleOptions& options) {
    coupling::Choice choice;
    const std::string of_file =
        flat.coupling.method.empty() ? default_method : flat.coupling.method;
    const bool as_in_file = options.method.empty() || options.method == of_file;
    choice.method = as_in_file ? of_file : options.method;
    choice.place = as_in_file ? flat.coupling.place : "--coupling";
    choice.options = options.coupling_options;
    for (const ssp::Setting& setting : flat.coupling.options)
        if (as_in_file && std::ranges::find(options.coupling_options, setting.key,
                                            &GivenOption::name) == options.coupling_options.end())
            choice.options.push_back({setting.key, option_value(setting), setting.place});
    for (const ssp::FlatSubsystem& subsystem : flat.subsystems) {
        choice.subsystems.push_back(subsystem.name);
        choice.places.push_back(subsystem.place);
        const ssp::Setting* ratio = subsystem.option("step_ratio");
        choice.ratios.push_back(ratio == nullptr ? 1 : static_cast<int>(ratio->as_integer()));
    }
    return choice;
}

CouplingRecord record_of(const coupling::Choice& choice) {
    CouplingRecord record{choice.method, {}, {}};
    for (const coupling::CatalogEntry& entry : coupling::catalog())
        if (entry.name == choice.method) record.explanation = entry.summary;
    for (const GivenOption& option : choice.options)
        record.options.push_back({option.name, to_text(option.value)});
    return record;
}

/// What is wrong with a subsystem stands where the system names it, or further inside its file.
Diagnostic located(const InputError& error, const ssp::FlatSubsystem& description) {
    const std::string file = description.place.substr(0, description.place.rfind(':'));
    if (error.place().starts_with(file))
        return {Severity::error, error.place(), error.problem(), error.hint()};
    return {Severity::error, description.place,
            fmt::format("subsystem '{}': {}: {}", description.name, error.place(), error.problem()),
            error.hint()};
}

std::vector<Ability> abilities_of(const ssp::FlatSystem& flat,
                                  const std::vector<LoadedSubsystem>& parts) {
    std::vector<Ability> abilities;
    for (std::size_t s = 0; s < parts.size(); ++s)
        if (parts[s].subsystem != nullptr)
            abilities.push_back({flat.subsystems[s].name, flat.subsystems[s].place,
                                 parts[s].subsystem->interface().capabilities});
    return abilities;
}

LoadedSubsystem try_load(const ssp::FlatSubsystem& description, const LoadOptions& options,
                         Diagnostics& findings) {
    try {
        return load_subsystem(description, options);
    } catch (const InputError& error) {
        findings.push_back(located(error, description));
    } catch (const FmuError& error) {
        findings.push_back({Severity::error, description.place, error.what(), ""});
    }
    return {};
}

}  // namespace

bool has_errors(const Diagnostics& findings) {
    return std::ranges::any_of(
        findings, [](const Diagnostic& finding) { return finding.severity == Severity::error; });
}

Assembly assemble(const ssp::FlatSystem& flat, const AssembleOptions& options) {
    Assembly assembly;
    LoadOptions load = options.load;
    for (std::size_t s = 0; s < flat.subsystems.size(); ++s) {
        const ssp::FlatSubsystem& subsystem = flat.subsystems[s];
        if (options.on_event)
            load.on_event = [s, notify = options.on_event](double t, bool after) {
                notify(s, t, after);
            };
        const bool skips =
            options.missing_sources_are_known && subsystem.type != ssp::SourceType::model &&
            (subsystem.source_is_refused || !std::filesystem::exists(subsystem.source));
        assembly.parts.push_back(skips ? LoadedSubsystem{}
                                       : try_load(subsystem, load, assembly.findings));
        if (assembly.parts.back().table != nullptr) assembly.tables.push_back(s);
    }
    const Signals signals(flat, assembly.parts, assembly.findings);
    for (std::size_t s = 0; s < flat.subsystems.size(); ++s)
        if (assembly.parts[s].subsystem != nullptr)
            check_connectors(flat.subsystems[s], s, signals);
    for (std::size_t s = 0; s < flat.subsystems.size(); ++s)
        if (assembly.parts[s].subsystem != nullptr)
            apply_parameters(flat.subsystems[s], s, assembly.parts[s], signals);
    apply_settings(options.set, flat, assembly.parts, signals);
    Connector connector(flat, assembly.parts, signals);
    for (const ssp::FlatConnection& connection : flat.connections) connector.connect(connection);
    for (const ssp::FlatFunction& function : flat.functions) connector.connect(function);
    // A connection that is wrong would have fed its input.
    if (!has_errors(assembly.findings)) connector.report_unconnected();
    const coupling::Choice choice = choice_of(flat, options);
    assembly.coupling = coupling::make_coupling(choice, assembly.findings);
    assembly.coupling_record = record_of(choice);
    if (assembly.coupling)
        check_capabilities(assembly.coupling->needs(), choice.method,
                           abilities_of(flat, assembly.parts), assembly.findings);
    const bool complete = std::ranges::all_of(
        assembly.parts, [](const LoadedSubsystem& part) { return part.subsystem != nullptr; });
    if (!complete || has_errors(assembly.findings)) return assembly;

    std::vector<std::unique_ptr<Subsystem>> subsystems;
    for (LoadedSubsystem& part : assembly.parts) subsystems.push_back(std::move(part.subsystem));
    PortLinks connected{std::move(connector.links), std::move(connector.functions),
                        std::move(connector.typed_links)};
    select_connected_ports(subsystems, options.free_inputs, connected);
    assembly.typed_links = std::make_unique<TypedLinks>(subsystems, std::move(connected.typed));
    assembly.system = std::make_unique<System>(std::move(subsystems), std::move(connected.links),
                                               std::move(connected.functions));
    assembly.connections = std::move(connector.records);
    return assembly;
}

}  // namespace tandem::run
