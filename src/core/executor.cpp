#include "tandem/extend/executor.hpp"

#include <map>

#include "tandem/error.hpp"
#include "tandem/extend/index.hpp"

namespace tandem {
namespace {

/// Users of one resource form a chain.
std::vector<std::pair<int, int>> with_chains(std::vector<std::pair<int, int>> edges,
                                             const std::vector<std::vector<int>>& resources) {
    std::map<int, int> last_user;
    for (std::size_t task = 0; task < resources.size(); ++task) {
        for (const int resource : resources[task]) {
            const int user = static_cast<int>(task);
            const auto [last, is_first] = last_user.emplace(resource, user);
            if (!is_first && last->second != user) edges.emplace_back(last->second, user);
            last->second = user;
        }
    }
    return edges;
}

class SerialExecutor final : public Executor {
public:
    int prepare(TaskGraph graph) override {
        sizes_.push_back(graph.size());
        return static_cast<int>(sizes_.size()) - 1;
    }
    int run(int graph, TaskBody body) override {
        for (int task = 0; task < sizes_[index(graph)]; ++task)
            if (!body(task)) return task;
        return all_done;
    }
    Report report() const override { return {}; }

private:
    std::vector<int> sizes_;
};

}  // namespace

TaskGraph::TaskGraph(int size, std::vector<std::pair<int, int>> edges,
                     const std::vector<std::vector<int>>& resources)
    : order_(size, with_chains(std::move(edges), resources)), predecessors_(index(size), 0) {
    for (int task = 0; task < size; ++task) {
        for (const int next : order_.successors(task)) {
            expects(next > task, "tasks are numbered in an order in which they may run");
            ++predecessors_[index(next)];
        }
        if (task + 1 < size && !order_.has_edge(task, task + 1)) is_chain_ = false;
    }
}

std::unique_ptr<Executor> make_serial_executor() { return std::make_unique<SerialExecutor>(); }

}  // namespace tandem
