#include "description/flatten.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/names.hpp"
#include "description/flatten/flatten_lines.hpp"
#include "description/flatten/flatten_parameters.hpp"
#include "description/flatten/instances.hpp"
#include "description/flatten/signal_graph.hpp"
#include "description/read/lines.hpp"
#include "description/read/read.hpp"
#include "description/table_reader.hpp"

namespace tandem::description {
namespace {

class Flattening {
public:
    Flattening(const SystemDescription& description, Diagnostics& findings)
        : description_(description), findings_(findings) {
        flat_.name = description.system.name;
        flat_.file = description.file;
        flat_.experiment = description.experiment;
        flat_.coupling = description.coupling;
        flat_.step_control = description.step_control;
        flat_.recording = description.recording;
        flat_.report = description.report;
        flat_.plugins = description.plugins;
    }

    FlatSystem run(const FlattenOptions& options) {
        const auto tree = instantiate(description_, flat_, findings_);
        check_subsystems(options);
        SignalGraph graph(*tree, flat_, findings_);
        graph.build();
        for (const auto& use : graph.functions())
            flat_.functions.push_back({use.function->expression,
                                       use.function->callable,
                                       use.function->unit,
                                       {},
                                       {},
                                       use.function->place});
        for (const auto& use : graph.events()) flat_.events.push_back(event_of(use));
        LineFlattening lines(graph, flat_, findings_);
        for (const Way& way : graph.ways())
            if (!lines.take(way)) add_way(way, graph);
        lines.finish();
        check_drivers();
        check_actions(graph);
        add_bonds(tree->root, graph);
        apply_parameters(*tree, graph, flat_, findings_);
        if (graph.is_cut_off()) flat_.is_cut_off = true;
        return std::move(flat_);
    }

private:
    void check_subsystems(const FlattenOptions& options) {
        std::map<std::string, Place> names;
        for (const FlatSubsystem& subsystem : flat_.subsystems) {
            const auto [first, is_new] = names.emplace(subsystem.name, subsystem.place);
            if (!is_new && first->second != subsystem.place)
                report(findings_, subsystem.place,
                       fmt::format("two subsystems are called '{}', here and at {}", subsystem.name,
                                   first->second),
                       "rename one of them");
            const Setting* interpolation = subsystem.option("interpolation");
            if (interpolation != nullptr && subsystem.type != SourceType::table)
                warn(findings_, interpolation->place,
                     "'interpolation' is for tables; it is ignored here");
            if (!options.sources_must_exist || subsystem.source_is_refused ||
                subsystem.type == SourceType::model || subsystem.type == SourceType::extension)
                continue;
            if (subsystem.source.empty())
                report(findings_, subsystem.place,
                       fmt::format("'{}' has no source and so cannot run", subsystem.name),
                       "give it an FMU");
            else if (!std::filesystem::exists(subsystem.source))
                report(findings_, subsystem.place,
                       fmt::format("'{}': there is no file '{}'", subsystem.name,
                                   subsystem.source.string()),
                       "check the path; it is relative to the folder of the system file");
        }
    }

    std::string name_of(const FlatVariable& variable) const {
        return flat_.subsystems[variable.subsystem].name + "." + variable.name;
    }

    void add_way(const Way& way, SignalGraph& graph) {
        const Node& from = graph.node(way.from);
        const Node& to = graph.node(way.to);
        const FlatVariable source = graph.variable(way.from, way.segments.source);
        const FlatVariable target = graph.variable(way.to, way.segments.target);
        using Owner = Node::Owner;
        const bool is_calculated = from.owner == Owner::function || from.owner == Owner::action;
        if (is_calculated && (to.owner == Owner::function || to.owner == Owner::event))
            refuse_calculated(from, to, way.place);
        else if (to.owner == Owner::function)
            flat_.functions[to.index].signals.push_back({to.name, source, way.stages});
        else if (to.owner == Owner::event)
            flat_.events[to.index].signals.push_back({to.name, source, way.stages});
        else if (from.owner == Owner::function)
            flat_.functions[from.index].targets.push_back({target, way.stages});
        else if (from.owner == Owner::action)
            add_action(from.index, {target, way.stages}, graph);
        else
            flat_.connections.push_back({source, target, way.stages, way.place,
                                         name_of(source) + " -> " + name_of(target)});
    }

    void refuse_calculated(const Node& from, const Node& to, const Place& place) {
        // What an action sets is no source: others see it in the subsystem that it is set in.
        if (from.owner == Node::Owner::action) return;
        if (to.owner == Node::Owner::function)
            report(findings_, place, "a function cannot take the result of another function",
                   "write one expression");
        else
            report(findings_, place, "an event cannot take the result of a function",
                   "write the expression of the function into the one of the event");
    }

    FlatEvent event_of(const SignalGraph::EventUse& use) const {
        const SystemEvent& event = *use.event;
        FlatEvent flat;
        flat.name =
            event.name.empty() ? fmt::format("event {}", flat_.events.size() + 1) : event.name;
        if (!event.name.empty() && !use.system->path.empty())
            flat.name = use.system->path + "." + event.name;
        flat.indicator = event.indicator;
        flat.callable = event.callable;
        flat.direction = event.direction;
        flat.times = event.times;
        flat.place = event.place;
        return flat;
    }

    void add_action(std::size_t index, FlatTarget target, const SignalGraph& graph) {
        const auto& use = graph.actions()[index];
        const EventAction& action = *use.action;
        reached_actions_.insert(index);
        flat_.events[use.event].actions.push_back(
            {std::move(target), action.expression, action.callable, action.place});
    }

    /// Actions that set nothing, and variables that one event sets twice.
    void check_actions(const SignalGraph& graph) {
        for (std::size_t i = 0; i < graph.actions().size(); ++i)
            if (const auto& use = graph.actions()[i]; use.is_found && !reached_actions_.contains(i))
                report(findings_, use.action->place,
                       fmt::format("event: '{}' leads to no variable that could be set",
                                   use.action->target.text()),
                       "name a variable of a subsystem");
        for (const FlatEvent& event : flat_.events) {
            std::map<std::string, Place> set;
            for (const FlatAction& action : event.actions) {
                const std::string name = name_of(action.target.variable);
                const auto [first, is_new] = set.emplace(name, action.place);
                if (!is_new)
                    report(findings_, action.place,
                           fmt::format("event '{}': '{}' is set twice, here and at {}", event.name,
                                       name, first->second),
                           "remove one of the actions");
            }
        }
    }

    /// Two values for one input: the second is reported.
    void check_drivers() {
        struct Driver {
            Segment segment;
            Place place;
        };
        std::map<std::pair<std::size_t, std::string>, std::vector<Driver>> drivers;
        const auto add = [&](const FlatVariable& target, const Place& place) {
            Driver driver{{}, place};
            std::string name = target.name;
            const auto sliced = split_slice(name);
            if (sliced && sliced->ranges.size() == 1) {
                const IndexRange& range = sliced->ranges.front();
                driver.segment = {false, range.first, range.last - range.first + 1};
                name = sliced->name;
            }
            auto& others = drivers[{target.subsystem, name}];
            const auto first = std::ranges::find_if(others, [&](const Driver& other) {
                return other.segment.overlaps(driver.segment);
            });
            if (first != others.end())
                report(findings_, place,
                       fmt::format("'{}' is driven twice, here and at {}", name_of(target),
                                   first->place),
                       "remove one of them");
            others.push_back(std::move(driver));
        };
        for (const FlatConnection& connection : flat_.connections)
            add(connection.to, connection.place);
        for (const FlatFunction& function : flat_.functions)
            for (const FlatTarget& target : function.targets) add(target.variable, function.place);
        for (const FlatTlm& line : flat_.tlm)
            for (const FlatTlmEnd& end : line.ends)
                for (const TlmPort& port : tlm_ports)
                    if (const auto& variable = end.*port.flat; variable && !port.is_output)
                        add(*variable, end.place);
    }

    void add_bonds(const SystemInstance& instance, SignalGraph& graph) {
        for (const Bond& bond : instance.system->bonds) {
            const auto effort = find_connection(instance, bond, true, graph);
            const auto flow = find_connection(instance, bond, false, graph);
            if (effort && flow) flat_.bonds.push_back({bond.name, *effort, *flow, bond.place});
        }
        for (const Element& element : instance.elements)
            if (element.system) add_bonds(*element.system, graph);
    }

    std::optional<std::size_t> find_connection(const SystemInstance& instance, const Bond& bond,
                                               bool is_effort, SignalGraph& graph) {
        const Endpoint& from = is_effort ? bond.effort_from : bond.flow_from;
        const Endpoint& to = is_effort ? bond.effort_to : bond.flow_to;
        const auto source = graph.resolve(instance, from);
        const auto target = graph.resolve(instance, to);
        if (source && target) {
            const auto sources = variables(graph, *source, true);
            const auto targets = variables(graph, *target, false);
            for (std::size_t i = 0; i < flat_.connections.size(); ++i)
                if (contains(sources, flat_.connections[i].from) &&
                    contains(targets, flat_.connections[i].to))
                    return i;
        }
        std::vector<std::string> known;
        for (const FlatConnection& connection : flat_.connections) known.push_back(connection.text);
        const std::string text = from.text() + " -> " + to.text();
        report(findings_, bond.place, fmt::format("bond: there is no connection '{}'", text),
               did_you_mean(text, known, "a bond names two connections of the system"));
        return std::nullopt;
    }

    static std::vector<FlatVariable> variables(SignalGraph& graph, const ResolvedEnd& end,
                                               bool backwards) {
        if (!graph.node(end.node).passes_on()) return {graph.variable(end.node, end.segment)};
        std::vector<FlatVariable> result;
        const auto ways = backwards ? graph.sources_of(end.node) : graph.targets_of(end.node);
        for (const Way& way : ways)
            result.push_back(backwards ? graph.variable(way.from, way.segments.source)
                                       : graph.variable(way.to, way.segments.target));
        return result;
    }

    static bool contains(const std::vector<FlatVariable>& list, const FlatVariable& wanted) {
        return std::find(list.begin(), list.end(), wanted) != list.end();
    }

    const SystemDescription& description_;
    Diagnostics& findings_;
    FlatSystem flat_;
    std::set<std::size_t> reached_actions_;
};

}  // namespace

const Setting* FlatSubsystem::option(std::string_view key) const {
    for (const Setting& setting : options)
        if (setting.key == key) return &setting;
    return nullptr;
}

std::optional<std::size_t> FlatSystem::find(std::string_view subsystem) const {
    for (std::size_t i = 0; i < subsystems.size(); ++i)
        if (subsystems[i].name == subsystem) return i;
    return std::nullopt;
}

std::optional<UnitInBase> FlatSystem::unit(const std::string& unit_name) const {
    for (const Unit& unit : units)
        if (unit.name == unit_name) return unit.base;
    return parse_unit(unit_name);
}

const Enumeration* FlatSystem::enumeration(std::string_view enumeration_name) const {
    for (const Enumeration& enumeration : enumerations)
        if (enumeration.name == enumeration_name) return &enumeration;
    return nullptr;
}

FlatSystem flatten(const SystemDescription& description, Diagnostics& findings,
                   const FlattenOptions& options) {
    Diagnostics own;
    FlatSystem flat = Flattening(description, own).run(options);
    flat.findings = description.findings;
    for (const Diagnostic& finding : own)
        if (finding.severity == Severity::warning) flat.findings.push_back(finding);
    findings.insert(findings.end(), own.begin(), own.end());
    return flat;
}

FlatSystem load_system(const std::filesystem::path& file) {
    Diagnostics findings;
    const SystemDescription description = read_system(file, findings);
    FlatSystem flat = flatten(description, findings);
    throw_errors(findings);
    return flat;
}

}  // namespace tandem::description
