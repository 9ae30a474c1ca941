#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "report/graph_layout.hpp"

namespace tandem::report {

/// A graph cut into layers: every edge is a chain of cells in neighbouring layers; cells that are
/// no nodes only let an edge pass.
struct Layers {
    struct Cell {
        std::size_t layer = 0;
        bool is_node = false;
        std::vector<std::size_t> before;  ///< neighbours in the layer before
        std::vector<std::size_t> after;
    };
    std::vector<Cell> cells;                        ///< the first ones are the graph's nodes
    std::vector<std::vector<std::size_t>> chains;   ///< per edge: cells from first to last layer
    std::vector<bool> reversed;                     ///< per edge: its chain starts at `to`
    std::vector<std::vector<std::size_t>> members;  ///< per layer: cells in drawing order
};

/// Large cycles can be entered anywhere: that many ways to draw are worth trying.
constexpr std::size_t variants = 13;

struct LayerOptions {
    std::size_t height = 8;   ///< about the most nodes of a layer
    std::size_t variant = 0;  ///< below `variants`; 0 starts cycles where the flow enters them
};

/// Layers by longest paths.
Layers layers_of(const Graph& graph, const std::vector<std::size_t>& parts,
                 const LayerOptions& options);

/// Orders the cells of each layer so that edges cross little (barycentres, sweeps both ways).
void untangle(Layers& layers);

/// The number of crossings between neighbouring layers.
std::size_t crossings(const Layers& layers);

}  // namespace tandem::report
