#include "assemble/system_graph.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "tandem/extend/index.hpp"

namespace tandem::assemble {
namespace {

using Edges = std::vector<std::pair<int, int>>;

/// All real ports of a list of subsystems, inputs first, and what feeds what among them.
class Ports {
public:
    Ports() = default;
    explicit Ports(std::span<const std::unique_ptr<Subsystem>> subsystems) {
        for (const auto& subsystem : subsystems) add(*subsystem);
    }

    void add(const Subsystem& subsystem) {
        subsystems_.push_back(&subsystem);
        const Interface& interface = subsystem.interface();
        const int s = static_cast<int>(subsystems_.size()) - 1;
        input_begin_.push_back(static_cast<int>(input_owner_.size()));
        output_begin_.push_back(static_cast<int>(output_owner_.size()));
        input_owner_.resize(input_owner_.size() + interface.inputs.size(), s);
        output_owner_.resize(output_owner_.size() + interface.outputs.size(), s);
    }

    numerics::Graph variables(std::span<const Link> links,
                              std::span<const FunctionLink> functions) const {
        const int inputs = static_cast<int>(input_owner_.size());
        Edges edges;
        for (const Link& link : links) edges.emplace_back(inputs + link.output, link.input);
        for (const FunctionLink& f : functions)
            for (const int output : f.outputs) edges.emplace_back(inputs + output, f.input);
        for (std::size_t s = 0; s < subsystems_.size(); ++s)
            for (const FeedThrough& through : subsystems_[s]->interface().feed_through)
                edges.emplace_back(input_begin_[s] + through.input,
                                   inputs + output_begin_[s] + through.output);
        return {inputs + static_cast<int>(output_owner_.size()), std::move(edges)};
    }

    /// Subsystem -> subsystem, where a real value goes.
    Edges flows(std::span<const Link> links, std::span<const FunctionLink> functions) const {
        Edges edges;
        const auto add_edge = [&](int output, int input) {
            edges.emplace_back(output_owner_[index(output)], input_owner_[index(input)]);
        };
        for (const Link& link : links) add_edge(link.output, link.input);
        for (const FunctionLink& f : functions)
            for (const int output : f.outputs) add_edge(output, f.input);
        return edges;
    }

    /// Of a node of the graph of variables.
    int owner(int node) const {
        const int inputs = static_cast<int>(input_owner_.size());
        return node < inputs ? input_owner_[index(node)] : output_owner_[index(node - inputs)];
    }
    std::string name(int node) const {
        const int inputs = static_cast<int>(input_owner_.size());
        const std::size_t s = index(owner(node));
        const Interface& interface = subsystems_[s]->interface();
        const Port& port = node < inputs
                               ? interface.inputs[index(node - input_begin_[s])]
                               : interface.outputs[index(node - inputs - output_begin_[s])];
        return subsystems_[s]->name() + "." + port.name;
    }

private:
    std::vector<const Subsystem*> subsystems_;
    std::vector<int> input_begin_, output_begin_;  // of each subsystem
    std::vector<int> input_owner_, output_owner_;  // of each port
};

class Analysis {
public:
    Analysis(std::span<const std::unique_ptr<Subsystem>> subsystems, const PortLinks& links)
        : links_(links),
          ports_(subsystems),
          graph_(all_flows(subsystems.size())),
          components_(numerics::strongly_connected_components(graph_)) {
        for (const auto& subsystem : subsystems) result_.names.push_back(subsystem->name());
    }

    SystemGraph perform() {
        const std::vector<int> depth = numerics::depths(graph_, components_);
        for (const int component : components_.of_node)
            result_.priorities.push_back(depth[index(component)]);
        for (const auto& members : components_.members)
            if (numerics::is_cycle(graph_, members))
                result_.cycles.push_back(
                    {members, result_.priorities[index(members.front())], Round::discrete, {}});
        std::ranges::sort(result_.cycles, {}, [](const SubsystemCycle& cycle) {
            return std::pair(cycle.priority, cycle.members.front());
        });
        find_states();
        find_loops();
        return std::move(result_);
    }

private:
    numerics::Graph all_flows(std::size_t size) const {
        Edges edges = ports_.flows(links_.links, links_.functions);
        for (const TypedLink& link : links_.typed)
            edges.emplace_back(link.from.subsystem, link.to.subsystem);
        return {static_cast<int>(size), std::move(edges)};
    }

    SubsystemCycle& cycle_of(int subsystem) {
        const int component = components_.of_node[index(subsystem)];
        return *std::ranges::find(result_.cycles, component, [&](const SubsystemCycle& cycle) {
            return components_.of_node[index(cycle.members.front())];
        });
    }

    /// Without the values that are not real it is still a cycle.
    void find_states() {
        const numerics::Graph real(graph_.size(), ports_.flows(links_.links, links_.functions));
        for (const auto& members : numerics::strongly_connected_components(real).members)
            if (numerics::is_cycle(real, members)) cycle_of(members.front()).round = Round::states;
    }

    void find_loops() {
        const numerics::Graph variables = ports_.variables(links_.links, links_.functions);
        const numerics::Components loops = numerics::strongly_connected_components(variables);
        std::vector<std::vector<int>> ordered = loops.members;
        std::ranges::sort(ordered);
        for (const auto& members : ordered) {
            if (!numerics::is_cycle(variables, members)) continue;
            SubsystemCycle& cycle = cycle_of(ports_.owner(members.front()));
            cycle.round = Round::algebraic;
            std::vector<std::string>& names = cycle.loops.emplace_back();
            for (const int node : way_round(variables, loops, members))
                names.push_back(ports_.name(node));
        }
    }

    const PortLinks& links_;
    Ports ports_;
    numerics::Graph graph_;
    numerics::Components components_;
    SystemGraph result_;
};

/// "a, b, c and 5 more"
std::string name_of(const std::vector<std::string>& members) {
    constexpr std::size_t most = 4;
    if (members.size() <= most) return fmt::format("{}", fmt::join(members, ", "));
    return fmt::format("{} and {} more",
                       fmt::join(members.begin(), members.begin() + most - 1, ", "),
                       members.size() - most + 1);
}

}  // namespace

/// By breadth first search.
std::vector<int> way_round(const numerics::Graph& graph, const numerics::Components& components,
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

numerics::Graph variable_graph(const System& system) {
    Ports ports;
    for (int s = 0; s < system.size(); ++s) ports.add(system.at(s));
    return ports.variables(system.links(), system.functions());
}

SystemGraph analyse(std::span<const std::unique_ptr<Subsystem>> subsystems,
                    const PortLinks& links) {
    return Analysis(subsystems, links).perform();
}

std::vector<GroupRecord> cycle_records(const SystemGraph& graph) {
    std::vector<GroupRecord> records;
    for (const SubsystemCycle& cycle : graph.cycles) {
        GroupRecord& record = records.emplace_back();
        for (const int s : cycle.members) record.members.push_back(graph.names[index(s)]);
        record.name = name_of(record.members);
        record.kind = cycle.round == Round::algebraic  ? "algebraic cycle"
                      : cycle.round == Round::discrete ? "discrete cycle"
                                                       : "cycle";
        record.priority = cycle.priority;
        if (!cycle.loops.empty()) record.loop = cycle.loops.front();
    }
    return records;
}

}  // namespace tandem::assemble
