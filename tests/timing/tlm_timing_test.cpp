#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <thread>

#include "coupling/explicit/asynchronous.hpp"
#include "coupling/explicit/explicit.hpp"
#include "exec/thread_executor.hpp"
#include "support/mock_subsystem.hpp"
#include "tlm/line_subsystem.hpp"

namespace tandem {
namespace {

using coupling::Asynchronous;
using coupling::Explicit;
using tlm::TlmElement;
using tlm::TlmEnd;
using tlm::TlmExchange;
using tlm::TlmSubsystem;

constexpr double delay = 1e-3, step = 1e-3;

/// Two flows that follow two efforts a little, and as much work in a step as it is told.
class Cheap final : public test::StubSubsystem {
public:
    explicit Cheap(std::function<void(Interval)> work = {})
        : StubSubsystem("cheap", 2, 2, {.variable_step = true, .input_derivatives = 1}),
          work_(std::move(work)) {}
    void set_inputs(const InputCourse& course) override {
        for (std::size_t i = 0; i < 2; ++i) inputs_[i] = course.values[i];
    }
    StepResult step(Interval interval) override {
        if (work_) work_(interval);
        for (std::size_t i = 0; i < 2; ++i) outputs_[i] = 0.9 * outputs_[i] + 0.01 * inputs_[i];
        return {Outcome::complete, interval.end};
    }
    void get_outputs(std::span<double> outputs) override {
        for (std::size_t i = 0; i < 2; ++i) outputs[i] = outputs_[i];
    }

private:
    std::function<void(Interval)> work_;
    double inputs_[2] = {}, outputs_[2] = {1.0, -1.0};
};

using Subsystems = std::vector<std::unique_ptr<Subsystem>>;

/// A chain in which a line is between port 1 of each subsystem and port 0 of the next.
Subsystems with_lines(Subsystems subsystems, double longest_step,
                      std::vector<DelayedFlow>* flows = nullptr, double line_delay = delay) {
    std::vector<std::vector<TlmEnd>> ends(subsystems.size());
    for (std::size_t k = 0; k + 1 < subsystems.size(); ++k) {
        tlm::TlmOptions options;
        options.name = "line";
        options.delay = line_delay;
        options.impedance = {0.5};
        options.sign = -1.0;
        const auto element = std::make_shared<TlmElement>(options);
        const tlm::TlmReading reading{TlmExchange::coarse};
        ends[k].emplace_back(element, 0, tlm::TlmPorts{.flows = {1}, .efforts = {1}}, reading);
        ends[k + 1].emplace_back(element, 1, tlm::TlmPorts{.flows = {0}, .efforts = {0}}, reading);
        const int from = static_cast<int>(k);
        if (flows != nullptr) {
            flows->push_back({from, from + 1, line_delay});
            flows->push_back({from + 1, from, line_delay});
        }
    }
    Subsystems wrapped;
    for (std::size_t s = 0; s < subsystems.size(); ++s) {
        auto subsystem =
            std::make_unique<TlmSubsystem>(std::move(subsystems[s]), std::move(ends[s]));
        subsystem->expect_steps({longest_step, longest_step});
        wrapped.push_back(std::move(subsystem));
    }
    for (auto& subsystem : wrapped) subsystem->enter_initialisation({});
    for (auto& subsystem : wrapped) subsystem->exit_initialisation();
    return wrapped;
}

double seconds_of(const std::function<void()>& action) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    action();
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

Subsystems chain(int size) {
    Subsystems subsystems;
    for (int s = 0; s < size; ++s) subsystems.push_back(std::make_unique<Cheap>());
    return subsystems;
}

/// Of one macro step.
double seconds_of_step(System& system, coupling::Coupling& coupling, long& done) {
    constexpr int steps = 20;
    return seconds_of([&] {
               for (int k = 0; k < steps; ++k, ++done)
                   EXPECT_TRUE(coupling.advance(system, {step * static_cast<double>(done),
                                                         step * static_cast<double>(done + 1)}));
           }) /
           steps;
}

// What a line adds, against a macro step of one subsystem that has a pair of links.
TEST(TlmCost, of_a_line_is_at_most_five_times_that_of_a_step_with_a_pair_of_links) {
    constexpr int lines = 1000;
    Subsystems plain = chain(lines + 1);
    std::vector<Link> links;
    for (int k = 0; k < lines; ++k) {
        links.push_back({2 * k + 1, 2 * (k + 1)});
        links.push_back({2 * (k + 1), 2 * k + 1});
    }
    System linked(std::move(plain), links);
    System bare(chain(lines + 1), {});
    System joined(with_lines(chain(lines + 1), step), {});
    Explicit with_links({}), without({}), with_waves({});
    with_links.prepare(linked, 0.0), without.prepare(bare, 0.0), with_waves.prepare(joined, 0.0);
    long done_links = 0, done_bare = 0, done_lines = 0;
    double times = 1e9;
    // Other programs only make it slower: the best attempt counts.
    for (int attempt = 0; attempt < 10 && times > 5.0; ++attempt) {
        double of_links = 1e9, of_nothing = 1e9, of_lines = 1e9;
        for (int round = 0; round < 60; ++round) {
            of_links = std::min(of_links, seconds_of_step(linked, with_links, done_links));
            of_nothing = std::min(of_nothing, seconds_of_step(bare, without, done_bare));
            of_lines = std::min(of_lines, seconds_of_step(joined, with_waves, done_lines));
        }
        times = (of_lines - of_nothing) / of_links;
        std::printf("a step of 1001: alone %.1f us, with links %.1f us, with lines %.1f us\n",
                    1e6 * of_nothing, 1e6 * of_links, 1e6 * of_lines);
    }
    EXPECT_LE(times, 5.0);
}

/// Works for that long.
void work(double seconds) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    while (std::chrono::duration<double>(Clock::now() - begin).count() < seconds) {
    }
}

/// Two subsystems of which one or the other has a step four times as expensive, in turns.
Subsystems in_turns() {
    constexpr double unit = 100e-6;
    Subsystems subsystems;
    for (const long turn : {0L, 1L})
        subsystems.push_back(std::make_unique<Cheap>([turn](Interval interval) {
            const long number = std::lround(interval.begin / (0.1 * step));
            work(number % 2 == turn ? 4.0 * unit : unit);
        }));
    return subsystems;
}

TEST(TlmCost, asynchronous_steps_do_not_wait_for_expensive_ones_of_others) {
    if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "there is one processor only";
    const auto seconds = [&](bool own_pace) {
        std::vector<DelayedFlow> flows;
        System system(with_lines(in_turns(), 0.1 * step, &flows), {});
        system.schedule().set_delayed_flows(flows);
        system.schedule().set_executor(exec::make_thread_executor(2, exec::Use::always));
        Asynchronous asynchronous({10, 10});
        Explicit lockstep({});
        coupling::Coupling& coupling =
            own_pace ? static_cast<coupling::Coupling&>(asynchronous) : lockstep;
        coupling.prepare(system, 0.0);
        const int parts = own_pace ? 1 : 10;
        return seconds_of([&] {
            for (int k = 0; k < 20 * parts; ++k)
                EXPECT_TRUE(coupling.advance(system, {step * k / parts, step * (k + 1) / parts}));
        });
    };
    double of_lockstep = 1e9, of_own_pace = 1e9;
    for (int attempt = 0; attempt < 20; ++attempt) {
        of_lockstep = std::min(of_lockstep, seconds(false));
        of_own_pace = std::min(of_own_pace, seconds(true));
    }
    std::printf("lockstep takes %.2f times as long\n", of_lockstep / of_own_pace);
    EXPECT_GE(of_lockstep / of_own_pace, 1.5);
}

}  // namespace
}  // namespace tandem
