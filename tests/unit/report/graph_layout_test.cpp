#include "report/graph_layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tandem::report {
namespace {

using ::testing::ElementsAre;

Graph chain(std::size_t nodes) {
    Graph graph{nodes, {}};
    for (std::size_t i = 1; i < nodes; ++i) graph.edges.push_back({i - 1, i, true, false});
    return graph;
}

Graph ring(std::size_t nodes) {
    Graph graph = chain(nodes);
    graph.edges.push_back({nodes - 1, 0, true, false});
    return graph;
}

Graph star(std::size_t nodes) {
    Graph graph{nodes, {}};
    for (std::size_t i = 1; i < nodes; ++i) graph.edges.push_back({0, i, i % 2 == 0, i % 2 != 0});
    return graph;
}

TEST(StrongParts, are_numbered_along_the_flow) {
    // 3 -> {0, 1} -> 2
    const Graph graph{4, {{3, 0, true, false}, {0, 1, true, true}, {1, 2, true, false}}};
    EXPECT_THAT(strong_parts(graph), ElementsAre(1, 1, 2, 0));
}

TEST(StrongParts, of_a_long_chain_need_no_deep_recursion) {
    const auto parts = strong_parts(chain(200'000));
    EXPECT_EQ(parts.front(), 0U);
    EXPECT_EQ(parts.back(), 199'999U);
}

/// No two boxes may touch.
void expect_no_overlap(const GraphLayout& layout, const LayoutOptions& options) {
    for (std::size_t i = 0; i < layout.nodes.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const bool apart =
                std::abs(layout.nodes[i].x - layout.nodes[j].x) >= options.node_width ||
                std::abs(layout.nodes[i].y - layout.nodes[j].y) >= options.node_height;
            EXPECT_TRUE(apart) << "nodes " << i << " and " << j;
        }
}

void expect_inside(const GraphLayout& layout, const LayoutOptions& options) {
    for (const Point& node : layout.nodes) {
        EXPECT_GE(node.x - options.node_width / 2.0, 0.0);
        EXPECT_LE(node.x + options.node_width / 2.0, layout.width);
        EXPECT_GE(node.y - options.node_height / 2.0, 0.0);
        EXPECT_LE(node.y + options.node_height / 2.0, layout.height);
    }
    for (const BezierPath& path : layout.edges)
        for (const Point& point : path) {
            EXPECT_GE(point.x, 0.0);
            EXPECT_LE(point.x, layout.width);
            EXPECT_GE(point.y, 0.0);
            EXPECT_LE(point.y, layout.height);
        }
}

bool touches(const Point& point, const Point& node, const LayoutOptions& options) {
    return std::abs(std::abs(point.x - node.x) - options.node_width / 2.0) < 1e-6 &&
           std::abs(point.y - node.y) <= options.node_height / 2.0;
}

void expect_good(const Graph& graph) {
    const LayoutOptions options;
    const GraphLayout layout = lay_out(graph, options);
    ASSERT_EQ(layout.nodes.size(), graph.nodes);
    ASSERT_EQ(layout.edges.size(), graph.edges.size());
    expect_no_overlap(layout, options);
    expect_inside(layout, options);
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
        const BezierPath& path = layout.edges[i];
        ASSERT_EQ(path.size() % 3, 1U);
        EXPECT_TRUE(touches(path.front(), layout.nodes[graph.edges[i].from], options)) << i;
        EXPECT_TRUE(touches(path.back(), layout.nodes[graph.edges[i].to], options)) << i;
    }
}

TEST(GraphLayout, keeps_boxes_apart_and_edges_at_their_ends) {
    for (const std::size_t nodes : {2U, 3U, 12U, 50U}) {
        expect_good(chain(nodes));
        expect_good(ring(nodes + 1));
        expect_good(star(nodes));
    }
    Graph dense{20, {}};
    for (std::size_t i = 0; i < 20; ++i)
        for (std::size_t j = i + 1; j < 20; j += 1 + i % 3)
            dense.edges.push_back({i, j, true, j % 2 == 0});
    expect_good(dense);
}

TEST(GraphLayout, copes_with_nothing_and_with_nodes_alone) {
    EXPECT_EQ(lay_out(Graph{}).nodes.size(), 0U);
    expect_good(Graph{1, {}});
    expect_good(Graph{30, {}});
}

TEST(GraphLayout, draws_a_chain_from_left_to_right_on_one_line) {
    const GraphLayout layout = lay_out(chain(4));
    for (std::size_t i = 1; i < 4; ++i) {
        EXPECT_GT(layout.nodes[i].x, layout.nodes[i - 1].x);
        EXPECT_NEAR(layout.nodes[i].y, layout.nodes[0].y, 1e-9);
    }
}

TEST(GraphLayout, marks_cycles_only) {
    Graph graph = ring(3);
    graph.nodes = 4;
    graph.edges.push_back({3, 0, true, false});
    const GraphLayout layout = lay_out(graph);
    EXPECT_THAT(layout.node_in_cycle, ElementsAre(true, true, true, false));
    EXPECT_THAT(layout.edge_in_cycle, ElementsAre(true, true, true, false));
}

TEST(GraphLayout, stays_readable_in_size_for_fifty_in_a_ring) {
    // Wider than two screens, or more than one screen high, would not be looked at.
    const GraphLayout layout = lay_out(ring(50));
    EXPECT_LT(layout.width, 2400.0);
    EXPECT_LT(layout.height, 1000.0);
}

}  // namespace
}  // namespace tandem::report
