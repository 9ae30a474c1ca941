#include "exec/thread_executor.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <stdexcept>
#include <thread>

#include "support/allocation_counter.hpp"
#include "tandem/extend/index.hpp"

namespace tandem::exec {
namespace {

using Edges = std::vector<std::pair<int, int>>;

/// Edges from lower to higher numbers, the same ones in every run of the test.
Edges random_edges(int size, double density, unsigned seed) {
    std::mt19937 random(seed);
    std::bernoulli_distribution is_edge(density);
    Edges edges;
    for (int from = 0; from < size; ++from)
        for (int to = from + 1; to < size; ++to)
            if (is_edge(random)) edges.emplace_back(from, to);
    return edges;
}

/// Some hundred nanoseconds that no compiler takes away.
double work(double x) {
    for (int i = 0; i < 100; ++i) x = x * 1.0000001 + 1e-9;
    return x;
}

TEST(thread_executor, runs_every_task_once_and_after_all_that_come_before_it) {
    constexpr int size = 60;
    for (unsigned seed = 1; seed <= 20; ++seed) {
        const Edges edges = random_edges(size, 0.05, seed);
        const auto executor = make_thread_executor(4, Use::always);
        const int graph = executor->prepare({size, edges});
        for (int repetition = 0; repetition < 20; ++repetition) {
            std::vector<std::atomic<int>> count(size);
            std::atomic<int> clock{0};
            std::vector<int> begun(size), finished(size);
            EXPECT_EQ(executor->run(graph,
                                    [&](int task) {
                                        begun[index(task)] = ++clock;
                                        ++count[index(task)];
                                        finished[index(task)] = ++clock;
                                        return true;
                                    }),
                      Executor::all_done);
            for (const auto& one : count) EXPECT_EQ(one, 1);
            for (const auto& [from, to] : edges) EXPECT_LT(finished[index(from)], begun[index(to)]);
        }
    }
}

TEST(thread_executor, tasks_that_wait_for_each_other_meet_on_two_threads) {
    const auto executor = make_thread_executor(2, Use::always);
    const int graph = executor->prepare({2, {}});
    std::atomic<int> arrived{0};
    executor->run(graph, [&](int) {
        ++arrived;
        while (arrived < 2) std::this_thread::yield();
        return true;
    });
    EXPECT_EQ(arrived, 2);
}

TEST(thread_executor, a_chain_does_not_wait_for_what_runs_beside_it) {
    // 0 -> 1 beside 2: 2 ends only when 1 has run, which a barrier behind 0 and 2 would prevent.
    const auto executor = make_thread_executor(2, Use::always);
    const int graph = executor->prepare({3, {{0, 1}}});
    std::atomic<bool> second_of_chain{false};
    EXPECT_EQ(executor->run(graph,
                            [&](int task) {
                                if (task == 1) second_of_chain = true;
                                while (task == 2 && !second_of_chain) std::this_thread::yield();
                                return true;
                            }),
              Executor::all_done);
}

TEST(thread_executor, tasks_with_the_same_resource_never_run_together) {
    constexpr int size = 40;
    std::vector<std::vector<int>> resources(size);
    for (int task = 0; task < size; ++task) resources[index(task)] = {task % 3, 10 + task % 5};
    const auto executor = make_thread_executor(4, Use::always);
    const int graph = executor->prepare({size, {}, resources});
    std::vector<std::atomic<int>> users(15);
    std::atomic<bool> clash{false};
    for (int repetition = 0; repetition < 50; ++repetition)
        executor->run(graph, [&](int task) {
            for (const int resource : resources[index(task)])
                if (users[index(resource)]++ != 0) clash = true;
            work(task);
            for (const int resource : resources[index(task)]) --users[index(resource)];
            return true;
        });
    EXPECT_FALSE(clash);
}

TEST(thread_executor, the_failure_with_the_lowest_number_counts_even_if_it_comes_last) {
    const auto executor = make_thread_executor(2, Use::always);
    const int graph = executor->prepare({2, {}});
    std::atomic<bool> second_failed{false};
    EXPECT_EQ(executor->run(graph,
                            [&](int task) {
                                if (task == 1) second_failed = true;
                                while (!second_failed) std::this_thread::yield();
                                return false;
                            }),
              0);
}

TEST(thread_executor, the_exception_of_the_first_task_that_fails_goes_through) {
    const auto executor = make_thread_executor(3, Use::always);
    const int graph = executor->prepare({20, {{3, 4}, {3, 5}}});
    for (int repetition = 0; repetition < 50; ++repetition) {
        std::vector<std::atomic<int>> count(20);
        const auto run = [&] {
            executor->run(graph, [&](int task) {
                ++count[index(task)];
                if (task == 3) throw std::runtime_error("three");
                if (task == 7) throw std::runtime_error("seven");
                return task != 11;
            });
        };
        try {
            run();
            ADD_FAILURE() << "no exception";
        } catch (const std::runtime_error& error) {
            EXPECT_STREQ(error.what(), "three");
        }
        for (int task = 0; task <= 3; ++task) EXPECT_EQ(count[index(task)], 1);
        EXPECT_EQ(count[4], 0);
        EXPECT_EQ(count[5], 0);
    }
    EXPECT_EQ(executor->run(graph, [](int) { return true; }), Executor::all_done);
}

TEST(thread_executor, a_task_may_run_another_graph) {
    const auto executor = make_thread_executor(2, Use::always);
    const int outer = executor->prepare({4, {}});
    const int inner = executor->prepare({8, {}});
    std::atomic<int> count{0};
    for (int repetition = 0; repetition < 20; ++repetition)
        executor->run(outer, [&](int) {
            return executor->run(inner, [&](int) { return ++count > 0; }) == Executor::all_done;
        });
    EXPECT_EQ(count, 20 * 4 * 8);
}

TEST(thread_executor, gives_the_bits_of_the_serial_one) {
    constexpr int size = 50;
    const TaskGraph tasks(size, random_edges(size, 0.1, 7));
    const auto result = [&](Executor& executor) {
        const int graph = executor.prepare(tasks);
        std::vector<std::vector<int>> before(size);
        for (int task = 0; task < size; ++task)
            for (const int next : tasks.successors(task)) before[index(next)].push_back(task);
        std::vector<double> values(size, 0.1);
        for (int step = 0; step < 100; ++step)
            executor.run(graph, [&](int task) {
                double sum = values[index(task)];
                for (const int source : before[index(task)]) sum += 1e-3 * values[index(source)];
                values[index(task)] = work(0.5 * sum);
                return true;
            });
        return values;
    };
    EXPECT_EQ(result(*make_serial_executor()), result(*make_thread_executor(3, Use::always)));
}

TEST(thread_executor, allocates_nothing_in_a_run) {
    const auto executor = make_thread_executor(2, Use::always);
    const int graph = executor->prepare({30, random_edges(30, 0.1, 3)});
    double sum[30] = {};
    const auto body = [&](int task) {
        for (int i = 0; i < 20; ++i) sum[task] = work(sum[task]);
        return true;
    };
    for (int warm = 0; warm < 10; ++warm) executor->run(graph, body);
    const test::AllocationCounter counter;
    for (int run = 0; run < 100; ++run) executor->run(graph, body);
    EXPECT_EQ(counter.count(), 0);
}

TEST(thread_executor, leaves_cheap_tasks_on_one_thread) {
    const auto executor = make_thread_executor(2);
    const int graph = executor->prepare({10, {}});
    double sum[10] = {};
    for (int run = 0; run < 5000; ++run)
        executor->run(graph, [&](int task) {
            sum[task] += 1.0;
            return true;
        });
    EXPECT_EQ(executor->report().runs, 5000);
    EXPECT_EQ(executor->report().parallel, 0);
}

TEST(thread_executor, one_thread_is_the_serial_executor) {
    const auto executor = make_thread_executor(1);
    EXPECT_EQ(executor->report().threads, 1);
    const int graph = executor->prepare({3, {}});
    const auto self = std::this_thread::get_id();
    executor->run(graph, [&](int) {
        EXPECT_EQ(std::this_thread::get_id(), self);
        return true;
    });
}

TEST(thread_executor, a_chain_has_nothing_to_run_together) {
    const auto executor = make_thread_executor(2, Use::always);
    const int graph = executor->prepare({3, {{0, 1}, {1, 2}}});
    EXPECT_EQ(executor->run(graph, [](int) { return true; }), Executor::all_done);
    EXPECT_FALSE(executor->report().has_choice);
    EXPECT_EQ(executor->report().parallel, 0);
}

}  // namespace
}  // namespace tandem::exec
