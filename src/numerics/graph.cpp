#include "tandem/extend/graph.hpp"

#include <algorithm>

#include "tandem/extend/index.hpp"

namespace tandem::numerics {

Graph::Graph(int size, std::vector<std::pair<int, int>> edges)
    : begin_(static_cast<std::size_t>(size) + 1, 0) {
    std::ranges::sort(edges);
    const auto repeated = std::ranges::unique(edges);
    edges.erase(repeated.begin(), repeated.end());
    for (const auto& [from, to] : edges) {
        ++begin_[static_cast<std::size_t>(from) + 1];
        targets_.push_back(to);
    }
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
}

std::span<const int> Graph::successors(int node) const {
    const auto n = static_cast<std::size_t>(node);
    return {targets_.data() + begin_[n], targets_.data() + begin_[n + 1]};
}

bool Graph::has_edge(int from, int to) const {
    return std::ranges::binary_search(successors(from), to);
}

namespace {

class Tarjan {
public:
    explicit Tarjan(const numerics::Graph& graph)
        : graph_(graph), index_(count(), unvisited), low_(count(), 0), on_stack_(count(), false) {}

    std::vector<std::vector<int>> run() {
        for (int node = 0; node < graph_.size(); ++node)
            if (index_[index(node)] == unvisited) explore(node);
        std::ranges::reverse(components_);  // Tarjan finds sinks first
        for (auto& component : components_) std::ranges::sort(component);
        return std::move(components_);
    }

private:
    static constexpr int unvisited = -1;
    std::size_t count() const { return static_cast<std::size_t>(graph_.size()); }

    void enter(int node) {
        index_[index(node)] = low_[index(node)] = next_index_++;
        stack_.push_back(node);
        on_stack_[index(node)] = true;
        path_.push_back({node, 0});
    }

    void explore(int root) {
        enter(root);
        while (!path_.empty()) {
            const int node = path_.back().first;
            const auto successors = graph_.successors(node);
            if (path_.back().second < successors.size()) {
                const int next = successors[path_.back().second++];
                if (index_[index(next)] == unvisited)
                    enter(next);
                else if (on_stack_[index(next)])
                    low_[index(node)] = std::min(low_[index(node)], index_[index(next)]);
            } else {
                leave(node);
            }
        }
    }

    void leave(int node) {
        path_.pop_back();
        if (!path_.empty()) {
            int& low_of_parent = low_[index(path_.back().first)];
            low_of_parent = std::min(low_of_parent, low_[index(node)]);
        }
        if (low_[index(node)] != index_[index(node)]) return;
        components_.emplace_back();
        int member = unvisited;
        do {
            member = stack_.back();
            stack_.pop_back();
            on_stack_[index(member)] = false;
            components_.back().push_back(member);
        } while (member != node);
    }

    const numerics::Graph& graph_;
    std::vector<int> index_, low_;
    std::vector<bool> on_stack_;
    std::vector<int> stack_;
    std::vector<std::pair<int, std::size_t>> path_;  // node, its next successor
    std::vector<std::vector<int>> components_;
    int next_index_ = 0;
};

}  // namespace

Components strongly_connected_components(const Graph& graph) {
    Components components;
    components.members = Tarjan(graph).run();
    components.of_node.resize(static_cast<std::size_t>(graph.size()));
    for (std::size_t c = 0; c < components.members.size(); ++c)
        for (const int node : components.members[c])
            components.of_node[static_cast<std::size_t>(node)] = static_cast<int>(c);
    return components;
}

std::vector<int> depths(const Graph& graph, const Components& components) {
    std::vector<int> depth(components.members.size(), 0);
    for (std::size_t c = 0; c < depth.size(); ++c)
        for (const int node : components.members[c])
            for (const int next : graph.successors(node)) {
                const auto to =
                    static_cast<std::size_t>(components.of_node[static_cast<std::size_t>(next)]);
                if (to != c) depth[to] = std::max(depth[to], depth[c] + 1);
            }
    return depth;
}

bool is_cycle(const Graph& graph, std::span<const int> component) {
    return component.size() > 1 || graph.has_edge(component.front(), component.front());
}

}  // namespace tandem::numerics
