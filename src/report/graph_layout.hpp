#pragma once

#include <cstddef>
#include <vector>

namespace tandem::report {

struct Point {
    double x = 0.0;
    double y = 0.0;
};

/// One line between two nodes, whatever the number and directions of connections it stands for.
struct GraphEdge {
    std::size_t from = 0;
    std::size_t to = 0;
    bool forward = true;    ///< something flows from -> to
    bool backward = false;  ///< something flows to -> from
};

struct Graph {
    std::size_t nodes = 0;
    std::vector<GraphEdge> edges;  ///< at most one per pair of nodes, none from a node to itself
};

struct LayoutOptions {
    double node_width = 150.0;
    double node_height = 50.0;
    double column_gap = 70.0;
    double row_gap = 22.0;
    std::size_t columns = 8;  ///< more layers than that are folded into bands, like a snake
};

/// A cubic Bezier curve: the first point, then three points per piece.
using BezierPath = std::vector<Point>;

struct GraphLayout {
    double width = 0.0;
    double height = 0.0;
    std::vector<Point> nodes;  ///< centres
    std::vector<BezierPath> edges;
    std::vector<std::size_t> cycle_of_node;  ///< strongly connected part, 0-based
    std::vector<bool> node_in_cycle;
    std::vector<bool> edge_in_cycle;
};

/// Layered drawing, left to right: strongly connected parts are found and ordered by the flow
/// between them; longest paths give the layers; barycentres give the order within a layer; long
/// edges bend around the nodes between their ends.
GraphLayout lay_out(const Graph& graph, const LayoutOptions& options = {});

/// Strongly connected parts by Tarjan's algorithm, numbered so that no edge leads from a part to
/// one with a smaller number.
std::vector<std::size_t> strong_parts(const Graph& graph);

}  // namespace tandem::report
