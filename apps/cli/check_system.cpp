#include "check_system.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "core/time_grid.hpp"
#include "run/initialise.hpp"
#include "run/run_size.hpp"
#include "run/watch/delayed_loops.hpp"
#include "run/watch/time_resolution.hpp"

namespace tandem::cli {
namespace {

constexpr std::size_t most_names = 12;

/// Names with something between, the rest as a number.
std::string list(std::vector<std::string> names, const std::string& separator) {
    const std::size_t more = names.size() > most_names ? names.size() - most_names : 0;
    names.resize(names.size() - more);
    return fmt::format("{}{}", fmt::join(names, separator),
                       more > 0 ? fmt::format("{}and {} more", separator, more) : "");
}

/// "2 x co-simulation, 1 x csv"
template <class Part>
std::string kinds_of(const std::vector<Part>& parts) {
    std::vector<std::pair<std::string, int>> kinds;
    for (const Part& part : parts) {
        const auto known = std::ranges::find(kinds, part.kind, &std::pair<std::string, int>::first);
        if (known == kinds.end())
            kinds.emplace_back(part.kind, 1);
        else
            ++known->second;
    }
    std::vector<std::string> texts;
    for (const auto& [kind, count] : kinds) texts.push_back(fmt::format("{} {}", count, kind));
    return fmt::format("{}", fmt::join(texts, ", "));
}

std::vector<std::string> ratios_of(const description::FlatSystem& flat) {
    std::vector<std::string> texts;
    for (const description::FlatSubsystem& subsystem : flat.subsystems)
        if (const description::Setting* ratio = subsystem.option("step_ratio"))
            texts.push_back(fmt::format("{} {}", subsystem.name, ratio->as_integer()));
    return texts;
}

void add_lines(const std::vector<LineRecord>& records, std::vector<std::string>& texts) {
    if (!records.empty()) texts.push_back(fmt::format("lines            {}", records.size()));
    for (std::size_t k = 0; k < std::min(records.size(), most_names); ++k)
        texts.push_back(fmt::format(
            "  {}: {} ({}) - {} ({}), delay {:.6g} s, impedance {:.6g}", records[k].name,
            records[k].ends[0].subsystem, records[k].ends[0].exchange, records[k].ends[1].subsystem,
            records[k].ends[1].exchange, records[k].delay, records[k].impedance));
}

void add_cycles(const assemble::SystemGraph& graph, std::vector<std::string>& lines) {
    lines.push_back(fmt::format("cycles           {}", graph.cycles.size()));
    std::vector<std::string> loops;
    for (const assemble::SubsystemCycle& cycle : graph.cycles) {
        std::vector<std::string> names;
        for (const int s : cycle.members) names.push_back(graph.names[static_cast<std::size_t>(s)]);
        const bool is_discrete = cycle.round == assemble::Round::discrete;
        lines.push_back(fmt::format("  {}{}", list(names, ", "),
                                    is_discrete ? " (through discrete values only)" : ""));
        for (const auto& loop : cycle.loops)
            loops.push_back(fmt::format("  {} -> {}", list(loop, " -> "), loop.front()));
    }
    lines.push_back(fmt::format("algebraic loops  {}", loops.size()));
    lines.insert(lines.end(), loops.begin(), loops.end());
}

}  // namespace

void check_times(assemble::PreparedSystem& prepared, const std::string& file,
                 Diagnostics& findings) {
    const description::Experiment& times = prepared.flat.experiment;
    if (!times.stop) {
        findings.push_back({Severity::warning, file, "no stop time is given",
                            "write stop = ... under [experiment], or run it with --stop"});
        if (times.step) assemble::expect_line_steps(prepared.assembly, *times.step, findings);
        return;
    }
    const double start = times.start.value_or(0.0);
    std::optional<TimeGrid> grid;
    try {
        grid.emplace(start, *times.stop, times.step.value_or(default_step(start, *times.stop)),
                     TimePlaces{times.place, times.place, times.place});
    } catch (const InputError& error) {
        findings.push_back({Severity::error, error.place(), error.problem(), error.hint()});
        return;
    }
    assemble::expect_line_steps(prepared.assembly, grid->step(), findings);
    const double latest = std::max(std::abs(start), std::abs(grid->stop()));
    run::check_time_resolution(prepared.flat, prepared.assembly, {grid->step(), latest}, findings);
    std::ranges::move(run::size_warnings(*grid, times.place), std::back_inserter(findings));
    const double steps = (grid->stop() - start) / grid->step();
    constexpr double rounding = 1e-9;  // as TimeGrid has it
    if (std::abs(steps - std::round(steps)) <= rounding * std::max(1.0, steps)) return;
    std::vector<std::string> rigid;
    System& system = *prepared.assembly.system;
    for (int s = 0; s < system.size(); ++s)
        if (!system.at(s).interface().capabilities.variable_step)
            rigid.push_back(system.at(s).name());
    if (rigid.empty()) return;
    findings.push_back({Severity::warning, times.place,
                        fmt::format("the last step is shorter, but these cannot vary their step: "
                                    "{}",
                                    list(rigid, ", ")),
                        "choose a stop time that is a multiple of the step"});
}

void check_loops(const std::string& file, Diagnostics& findings) {
    assemble::PreparedSystem prepared = assemble::prepare_system(file, {});
    assemble::Assembly& assembly = prepared.assembly;
    if (has_errors(prepared.findings) || assembly.coupling->needs(*assembly.system).solves_loops)
        return;
    const description::Experiment& times = prepared.flat.experiment;
    const double start = times.start.value_or(0.0);
    const double stop = times.stop.value_or(start + 1.0);
    Diagnostics known;
    assemble::expect_line_steps(assembly, times.step.value_or(default_step(start, stop)), known);
    Diagnostics found;
    std::vector<assemble::AlgebraicLoop> loops;
    try {
        run::initialise(*assembly.system, {start, times.stop, times.tolerance},
                        assembly.typed_links.get(),
                        [&] { loops = assemble::linearise_loops(*assembly.system, start); });
        if (!run::can_solve_between_steps(assembly, loops))
            found = run::delayed_loop_findings(assembly, loops);
    } catch (const RefusedValue& error) {
        const InputError refused = assemble::refused_value(error, assembly);
        found = {{Severity::error, refused.place(), refused.problem(), refused.hint()}};
    } catch (const std::runtime_error& error) {
        found = {{Severity::warning, file,
                  fmt::format("whether its algebraic loops can be solved is not known, because it "
                              "cannot be initialised: {}",
                              error.what()),
                  ""}};
    }
    for (Diagnostic& finding : found) {
        if (finding.place.empty()) finding.place = file;
        findings.push_back(std::move(finding));
    }
}

std::vector<std::string> system_summary(const assemble::PreparedSystem& prepared) {
    const assemble::Assembly& assembly = prepared.assembly;
    const assemble::SystemGraph& graph = assembly.graph;
    std::vector<std::string> lines;
    lines.push_back(
        fmt::format("subsystems       {} ({})", assembly.parts.size(), kinds_of(assembly.parts)));
    lines.push_back(fmt::format("connections      {}", assembly.connections.size()));
    if (!assembly.system->functions().empty())
        lines.push_back(fmt::format("functions        {}", assembly.system->functions().size()));
    add_lines(assemble::line_records(assembly.lines), lines);
    if (!prepared.flat.events.empty())
        lines.push_back(fmt::format("events           {}", prepared.flat.events.size()));
    lines.push_back(fmt::format("coupling         {}: {}", assembly.coupling_record.method,
                                assembly.coupling_record.explanation));
    const std::vector<std::string> ratios = ratios_of(prepared.flat);
    if (!ratios.empty()) lines.push_back("step ratios      " + list(ratios, ", "));
    add_cycles(graph, lines);
    return lines;
}

std::vector<std::string> description_summary(const assemble::DescribedSystem& described) {
    std::vector<std::string> lines;
    lines.push_back(fmt::format("subsystems       {} ({}), none of them loaded",
                                described.record.subsystems.size(),
                                kinds_of(described.record.subsystems)));
    if (!described.not_looked_at.empty())
        lines.push_back("not looked at    " + list(described.not_looked_at, ", "));
    lines.push_back(fmt::format("connections      {}", described.record.connections.size()));
    add_cycles(described.graph, lines);
    return lines;
}

}  // namespace tandem::cli
