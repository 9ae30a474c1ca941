#include <fmt/format.h>

#include "run/connect.hpp"

/// Transmission lines of a Connector.
namespace tandem::run {
namespace {

std::string of_size(std::size_t size) {
    return size == 1 ? "one number" : fmt::format("an array of {}", size);
}

}  // namespace

/// One array, or the variables a[1], a[2], ... (or m[1,1], m[1,2], ... of a matrix of three rows)
/// that FMI 1.0 and 2.0 have instead. Nothing, with a finding, if they do not have that size.
std::vector<Signal> Connector::line_signals(const ssp::FlatVariable& port, std::size_t size,
                                            const std::string& place) const {
    std::vector<std::string> names{port.name};
    const bool has_array = signals_.has(port.subsystem, port.name);
    const bool has_rows = size == 9 && signals_.has(port.subsystem, port.name + "[1,1]");
    if (size > 1 && !has_array && (has_rows || signals_.has(port.subsystem, port.name + "[1]"))) {
        names.clear();
        for (std::size_t i = 0; i < size; ++i)
            names.push_back(has_rows ? fmt::format("{}[{},{}]", port.name, i / 3 + 1, i % 3 + 1)
                                     : fmt::format("{}[{}]", port.name, i + 1));
    }
    std::vector<Signal> signals;
    std::size_t found = 0;
    for (const std::string& name : names) {
        const auto signal = signals_.find(port.subsystem, name, place);
        if (!signal) return {};
        found += signal->elements.size();
        signals.push_back(*signal);
    }
    if (found == size) return signals;
    signals_.error(place, fmt::format("'{}' is not {}", signals.front().text, of_size(size)),
                   "see the table of ports in docs/system_file.md");
    return {};
}

void Connector::add_line_outputs(const ssp::FlatTlmEnd::Port& port, std::size_t size,
                                 const std::string& place, std::vector<int>& outputs) const {
    if (!port) return;
    for (const Signal& signal : line_signals(*port, size, place)) {
        if (!signals_.output_port(signal, signal.elements.front()))
            return signals_.error(place, fmt::format("'{}' is no real output", signal.text),
                                  "a line reads flows from outputs");
        for (const std::size_t element : signal.elements)
            outputs.push_back(first_output(signal.subsystem) +
                              *signals_.output_port(signal, element));
    }
}

void Connector::add_line_inputs(const ssp::FlatTlmEnd::Port& port, std::size_t size,
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

LineEndPorts Connector::line_end(const ssp::FlatTlm& line, const ssp::FlatTlmEnd& end) {
    LineEndPorts ports;
    const std::string place = end.place;
    const auto table = static_cast<std::size_t>(line.samples);
    if (line.is_3d()) {
        add_line_outputs(end.velocity, 3, place, ports.flows);
        add_line_outputs(end.angular_velocity, 3, place, ports.flows);
        add_line_outputs(end.orientation, 9, place, ports.orientation);
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

void Connector::connect(const ssp::FlatTlm& line) {
    for (const ssp::FlatTlmEnd& end : line.ends) line_ends.push_back(line_end(line, end));
}

}  // namespace tandem::run
