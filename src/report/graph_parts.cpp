#include <algorithm>
#include <limits>

#include "report/graph_layout.hpp"

namespace tandem::report {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

/// Tarjan's algorithm with a stack of its own, so that a chain of any length is fine.
class Tarjan {
public:
    explicit Tarjan(const Graph& graph)
        : next_(graph.nodes),
          index_(graph.nodes, none),
          low_(graph.nodes),
          part_(graph.nodes, none) {
        for (const GraphEdge& edge : graph.edges) {
            if (edge.forward) next_[edge.from].push_back(edge.to);
            if (edge.backward) next_[edge.to].push_back(edge.from);
        }
    }

    std::vector<std::size_t> parts() {
        for (std::size_t node = 0; node < next_.size(); ++node)
            if (index_[node] == none) explore(node);
        // Parts are completed downstream first.
        for (std::size_t& part : part_) part = count_ - 1 - part;
        return part_;
    }

private:
    struct Visit {
        std::size_t node;
        std::size_t edge;
    };

    void enter(std::size_t node) {
        index_[node] = low_[node] = time_++;
        open_.push_back(node);
        visits_.push_back({node, 0});
    }

    void explore(std::size_t root) {
        enter(root);
        while (!visits_.empty()) {
            auto& [node, edge] = visits_.back();
            if (edge == next_[node].size()) {
                leave();
                continue;
            }
            const std::size_t target = next_[node][edge++];
            if (index_[target] == none) {
                enter(target);
            } else if (part_[target] == none) {
                low_[node] = std::min(low_[node], index_[target]);
            }
        }
    }

    void leave() {
        const std::size_t node = visits_.back().node;
        visits_.pop_back();
        if (!visits_.empty()) {
            std::size_t& low = low_[visits_.back().node];
            low = std::min(low, low_[node]);
        }
        if (low_[node] != index_[node]) return;
        while (true) {
            const std::size_t member = open_.back();
            open_.pop_back();
            part_[member] = count_;
            if (member == node) break;
        }
        ++count_;
    }

    std::vector<std::vector<std::size_t>> next_;
    std::vector<std::size_t> index_;
    std::vector<std::size_t> low_;
    std::vector<std::size_t> part_;
    std::vector<std::size_t> open_;
    std::vector<Visit> visits_;
    std::size_t time_ = 0;
    std::size_t count_ = 0;
};

}  // namespace

std::vector<std::size_t> strong_parts(const Graph& graph) { return Tarjan(graph).parts(); }

}  // namespace tandem::report
