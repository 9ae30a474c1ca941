#include "tandem/extend/graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem {
namespace {

using testing::ElementsAre;

TEST(Graph, components_are_in_topological_order) {
    // 3 -> {0, 2} cycle -> 1
    const numerics::Graph graph(4, {{3, 0}, {0, 2}, {2, 0}, {2, 1}});
    const numerics::Components components = numerics::strongly_connected_components(graph);
    EXPECT_THAT(components.members, ElementsAre(ElementsAre(3), ElementsAre(0, 2), ElementsAre(1)));
    EXPECT_THAT(components.of_node, ElementsAre(1, 2, 1, 0));
}

TEST(Graph, a_lone_node_is_a_cycle_only_with_an_edge_to_itself) {
    const numerics::Graph graph(2, {{0, 0}, {0, 1}});
    const numerics::Components components = numerics::strongly_connected_components(graph);
    EXPECT_TRUE(numerics::is_cycle(graph, components.members[0]));
    EXPECT_FALSE(numerics::is_cycle(graph, components.members[1]));
}

TEST(Graph, repeated_edges_count_once) {
    const numerics::Graph graph(2, {{0, 1}, {0, 1}});
    EXPECT_EQ(graph.successors(0).size(), 1U);
}

TEST(Graph, the_depth_of_a_component_is_the_longest_way_to_it) {
    // A -> {B, C, D} -> E, F -> G, with a shortcut from A to G that changes nothing.
    enum { a, b, c, d, e, f, g, alone };
    const numerics::Graph graph(
        8, {{a, b}, {b, c}, {c, d}, {d, b}, {b, e}, {d, f}, {e, g}, {f, g}, {a, g}});
    const numerics::Components components = numerics::strongly_connected_components(graph);
    const std::vector<int> depth = numerics::depths(graph, components);
    std::vector<int> of_node;
    for (const int component : components.of_node)
        of_node.push_back(depth[static_cast<std::size_t>(component)]);
    EXPECT_THAT(of_node, ElementsAre(0, 1, 1, 1, 2, 2, 3, 0));
}

TEST(Graph, an_edge_to_itself_does_not_deepen_a_node) {
    const numerics::Graph graph(2, {{0, 0}, {0, 1}, {1, 1}});
    EXPECT_THAT(numerics::depths(graph, numerics::strongly_connected_components(graph)),
                ElementsAre(0, 1));
}

TEST(Graph, a_chain_of_a_million_nodes_does_not_exhaust_the_stack) {
    constexpr int size = 1'000'000;
    std::vector<std::pair<int, int>> edges;
    for (int i = 0; i + 1 < size; ++i) edges.emplace_back(i + 1, i);
    const numerics::Components components =
        numerics::strongly_connected_components(numerics::Graph(size, std::move(edges)));
    EXPECT_EQ(components.members.size(), static_cast<std::size_t>(size));
    EXPECT_EQ(components.of_node[size - 1], 0);
}

}  // namespace
}  // namespace tandem
