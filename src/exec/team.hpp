#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "tandem/extend/executor.hpp"

namespace tandem::exec {

/// Threads that work through a graph together with the thread that asks for it. There is no barrier
/// inside: a thread that has finished a task takes the next one that waits for nothing.
///
/// The threads are those of oneTBB. Between two runs they look out for work for a moment, because
/// waking one up takes as long as a short step; then they go back to oneTBB.
class Team {
public:
    /// `threads` with the one that calls run().
    explicit Team(int threads);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    /// No graph has more tasks.
    void reserve(int most_tasks);
    /// As Executor::run(). Tasks with larger priorities go first. Not from inside a task.
    int run(const TaskGraph& graph, std::span<const double> priorities, TaskBody body);

private:
    class Threads;
    static constexpr int nothing = -1;

    void begin(const TaskGraph& graph, std::span<const double> priorities, const TaskBody& body);
    void push(int task);
    int pop();
    int take();
    void work(int task);
    void note_failure(int task, std::exception_ptr exception);
    int next_after(int task);
    void wait();
    void help();
    void summon(int wanted);

    const int threads_;
    std::unique_ptr<Threads> pool_;
    std::mutex mutex_;  // guards what follows, up to the atomics
    const TaskGraph* graph_ = nullptr;
    const TaskBody* body_ = nullptr;
    std::span<const double> priorities_;
    std::vector<int> ready_;          // a heap: the most urgent first
    std::vector<int> waiting_for_;    // of each task: how many before it are not finished
    int failed_ = 0;                  // the first task that failed, or the number of tasks
    std::exception_ptr exception_;    // of that
    std::atomic<int> available_{0};   // size of ready_
    std::atomic<int> unfinished_{0};  // tasks
    std::atomic<unsigned> changes_{0};
    std::atomic<int> helpers_{0};  // threads that look for work, or will
    std::atomic<bool> stop_{false};
};

}  // namespace tandem::exec
