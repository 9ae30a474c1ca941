#include "report/graph_layout.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/graph_layers.hpp"

namespace tandem::report {
namespace {

using Indices = std::vector<std::size_t>;
constexpr double lane_height = 6.0;  ///< of an edge that passes between nodes
constexpr double lane_gap = 5.0;
constexpr double margin = 16.0;
constexpr double band_gap = 40.0;
constexpr int alignment_sweeps = 20;

/// Heights above each other that are as near as possible (least squares) to those wished for, in
/// order and `gap[i]` apart from the one before: pools adjacent violators.
std::vector<double> spread(const std::vector<double>& wished, const std::vector<double>& gap) {
    struct Pool {
        double sum;
        double count;
        double mean() const { return sum / count; }
    };
    std::vector<Pool> pools;
    double shift = 0.0;
    for (std::size_t i = 0; i < wished.size(); ++i) {
        shift += gap[i];
        pools.push_back({wished[i] - shift, 1.0});
        while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
            const Pool last = pools.back();
            pools.pop_back();
            pools.back().sum += last.sum;
            pools.back().count += last.count;
        }
    }
    std::vector<double> result;
    shift = 0.0;
    for (const Pool& pool : pools)
        for (double k = 0.0; k < pool.count; k += 1.0) {
            shift += gap[result.size()];
            result.push_back(pool.mean() + shift);
        }
    return result;
}

/// Where every cell lies: first all layers side by side, then folded into bands.
class Placement {
public:
    Placement(const Layers& layers, const LayoutOptions& options)
        : layers_(layers), options_(options), y_(layers.cells.size(), 0.0) {
        const std::size_t count = layers.members.size();
        bands_ = (count + options.columns - 1) / options.columns;
        columns_ = (count + bands_ - 1) / bands_;
        if (is_busy_at_folds() && 5 * count <= 8 * options.columns) {
            bands_ = 1;
            columns_ = count;
        }
        align();
        stack_bands();
    }

    double width() const { return 2.0 * left_margin() + pitch() * columns() - options_.column_gap; }
    double height() const { return height_; }
    double direction(std::size_t cell) const { return band_of(cell) % 2 == 0 ? 1.0 : -1.0; }
    std::size_t band_of(std::size_t cell) const { return layers_.cells[cell].layer / columns_; }

    Point centre(std::size_t cell) const {
        const std::size_t band = band_of(cell);
        const std::size_t step = layers_.cells[cell].layer % columns_;
        const std::size_t column = band % 2 == 0 ? step : columns_ - 1 - step;
        return {left_margin() + options_.node_width / 2.0 + pitch() * static_cast<double>(column),
                direction(cell) * y_[cell] + band_centre_[band]};
    }

private:
    double pitch() const { return options_.node_width + options_.column_gap; }
    double columns() const { return static_cast<double>(columns_); }
    /// Edges turn around outside of the columns.
    double left_margin() const { return bands_ > 1 ? margin + 60.0 : margin; }
    double height_of(std::size_t cell) const {
        return layers_.cells[cell].is_node ? options_.node_height : lane_height;
    }

    /// Many edges around a fold read worse than a drawing that is somewhat too wide.
    bool is_busy_at_folds() const {
        std::size_t busiest = 0;
        for (std::size_t band = 1; band < bands_; ++band) {
            std::size_t edges = 0;
            for (const std::size_t cell : layers_.members[band * columns_ - 1])
                edges += layers_.cells[cell].after.size();
            busiest = std::max(busiest, edges);
        }
        return busiest > 4;
    }

    double apart(std::size_t a, std::size_t b) const {
        const bool nodes = layers_.cells[a].is_node && layers_.cells[b].is_node;
        return (height_of(a) + height_of(b)) / 2.0 + (nodes ? options_.row_gap : lane_gap);
    }

    double wished(std::size_t cell) const {
        const Layers::Cell& c = layers_.cells[cell];
        double sum = 0.0;
        for (const std::size_t other : c.before) sum += y_[other];
        for (const std::size_t other : c.after) sum += y_[other];
        const auto count = static_cast<double>(c.before.size() + c.after.size());
        return count > 0.0 ? sum / count : y_[cell];
    }

    void align_layer(const Indices& members, bool by_neighbours) {
        std::vector<double> wishes, gaps;
        for (std::size_t i = 0; i < members.size(); ++i) {
            wishes.push_back(by_neighbours ? wished(members[i]) : 0.0);
            gaps.push_back(i == 0 ? 0.0 : apart(members[i - 1], members[i]));
        }
        const std::vector<double> placed = spread(wishes, gaps);
        for (std::size_t i = 0; i < members.size(); ++i) y_[members[i]] = placed[i];
    }

    void align() {
        for (const Indices& members : layers_.members) align_layer(members, false);
        for (int sweep = 0; sweep < alignment_sweeps; ++sweep) {
            const std::size_t count = layers_.members.size();
            for (std::size_t i = 0; i < count; ++i)
                align_layer(layers_.members[sweep % 2 == 0 ? i : count - 1 - i], true);
        }
    }

    void stack_bands() {
        height_ = margin;
        for (std::size_t band = 0; band < bands_; ++band) {
            double top = 0.0, bottom = 0.0;
            bool first = true;
            for (std::size_t cell = 0; cell < layers_.cells.size(); ++cell) {
                if (band_of(cell) != band) continue;
                const double y = direction(cell) * y_[cell], half = height_of(cell) / 2.0;
                top = first ? y - half : std::min(top, y - half);
                bottom = first ? y + half : std::max(bottom, y + half);
                first = false;
            }
            band_centre_.push_back(height_ - top);
            height_ += bottom - top + (band + 1 < bands_ ? band_gap : margin);
        }
    }

    const Layers& layers_;
    const LayoutOptions& options_;
    std::vector<double> y_;
    std::vector<double> band_centre_;
    std::size_t bands_ = 0;
    std::size_t columns_ = 0;
    double height_ = 0.0;
};

/// Draws the edges through the cells of a placement.
class Router {
public:
    Router(const Layers& layers, const Placement& placement, const LayoutOptions& options)
        : layers_(layers), placement_(placement), options_(options) {}

    BezierPath path(std::size_t edge) const {
        const Indices& chain = layers_.chains[edge];
        BezierPath path = {side(chain.front(), chain[1], true)};
        for (std::size_t i = 1; i < chain.size(); ++i) {
            const Point target = side(chain[i], chain[i - 1], false);
            curve(path, target, chain[i - 1], chain[i]);
            if (i + 1 < chain.size()) line(path, side(chain[i], chain[i + 1], true));
        }
        if (layers_.reversed[edge]) std::reverse(path.begin(), path.end());
        return path;
    }

private:
    /// Where an edge to or from `other` touches the cell.
    Point side(std::size_t cell, std::size_t other, bool leaving) const {
        Point point = placement_.centre(cell);
        point.x += placement_.direction(cell) * (leaving ? 0.5 : -0.5) * options_.node_width;
        if (layers_.cells[cell].is_node) point.y += port(cell, other, leaving);
        return point;
    }

    /// The edges on one side of a node share its height in the order of their other ends.
    double port(std::size_t cell, std::size_t other, bool leaving) const {
        Indices others = leaving ? layers_.cells[cell].after : layers_.cells[cell].before;
        std::stable_sort(others.begin(), others.end(), [this](std::size_t a, std::size_t b) {
            return placement_.centre(a).y < placement_.centre(b).y;
        });
        const auto found = std::find(others.begin(), others.end(), other);
        const auto rank = static_cast<double>(found - others.begin());
        const auto count = static_cast<double>(others.size());
        const double room = 0.7 * options_.node_height;
        return room * ((rank + 0.5) / count - 0.5) * std::min(1.0, (count - 1.0) / 2.0);
    }

    void curve(BezierPath& path, Point end, std::size_t from, std::size_t to) const {
        const Point begin = path.back();
        const double direction = placement_.direction(from);
        const bool turns = placement_.band_of(from) != placement_.band_of(to);
        const double reach =
            turns ? std::min(56.0, 24.0 + 0.12 * std::abs(end.y - begin.y)) * direction : 0.0;
        const double half = turns ? reach : (end.x - begin.x) / 2.0;
        path.push_back({begin.x + half, begin.y});
        path.push_back({turns ? end.x + half : end.x - half, end.y});
        path.push_back(end);
    }

    static void line(BezierPath& path, Point end) {
        const Point begin = path.back();
        path.push_back({begin.x + (end.x - begin.x) / 3.0, begin.y + (end.y - begin.y) / 3.0});
        path.push_back({end.x - (end.x - begin.x) / 3.0, end.y - (end.y - begin.y) / 3.0});
        path.push_back(end);
    }

    const Layers& layers_;
    const Placement& placement_;
    const LayoutOptions& options_;
};

void mark_cycles(const Graph& graph, GraphLayout& layout) {
    Indices size(graph.nodes, 0);
    for (const std::size_t part : layout.cycle_of_node) ++size[part];
    for (std::size_t node = 0; node < graph.nodes; ++node)
        layout.node_in_cycle.push_back(size[layout.cycle_of_node[node]] > 1);
    for (const GraphEdge& edge : graph.edges)
        layout.edge_in_cycle.push_back(layout.cycle_of_node[edge.from] ==
                                       layout.cycle_of_node[edge.to]);
}

/// What makes a drawing hard to read: crossings, long edges, and layers that must be folded away.
double difficulty(const Layers& layers, const LayoutOptions& options) {
    const auto nodes = static_cast<std::size_t>(
        std::count_if(layers.cells.begin(), layers.cells.end(), [](auto& c) { return c.is_node; }));
    const std::size_t count = layers.members.size();
    const std::size_t folded = count > options.columns ? count - options.columns : 0;
    return static_cast<double>(crossings(layers)) +
           0.5 * static_cast<double>(layers.cells.size() - nodes) +
           4.0 * static_cast<double>(folded);
}

Layers best_layers(const Graph& graph, const Indices& parts, const LayoutOptions& options) {
    const double root = std::sqrt(static_cast<double>(graph.nodes));
    LayerOptions choice;
    choice.height = static_cast<std::size_t>(std::ceil(std::max(4.0, 1.2 * root)));
    Layers best;
    double least = 0.0;
    for (choice.variant = 0; choice.variant < variants; ++choice.variant) {
        Layers layers = layers_of(graph, parts, choice);
        untangle(layers);
        const double found = difficulty(layers, options);
        if (choice.variant > 0 && found >= least) continue;
        least = found;
        best = std::move(layers);
    }
    return best;
}

}  // namespace

GraphLayout lay_out(const Graph& graph, const LayoutOptions& options) {
    GraphLayout layout;
    layout.cycle_of_node = strong_parts(graph);
    mark_cycles(graph, layout);
    if (graph.nodes == 0) return layout;
    const Layers layers = best_layers(graph, layout.cycle_of_node, options);
    const Placement placement(layers, options);
    const Router router(layers, placement, options);
    layout.width = placement.width();
    layout.height = placement.height();
    for (std::size_t node = 0; node < graph.nodes; ++node)
        layout.nodes.push_back(placement.centre(node));
    for (std::size_t edge = 0; edge < graph.edges.size(); ++edge)
        layout.edges.push_back(router.path(edge));
    return layout;
}

}  // namespace tandem::report
