#pragma once

#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tandem/extend/graph.hpp"

namespace tandem {

/// Tasks 0 .. size-1 and which must be finished before which. Going through them by number is
/// always allowed.
class TaskGraph {
public:
    /// `edges` are (earlier, later) by number. `resources` has, for each task, what only one task
    /// may use at a time: tasks that share something run by number.
    TaskGraph(int size, std::vector<std::pair<int, int>> edges,
              const std::vector<std::vector<int>>& resources = {});

    int size() const { return order_.size(); }
    std::span<const int> successors(int task) const { return order_.successors(task); }
    int predecessors(int task) const { return predecessors_[static_cast<std::size_t>(task)]; }
    /// No two tasks may run together.
    bool is_chain() const { return is_chain_; }

private:
    numerics::Graph order_;
    std::vector<int> predecessors_;
    bool is_chain_ = true;
};

/// Something to call with the number of a task; false: it failed. Does not own what it calls.
class TaskBody {
public:
    template <class Function>
    requires(!std::is_same_v<std::remove_cvref_t<Function>, TaskBody>)
        TaskBody(Function&& function)  // NOLINT: made from what is called, where it is called
        : object_(const_cast<void*>(static_cast<const void*>(&function))),
          call_([](void* object, int task) {
              return static_cast<bool>(
                  (*static_cast<std::remove_reference_t<Function>*>(object))(task));
          }) {}

    bool operator()(int task) const { return call_(object_, task); }

private:
    void* object_;
    bool (*call_)(void*, int);
};

/// Runs the tasks of a graph, perhaps several at a time. What comes out is as if they had run by
/// number up to the first that fails; later ones may have run, too.
class Executor {
public:
    static constexpr int all_done = -1;
    struct Report {
        int threads = 1;          ///< that it may use
        bool has_choice = false;  ///< some graph has tasks that may run together
        long runs = 0;            ///< of such graphs
        long parallel = 0;        ///< of these, on several threads
    };

    virtual ~Executor() = default;
    /// Sizes everything; the answer names the graph in run().
    virtual int prepare(TaskGraph graph) = 0;
    /// The first task that failed, or all_done. An exception of that task goes through. Allocates
    /// nothing. A task may call run() itself, for another graph.
    virtual int run(int graph, TaskBody body) = 0;
    virtual Report report() const = 0;
};

/// One after the other.
std::unique_ptr<Executor> make_serial_executor();

}  // namespace tandem
