#include "assemble/prepare_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "assemble/choose_kinds.hpp"
#include "assemble/load/driving_table.hpp"
#include "assemble/load/plugin.hpp"
#include "base/names.hpp"
#include "description/read/read.hpp"
#include "results/check_report.hpp"

namespace tandem::assemble {
namespace {

/// The same may be found in several ways, once perhaps as a warning: then the error counts.
Diagnostics without_repeats(const Diagnostics& findings) {
    Diagnostics all;
    std::set<std::pair<std::string, std::string>> seen;
    for (const Severity severity : {Severity::error, Severity::warning})
        for (const Diagnostic& finding : findings)
            if (finding.severity == severity && seen.emplace(finding.place, finding.problem).second)
                all.push_back(finding);
    return all;
}

std::vector<std::string> variable_names(const description::FlatSystem& flat,
                                        const std::vector<Variables*>& variables) {
    std::vector<std::string> names;
    for (std::size_t s = 0; s < variables.size(); ++s)
        for (const VariableInfo& info : variables[s]->list())
            names.push_back(flat.subsystems[s].name + "." + info.name);
    return names;
}

void check_patterns(const std::vector<std::string>& patterns, const std::vector<std::string>& names,
                    const std::string& place, Diagnostics& findings) {
    for (const std::string& pattern : patterns)
        if (std::ranges::none_of(names,
                                 [&](const std::string& name) { return matches(pattern, name); }))
            findings.push_back(
                {Severity::error, place,
                 fmt::format("no variable matches '{}', which is to be recorded", pattern),
                 did_you_mean(pattern, names,
                              "patterns are like 'wheel.*'; tandem info --all lists the variables "
                              "of an FMU")});
}

/// Only for a system whose subsystems are all there: otherwise a pattern may be meant for a missing
/// one.
void check_recording(PreparedSystem& prepared, bool given) {
    const description::Recording& recording = prepared.flat.recording;
    const bool reports = !prepared.flat.report.place.empty();
    if (recording.variables.empty() && recording.exclude.empty() && !reports) return;
    std::vector<Variables*> variables;
    const Assembly& assembly = prepared.assembly;
    for (std::size_t s = 0; s < assembly.parts.size(); ++s) {
        if (!assembly.system && assembly.parts[s].subsystem == nullptr) return;
        variables.push_back(assembly.system ? assembly.members[s].variables
                                            : &assembly.parts[s].subsystem->variables());
    }
    const std::vector<std::string> names = variable_names(prepared.flat, variables);
    check_patterns(recording.variables, names, given ? "--record" : recording.place,
                   prepared.findings);
    check_patterns(recording.exclude, names, recording.place, prepared.findings);
    if (reports)
        results::check_report(prepared.flat, results::recorded_columns(prepared.flat, variables),
                              given, prepared.findings);
}

void choose_exchange(const std::string& exchange, description::FlatSystem& flat,
                     Diagnostics& findings) {
    if (exchange.empty()) return;
    if (flat.tlm.empty())
        findings.push_back({Severity::error, "--exchange", "the system has no transmission lines",
                            "it says how waves come to their ends; leave it out"});
    for (description::FlatTlm& line : flat.tlm)
        for (description::FlatTlmEnd& end : line.ends) end.exchange = exchange;
}

/// With FMUs of both kinds as Model Exchange, if that makes equations of them; otherwise nothing is
/// assembled, and an FMU that cannot be used so becomes a warning.
void assemble_equations(PreparedSystem& prepared, AssembleOptions assembling,
                        Diagnostics& findings) {
    const KindChoice kinds = choose_kinds(prepared.flat, assembling.coupling);
    if (kinds.model_exchange.empty()) return;
    assembling.as_model_exchange = kinds.model_exchange;
    if (!assembling.load.tolerance) assembling.load.tolerance = kinds.tolerance;
    Assembly tried = assemble(prepared.flat, assembling);
    if (tried.system && tried.coupling_record.method == coupling::aggregate_name &&
        !has_errors(tried.findings)) {
        prepared.assembly = std::move(tried);
        return;
    }
    const auto failed = [&](std::size_t s) { return !tried.system && !tried.parts[s].subsystem; };
    if (std::ranges::none_of(kinds.model_exchange, failed)) return;
    const auto reason = std::ranges::find(tried.findings, Severity::error, &Diagnostic::severity);
    findings.push_back({Severity::warning, reason->place,
                        "FMUs that offer both kinds are not taken as Model Exchange, because one "
                        "cannot be: " +
                            reason->problem,
                        "say kind = \"cs\" to choose that yourself"});
}

}  // namespace

PreparedSystem prepare_system(const std::string& file, const PrepareOptions& options) {
    Diagnostics findings;
    const description::SystemDescription description = description::read_system(file, findings);
    return prepare_system(description, std::move(findings), options);
}

PreparedSystem prepare_system(const description::SystemDescription& description,
                              Diagnostics findings, const PrepareOptions& options) {
    PreparedSystem prepared;
    prepared.flat = description::flatten(description, findings);
    if (!options.record.empty()) prepared.flat.recording.variables = options.record;
    choose_exchange(options.exchange, prepared.flat, findings);
    if (!options.input.empty()) add_driving_table(options.input, prepared.flat, findings);
    if (prepared.flat.is_cut_off) {
        prepared.findings = without_repeats(findings);
        return prepared;
    }
    for (const std::string& plugin : options.plugins)
        prepared.flat.plugins.push_back({plugin, "--plugin"});
    if (options.before_loading) options.before_loading(prepared.flat);
    for (const description::PluginFile& plugin : prepared.flat.plugins)
        load_plugin(plugin.path, plugin.place);
    AssembleOptions assembling = options.assemble;
    assembling.missing_sources_are_known = true;
    if (!assembling.load.tolerance) assembling.load.tolerance = prepared.flat.experiment.tolerance;
    if (options.chooses_kinds) assemble_equations(prepared, assembling, findings);
    if (!prepared.assembly.system) prepared.assembly = assemble(prepared.flat, assembling);
    const Diagnostics& more = prepared.assembly.findings;
    findings.insert(findings.end(), more.begin(), more.end());
    prepared.findings = without_repeats(findings);
    check_recording(prepared, !options.record.empty());
    return prepared;
}

}  // namespace tandem::assemble
