#include "exec/thread_executor.hpp"

#include <tbb/info.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "exec/decision.hpp"
#include "exec/team.hpp"

namespace tandem::exec {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Plan {
    Plan(TaskGraph tasks, int threads)
        : graph(std::move(tasks)),
          decision(graph, threads),
          costs(static_cast<std::size_t>(graph.size())) {}

    TaskGraph graph;
    Decision decision;
    std::vector<double> costs;  // of one run
};

class ThreadExecutor final : public Executor {
public:
    ThreadExecutor(int threads, Use use) : use_(use), team_(threads) { report_.threads = threads; }

    int prepare(TaskGraph graph) override {
        team_.reserve(graph.size());
        report_.has_choice = report_.has_choice || !graph.is_chain();
        plans_.push_back(std::make_unique<Plan>(std::move(graph), report_.threads));
        return static_cast<int>(plans_.size()) - 1;
    }

    int run(int graph, TaskBody body) override {
        Plan& plan = *plans_[static_cast<std::size_t>(graph)];
        if (is_busy_ || plan.graph.is_chain()) return one_after_the_other(plan.graph, body);
        ++report_.runs;
        const Mode mode = use_ == Use::always ? Mode::parallel : plan.decision.next();
        switch (mode) {
            case Mode::parallel: return together(plan, body);
            case Mode::timed: return timed(plan, body);
            default: return one_after_the_other(plan.graph, body);
        }
    }

    Report report() const override { return report_; }

private:
    static int one_after_the_other(const TaskGraph& graph, TaskBody body) {
        for (int task = 0; task < graph.size(); ++task)
            if (!body(task)) return task;
        return all_done;
    }

    static int timed(Plan& plan, TaskBody body) {
        double all = 0.0;
        for (int task = 0; task < plan.graph.size(); ++task) {
            const Clock::time_point begin = Clock::now();
            if (!body(task)) return task;
            const double cost = seconds_since(begin);
            plan.costs[static_cast<std::size_t>(task)] = cost;
            all += cost;
        }
        plan.decision.took(Mode::timed, all, plan.costs);
        return all_done;
    }

    int together(Plan& plan, TaskBody body) {
        ++report_.parallel;
        const Busy busy(is_busy_);
        const Clock::time_point begin = Clock::now();
        const int failed = team_.run(plan.graph, plan.decision.priorities(), body);
        if (failed == all_done) plan.decision.took(Mode::parallel, seconds_since(begin));
        return failed;
    }

    struct Busy {
        explicit Busy(bool& flag) : flag_(flag) { flag_ = true; }
        ~Busy() { flag_ = false; }
        Busy(const Busy&) = delete;
        Busy& operator=(const Busy&) = delete;
        bool& flag_;
    };

    Use use_;
    Team team_;
    std::vector<std::unique_ptr<Plan>> plans_;
    bool is_busy_ = false;  // tasks run on several threads: what they run inside stays on its own
    Report report_;
};

}  // namespace

std::unique_ptr<Executor> make_thread_executor(int threads, Use use) {
    if (threads == 0) threads = threads_of_this_machine();
    if (threads <= 1) return make_serial_executor();
    return std::make_unique<ThreadExecutor>(threads, use);
}

int threads_of_this_machine() { return std::max(1, tbb::info::default_concurrency()); }

}  // namespace tandem::exec
