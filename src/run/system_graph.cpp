#include "run/system_graph.hpp"

#include <algorithm>
#include <unordered_map>

namespace tandem::run {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

Graph all_connections(const System& system, const std::vector<ConnectionRecord>& connections) {
    std::unordered_map<std::string, int> number;
    for (int s = 0; s < system.size(); ++s) number.emplace(system.at(s).name(), s);
    std::vector<std::pair<int, int>> edges;
    const Graph real = system.subsystem_graph();
    for (int s = 0; s < system.size(); ++s)
        for (const int next : real.successors(s)) edges.emplace_back(s, next);
    for (const ConnectionRecord& connection : connections)
        edges.emplace_back(number.at(connection.from.subsystem),
                           number.at(connection.to.subsystem));
    return {system.size(), std::move(edges)};
}

/// A shortest way from the first member of a cycle back to it, by breadth first search.
std::vector<int> way_round(const Graph& graph, const Components& components,
                           const std::vector<int>& members) {
    const int start = members.front();
    const int component = components.of_node[index(start)];
    std::unordered_map<int, int> came_from;
    std::vector<int> queue{start};
    for (std::size_t head = 0; head < queue.size(); ++head) {
        const int node = queue[head];
        for (const int next : graph.successors(node)) {
            if (next == start) {
                std::vector<int> way{node};
                while (way.back() != start) way.push_back(came_from.at(way.back()));
                std::ranges::reverse(way);
                return way;
            }
            if (components.of_node[index(next)] != component) continue;
            if (came_from.emplace(next, node).second) queue.push_back(next);
        }
    }
    return members;
}

std::string name_of(const System& system, int node, int inputs) {
    const bool is_input = node < inputs;
    const int s =
        is_input ? system.subsystem_of_input(node) : system.subsystem_of_output(node - inputs);
    const Interface& interface = system.at(s).interface();
    const Port& port = is_input ? interface.inputs[index(node - system.input_begin(s))]
                                : interface.outputs[index(node - inputs - system.output_begin(s))];
    return system.at(s).name() + "." + port.name;
}

}  // namespace

Graph variable_graph(const System& system, int inputs, int outputs) {
    std::vector<std::pair<int, int>> edges;
    for (const Link& link : system.links()) edges.emplace_back(inputs + link.output, link.input);
    for (const FunctionLink& f : system.functions())
        for (const int output : f.outputs) edges.emplace_back(inputs + output, f.input);
    for (int s = 0; s < system.size(); ++s)
        for (const FeedThrough& through : system.at(s).interface().feed_through)
            edges.emplace_back(system.input_begin(s) + through.input,
                               inputs + system.output_begin(s) + through.output);
    return {inputs + outputs, std::move(edges)};
}

SystemCycles find_cycles(System& system, const std::vector<ConnectionRecord>& connections) {
    SystemCycles cycles;
    const Graph subsystems = all_connections(system, connections);
    for (const auto& members : strongly_connected_components(subsystems).members) {
        if (!is_cycle(subsystems, members)) continue;
        std::vector<std::string>& names = cycles.subsystems.emplace_back();
        for (const int s : members) names.push_back(system.at(s).name());
    }
    const int inputs = static_cast<int>(system.inputs().size());
    const Graph variables =
        variable_graph(system, inputs, static_cast<int>(system.outputs().size()));
    const Components components = strongly_connected_components(variables);
    for (const auto& members : components.members) {
        if (!is_cycle(variables, members)) continue;
        std::vector<std::string>& names = cycles.loops.emplace_back();
        for (const int node : way_round(variables, components, members))
            names.push_back(name_of(system, node, inputs));
    }
    return cycles;
}

}  // namespace tandem::run
