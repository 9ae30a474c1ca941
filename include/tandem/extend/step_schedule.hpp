#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tandem/extend/executor.hpp"

namespace tandem {

/// What flows with a delay, apart from links: what `to` does until t depends on what `from` did
/// until t - delay.
struct DelayedFlow {
    int from = 0, to = 0;
    double delay = 0.0;
};

/// Who runs the steps of subsystems, and what must not run together.
class StepSchedule {
public:
    /// What runs the steps of several subsystems; in the order of their tasks unless set.
    Executor& executor() { return *executor_; }
    const Executor& executor() const { return *executor_; }
    void set_executor(std::unique_ptr<Executor> executor) { executor_ = std::move(executor); }

    /// For each subsystem, numbers from 0 of what only one subsystem may use at a time.
    void set_shared(std::vector<std::vector<int>> shared) { shared_ = std::move(shared); }
    /// What flows beside the links, from subsystem to subsystem: values that are not real ports.
    std::span<const std::pair<int, int>> other_flows() const { return other_flows_; }
    void set_other_flows(std::vector<std::pair<int, int>> from_to) {
        other_flows_ = std::move(from_to);
    }
    std::span<const DelayedFlow> delayed_flows() const { return delayed_flows_; }
    void set_delayed_flows(std::vector<DelayedFlow> flows) { delayed_flows_ = std::move(flows); }

    /// What a task that steps these subsystems, of `size` in all, uses, for a TaskGraph. With
    /// `carries`, it also takes what flows beside the links.
    std::vector<int> resources_of(std::span<const int> subsystems, int size, bool carries) const;

private:
    std::unique_ptr<Executor> executor_ = make_serial_executor();
    std::vector<std::vector<int>> shared_;
    std::vector<std::pair<int, int>> other_flows_;
    std::vector<DelayedFlow> delayed_flows_;
};

}  // namespace tandem
