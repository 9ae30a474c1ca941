#include "assemble/assemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "assemble/apply_parameters.hpp"
#include "assemble/apply_scales.hpp"
#include "assemble/check_capabilities.hpp"
#include "assemble/connect/check_connectors.hpp"
#include "assemble/connect/power_bonds.hpp"
#include "assemble/connect/show_sources.hpp"
#include "assemble/solver_settings.hpp"
#include "base/listed.hpp"

namespace tandem::assemble {
namespace {

CouplingRecord record_of(const stepsize::ControlChoice& choice) {
    CouplingRecord record{choice.method, {}, {}};
    if (const stepsize::ControlRow* row = stepsize::controls().find(choice.method))
        record.explanation = row->summary;
    for (const GivenOption& option : choice.options)
        record.options.push_back({option.name, to_text(option.value)});
    return record;
}

/// What is wrong with a subsystem stands where the system names it, or further inside its file.
Diagnostic located(const InputError& error, const description::FlatSubsystem& description) {
    const std::string file = description.place.substr(0, description.place.rfind(':'));
    if (error.place().starts_with(file))
        return {Severity::error, error.place(), error.problem(), error.hint()};
    return {Severity::error, description.place,
            fmt::format("subsystem '{}': {}: {}", description.name, error.place(), error.problem()),
            error.hint()};
}

/// A group takes the step_ratio that its members give, if any do.
void take_group_ratios(const description::FlatSystem& flat, const Aggregation& all,
                       std::vector<int>& ratios, Diagnostics& findings) {
    std::vector<const description::FlatSubsystem*> givers(all.groups.size(), nullptr);
    for (std::size_t s = 0; s < all.members.size(); ++s) {
        const auto group = static_cast<std::size_t>(all.members[s].place);
        const description::Setting* given = flat.subsystems[s].option("step_ratio");
        if (group >= all.groups.size() || given == nullptr) continue;
        const auto ratio = static_cast<int>(given->as_integer());
        if (givers[group] != nullptr && ratios[group] != ratio)
            findings.push_back(
                {Severity::error, given->place,
                 fmt::format("step_ratio {} of '{}' differs from {} of '{}', and both are in one "
                             "equation, which steps as a whole",
                             ratio, flat.subsystems[s].name, ratios[group], givers[group]->name),
                 "give the same to both, or to one of them only"});
        if (givers[group] == nullptr) ratios[group] = ratio;
        givers[group] = &flat.subsystems[s];
    }
}

/// The same choice for a system in which some have become one: the groups come first.
coupling::Choice adapted(coupling::Choice choice, const Aggregation& all) {
    const coupling::Choice before = choice;
    choice.subsystems.clear(), choice.ratios.clear(), choice.places.clear();
    for (const auto& subsystem : all.subsystems) choice.subsystems.push_back(subsystem->name());
    choice.ratios.assign(all.subsystems.size(), 1);
    choice.places.assign(all.subsystems.size(), before.place);
    for (std::size_t s = 0; s < all.members.size(); ++s) {
        const auto place = static_cast<std::size_t>(all.members[s].place);
        if (place < all.groups.size()) continue;
        choice.ratios[place] = before.ratios[s];
        choice.places[place] = before.places[s];
    }
    return choice;
}

AggregateOptions aggregate_options(const coupling::Choice& choice, const AssembleOptions& options) {
    AggregateOptions result;
    result.ports = options.ports;
    result.on_event = options.on_event;
    if (choice.method != coupling::aggregate_name) return result;
    result.keeps_apart = options.keeps_apart;
    const bool by_cycles = coupling::aggregate_choice(choice).clusters == "cycles";
    result.clusters = by_cycles ? Clusters::cycles : Clusters::all;
    result.host = equation_options(choice, options.load);
    return result;
}

LoadedSubsystem try_load(const description::FlatSubsystem& description, const LoadOptions& options,
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

void warn_of_nothing(const std::string& place, Assembly& assembly) {
    if (std::ranges::any_of(assembly.parts,
                            [](const LoadedSubsystem& part) { return part.hosted != nullptr; }))
        return;
    assembly.findings.push_back(
        {Severity::warning, place,
         "there is no Model Exchange or native model, so nothing is aggregated",
         "use kind = \"me\" where an FMU offers it, or the coupling jacobi"});
}

/// What the subsystem must not use together with others: what its file says, or the library of an
/// FMU, unless that is made with the kit, whose models keep all they know in themselves. Empty:
/// nothing.
std::string shared_by(const description::FlatSubsystem& description, const LoadedSubsystem& part) {
    if (const description::Setting* said = description.option("shares"))
        return said->as_text().empty() ? "" : "shares " + said->as_text();
    if (part.fmu == nullptr) return "";
    const auto kind =
        part.kind == "model exchange" ? fmi::Kind::model_exchange : fmi::Kind::co_simulation;
    return part.fmu->is_reentrant(kind) ? "" : "library " + part.fmu->library_path(kind).string();
}

/// For each subsystem of the system, numbers of what its parts share with others.
std::vector<std::vector<int>> shared_things(const description::FlatSystem& flat,
                                            const Assembly& assembly, std::size_t size) {
    std::map<std::string, int> numbers;
    std::vector<std::vector<int>> shared(size);
    for (std::size_t s = 0; s < assembly.parts.size(); ++s) {
        const std::string thing = shared_by(flat.subsystems[s], assembly.parts[s]);
        if (thing.empty()) continue;
        const int number = numbers.emplace(thing, static_cast<int>(numbers.size())).first->second;
        shared[static_cast<std::size_t>(assembly.members[s].place)].push_back(number);
    }
    return shared;
}

/// Whether aggregation, which was left out to look at the system, would leave this between two.
bool is_left_by_aggregation(const Assembly& assembly, int from, int to) {
    const LoadedSubsystem& source = assembly.parts[static_cast<std::size_t>(from)];
    const bool is_model = source.hosted != nullptr || source.table != nullptr;
    return !is_model || assembly.parts[static_cast<std::size_t>(to)].hosted == nullptr;
}

/// For couplings that do not follow links: nothing may go from one subsystem to another, be it by a
/// link, by a function, or a value that is not real.
void refuse_links(const coupling::Choice& choice, Assembly& assembly, bool keeps_apart) {
    const bool aggregates = choice.method == coupling::aggregate_name;
    const numerics::Graph flows = assembly.system->flow_graph();
    for (int from = 0; from < flows.size(); ++from)
        for (const int to : flows.successors(from)) {
            if (from == to) continue;
            if (aggregates && keeps_apart && !is_left_by_aggregation(assembly, from, to)) continue;
            assembly.findings.push_back(
                {Severity::error, choice.place,
                 fmt::format("'{}' feeds '{}' by a connection or coupling function, but with {} "
                             "nothing except transmission lines may be between them",
                             assembly.system->at(from).name(), assembly.system->at(to).name(),
                             aggregates ? std::string("outer = \"asynchronous\"")
                                        : fmt::format("the coupling '{}'", choice.method)),
                 fmt::format("put a transmission line between them ([[tlm]]), or choose another {}",
                             aggregates ? "outer" : "coupling")});
            return;
        }
}

/// Models that feed each other but could not become one equation exchange sampled values.
void warn_of_equations_apart(const coupling::Choice& choice, const Aggregation& all,
                             Diagnostics& findings) {
    if (all.apart.empty()) return;
    const auto name = [&](int s) { return all.members[static_cast<std::size_t>(s)].name; };
    const auto [from, to] = all.apart.front();
    const std::size_t more = all.apart.size() - 1;
    findings.push_back(
        {Severity::warning, choice.place,
         fmt::format("'{}' feeds '{}'{}, but a subsystem with a step of its own is between them on "
                     "another way: they are two equations, which exchange values at communication "
                     "points only",
                     name(from), name(to),
                     more > 0 ? fmt::format(" (and {} more {} like these)", more,
                                            more == 1 ? "connection is" : "connections are")
                              : std::string()),
         "use kind = \"me\" for the subsystem between them, or outer = \"iterative\", or make the "
         "step small"});
}

void put_together(Assembly& assembly, const description::FlatSystem& flat,
                  const coupling::Choice& choice, PortLinks connected,
                  const AssembleOptions& options) {
    std::vector<std::unique_ptr<Subsystem>> subsystems;
    for (LoadedSubsystem& part : assembly.parts) subsystems.push_back(std::move(part.subsystem));
    assembly.followers = select_connected_ports(subsystems, options.ports, connected);
    assembly.graph = analyse(subsystems, connected);
    Aggregation all = aggregate(std::move(subsystems), assembly.parts, std::move(connected),
                                aggregate_options(choice, options));
    std::vector<Variables*> variables;
    for (const Member& member : all.members) variables.push_back(member.variables);
    warn_of_equations_apart(choice, all, assembly.findings);
    assembly.lines = attach_lines(flat, all, assembly.findings);
    coupling::Choice inner = adapted(choice, all);
    take_group_ratios(flat, all, inner.ratios, assembly.findings);
    assembly.ratios = inner.ratios;
    assembly.coupling_choice = inner;
    if (!all.groups.empty() && !has_errors(assembly.findings))
        assembly.coupling = coupling::make_coupling(inner, assembly.findings);
    for (std::size_t s = 0; s < assembly.parts.size(); ++s)
        if (!all.members[s].prefix.empty()) assembly.parts[s].hosted = nullptr;
    std::vector<std::pair<int, int>> flows;
    for (const TypedLink& link : all.links.typed)
        flows.emplace_back(all.members[static_cast<std::size_t>(link.from.subsystem)].place,
                           all.members[static_cast<std::size_t>(link.to.subsystem)].place);
    assembly.typed_links = std::make_unique<TypedLinks>(variables, std::move(all.links.typed));
    assembly.switches = std::make_unique<Switches>(all.links.functions);
    assembly.system = std::make_unique<System>(
        std::move(all.subsystems), std::move(all.links.links), std::move(all.links.functions));
    assembly.system->schedule().set_other_flows(std::move(flows));
    assembly.system->schedule().set_delayed_flows(assembly.lines.flows());
    if (!assembly.coupling->needs(*assembly.system).follows_links)
        refuse_links(choice, assembly, options.keeps_apart);
    assembly.members = std::move(all.members);
    assembly.tables = std::move(all.tables);
    assembly.groups = std::move(all.groups);
}

/// `needs` of each subsystem of the System; groups are left out, they can do everything.
std::vector<Ability> abilities(const description::FlatSystem& flat, const Assembly& assembly,
                               const std::vector<Capabilities>& needs) {
    std::vector<Ability> abilities;
    for (std::size_t s = 0; !needs.empty() && s < assembly.members.size(); ++s) {
        const Member& member = assembly.members[s];
        if (!member.prefix.empty()) continue;
        abilities.push_back({member.name, flat.subsystems[s].place,
                             assembly.system->at(member.place).interface().capabilities,
                             needs[static_cast<std::size_t>(member.place)]});
    }
    return abilities;
}

/// The error of a step is that of connected outputs: others are not read in each step.
void warn_of_unwatched(const stepsize::ControlChoice& choice, Assembly& assembly) {
    std::vector<std::string> unwatched;
    for (const Member& member : assembly.members) {
        const Interface& interface = assembly.system->at(member.place).interface();
        if (!interface.inputs.empty() && interface.outputs.empty())
            unwatched.push_back(fmt::format("'{}'", member.name));
    }
    if (unwatched.empty()) return;
    assembly.findings.push_back(
        {Severity::warning, choice.place,
         fmt::format("step control '{}' does not see errors of {}, of which no real output is "
                     "connected",
                     choice.method, listed(unwatched)),
         "let max_step under [step_control] be short enough for its inputs"});
}

void prepare_control(const description::FlatSystem& flat, const stepsize::ControlChoice& choice,
                     Assembly& assembly) {
    if (!assembly.control.control) return;
    if (assembly.system->size() == 1) {
        assembly.control.control.reset();
        assembly.control_record = record_of(stepsize::ControlChoice{});
        assembly.findings.push_back(
            {Severity::warning, choice.place,
             fmt::format("step control '{}' has no effect: {}", choice.method,
                         assembly.members.size() > 1 ? "all models have become one equation"
                                                     : "there is one subsystem"),
             "leave it out"});
        return;
    }
    const Capabilities needed{.rollback = assembly.control.control->repeats_in_halves(),
                              .variable_step = true};
    const std::vector<Capabilities> needs(static_cast<std::size_t>(assembly.system->size()),
                                          needed);
    check_capabilities(
        abilities(flat, assembly, needs), fmt::format("step control '{}'", choice.method),
        needed.rollback ? "use prediction_error, which repeats no step, or fixed" : "use fixed",
        assembly.findings);
    assembly.bonds =
        power_bonds(flat.bonds, assembly.connections, assembly.members, *assembly.system);
    if (assembly.control.needs_bonds && assembly.bonds.empty())
        assembly.findings.push_back(
            {Severity::error, choice.place,
             fmt::format("step control '{}' needs bonds between subsystems that step on their own",
                         choice.method),
             "list them under [[bonds]], or use richardson or prediction_error"});
    if (!assembly.control.needs_bonds) warn_of_unwatched(choice, assembly);
}

/// A coupling of a plug-in may say too little: of the others nothing is needed.
std::vector<Capabilities> needs_of(const Assembly& assembly) {
    std::vector<Capabilities> needs = assembly.coupling->needs(*assembly.system).capabilities;
    if (!needs.empty()) needs.resize(static_cast<std::size_t>(assembly.system->size()));
    return needs;
}

}  // namespace

Assembly assemble(const description::FlatSystem& flat, const AssembleOptions& options) {
    Assembly assembly;
    LoadOptions load = options.load;
    const bool aggregates =
        (options.coupling.method.empty() ? flat.coupling.method : options.coupling.method) ==
        coupling::aggregate_name;
    for (std::size_t s = 0; s < flat.subsystems.size(); ++s) {
        const description::FlatSubsystem& subsystem = flat.subsystems[s];
        if (options.on_event)
            load.on_event = [s, notify = options.on_event](double t, bool after) {
                notify(std::span(&s, 1), t, after);
            };
        load.prefers_model_exchange =
            aggregates || std::ranges::binary_search(options.as_model_exchange, s);
        const bool skips =
            options.missing_sources_are_known && subsystem.type != description::SourceType::model &&
            subsystem.type != description::SourceType::extension &&
            (subsystem.source_is_refused || !std::filesystem::exists(subsystem.source));
        assembly.parts.push_back(skips ? LoadedSubsystem{}
                                       : try_load(subsystem, load, assembly.findings));
    }
    const Signals signals(flat, assembly.parts, assembly.findings);
    for (std::size_t s = 0; s < flat.subsystems.size(); ++s)
        if (assembly.parts[s].subsystem != nullptr) {
            check_connectors(flat.subsystems[s], s, signals);
            warn_of_unused_keys(flat.subsystems[s], assembly.parts[s], assembly.findings);
        }
    for (std::size_t s = 0; s < flat.subsystems.size(); ++s)
        if (assembly.parts[s].subsystem != nullptr)
            apply_parameters(flat.subsystems[s], s, assembly.parts[s], signals);
    apply_impedances(flat, assembly.parts, signals);
    apply_settings(options.set, flat, assembly.parts, signals);
    for (std::size_t s = 0; s < flat.subsystems.size(); ++s)
        if (assembly.parts[s].subsystem != nullptr)
            apply_scales(flat.subsystems[s], s, assembly.parts[s], signals);
    show_sources(flat, assembly.parts);
    Connector connector(flat, assembly.parts, signals);
    for (const description::FlatConnection& connection : flat.connections)
        connector.connect(connection);
    for (const description::FlatFunction& function : flat.functions) connector.connect(function);
    for (const description::FlatTlm& line : flat.tlm) connector.connect(line);
    connector.hold_columns();
    const Wiring wiring{connector.flows(), !connector.typed_links.empty()};
    const ChosenCoupling chosen = choose_coupling(
        {flat, assembly.parts, wiring, options.as_model_exchange}, options.coupling);
    const coupling::Choice& choice = chosen.choice;
    connector.connect(flat.events, choice.method == coupling::aggregate_name);
    connector.report_unmet_units();
    // A connection that is wrong would have fed its input.
    if (!has_errors(assembly.findings) && options.ports != KeptPorts::all)
        connector.report_unconnected();
    assembly.coupling = coupling::make_coupling(choice, assembly.findings);
    if (assembly.coupling != nullptr && choice.method == coupling::aggregate_name)
        check_equation_options(choice, options.load, assembly.findings);
    assembly.as_model_exchange = options.as_model_exchange;
    assembly.coupling_record = chosen.record;
    assembly.coupling_is_decided = chosen.is_decided_here;
    const stepsize::ControlChoice control = choose_step_control(flat, options.step_control);
    assembly.control = stepsize::make_control(control, assembly.findings);
    assembly.control_record = record_of(control);
    const bool complete = std::ranges::all_of(
        assembly.parts, [](const LoadedSubsystem& part) { return part.subsystem != nullptr; });
    if (!complete || has_errors(assembly.findings)) return assembly;
    if (choice.method == coupling::aggregate_name) {
        warn_of_own_solvers(flat, assembly.parts, assembly.findings);
        warn_of_tolerances(flat, assembly.parts, equation_options(choice, options.load).solver,
                           assembly.findings);
        warn_of_nothing(choice.place, assembly);
    }
    put_together(assembly, flat, choice,
                 {std::move(connector.links), std::move(connector.functions),
                  std::move(connector.typed_links), std::move(connector.events),
                  std::move(connector.line_ends)},
                 options);
    assembly.system->schedule().set_shared(
        shared_things(flat, assembly, static_cast<std::size_t>(assembly.system->size())));
    assembly.connections = std::move(connector.records);
    check_capabilities(
        abilities(flat, assembly, needs_of(assembly)), fmt::format("coupling '{}'", choice.method),
        "use kind = \"me\" if its FMU offers Model Exchange, options that need less, "
        "or the coupling gauss_seidel or jacobi",
        assembly.findings);
    prepare_control(flat, control, assembly);
    assembly.functions = std::move(connector.function_records);
    assembly.fed = connector.fed();
    return assembly;
}

InputError refused_value(const RefusedValue& error, const Assembly& assembly) {
    const auto member = std::ranges::find(assembly.members, error.instance(), &Member::name);
    expects(member != assembly.members.end(), "instances have the names of subsystems");
    const auto& places =
        assembly.parts[static_cast<std::size_t>(member - assembly.members.begin())].places;
    const auto place = places.find(error.variable());
    expects(place != places.end(), "the place of each value that is set is known");
    return {place->second,
            fmt::format("parameter {}.{}: {}", member->name, error.variable(), error.what()),
            "give a value that the FMU takes"};
}

void expect_line_steps(Assembly& assembly, double step, Diagnostics& findings) {
    ExpectedSteps steps;
    steps.macro = step;
    for (const int ratio : assembly.ratios) steps.of_subsystem.push_back(step / ratio);
    steps.asynchronous = !assembly.coupling->needs(*assembly.system).follows_links;
    for (int s = 0; s < assembly.system->size(); ++s)
        steps.has_events = steps.has_events || assembly.system->at(s).interface().may_stop_inside;
    expect_steps(assembly.lines, steps, findings);
}

}  // namespace tandem::assemble
