#include "exec/decision.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace tandem::exec {
namespace {

using Costs = std::vector<double>;

/// Runs a graph whose times are given, and counts the runs on several threads.
struct Experiment {
    TaskGraph graph;
    std::vector<double> costs;
    double parallel;  ///< what a run on several threads takes
    Decision decision{graph, 2};

    int parallel_runs(int runs) {
        int count = 0;
        const double serial = std::accumulate(costs.begin(), costs.end(), 0.0);
        for (int run = 0; run < runs; ++run) {
            const Mode mode = decision.next();
            if (mode == Mode::parallel) {
                ++count;
                decision.took(mode, parallel);
            } else if (mode == Mode::timed) {
                decision.took(mode, serial, costs);
            }
        }
        return count;
    }
};

TEST(schedule, is_the_longest_way_if_there_are_threads_enough) {
    const TaskGraph graph(4, {{0, 1}, {1, 3}, {2, 3}});
    Schedule schedule(graph, 2);
    EXPECT_DOUBLE_EQ(schedule.length(std::vector{1.0, 2.0, 2.5, 4.0}), 7.0);
    EXPECT_DOUBLE_EQ(schedule.ways()[0], 7.0);
    EXPECT_DOUBLE_EQ(schedule.ways()[2], 6.5);
}

TEST(schedule, is_the_sum_on_one_thread) {
    const TaskGraph graph(3, {});
    EXPECT_DOUBLE_EQ(Schedule(graph, 1).length(std::vector{1.0, 2.0, 4.0}), 7.0);
}

TEST(schedule, begins_with_the_longest_way) {
    // The long task of a list of short ones goes first: 6 = max(6, (6 + 5 * 1) / 2).
    const TaskGraph graph(6, {});
    EXPECT_DOUBLE_EQ(Schedule(graph, 2).length(std::vector{1.0, 1.0, 1.0, 1.0, 1.0, 6.0}), 6.0);
}

TEST(decision, uses_threads_for_expensive_tasks_after_the_first_steps) {
    Experiment heavy{TaskGraph(2, {}), {1e-4, 1e-4}, 1.05e-4};
    EXPECT_EQ(heavy.parallel_runs(17), 0);
    EXPECT_GE(heavy.parallel_runs(1000), 980);
}

TEST(decision, leaves_cheap_tasks_alone) {
    Experiment cheap{TaskGraph(100, {}), std::vector<double>(100, 5e-8), 1e-5};
    EXPECT_EQ(cheap.parallel_runs(10000), 0);
}

TEST(decision, leaves_alone_what_one_task_dominates) {
    Experiment uneven{TaskGraph(2, {}), {1e-3, 5e-5}, 1.01e-3};
    EXPECT_EQ(uneven.parallel_runs(10000), 0);
}

TEST(decision, gives_up_when_threads_do_not_help_in_fact) {
    Experiment busy{TaskGraph(2, {}), {1e-4, 1e-4}, 3e-4};
    EXPECT_LE(busy.parallel_runs(20000), 20000 / 50);
}

TEST(decision, loses_little_where_threads_are_interrupted_again_and_again) {
    // Every tenth run waits for a thread that somebody else has put aside; the others are faster.
    Experiment busy{TaskGraph(2, {}), {1e-4, 1e-4}, 0.0};
    double all = 0.0;
    constexpr int runs = 5000;
    for (int run = 0; run < runs; ++run) {
        const Mode mode = busy.decision.next();
        const double seconds = mode != Mode::parallel ? 2e-4 : run % 10 == 0 ? 4e-3 : 1.1e-4;
        if (mode != Mode::serial)
            busy.decision.took(mode, seconds, mode == Mode::timed ? busy.costs : Costs());
        all += seconds;
    }
    EXPECT_LE(all, 1.1 * runs * 2e-4);
}

TEST(decision, notices_that_tasks_have_become_expensive) {
    Experiment changing{TaskGraph(2, {}), {1e-7, 1e-7}, 1e-5};
    EXPECT_EQ(changing.parallel_runs(2000), 0);
    changing.costs = {1e-3, 1e-3};
    changing.parallel = 1.1e-3;
    // The moving average grows by at most 4 in a sample.
    EXPECT_GE(changing.parallel_runs(20000), 10000);
}

TEST(decision, is_not_misled_by_an_interruption) {
    Experiment heavy{TaskGraph(2, {}), {1e-4, 1e-4}, 1.05e-4};
    heavy.parallel_runs(100);
    heavy.decision.took(Mode::parallel, 5e-3);
    EXPECT_GE(heavy.parallel_runs(1000), 980);
    heavy.decision.took(Mode::parallel, 10.0);
    EXPECT_GE(heavy.parallel_runs(1000), 980);
}

}  // namespace
}  // namespace tandem::exec
