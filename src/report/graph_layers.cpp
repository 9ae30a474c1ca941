#include "report/graph_layers.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <numeric>

namespace tandem::report {
namespace {

using Indices = std::vector<std::size_t>;
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
/// Cycles up to this size are drawn along their flow; larger ones are drawn as a loop.
constexpr std::size_t small_cycle = 8;
constexpr int sweeps = 24;

/// A rank per node such that the drawing goes from lower to higher ranks: along the flow between
/// strongly connected parts, and within a part by the distance from where the flow enters it.
class Ranking {
public:
    Ranking(const Graph& graph, const Indices& parts, std::size_t variant)
        : graph_(graph), parts_(parts), variant_(variant) {
        members_.resize(graph.nodes);
        for (std::size_t node = 0; node < graph.nodes; ++node)
            members_[parts[node]].push_back(node);
        neighbours_.resize(graph.nodes);
        for (const GraphEdge& edge : graph.edges) add(edge);
    }

    Indices ranks() {
        Indices rank(graph_.nodes, none);
        std::size_t next = 0;
        for (const Indices& members : members_)
            if (!members.empty()) number_part(members, rank, next);
        return rank;
    }

private:
    struct Neighbour {
        std::size_t node;
        bool downstream;
    };

    void add(const GraphEdge& edge) {
        if (parts_[edge.from] != parts_[edge.to]) return;
        neighbours_[edge.from].push_back({edge.to, edge.forward});
        neighbours_[edge.to].push_back({edge.from, edge.backward});
    }

    /// Where the flow enters a part, or for other variants of the drawing some other member.
    std::size_t entry_of(const Indices& members) const {
        if (members.size() > small_cycle && variant_ > 0)
            return members[(variant_ - 1) * members.size() / variants];
        for (const GraphEdge& edge : graph_.edges) {
            const std::size_t target = edge.forward ? edge.to : edge.from;
            const bool enters = parts_[edge.from] != parts_[edge.to];
            if (enters && parts_[target] == parts_[members.front()]) return target;
        }
        return members.front();
    }

    void number_part(const Indices& members, Indices& rank, std::size_t& next) {
        const bool along_flow = members.size() <= small_cycle;
        std::deque<std::size_t> queue = {entry_of(members)};
        rank[queue.front()] = next++;
        while (!queue.empty()) {
            const std::size_t node = queue.front();
            queue.pop_front();
            for (const Neighbour& neighbour : neighbours_[node]) {
                if (rank[neighbour.node] != none || (along_flow && !neighbour.downstream)) continue;
                rank[neighbour.node] = next++;
                queue.push_back(neighbour.node);
            }
        }
    }

    const Graph& graph_;
    const Indices& parts_;
    std::size_t variant_;
    std::vector<Indices> members_;
    std::vector<std::vector<Neighbour>> neighbours_;
};

Indices longest_paths(const Graph& graph, const Indices& rank, std::size_t height) {
    std::vector<Indices> predecessors(graph.nodes);
    for (const GraphEdge& edge : graph.edges) {
        const bool along = rank[edge.from] < rank[edge.to];
        predecessors[along ? edge.to : edge.from].push_back(along ? edge.from : edge.to);
    }
    Indices order(graph.nodes), layer(graph.nodes, 0), filled;
    for (std::size_t node = 0; node < graph.nodes; ++node) order[rank[node]] = node;
    for (const std::size_t node : order) {
        for (const std::size_t p : predecessors[node])
            layer[node] = std::max(layer[node], layer[p] + 1);
        while (layer[node] < filled.size() && filled[layer[node]] >= height) ++layer[node];
        filled.resize(std::max(filled.size(), layer[node] + 1), 0);
        ++filled[layer[node]];
    }
    return layer;
}

/// Sources move next to what they feed: a long edge from the first layer helps nobody.
void pull_sources(const Graph& graph, const Indices& rank, std::size_t height, Indices& layer) {
    Indices filled(graph.nodes + 1, 0);
    for (const std::size_t l : layer) ++filled[l];
    for (std::size_t node = 0; node < graph.nodes; ++node) {
        std::size_t nearest = none;
        bool is_source = true;
        for (const GraphEdge& edge : graph.edges) {
            if (edge.from != node && edge.to != node) continue;
            const std::size_t other = edge.from == node ? edge.to : edge.from;
            is_source = is_source && rank[node] < rank[other];
            nearest = std::min(nearest, layer[other]);
        }
        if (!is_source || nearest == none || nearest < 2 || filled[nearest - 1] >= height) continue;
        --filled[layer[node]];
        layer[node] = nearest - 1;
        ++filled[layer[node]];
    }
}

/// Edges as chains of cells. Long edges of one node share their lanes, so that a hub has one bundle
/// and not a lane per edge.
class Chains {
public:
    Chains(const Graph& graph, Layers& layers) : layers_(layers), degree_(graph.nodes, 0) {
        for (const GraphEdge& edge : graph.edges) {
            ++degree_[edge.from];
            ++degree_[edge.to];
        }
    }

    void add(std::size_t first, std::size_t last) {
        const std::size_t hub = degree_[last] > degree_[first] ? last : first;
        Indices chain = {first};
        for (std::size_t l = layers_.cells[first].layer + 1; l < layers_.cells[last].layer; ++l)
            chain.push_back(lane(hub, l));
        chain.push_back(last);
        for (std::size_t i = 1; i < chain.size(); ++i) join(chain[i - 1], chain[i]);
        layers_.chains.push_back(std::move(chain));
    }

private:
    std::size_t lane(std::size_t hub, std::size_t layer) {
        const auto [found, is_new] = lanes_.emplace(std::pair(hub, layer), layers_.cells.size());
        if (is_new) layers_.cells.push_back({layer, false, {}, {}});
        return found->second;
    }
    void join(std::size_t a, std::size_t b) {
        Indices& after = layers_.cells[a].after;
        if (std::find(after.begin(), after.end(), b) != after.end()) return;
        after.push_back(b);
        layers_.cells[b].before.push_back(a);
    }

    Layers& layers_;
    Indices degree_;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> lanes_;
};

Indices positions_of(const Layers& layers) {
    Indices position(layers.cells.size());
    for (const Indices& members : layers.members)
        for (std::size_t i = 0; i < members.size(); ++i) position[members[i]] = i;
    return position;
}

void sort_by_barycentre(Indices& members, const Layers& layers, Indices& position, bool forwards) {
    std::vector<std::pair<double, std::size_t>> keyed;
    for (const std::size_t cell : members) {
        const Indices& others = forwards ? layers.cells[cell].before : layers.cells[cell].after;
        double sum = 0.0;
        for (const std::size_t other : others) sum += static_cast<double>(position[other]);
        const double centre = others.empty() ? static_cast<double>(position[cell])
                                             : sum / static_cast<double>(others.size());
        keyed.emplace_back(centre, cell);
    }
    std::stable_sort(keyed.begin(), keyed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < keyed.size(); ++i) {
        members[i] = keyed[i].second;
        position[members[i]] = i;
    }
}

}  // namespace

Layers layers_of(const Graph& graph, const Indices& parts, const LayerOptions& options) {
    const Indices rank = Ranking(graph, parts, options.variant).ranks();
    Indices layer = longest_paths(graph, rank, options.height);
    pull_sources(graph, rank, options.height, layer);
    Layers layers;
    for (std::size_t node = 0; node < graph.nodes; ++node)
        layers.cells.push_back({layer[node], true, {}, {}});
    Chains chains(graph, layers);
    for (const GraphEdge& edge : graph.edges) {
        const bool reversed = layer[edge.from] > layer[edge.to];
        layers.reversed.push_back(reversed);
        chains.add(reversed ? edge.to : edge.from, reversed ? edge.from : edge.to);
    }
    for (std::size_t cell = 0; cell < layers.cells.size(); ++cell) {
        const std::size_t l = layers.cells[cell].layer;
        layers.members.resize(std::max(layers.members.size(), l + 1));
        layers.members[l].push_back(cell);
    }
    return layers;
}

std::size_t crossings(const Layers& layers) {
    const Indices position = positions_of(layers);
    std::size_t count = 0;
    for (const Indices& members : layers.members) {
        Indices ends;  // of the edges of this layer, sorted by their start
        for (const std::size_t cell : members) {
            Indices targets;
            for (const std::size_t other : layers.cells[cell].after)
                targets.push_back(position[other]);
            std::sort(targets.begin(), targets.end());
            ends.insert(ends.end(), targets.begin(), targets.end());
        }
        for (std::size_t i = 0; i < ends.size(); ++i)
            for (std::size_t j = i + 1; j < ends.size(); ++j) count += ends[j] < ends[i] ? 1 : 0;
    }
    return count;
}

void untangle(Layers& layers) {
    Indices position = positions_of(layers);
    std::vector<Indices> best = layers.members;
    std::size_t fewest = crossings(layers);
    for (int sweep = 0; sweep < sweeps && fewest > 0; ++sweep) {
        const bool forwards = sweep % 2 == 0;
        const std::size_t count = layers.members.size();
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t l = forwards ? i : count - 1 - i;
            sort_by_barycentre(layers.members[l], layers, position, forwards);
        }
        const std::size_t found = crossings(layers);
        if (found >= fewest) continue;
        fewest = found;
        best = layers.members;
    }
    layers.members = std::move(best);
}

}  // namespace tandem::report
