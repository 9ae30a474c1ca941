#include "description/flatten/flatten_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "description/read/lines.hpp"
#include "description/table_reader.hpp"

namespace tandem::description {
namespace {

FlatTlm flat_line(const SignalGraph::LineUse& use) {
    const TlmElement& element = *use.element;
    FlatTlm flat{element, {}};
    flat.name = use.system->path.empty() ? element.name : use.system->path + "." + element.name;
    for (std::size_t i = 0; i < flat.ends.size(); ++i) {
        LineEndParameters& end = flat.ends[i];
        end = element.ends[i];
        if (end.exchange.empty()) end.exchange = element.exchange;
    }
    return flat;
}

const TlmPort& port_called(std::string_view key) {
    const auto found = std::ranges::find(tlm_ports, key, &TlmPort::key);
    expects(found != tlm_ports.end(), "nodes of lines are named as their ports");
    return *found;
}

}  // namespace

LineFlattening::LineFlattening(const SignalGraph& graph, FlatSystem& flat, Diagnostics& findings)
    : graph_(graph), flat_(flat), findings_(findings) {
    for (const auto& use : graph.lines()) flat_.tlm.push_back(flat_line(use));
}

std::string LineFlattening::port_text(const Node& port) const {
    return fmt::format("transmission line '{}': '{}'", flat_.tlm[port.index / 2].name, port.name);
}

bool LineFlattening::take(const Way& way) {
    using Owner = Node::Owner;
    const Node& from = graph_.node(way.from);
    const Node& to = graph_.node(way.to);
    if (from.owner != Owner::line && to.owner != Owner::line) return false;
    const bool is_output = to.owner == Owner::line;
    const Node& port = is_output ? to : from;
    const Node& other = is_output ? from : to;
    if (other.owner != Owner::subsystem)
        refuse_other(port, other, way.place);
    else if (is_output)
        set(port, graph_.variable(way.from, way.segments.source), way);
    else
        set(port, graph_.variable(way.to, way.segments.target), way);
    return true;
}

void LineFlattening::refuse_other(const Node& port, const Node& other, const Place& place) {
    // What an action sets is no source: others see it in the subsystem that it is set in.
    if (other.owner == Node::Owner::action) return;
    refused_.emplace(port.index, port.name);
    const char* what = other.owner == Node::Owner::function ? "a function"
                       : other.owner == Node::Owner::event  ? "an event"
                                                            : "another transmission line";
    report(findings_, place, fmt::format("{} leads to {}", port_text(port), what),
           "name variables of subsystems");
}

void LineFlattening::set(const Node& port, FlatVariable variable, const Way& way) {
    FlatTlmEnd& end = flat_.tlm[port.index / 2].ends[port.index % 2];
    FlatTlmEnd::Port& place = end.*port_called(port.name).flat;
    const bool is_transformed = std::ranges::any_of(way.stages, [](const Stage& stage) {
        return stage.transformation.type != Transformation::Type::none;
    });
    if (place)
        report(findings_, end.place,
               fmt::format("{} leads to both '{}' and '{}'", port_text(port),
                           flat_.subsystems[place->subsystem].name + "." + place->name,
                           flat_.subsystems[variable.subsystem].name + "." + variable.name),
               "name the variable of the subsystem itself, as in rear.wheel.v");
    else if (is_transformed)
        report(findings_, way.place,
               fmt::format("{} takes values as they are, but they are transformed on the way",
                           port_text(port)),
               "remove the transformation, or name the variable of the subsystem itself");
    place = std::move(variable);
}

void LineFlattening::finish() {
    for (std::size_t line = 0; line < flat_.tlm.size(); ++line) {
        check_ports(line);
        for (std::size_t end = 0; end < flat_.tlm[line].ends.size(); ++end)
            check_subsystem(line, end);
    }
    check_names();
}

void LineFlattening::check_ports(std::size_t line) {
    for (const auto& [end, port] : graph_.lines()[line].found) {
        const Node node{Node::Owner::line, 2 * line + end, std::string(port->key)};
        if (flat_.tlm[line].ends[end].*port->flat || refused_.contains({node.index, node.name}))
            continue;
        const TlmEnd& described = graph_.lines()[line].element->ends[end];
        report(findings_, described.place,
               fmt::format("{}: '{}' leads to no variable of a subsystem", port_text(node),
                           (described.*port->described).text()),
               "name a variable of a subsystem, as in rear.wheel.v");
    }
}

void LineFlattening::check_subsystem(std::size_t line, std::size_t end) {
    FlatTlmEnd& checked = flat_.tlm[line].ends[end];
    const FlatVariable* first = nullptr;
    for (const TlmPort& port : tlm_ports) {
        const FlatTlmEnd::Port& variable = checked.*port.flat;
        if (!variable) continue;
        if (first == nullptr) first = &*variable;
        if (variable->subsystem == first->subsystem) continue;
        report(findings_, checked.place,
               fmt::format("transmission line '{}': one end has variables of both '{}' and '{}'",
                           flat_.tlm[line].name, flat_.subsystems[first->subsystem].name,
                           flat_.subsystems[variable->subsystem].name),
               "an end belongs to one subsystem");
        break;
    }
    if (first != nullptr) checked.subsystem = first->subsystem;
}

void LineFlattening::check_names() {
    std::map<std::string, Place> names;
    for (const FlatTlm& line : flat_.tlm) {
        if (line.name.empty()) continue;
        const auto [first, is_new] = names.emplace(line.name, line.place);
        if (!is_new)
            report(findings_, line.place,
                   fmt::format("two transmission lines are called '{}', here and at {}", line.name,
                               first->second),
                   "rename one of them");
    }
}

/// With damping a slow wave is under way for T / (1 - alpha), which makes the stiffness and the
/// mass.
LineNumbers line_numbers(const LineParameters& element) {
    const double part = 1.0 - element.damping;
    if (!element.delay && element.stiffness && element.mass) {
        const double k = *element.stiffness;
        const double m = *element.mass;
        return {part * std::sqrt(m / k), std::sqrt(m * k)};
    }
    const double T = element.delay.value_or(0.0), slow = T / part;
    if (element.impedance) return {T, *element.impedance};
    if (element.stiffness) return {T, *element.stiffness * slow};
    if (element.mass) return {T, *element.mass / slow};
    if (element.volume && element.bulk_modulus)
        return {T, *element.bulk_modulus * slow / *element.volume};
    return {T, 0.0};
}

}  // namespace tandem::description
