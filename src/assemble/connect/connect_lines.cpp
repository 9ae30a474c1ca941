#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "assemble/connect/connect.hpp"

/// Transmission lines of a Connector.
namespace tandem::assemble {
namespace {

std::string of_size(std::size_t size) {
    return size == 1 ? "one number" : fmt::format("an array of {}", size);
}

/// What the end takes.
const description::FlatTlmEnd::Port& effort_of(const description::FlatTlmEnd& end) {
    return end.effort ? end.effort : end.wave ? end.wave : end.waves;
}

/// Angles are numbers: 1/s is rad/s.
bool is_alike(UnitInBase a, UnitInBase b) {
    a.exponents.back() = b.exponents.back() = 0;
    return a.exponents == b.exponents;
}

bool is_same(const UnitInBase& a, const UnitInBase& b) {
    constexpr double rounding = 1e-12;
    return is_alike(a, b) && a.offset == b.offset &&
           std::abs(a.factor - b.factor) <= rounding * std::abs(a.factor);
}

/// What efforts and flows are; of `generic`, anything.
struct DomainUnits {
    std::string_view domain, effort, flow;
};
constexpr std::array<DomainUnits, 5> domain_units = {{{"mechanical", "N", "m/s"},
                                                      {"rotational", "N.m", "rad/s"},
                                                      {"hydraulic", "Pa", "m3/s"},
                                                      {"electrical", "V", "A"},
                                                      {"mechanical_3d", "N", "m/s"}}};

}  // namespace

std::vector<std::string> line_variables(const Signals& signals,
                                        const description::FlatVariable& port, std::size_t size) {
    const bool has_array = signals.has(port.subsystem, port.name);
    const bool has_rows = size == 9 && signals.has(port.subsystem, port.name + "[1,1]");
    const bool is_split =
        size > 1 && !has_array && (has_rows || signals.has(port.subsystem, port.name + "[1]"));
    if (!is_split) return {port.name};
    std::vector<std::string> names;
    for (std::size_t i = 0; i < size; ++i)
        names.push_back(has_rows ? fmt::format("{}[{},{}]", port.name, i / 3 + 1, i % 3 + 1)
                                 : fmt::format("{}[{}]", port.name, i + 1));
    return names;
}

/// Nothing, with a finding, if they do not have that size.
std::vector<Signal> Connector::line_signals(const description::FlatVariable& port, std::size_t size,
                                            const std::string& place) const {
    std::vector<Signal> signals;
    std::size_t found = 0;
    for (const std::string& name : line_variables(signals_, port, size)) {
        const auto signal = signals_.find(port.subsystem, name, place);
        if (!signal) return {};
        found += signal->elements.size();
        signals.push_back(*signal);
    }
    if (found == size) return signals;
    signals_.error(place, fmt::format("'{}' is not {}", signals.front().text, of_size(size)),
                   "see the keys of an end in docs/system_file.md");
    return {};
}

void Connector::add_line_outputs(const description::FlatTlmEnd::Port& port, std::size_t size,
                                 const std::string& place, std::vector<int>& outputs) const {
    if (!port) return;
    for (const Signal& signal : line_signals(*port, size, place)) {
        if (!signals_.output_port(signal, signal.elements.front()))
            return signals_.error(place, fmt::format("'{}' is no real output", signal.text),
                                  "a line reads outputs, or other real variables of a model");
        for (const std::size_t element : signal.elements)
            outputs.push_back(first_output(signal.subsystem) +
                              *signals_.output_port(signal, element));
    }
}

void Connector::add_line_position(const description::FlatTlmEnd::Port& port,
                                  const std::string& place,
                                  std::vector<VariableElement>& position) const {
    if (!port) return;
    for (const Signal& signal : line_signals(*port, 3, place)) {
        if (storage_of(signal.info->type) != Storage::reals)
            return signals_.error(place, fmt::format("'{}' is no real variable", signal.text),
                                  "a position is three lengths");
        for (const std::size_t element : signal.elements)
            position.push_back({static_cast<int>(signal.subsystem), signal.variable, element});
    }
}

void Connector::add_line_inputs(const description::FlatTlmEnd::Port& port, std::size_t size,
                                const std::string& place, std::vector<int>& inputs) {
    if (!port) return;
    for (const Signal& signal : line_signals(*port, size, place)) {
        if (!signals_.input_port(signal, signal.elements.front()))
            return signals_.error(place, fmt::format("'{}' is no real input", signal.text),
                                  "a line feeds inputs");
        if (!claim(signal, place)) return;
        for (const std::size_t element : signal.elements)
            inputs.push_back(first_input(signal.subsystem) + *signals_.input_port(signal, element));
    }
}

LineEndPorts Connector::line_end(const description::FlatTlm& line,
                                 const description::FlatTlmEnd& end) {
    LineEndPorts ports;
    const std::string place = end.place;
    const auto table = static_cast<std::size_t>(line.samples);
    if (line.is_3d()) {
        add_line_outputs(end.velocity, 3, place, ports.flows);
        add_line_outputs(end.angular_velocity, 3, place, ports.flows);
        add_line_outputs(end.orientation, 9, place, ports.orientation);
        add_line_position(end.position, place, ports.position);
        add_line_inputs(end.force, 3, place, ports.efforts);
        add_line_inputs(end.moment, 3, place, ports.efforts);
        return ports;
    }
    add_line_outputs(end.flow, 1, place, ports.flows);
    add_line_inputs(end.effort ? end.effort : end.wave, 1, place, ports.efforts);
    add_line_inputs(end.slope, 1, place, ports.slopes);
    add_line_inputs(end.times, table, place, ports.times);
    add_line_inputs(end.waves, table, place, ports.points);
    return ports;
}

void Connector::connect(const description::FlatTlm& line) {
    for (const description::FlatTlmEnd& end : line.ends) line_ends.push_back(line_end(line, end));
    using End = description::FlatTlmEnd;
    for (const auto port : {&End::flow, &End::position, &End::velocity, &End::angular_velocity,
                            &End::force, &End::moment})
        check_line_units(line, line.ends[0].*port, line.ends[1].*port);
    check_line_units(line, effort_of(line.ends[0]), effort_of(line.ends[1]));
    check_domain(line);
    for (const description::FlatTlmEnd& end : line.ends)
        if ((end.wave || end.waves) && !end.impedance)
            signals_.warn(end.place,
                          fmt::format("tlm '{}': nothing here tells '{}' the impedance, with which "
                                      "it computes the effort of '{}'",
                                      line.name, flat_.subsystems[end.subsystem].name,
                                      (end.wave ? *end.wave : *end.waves).name),
                          "add impedance = \"...\", its parameter or input that takes it");
    if (line.ends[0].position.has_value() != line.ends[1].position.has_value())
        signals_.warn(line.place,
                      fmt::format("tlm '{}': only one of its ends says its position, so nothing "
                                  "is checked by that",
                                  line.name),
                      "give the position of both ends, or of none");
}

/// Connections convert, lines do not.
void Connector::check_line_units(const description::FlatTlm& line,
                                 const description::FlatTlmEnd::Port& first,
                                 const description::FlatTlmEnd::Port& second) const {
    if (!first || !second) return;
    const auto a = line_unit(*first), b = line_unit(*second);
    if (!a || !b || is_same(a->second, b->second)) return;
    signals_.error(
        line.place,
        fmt::format("tlm '{}': '{}' is in {}, '{}' in {}, but a line takes values as "
                    "they are",
                    line.name, a->first.text, a->first.unit, b->first.text, b->first.unit),
        "name variables of the same unit at both ends");
}

void Connector::check_domain(const description::FlatTlm& line) const {
    const auto units = std::ranges::find(domain_units, line.domain, &DomainUnits::domain);
    if (units == domain_units.end()) return;
    const auto check = [&](const description::FlatTlmEnd::Port& port, std::string_view wanted) {
        const auto own = port ? line_unit(*port) : std::nullopt;
        if (!own || is_alike(own->second, *parse_unit(wanted))) return;
        signals_.error(
            line.place,
            fmt::format("tlm '{}': '{}' is in {}, but the domain '{}' takes {} there", line.name,
                        own->first.text, own->first.unit, line.domain, wanted),
            "name another variable, or the domain that it belongs to");
    };
    for (const description::FlatTlmEnd& end : line.ends) {
        check(line.is_3d() ? end.velocity : end.flow, units->flow);
        check(line.is_3d() ? end.force : effort_of(end), units->effort);
        check(end.angular_velocity, "rad/s");
        check(end.moment, "N.m");
        check(end.position, "m");
    }
}

/// Nothing if there is no such variable, which is a finding already, or if nobody knows its unit.
std::optional<std::pair<Signal, UnitInBase>> Connector::line_unit(
    const description::FlatVariable& port) const {
    for (const char* element : {"", "[1]"}) {
        const std::string name = port.name + element;
        if (!signals_.has(port.subsystem, name)) continue;
        const auto signal = signals_.find(port.subsystem, name, {});
        if (!signal || signal->unit.empty()) return std::nullopt;
        const auto unit = signals_.units_of(port.subsystem)(signal->unit);
        if (unit) return std::pair(*signal, *unit);
    }
    return std::nullopt;
}

}  // namespace tandem::assemble
