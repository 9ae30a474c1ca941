#pragma once

#include <span>
#include <utility>
#include <vector>

namespace tandem::numerics {

/// A directed graph on the nodes 0 .. size-1, edges packed by source.
class Graph {
public:
    /// `edges` are (from, to); repeated edges count once.
    Graph(int size, std::vector<std::pair<int, int>> edges);

    int size() const { return static_cast<int>(begin_.size()) - 1; }
    std::span<const int> successors(int node) const;
    bool has_edge(int from, int to) const;

private:
    std::vector<int> begin_;
    std::vector<int> targets_;
};

/// Strongly connected components. They are numbered in topological order: every edge between two
/// components goes from the lower to the higher number. Inside, nodes are in ascending order.
struct Components {
    std::vector<int> of_node;
    std::vector<std::vector<int>> members;
};

/// Tarjan's algorithm, without recursion.
Components strongly_connected_components(const Graph& graph);

/// Of each component: the number of edges between components on the longest way to it. 0 for those
/// that nothing feeds; components of equal depth do not feed each other.
std::vector<int> depths(const Graph& graph, const Components& components);

/// True if the component is a cycle: several nodes, or one with an edge to itself.
bool is_cycle(const Graph& graph, std::span<const int> component);

}  // namespace tandem::numerics
