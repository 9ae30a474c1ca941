#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

#include "support/hosting.hpp"
#include "support/test_models.hpp"
#include "tandem/error.hpp"

namespace tandem::ode {
namespace {

using test::hosted;
using test::options_for;
using test::TestModel;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr double gravity = 9.81;

/// Balls that fall from 1 m, each with its own restitution: dh = v, dv = -g - drag v.
class Balls final : public TestModel {
public:
    explicit Balls(std::vector<double> the_restitutions)
        : TestModel("balls", start_of(the_restitutions.size()), 0, 0),
          restitutions(std::move(the_restitutions)) {
        shape_.indicators = static_cast<int>(2 * restitutions.size());
        memory.assign(restitutions.size(), 0.0);
    }
    bool derivatives(std::span<double> dx) override {
        for (std::size_t i = 0; i < memory.size(); ++i) {
            dx[2 * i] = rests(i) ? 0.0 : speed(i);
            dx[2 * i + 1] = rests(i) ? 0.0 : -gravity - drag * speed(i);
        }
        return true;
    }
    /// Heights first, then energies above that of a ball at rest.
    bool indicators(std::span<double> z) override {
        for (std::size_t i = 0; i < memory.size(); ++i) {
            z[i] = rests(i) ? 1.0 : height(i);
            z[memory.size() + i] = rests(i) ? -1.0 : energy(i) - energy_of_rest;
        }
        return true;
    }
    EventUpdate update_discrete() override {
        for (std::size_t i = 0; i < memory.size(); ++i) {
            if (!rests(i) && energy(i) <= energy_of_rest) memory[i] = 1.0;
            if (rests(i) || height(i) > 0.0 || (asks_for_speed && speed(i) >= 0.0)) continue;
            if (resets_height) height(i) = 0.0;
            speed(i) = -restitutions[i] * speed(i);
        }
        return {.states_changed = true};
    }

    double& height(std::size_t i) { return x[2 * i]; }
    double& speed(std::size_t i) { return x[2 * i + 1]; }
    double energy(std::size_t i) { return gravity * height(i) + speed(i) * speed(i) / 2.0; }
    bool rests(std::size_t i) const { return memory[i] != 0.0; }

    std::vector<double> restitutions;
    double drag = 0.0, energy_of_rest = -1.0;
    bool resets_height = true, asks_for_speed = true;

private:
    static std::vector<double> start_of(std::size_t balls) {
        std::vector<double> start(2 * balls, 0.0);
        for (std::size_t i = 0; i < balls; ++i) start[2 * i] = 1.0;
        return start;
    }
};

/// A ball is at rest after infinitely many bounces: sqrt(2 h / g) (1 + 2 e + 2 e^2 + ...).
double accumulation(double e) { return std::sqrt(2.0 / gravity) * (1.0 + e) / (1.0 - e); }

struct End {
    double t = 0.0;
    std::string error;
};

End run(HostedOde& host, double stop, double step = 0.01) {
    try {
        for (double t = 0.0; t < stop - step / 2.0; t += step) host.step({t, t + step});
    } catch (const NumericsError& error) {
        return {host.time(), error.what()};
    }
    return {host.time(), ""};
}

class Accumulation : public ::testing::TestWithParam<Method> {
protected:
    static HostedOdeOptions options() {
        HostedOdeOptions options = options_for(GetParam());
        options.solver.fixed_step = 1e-4;
        return options;
    }
    /// Of the time at which events accumulate. Bounces within the tolerance of 1e-8 m, of which the
    /// last takes 1e-4 s, may be left out; Euler's method goes on for a while, as it gains speed.
    static double room() { return GetParam() == Method::euler ? 0.5 : 1e-3; }
};

INSTANTIATE_TEST_SUITE_P(Methods, Accumulation, ::testing::ValuesIn(test::all_methods),
                         test::method_suffix);

TEST_P(Accumulation, of_bounces_is_an_error_that_names_time_and_indicator) {
    for (const double e : {0.3, 0.8, 0.9}) {
        const auto host = hosted(std::make_unique<Balls>(std::vector{e}), options());
        const End end = run(*host, accumulation(e) + 3.0);
        EXPECT_NEAR(end.t, accumulation(e), room()) << e;
        EXPECT_THAT(end.error, AllOf(HasSubstr("balls: at t = "), HasSubstr("Zeno"),
                                     HasSubstr("event indicator 1 of 'balls'"), HasSubstr("rest")));
        EXPECT_GE(static_cast<Balls&>(host->model()).height(0), -1e-6) << e;
    }
}

TEST_P(Accumulation, is_noticed_where_bounces_neither_reset_the_height_nor_ask_for_the_speed) {
    for (const bool resets : {false, true}) {
        for (const bool asks : {false, true}) {
            auto model = std::make_unique<Balls>(std::vector{0.8});
            model->resets_height = resets;
            model->asks_for_speed = asks;
            const auto host = hosted(std::move(model), options());
            const End end = run(*host, accumulation(0.8) + 3.0);
            EXPECT_NEAR(end.t, accumulation(0.8), room()) << resets << asks;
            EXPECT_THAT(end.error, HasSubstr("Zeno"));
        }
    }
}

TEST_P(Accumulation, of_one_of_two_balls_names_that_ball) {
    const auto host = hosted(std::make_unique<Balls>(std::vector{0.95, 0.6}), options());
    const End end = run(*host, accumulation(0.6) + 3.0);
    EXPECT_NEAR(end.t, accumulation(0.6), room());
    EXPECT_THAT(end.error, HasSubstr("event indicator 2 of 'balls'"));
}

TEST_P(Accumulation, is_none_where_a_second_state_event_brings_the_ball_to_rest) {
    auto model = std::make_unique<Balls>(std::vector{0.8, 0.7});
    model->drag = 1.0;
    model->energy_of_rest = 1e-3;
    const auto host = hosted(std::move(model), options());
    const End end = run(*host, 8.0);
    EXPECT_EQ(end.error, "");
    auto& balls = static_cast<Balls&>(host->model());
    for (const std::size_t i : {0U, 1U}) {
        EXPECT_TRUE(balls.rests(i));
        EXPECT_LE(std::abs(balls.height(i)), 1.1e-3 / gravity);
    }
}

/// dx = 1, back by `tooth` at each event.
class SawTooth final : public TestModel {
public:
    SawTooth() : TestModel("saw", {0.0}, 0, 0) { shape_.indicators = 1; }
    bool derivatives(std::span<double> dx) override {
        dx[0] = 1.0;
        return true;
    }
    bool indicators(std::span<double> z) override {
        z[0] = x[0] - tooth;
        return true;
    }
    EventUpdate update_discrete() override {
        if (x[0] >= tooth) x[0] -= tooth;
        return {.states_changed = true};
    }
    static constexpr double tooth = 1e-4;
};

TEST_P(Accumulation, is_none_where_ten_thousand_events_happen_in_a_second) {
    const auto host = hosted(std::make_unique<SawTooth>(), options());
    EXPECT_EQ(run(*host, 1.0, 0.1).error, "");
    EXPECT_NEAR(host->time(), 1.0, 1e-12);
    EXPECT_NEAR(static_cast<double>(host->statistics().state_events), 1e4, 1.0);
}

/// x begins to fly at t = 0.5, for 1e-6 s: dx = v, dv = -g.
class ShortFlight final : public TestModel {
public:
    ShortFlight() : TestModel("flight", {0.0, 0.0}, 0, 0) {
        shape_.indicators = 1;
        memory = {0.0};
    }
    bool derivatives(std::span<double> dx) override {
        dx[0] = flies() ? x[1] : 0.0;
        dx[1] = flies() ? -gravity : 0.0;
        return true;
    }
    bool indicators(std::span<double> z) override {
        z[0] = memory[0] == 2.0 ? 1.0 : x[0];
        return true;
    }
    EventUpdate update_discrete() override {
        EventUpdate update{.states_changed = true};
        if (memory[0] == 0.0 && t >= 0.5) {
            memory[0] = 1.0;
            x[1] = gravity * 1e-6 / 2.0;
        } else if (flies() && x[1] < 0.0) {
            memory[0] = 2.0;
            landing = t;
        }
        if (memory[0] == 0.0) update.next_event_time = 0.5;
        return update;
    }
    bool flies() const { return memory[0] == 1.0; }
    double landing = 0.0;
};

TEST_P(Accumulation, is_not_needed_for_an_event_right_behind_another_to_be_found) {
    const auto host = hosted<ShortFlight>(GetParam());
    EXPECT_EQ(run(*host, 1.0, 0.1).error, "");
    // The flight is 1e-12 m high, far below the tolerance, and far below Euler's steps of 1e-3.
    const double landing = static_cast<ShortFlight&>(host->model()).landing;
    EXPECT_GT(landing, 0.5);
    EXPECT_LT(landing, 0.5 + (GetParam() == Method::euler ? 2.1e-3 : 2e-6));
}

}  // namespace
}  // namespace tandem::ode
