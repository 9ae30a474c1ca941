#include <fmt/format.h>

#include "description/flatten/signal_graph.hpp"
#include "description/read/lines.hpp"

/// What uses signals besides connections: functions, events, transmission lines.
namespace tandem::description {

void SignalGraph::add_functions(const SystemInstance& instance) {
    for (const CouplingFunction& function : instance.system->functions) {
        const std::size_t index = functions_.size();
        functions_.push_back({&function, &instance});
        const auto end_of = [&](const std::string& name) {
            ResolvedEnd end;
            end.node = add_node({Node::Owner::function, index, name}, nullptr);
            return end;
        };
        Connection connection;
        connection.place = function.place;
        if (const auto target = find(instance, function.target, {"function", function.place}))
            add_hop(end_of({}), *target, connection);
        for (const NamedSignal& signal : function.signals)
            if (const auto source = find(instance, signal.signal, {"function", signal.place}))
                add_hop(*source, end_of(signal.name), connection);
    }
}

void SignalGraph::add_event(const SystemInstance& instance, const SystemEvent& event) {
    const std::size_t index = events_.size();
    events_.push_back({&event, &instance});
    for (const NamedSignal& signal : event.signals) {
        const auto source = find(instance, signal.signal, {"event", signal.place});
        if (!source) continue;
        Connection connection;
        connection.place = signal.place;
        ResolvedEnd end;
        end.node = add_node({Node::Owner::event, index, signal.name}, nullptr);
        add_hop(*source, end, connection);
    }
    for (const EventAction& action : event.actions) add_action(instance, action);
}

void SignalGraph::add_action(const SystemInstance& instance, const EventAction& action) {
    const std::size_t index = actions_.size();
    actions_.push_back({&action, events_.size() - 1, false});
    const auto target = find(instance, action.target, {"event", action.place});
    if (!target) return;
    if (nodes_[target->node].passes_on() && !target->can_be_target) {
        refuse(action.place,
               fmt::format("event: the {} '{}' cannot be set", target->kind, action.target.text()),
               "name the variable of the subsystem behind it, as in rear.wheel.v");
        return;
    }
    Connection connection;
    connection.place = action.place;
    ResolvedEnd end;
    end.node = add_node({Node::Owner::action, index, {}}, nullptr);
    add_hop(end, *target, connection);
    actions_[index].is_found = true;
}

void SignalGraph::add_line(const SystemInstance& instance, const TlmElement& element) {
    const std::size_t index = lines_.size();
    lines_.push_back({&element, &instance, {}});
    for (std::size_t end = 0; end < element.ends.size(); ++end)
        for (const TlmPort& port : tlm_ports)
            if (!(element.ends[end].*port.described).connector.empty())
                add_port(instance, 2 * index + end, port);
}

void SignalGraph::add_port(const SystemInstance& instance, std::size_t index, const TlmPort& port) {
    LineUse& line = lines_[index / 2];
    const TlmEnd& end = line.element->ends[index % 2];
    const Endpoint& endpoint = end.*port.described;
    const auto other = find(instance, endpoint, {"transmission line", end.place});
    if (!other) return;
    if (!(port.is_output ? other->can_be_source : other->can_be_target)) {
        refuse(
            end.place,
            fmt::format("transmission line '{}': the {} '{}' cannot be its {}", line.element->name,
                        other->kind.empty() ? "variable" : other->kind, endpoint.text(), port.key),
            port.is_output ? "name an output" : "name an input");
        return;
    }
    Connection connection;
    connection.place = end.place;
    ResolvedEnd own;
    own.node = add_node({Node::Owner::line, index, std::string(port.key)}, nullptr);
    add_hop(port.is_output ? *other : own, port.is_output ? own : *other, connection);
    line.found.emplace_back(index % 2, &port);
}

}  // namespace tandem::description
