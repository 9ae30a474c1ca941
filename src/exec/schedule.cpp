#include "exec/schedule.hpp"

#include <algorithm>

#include "tandem/extend/index.hpp"

namespace tandem::exec {
Schedule::Schedule(const TaskGraph& graph, int threads)
    : graph_(graph),
      ways_(index(graph.size())),
      ready_at_(ways_.size()),
      waiting_for_(ways_.size()),
      open_(ways_.size()),
      thread_free_(index(threads)) {}

/// Position in open_ of the task to take next: among those that can begin first.
int Schedule::longest_way_first(std::size_t count) const {
    const double free = *std::ranges::min_element(thread_free_);
    std::size_t best = 0;
    const auto begin_of = [&](std::size_t i) { return std::max(free, ready_at_[index(open_[i])]); };
    for (std::size_t i = 1; i < count; ++i) {
        const double gain = begin_of(best) - begin_of(i);
        if (gain > 0.0 || (gain == 0.0 && ways_[index(open_[i])] > ways_[index(open_[best])]))
            best = i;
    }
    return static_cast<int>(best);
}

double Schedule::length(std::span<const double> costs) {
    for (int task = graph_.size() - 1; task >= 0; --task) {
        double behind = 0.0;
        for (const int next : graph_.successors(task))
            behind = std::max(behind, ways_[index(next)]);
        ways_[index(task)] = costs[index(task)] + behind;
    }
    std::ranges::fill(ready_at_, 0.0);
    std::ranges::fill(thread_free_, 0.0);
    std::size_t open = 0;
    for (int task = 0; task < graph_.size(); ++task) {
        waiting_for_[index(task)] = graph_.predecessors(task);
        if (graph_.predecessors(task) == 0) open_[open++] = task;
    }
    double end = 0.0;
    while (open > 0) {
        const auto place = index(longest_way_first(open));
        const int task = std::exchange(open_[place], open_[open - 1]);
        --open;
        double& free = *std::ranges::min_element(thread_free_);
        free = std::max(free, ready_at_[index(task)]) + costs[index(task)];
        end = std::max(end, free);
        for (const int next : graph_.successors(task)) {
            ready_at_[index(next)] = std::max(ready_at_[index(next)], free);
            if (--waiting_for_[index(next)] == 0) open_[open++] = next;
        }
    }
    return end;
}

}  // namespace tandem::exec
