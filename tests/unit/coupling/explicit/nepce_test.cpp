#include "coupling/explicit/nepce.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/mock_subsystem.hpp"

namespace tandem::coupling {
namespace {

using test::MockSubsystem;
using testing::DoubleNear;
using testing::ElementsAre;

constexpr double tiny = 1e-12;

double line(double t) { return 2.0 * t; }
double parabola(double t) { return 1.0 + 2.0 * t + 3.0 * t * t; }
using Signal = double (*)(double t);

/// A clock that says signal(t) feeds a sink that listens, through a link or a function. The sink
/// has a second input that nothing feeds.
struct Pair {
    explicit Pair(NepceOptions options, Signal the_signal = line,
                  Capabilities can = {.input_derivatives = 1})
        : coupling(options), signal(the_signal) {
        owned_source = std::make_unique<MockSubsystem>(
            "source", 0, [this](double t, const auto&) { return signal(t); });
        owned_sink = std::make_unique<MockSubsystem>(
            "sink", 2, [](double, const auto& u) { return u[0]; }, can);
        source = owned_source.get();
        sink = owned_sink.get();
    }
    void prepare(std::vector<Link> links = {{1, 0}}, std::vector<FunctionLink> functions = {}) {
        std::vector<std::unique_ptr<Subsystem>> subsystems;
        subsystems.push_back(std::move(owned_sink));
        subsystems.push_back(std::move(owned_source));
        // outputs: 0 the sink's, 1 the source's
        system =
            std::make_unique<System>(std::move(subsystems), std::move(links), std::move(functions));
        system->outputs()[1] = signal(0.0);
        system->inputs()[1] = 7.0;
        coupling.prepare(*system, 0.0);
    }
    void run(std::initializer_list<double> times) {
        if (!system) prepare();
        system->outputs()[1] = signal(*times.begin());  // as a restore would
        for (auto t = times.begin(); t + 1 != times.end(); ++t)
            ASSERT_TRUE(coupling.advance(*system, {*t, *(t + 1)}));
    }
    double value(std::size_t step) const { return sink->courses[step].values[0]; }
    double slope(std::size_t step) const { return sink->courses[step].derivatives[0]; }

    Nepce coupling;
    Signal signal;
    std::unique_ptr<System> system;
    std::unique_ptr<MockSubsystem> owned_source, owned_sink;
    MockSubsystem* source = nullptr;
    MockSubsystem* sink = nullptr;
};

// Holding 2t over [0, 1] misses 1; so does holding 2 + 1 over [1, 2], with 3 meant.
TEST(Nepce, makes_up_for_what_holding_missed_in_the_next_step) {
    Pair pair({});
    pair.run({0.0, 1.0, 2.0, 3.0});
    EXPECT_NEAR(pair.value(0), 0.0, tiny);
    EXPECT_NEAR(pair.value(1), 2.0 + 1.0, tiny);
    EXPECT_NEAR(pair.value(2), 4.0 + 1.0, tiny);
}

TEST(Nepce, loses_nothing_whatever_the_steps) {
    for (const bool anti_aliasing : {false, true})
        for (const int order : {0, 1}) {
            Pair pair({order, anti_aliasing});
            const double end = 4.0;
            pair.run({0.0, 1.0, 1.5, 3.0, 3.01, end});
            pair.signal = [](double) { return 0.0; };  // from here on only what is missing flows
            pair.coupling.reset_history(coupling::Interruption::jump);
            pair.run({end, end + 10.0, end + 20.0});
            double sum = 0.0;
            for (std::size_t k = 0; k < pair.sink->courses.size(); ++k) {
                const double h = pair.sink->courses[k].interval.length();
                sum += h * pair.value(k) + (order > 0 ? 0.5 * h * h * pair.slope(k) : 0.0);
            }
            EXPECT_NEAR(sum, end * end, 1e-10) << order << anti_aliasing;
        }
}

// What [0, 1] missed, 1, is made up for within a time of 1, not at once in a step of 0.1.
TEST(Nepce, a_short_step_after_a_long_one_makes_up_for_a_part_only) {
    Pair pair({});
    pair.run({0.0, 1.0, 1.1, 1.2});
    EXPECT_NEAR(pair.value(1), 2.0 + 1.0, tiny);
    const double missing = 1.0 + (1.21 - 1.0) - 3.0 * 0.1;
    EXPECT_NEAR(pair.value(2), 2.2 + missing / 0.9, tiny);
}

TEST(Nepce, order_one_follows_a_line_exactly) {
    Pair pair({.order = 1});
    pair.source->ports().capabilities.output_derivatives = 1;
    pair.source->slope = 2.0;
    pair.run({0.0, 1.0, 1.5, 2.5});
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(pair.value(k), line(pair.sink->courses[k].interval.begin), tiny);
        EXPECT_NEAR(pair.slope(k), 2.0, tiny);
    }
}

TEST(Nepce, a_subsystem_without_derivatives_gets_the_mean_of_the_line) {
    Pair pair({.order = 1}, line, {.input_derivatives = 0});
    pair.run({0.0, 1.0, 2.0});
    // The first step has no past, and misses 1.
    EXPECT_NEAR(pair.value(1), 2.0 + 0.5 * 2.0 + 1.0, tiny);
    EXPECT_TRUE(pair.sink->courses[1].derivatives.empty());
}

TEST(Nepce, anti_aliasing_begins_with_the_mean_of_the_last_step) {
    Pair pair({.anti_aliasing = true});
    pair.run({0.0, 1.0, 2.0, 3.0});
    EXPECT_NEAR(pair.value(0), 0.0, tiny);
    EXPECT_NEAR(pair.value(1), 1.0 + 1.0, tiny);  // mean and what is missing
    EXPECT_NEAR(pair.value(2), 3.0 + (1.0 + 3.0 - 2.0), tiny);
}

// Means lie on the line, in the middles of steps; nothing is missing once two of them are known.
TEST(Nepce, anti_aliasing_of_order_one_follows_a_line_exactly) {
    Pair pair({.order = 1, .anti_aliasing = true});
    pair.source->ports().capabilities.output_derivatives = 1;
    pair.source->slope = 2.0;
    pair.run({0.0, 1.0, 1.5, 2.5});
    for (std::size_t k = 0; k < 3; ++k)
        EXPECT_NEAR(pair.value(k), line(pair.sink->courses[k].interval.begin), tiny);
}

TEST(Nepce, uses_the_trace_of_the_source) {
    for (const bool held : {false, true}) {
        Pair pair({}, parabola);
        pair.source->ports().capabilities.traces = true;
        pair.source->ports().capabilities.dense_traces = true;
        pair.source->trace_parts = 2;
        pair.source->holds_between = held;
        pair.run({0.0, 1.0, 2.0});
        const double left = parabola(0.0), middle = parabola(0.5), right = parabola(1.0);
        const double mean = held ? 0.5 * (left + middle) : 0.25 * (left + 2.0 * middle + right);
        EXPECT_NEAR(pair.value(1), right + mean - left, tiny) << held;
    }
}

// Both the signal and the line that was given are summed by left rectangles.
TEST(Nepce, a_held_source_that_goes_along_a_line_misses_nothing) {
    Pair pair({.order = 1});
    pair.source->ports().capabilities.traces = true;
    pair.source->ports().capabilities.dense_traces = true;
    pair.source->ports().capabilities.output_derivatives = 1;
    pair.source->slope = 2.0;
    pair.source->holds_between = true;
    pair.run({0.0, 1.0, 2.0});
    EXPECT_NEAR(pair.value(1), 2.0, tiny);
}

TEST(Nepce, gain_and_offset_belong_to_the_signal) {
    Pair pair({});
    pair.prepare({{.output = 1, .input = 0, .gain = 3.0, .offset = 1.0}});
    pair.run({0.0, 1.0, 2.0});
    EXPECT_NEAR(pair.value(0), 1.0, tiny);
    EXPECT_NEAR(pair.value(1), 7.0 + 3.0, tiny);
}

// u = t + y^2 with y = 2t: over [0, 1] the trapezoidal rule with h = 1/8 gives 1/2 + 4/3 + 4 h^2/6.
TEST(Nepce, functions_are_integrated_as_they_bend) {
    Pair pair({});
    pair.prepare({},
                 {{0, {1}, [](double t, std::span<const double> y) { return t + y[0] * y[0]; }}});
    pair.run({0.0, 1.0, 2.0});
    EXPECT_NEAR(pair.value(0), 0.0, tiny);
    EXPECT_NEAR(pair.value(1), 5.0 + 0.5 + 4.0 / 3.0 + 4.0 / 64.0 / 6.0, tiny);
}

TEST(Nepce, inputs_that_nothing_feeds_are_left_alone) {
    Pair pair({.order = 1});
    pair.run({0.0, 1.0});
    pair.system->inputs()[1] = 9.0;
    pair.run({1.0, 2.0});
    EXPECT_THAT(pair.sink->courses[0].values[1], 7.0);
    EXPECT_THAT(pair.sink->courses[1].values[1], 9.0);
    EXPECT_THAT(pair.sink->courses[1].derivatives, ElementsAre(DoubleNear(2.0, tiny), 0.0));
}

TEST(Nepce, after_an_event_signals_begin_anew_and_what_is_missing_stays_so) {
    Pair pair({.order = 1});
    pair.run({0.0, 1.0});
    pair.coupling.reset_history(coupling::Interruption::jump);
    pair.run({1.0, 2.0});
    EXPECT_NEAR(pair.value(1), 2.0 + 1.0, tiny);
    EXPECT_NEAR(pair.slope(1), 0.0, tiny);
}

// As step control does it: a whole step, its halves, and a shorter one instead of them.
TEST(Nepce, a_repeated_step_finds_what_was_known_when_it_began_first) {
    for (const int order : {0, 1})
        for (const bool anti_aliasing : {false, true}) {
            const NepceOptions options{order, anti_aliasing};
            Pair straight(options, parabola);
            straight.run({0.0, 0.5, 1.0, 1.25, 1.75});
            Pair repeated(options, parabola);
            repeated.run({0.0, 0.5, 1.0, 2.0});
            repeated.run({1.0, 1.5, 2.0});
            repeated.run({1.0, 1.25});
            repeated.run({1.0, 1.25, 1.75});
            const auto& courses = repeated.sink->courses;
            const std::size_t last = courses.size() - 1;
            EXPECT_EQ(courses[2].values[0] == courses[3].values[0], false);
            for (const std::size_t back : {0U, 1U}) {
                EXPECT_EQ(courses[last - back].values, straight.sink->courses[3 - back].values);
                EXPECT_EQ(courses[last - back].derivatives,
                          straight.sink->courses[3 - back].derivatives);
            }
        }
}

/// Two sources with rows at different times feed one function.
TEST(OutputTraces, join_the_times_of_all_that_feeds_an_input) {
    std::vector<std::unique_ptr<Subsystem>> subsystems;
    for (const int parts : {2, 3}) {
        auto source = std::make_unique<MockSubsystem>(
            "source", 0, [parts](double t, const auto&) { return parts * t; },
            Capabilities{.traces = true, .dense_traces = true});
        source->trace_parts = parts;
        subsystems.push_back(std::move(source));
    }
    subsystems.push_back(
        std::make_unique<MockSubsystem>("sink", 1, [](double, const auto&) { return 0.0; }));
    const auto product = [](double, std::span<const double> y) { return y[0] * y[1]; };
    System system(std::move(subsystems), {}, {{0, {0, 1}, product}});
    OutputTraces traces;
    traces.prepare(system);
    traces.begin_step(system, 0.0);
    for (int s = 0; s < 3; ++s) ASSERT_TRUE(system.step(s, {0.0, 6.0}, {system.inputs_of(s)}));
    traces.end_step(system, 6.0);
    std::vector<double> times;
    traces.merge_times(system, 2, times);
    EXPECT_THAT(times, ElementsAre(0.0, 2.0, 3.0, 4.0, 6.0));
    const FunctionLink& function = system.functions()[0];
    EXPECT_NEAR(traces.value(system, function, 2.5), 6.0 * 2.5 * 2.5, tiny);
    EXPECT_NEAR(traces.value(system, function, 6.0), 6.0 * 36.0, tiny);
    // 6 t^2 by the trapezoidal rule errs by sum of h^3 12/12 over its pieces, none longer than 3/4.
    const OutputTraces::Integral integral = traces.integral(system, function);
    EXPECT_GE(integral.signal, 2.0 * 216.0);
    EXPECT_LE(integral.signal, 2.0 * 216.0 + 6.0 * 0.75 * 0.75);
    EXPECT_NEAR(integral.time, 18.0, tiny);
}

}  // namespace
}  // namespace tandem::coupling
