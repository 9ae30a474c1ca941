#include "ode/group/group_updates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "tandem/extend/graph.hpp"
#include "tandem/extend/index.hpp"

namespace tandem::ode {
namespace {

std::string port_name(const VariableInfo& info, std::size_t element) {
    return info.dimensions.empty() ? info.name : fmt::format("{}[{}]", info.name, element + 1);
}

std::set<std::string> discrete_names(OdeModel& model) {
    std::set<std::string> names;
    for (const VariableInfo& info : model.variables().list())
        for (std::size_t k = 0; !info.is_continuous && k < info.size; ++k)
            names.insert(port_name(info, k));
    return names;
}

/// What changes what within one instant. Nodes: the update of each member, each real output, and,
/// for each member, all its other values together.
class Influences {
public:
    Influences(const GroupNet& net, std::span<const TypedLink> typed,
               std::span<const std::unique_ptr<OdeModel>> members)
        : net_(net), members_(members) {
        for (int m = 0; m < net.size(); ++m) add_member(m);
        for (int input = 0; input < net.input_count(); ++input)
            for (const int output : net.sources(input)) add_input(output_node(output), input);
        for (const TypedLink& link : typed) add_link(link);
    }

    numerics::Graph graph() const { return {node_count(), edges_}; }
    /// Without what updates do to continuous values.
    numerics::Graph discrete_graph() const {
        std::vector<std::pair<int, int>> edges;
        for (const auto& edge : edges_)
            if (!continuous_.contains(edge)) edges.push_back(edge);
        return {node_count(), std::move(edges)};
    }

private:
    int output_node(int output) const { return net_.size() + output; }
    int others_node(int m) const { return net_.size() + net_.output_count() + m; }
    int node_count() const { return 2 * net_.size() + net_.output_count(); }

    void add_member(int m) {
        const OdeShape& shape = *net_.shapes[index(m)];
        needs_.push_back(rows_of(shape.d, shape.outputs.size(), shape.inputs.size()));
        acts_.push_back(shape.has_events);
        if (!acts_.back()) return;
        edges_.emplace_back(m, others_node(m));
        const std::set<std::string> discrete = discrete_names(*members_[index(m)]);
        for (std::size_t i = 0; i < shape.outputs.size(); ++i) {
            edges_.emplace_back(m, output_node(net_.output_begin[index(m)] + static_cast<int>(i)));
            if (!discrete.contains(shape.outputs[i].name)) continuous_.insert(edges_.back());
        }
    }

    /// Real input `input` follows `source`.
    void add_input(int source, int input) {
        const int m = net_.member_of_input(input);
        edges_.emplace_back(source, m);
        edges_.emplace_back(source, others_node(m));
        for (std::size_t i = 0; i < needs_[index(m)].size(); ++i)
            if (std::ranges::binary_search(needs_[index(m)][i], input - net_.input_begin[index(m)]))
                edges_.emplace_back(source,
                                    output_node(net_.output_begin[index(m)] + static_cast<int>(i)));
    }

    void add_link(const TypedLink& link) {
        const int from = link.from.subsystem;
        const std::size_t first = edges_.size();
        if (!is_state(link.from)) {
            add_values(source_node(link.from), link);
        } else if (acts_[index(from)]) {
            add_values(from, link);
            continuous_.insert(edges_.begin() + static_cast<std::ptrdiff_t>(first), edges_.end());
        }
    }

    void add_values(int source, const TypedLink& link) {
        if (link.input >= 0) return add_input(source, link.input);
        const int m = link.to.subsystem;
        edges_.emplace_back(source, m);
        edges_.emplace_back(source, others_node(m));
        for (int output = net_.output_begin[index(m)]; output < net_.output_begin[index(m) + 1];
             ++output)
            edges_.emplace_back(source, output_node(output));
    }

    std::string name_of(const VariableElement& element) const {
        return port_name(members_[index(element.subsystem)]->variables().list()[element.variable],
                         element.element);
    }

    bool is_state(const VariableElement& element) const {
        const auto& states = net_.shapes[index(element.subsystem)]->states;
        return std::ranges::find(states, name_of(element), &Port::name) != states.end();
    }

    int source_node(const VariableElement& from) const {
        const auto& outputs = net_.shapes[index(from.subsystem)]->outputs;
        const auto found = std::ranges::find(outputs, name_of(from), &Port::name);
        if (found == outputs.end()) return others_node(from.subsystem);
        return output_node(net_.output_begin[index(from.subsystem)] +
                           static_cast<int>(found - outputs.begin()));
    }

    const GroupNet& net_;
    std::span<const std::unique_ptr<OdeModel>> members_;
    std::vector<std::vector<std::vector<int>>> needs_;  // member -> output -> own inputs
    std::vector<bool> acts_;
    std::vector<std::pair<int, int>> edges_;
    std::set<std::pair<int, int>> continuous_;
};

}  // namespace

std::vector<std::vector<int>> order_updates(const GroupNet& net, std::span<const TypedLink> typed,
                                            std::span<const std::unique_ptr<OdeModel>> members,
                                            DiscreteCycles cycles_of_values) {
    const Influences influences(net, typed, members);
    const numerics::Graph graph = influences.graph(), discrete = influences.discrete_graph();
    const numerics::Components cycles = numerics::strongly_connected_components(graph);
    const numerics::Components discrete_cycles = numerics::strongly_connected_components(discrete);
    const std::vector<int> depth = numerics::depths(graph, cycles);
    const std::vector<int> discrete_depth = numerics::depths(discrete, discrete_cycles);
    std::map<std::tuple<int, int, int>, std::vector<int>> batches;
    for (int m = 0; m < net.size(); ++m) {
        const int cycle = discrete_cycles.of_node[index(m)];
        const bool is_with_others =
            cycles_of_values == DiscreteCycles::together ||
            std::ranges::none_of(discrete_cycles.members[index(cycle)],
                                 [&](int node) { return node != m && node < net.size(); });
        batches[{depth[index(cycles.of_node[index(m)])], discrete_depth[index(cycle)],
                 is_with_others ? -1 : m}]
            .push_back(m);
    }
    std::vector<std::vector<int>> result;
    for (auto& [key, batch] : batches) result.push_back(std::move(batch));
    return result;
}

}  // namespace tandem::ode
