#include "assemble/connect/show_sources.hpp"

#include <algorithm>
#include <set>

#include "assemble/connect/connect.hpp"
#include "assemble/load/signals.hpp"

namespace tandem::assemble {
namespace {

class SourceFinder {
public:
    SourceFinder(const description::FlatSystem& flat, const std::vector<LoadedSubsystem>& loaded)
        : signals_(flat, loaded, ignored_), names_(loaded.size()) {}

    /// What is not continuous is carried over at events and communication points. The same holds
    /// for what feeds something discrete.
    void add(const description::FlatConnection& connection) {
        const auto from = signals_.find(connection.from, {});
        if (!from || from->info->is_output || !from->info->is_continuous) return;
        const auto to = signals_.find(connection.to, {});
        if (to && !to->elements.empty() && signals_.input_port(*to, to->elements.front()))
            add(*from);
    }
    void add(const description::FlatFunction& function) {
        for (const description::FlatSignal& signal : function.signals) add(signal.variable, 1);
    }
    void add(const description::FlatTlm& line) {
        for (const description::FlatTlmEnd& end : line.ends) {
            add(end.flow, 1);
            add(end.velocity, 3);
            add(end.angular_velocity, 3);
            add(end.orientation, 9);
        }
    }

    const std::set<std::string>& names(std::size_t subsystem) const { return names_[subsystem]; }

private:
    void add(const description::FlatTlmEnd::Port& port, std::size_t size) {
        if (!port) return;
        for (const std::string& name : line_variables(signals_, *port, size))
            if (const auto signal = signals_.find(port->subsystem, name, {})) add(*signal);
    }
    void add(const Signal& signal) {
        if (signal.info->is_input || storage_of(signal.info->type) != Storage::reals) return;
        for (const std::size_t element : signal.elements)
            if (!signals_.output_port(signal, element))
                for (std::string& name : Signals::port_names(signal, element))
                    names_[signal.subsystem].insert(std::move(name));
    }

    Diagnostics ignored_;  // what is wrong is found where it is connected
    Signals signals_;
    std::vector<std::set<std::string>> names_;
};

}  // namespace

void show_sources(const description::FlatSystem& flat, const std::vector<LoadedSubsystem>& loaded) {
    SourceFinder finder(flat, loaded);
    for (const description::FlatConnection& connection : flat.connections) finder.add(connection);
    for (const description::FlatFunction& function : flat.functions) finder.add(function);
    for (const description::FlatTlm& line : flat.tlm) finder.add(line);
    for (std::size_t s = 0; s < loaded.size(); ++s) {
        if (finder.names(s).empty()) continue;
        PortSelection all{{}, finder.names(s)};
        const Interface& own = loaded[s].subsystem->interface();
        for (const Port& input : own.inputs) all.inputs.insert(input.name);
        for (const Port& output : own.outputs) all.outputs.insert(output.name);
        loaded[s].subsystem->select_ports(all);
    }
}

}  // namespace tandem::assemble
