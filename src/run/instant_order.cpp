#include "run/instant_order.hpp"

#include <algorithm>
#include <utility>

#include "core/direct_flows.hpp"
#include "tandem/extend/graph.hpp"
#include "tandem/extend/index.hpp"

namespace tandem::run {
namespace {

/// Nodes that edges lead to from a marked node.
std::vector<char> reached(std::span<const char> marked,
                          std::span<const std::pair<int, int>> edges) {
    std::vector<char> result(marked.size(), 0);
    for (bool grows = true; grows;) {
        grows = false;
        for (const auto& [from, to] : edges) {
            if ((marked[index(from)] == 0 && result[index(from)] == 0) || result[index(to)] != 0)
                continue;
            result[index(to)] = 1;
            grows = true;
        }
    }
    return result;
}

std::vector<std::pair<int, int>> reversed(std::span<const std::pair<int, int>> edges) {
    std::vector<std::pair<int, int>> result;
    for (const auto& [from, to] : edges) result.emplace_back(to, from);
    return result;
}

}  // namespace

InstantOrder::InstantOrder(const System& system)
    : direct_flows_(direct_flows(system)), acts_(index(system.size()), 0) {
    const numerics::Graph graph = system.flow_graph();
    for (int from = 0; from < graph.size(); ++from)
        for (const int to : graph.successors(from)) flows_.emplace_back(from, to);
}

bool InstantOrder::find(std::span<const char> acts) {
    are_several_ = std::ranges::count(acts, 1) > 1;
    is_found_ = false;
    if (!are_several_) return false;
    if (!std::ranges::equal(acts, acts_)) {
        std::ranges::copy(acts, acts_.begin());
        order();
    }
    is_found_ = !batches_.empty();
    return is_found_;
}

/// What a subsystem with an event shows may jump; of another one, what follows inputs directly.
InstantOrder::Flows InstantOrder::active_flows() const {
    Flows flows = direct_flows_;
    for (const auto& flow : flows_)
        if (acts_[index(flow.first)] != 0) flows.push_back(flow);
    return flows;
}

void InstantOrder::order() {
    batches_.clear();
    both_ways_.clear();
    Flows flows = active_flows();
    const std::vector<char> sees = reached(acts_, flows), is_seen = reached(acts_, reversed(flows));
    const auto counts = [&](int s) {
        return acts_[index(s)] != 0 || (sees[index(s)] != 0 && is_seen[index(s)] != 0);
    };
    std::erase_if(flows,
                  [&](const auto& flow) { return !counts(flow.first) || !counts(flow.second); });
    const numerics::Graph graph(static_cast<int>(acts_.size()), flows);
    const numerics::Components components = numerics::strongly_connected_components(graph);
    for (const std::vector<int>& members : components.members)
        if (both_ways_.empty() && members.size() > 1) both_ways_ = members;
    if (std::ranges::all_of(flows, [&](const auto& flow) {
            return components.of_node[index(flow.first)] == components.of_node[index(flow.second)];
        }))
        return;
    for (const std::vector<int>& members : components.members)
        if (counts(members.front())) batches_.push_back(members);
}

}  // namespace tandem::run
