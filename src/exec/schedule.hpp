#pragma once

#include <span>
#include <vector>

#include "tandem/extend/executor.hpp"

namespace tandem::exec {

/// How long the tasks of a graph take on several threads, from what each one takes.
class Schedule {
public:
    Schedule(const TaskGraph& graph, int threads);

    /// List scheduling: a thread that is free takes the task with the longest way to the end.
    double length(std::span<const double> costs);
    /// The longest way from each task to the end, its own cost included; of the last length().
    std::span<const double> ways() const { return ways_; }

private:
    int longest_way_first(std::size_t count) const;

    const TaskGraph& graph_;
    std::vector<double> ways_;
    std::vector<double> ready_at_;     // of each task: when all before it are finished
    std::vector<int> waiting_for_;     // of each task: how many before it are not scheduled
    std::vector<int> open_;            // tasks that wait for nothing
    std::vector<double> thread_free_;  // of each thread: when
};

}  // namespace tandem::exec
