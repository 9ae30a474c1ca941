#include "coupling/explicit/asynchronous.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "exec/thread_executor.hpp"
#include "support/allocation_counter.hpp"
#include "support/mock_subsystem.hpp"

namespace tandem::coupling {
namespace {

constexpr double delay = 1e-3;

/// How far each of two subsystems has come; the least by which the other was beyond what it needed,
/// and the most by which it was ahead of the other.
struct Progress {
    std::array<std::atomic<double>, 2> reached = {0.0, 0.0};
    std::array<double, 2> margins = {1e9, 1e9}, leads = {0.0, 0.0};

    double margin() const { return std::min(margins[0], margins[1]); }
    double lead() const { return std::max(leads[0], leads[1]); }
};

/// One of two, each of which needs at the end of a step what the other did a delay before. Outputs
/// are its inputs in the last step, the first counted on by one.
class Runner final : public test::StubSubsystem {
public:
    Runner(std::size_t number, Progress& progress)
        : StubSubsystem("runner", 2, 2, {.variable_step = true}),
          number_(number),
          progress_(progress) {}
    void set_inputs(const InputCourse& course) override {
        std::ranges::copy(course.values, values_.begin());
    }
    StepResult step(Interval interval) override {
        const double other = progress_.reached[1 - number_];
        double& margin = progress_.margins[number_];
        double& lead = progress_.leads[number_];
        margin = std::min(margin, other - (interval.end - delay));
        lead = std::max(lead, interval.end - other);
        progress_.reached[number_] = interval.end;
        values_[0] += 1.0;
        return {Outcome::complete, interval.end};
    }
    void get_outputs(std::span<double> outputs) override {
        std::ranges::copy(values_, outputs.begin());
    }

private:
    std::size_t number_;
    Progress& progress_;
    std::array<double, 2> values_ = {};
};

/// Of what may run, it takes the task with the highest number: as far ahead as the graph allows.
class FarAhead final : public Executor {
public:
    int prepare(TaskGraph graph) override {
        graphs_.push_back(std::move(graph));
        return static_cast<int>(graphs_.size()) - 1;
    }
    int run(int number, TaskBody body) override {
        const TaskGraph& graph = graphs_[static_cast<std::size_t>(number)];
        std::vector<int> waits, ready;
        for (int task = 0; task < graph.size(); ++task) {
            waits.push_back(graph.predecessors(task));
            if (waits.back() == 0) ready.push_back(task);
        }
        while (!ready.empty()) {
            const auto last = std::ranges::max_element(ready);
            const int task = *last;
            ready.erase(last);
            if (!body(task)) return task;
            for (const int next : graph.successors(task))
                if (--waits[static_cast<std::size_t>(next)] == 0) ready.push_back(next);
        }
        return all_done;
    }
    Report report() const override { return {}; }
    int graphs() const { return static_cast<int>(graphs_.size()); }

private:
    std::vector<TaskGraph> graphs_;
};

System two_runners(Progress& progress, std::vector<Link> links = {},
                   std::vector<FunctionLink> functions = {}) {
    std::vector<std::unique_ptr<Subsystem>> subsystems;
    for (const std::size_t s : {0U, 1U})
        subsystems.push_back(std::make_unique<Runner>(s, progress));
    System system(std::move(subsystems), std::move(links), std::move(functions));
    system.schedule().set_delayed_flows({{0, 1, delay}, {1, 0, delay}});
    return system;
}

/// Macro steps of the longest length and of shorter ones; true if all were complete.
bool advance_some(Asynchronous& coupling, System& system, double longest, double& t) {
    for (const double part : {1.0, 0.31, 0.77, 1.0, 0.5, 0.02, 0.98}) {
        if (!coupling.advance(system, {t, t + part * longest})) return false;
        t += part * longest;
    }
    return true;
}

TEST(Asynchronous, steps_wait_for_what_they_need_in_macro_steps_of_any_length) {
    for (const auto& [ratios, longest] : std::vector<std::pair<std::vector<int>, double>>{
             {{1, 1}, 0.5e-3}, {{5, 8}, 2.5e-3}, {{24, 40}, 2e-3}, {{3, 7}, 0.4e-3}}) {
        Progress progress;
        System system = two_runners(progress);
        system.schedule().set_executor(std::make_unique<FarAhead>());
        Asynchronous coupling(ratios);
        coupling.prepare(system, longest);
        double t = 0.0;
        EXPECT_TRUE(advance_some(coupling, system, longest, t));
        EXPECT_GE(progress.margin(), -1e-12) << ratios[0] << ' ' << longest;
    }
}

TEST(Asynchronous, a_subsystem_may_be_ahead_by_a_delay_less_a_step) {
    Progress progress;
    System system = two_runners(progress);
    system.schedule().set_executor(std::make_unique<FarAhead>());
    Asynchronous coupling({24, 40});
    coupling.prepare(system, 2e-3);
    EXPECT_TRUE(coupling.advance(system, {0.0, 2e-3}));
    EXPECT_GE(progress.lead(), delay - 2e-3 / 24);
}

TEST(Asynchronous, longer_steps_than_expected_are_planned_once) {
    Progress progress;
    System system = two_runners(progress);
    auto owned = std::make_unique<FarAhead>();
    const FarAhead& executor = *owned;
    system.schedule().set_executor(std::move(owned));
    Asynchronous coupling({5, 8});
    coupling.prepare(system, 1e-3);
    EXPECT_EQ(executor.graphs(), 1);
    double t = 0.0;
    EXPECT_TRUE(advance_some(coupling, system, 1e-3, t));
    EXPECT_EQ(executor.graphs(), 1);
    for (int repetition = 0; repetition < 3; ++repetition)
        EXPECT_TRUE(advance_some(coupling, system, 2.5e-3, t));
    EXPECT_EQ(executor.graphs(), 2);
    EXPECT_GE(progress.margin(), -1e-12);
}

TEST(Asynchronous, no_macro_step_allocates) {
    Progress progress;
    System system = two_runners(progress);
    Asynchronous coupling({5, 8});
    coupling.prepare(system, 1e-3);
    double t = 0.0;
    const test::AllocationCounter counter;
    EXPECT_TRUE(advance_some(coupling, system, 1e-3, t));
    EXPECT_EQ(counter.count(), 0);
}

// The first one starts the threads.
TEST(Asynchronous, no_macro_step_but_the_first_allocates_on_threads) {
    Progress progress;
    System system = two_runners(progress);
    system.schedule().set_executor(exec::make_thread_executor(2, exec::Use::always));
    Asynchronous coupling({5, 8});
    coupling.prepare(system, 1e-3);
    double t = 0.0;
    EXPECT_TRUE(advance_some(coupling, system, 1e-3, t));
    const test::AllocationCounter counter;
    EXPECT_TRUE(advance_some(coupling, system, 1e-3, t));
    EXPECT_EQ(counter.count(), 0);
    EXPECT_GE(progress.margin(), -1e-12);
}

TEST(Asynchronous, what_a_subsystem_feeds_itself_and_functions_of_time_come_to_each_step) {
    Progress progress;
    System system =
        two_runners(progress, {{0, 0, 2.0}},
                    {{1, {}, [](double t, std::span<const double>) { return 10.0 * t; }}});
    Asynchronous coupling({4, 1});
    coupling.prepare(system, 0.0);
    EXPECT_TRUE(coupling.advance(system, {0.0, 1e-3}));
    EXPECT_EQ(system.outputs()[0], 15.0) << "((1 * 2 + 1) * 2 + 1) * 2 + 1";
    EXPECT_DOUBLE_EQ(system.outputs()[1], 10.0 * 0.75e-3) << "the start of the last step";
}

}  // namespace
}  // namespace tandem::coupling
