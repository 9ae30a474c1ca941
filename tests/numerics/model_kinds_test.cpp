#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/model_kinds.hpp"

using namespace tandem;
using namespace tandem::test;

namespace {

// A grid that meets no event of the models.
constexpr double h = 0.0371;

/// FMI 1.0 Co-Simulation has no way to ask for a tolerance: its solver uses the model's own, 1e-6.
double tolerance_of(const std::string& kind) { return kind == "fmi1_cs" ? 1e-6 : tight; }

/// FMI 1.0 has no functions to save a state.
bool can_save(const std::string& kind) { return !kind.starts_with("fmi1"); }

struct Case {
    std::string model;
    double stop;
    /// How much larger than the solver's tolerance the error at the end may be: it grows along
    /// the solution, and with each bounce of the ball.
    double growth;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.model; }

std::vector<std::vector<double>> trajectory(const std::string& model, const std::string& kind,
                                            double stop) {
    const auto subsystem = make_kind(model, kind);
    initialise(*subsystem, stop);
    std::vector<double> u(subsystem->interface().inputs.size(), 0.0);
    if (model == "HeatRod") u[0] = 1.0;
    std::vector<std::vector<double>> rows;
    for (int k = 0; (k + 1) * h <= stop; ++k) {
        subsystem->set_inputs({u});
        const Interval interval{k * h, (k + 1) * h};
        const StepResult result = subsystem->step(interval);
        EXPECT_EQ(result.outcome, Outcome::complete) << kind << " at " << interval.begin;
        rows.push_back(outputs_of(*subsystem));
    }
    subsystem->finish();
    return rows;
}

class EveryTrajectory : public ::testing::TestWithParam<Case> {};

}  // namespace

TEST_P(EveryTrajectory, of_an_fmu_is_that_of_the_native_model) {
    const Case& c = GetParam();
    const auto reference = trajectory(c.model, "native", c.stop);
    ASSERT_FALSE(reference.empty());
    for (const std::string& kind : all_kinds) {
        const auto rows = trajectory(c.model, kind, c.stop);
        ASSERT_EQ(rows.size(), reference.size()) << kind;
        const double bound = c.growth * tolerance_of(kind);
        for (std::size_t k = 0; k < rows.size(); ++k)
            for (std::size_t i = 0; i < rows[k].size(); ++i)
                ASSERT_NEAR(rows[k][i], reference[k][i], bound * (1.0 + std::abs(reference[k][i])))
                    << kind << " output " << i << " at t = " << (static_cast<double>(k) + 1.0) * h;
    }
}

INSTANTIATE_TEST_SUITE_P(OwnModels, EveryTrajectory,
                         ::testing::Values(Case{"BouncingBall", 2.0, 300.0},
                                           Case{"VanDerPol", 10.0, 2000.0},
                                           Case{"Dahlquist", 5.0, 100.0},
                                           Case{"HeatRod", 3.0, 100.0}));

// g = 9.81, e = 0.8, h(0) = 1: the first bounce at t1 = sqrt(2 / g), then one 2 e t1, one 2 e^2 t1
// later, ...
TEST(BouncingBall, bounces_where_the_formula_says_in_model_exchange_of_every_version) {
    for (const std::string kind : {"fmi1_me", "fmi2_me", "fmi3_me"}) {
        std::vector<double> bounces;
        ode::HostedOdeOptions options;
        options.solver.method = ode::Method::cvode_bdf;
        options.solver.relative_tolerance = tight;
        options.on_event = [&](const ode::EventNotice& notice) {
            if (notice.state_event && notice.after) bounces.push_back(notice.t);
        };
        fmi::InstanceOptions instance;
        instance.name = "ball";
        ode::HostedOde ball(std::make_unique<subsystem::FmuOde>(
                                fmi::Fmu::open(file_of("BouncingBall", kind)), instance),
                            options);
        initialise(ball, 2.0);
        for (int k = 0; k < 20; ++k)
            ASSERT_EQ(ball.step({0.1 * k, 0.1 * (k + 1)}).outcome, Outcome::complete) << kind;
        const std::vector<double> expected = {0.451523640986, 1.173961466563, 1.751911727025};
        ASSERT_EQ(bounces.size(), expected.size()) << kind;
        for (std::size_t i = 0; i < expected.size(); ++i)
            EXPECT_NEAR(bounces[i], expected[i], 1e-7) << kind << " bounce " << i + 1;
        EXPECT_NEAR(read(ball, "h").reals.at(0), 0.260741728327, 1e-6) << kind;
        ball.finish();
    }
}

TEST(EveryKind, counts_the_time_events_of_the_stair) {
    for (const std::string& kind : all_kinds) {
        const auto subsystem = make_kind("Stair", kind);
        initialise(*subsystem, 5.0);
        for (int k = 0; k < 100; ++k) {
            ASSERT_TRUE(subsystem->step({k * h, (k + 1) * h})) << kind;
            const auto expected = static_cast<std::int64_t>(std::floor((k + 1) * h)) + 1;
            ASSERT_EQ(read(*subsystem, "count").integers.at(0), expected)
                << kind << " at " << (k + 1) * h;
        }
        subsystem->finish();
    }
}

TEST(EveryKind, counts_the_ticks_of_the_clock) {
    for (const std::string& kind : all_kinds) {
        const auto subsystem = make_kind("ClockedCounter", kind);
        initialise(*subsystem, 3.0);
        for (int k = 0; k < 60; ++k) {
            ASSERT_TRUE(subsystem->step({k * h, (k + 1) * h})) << kind;
            const auto expected = static_cast<std::int64_t>(std::floor((k + 1) * h / 0.1)) + 1;
            ASSERT_EQ(read(*subsystem, "count").integers.at(0), expected)
                << kind << " at " << (k + 1) * h;
            ASSERT_EQ(read(*subsystem, "tens").integers.at(0), expected / 10) << kind;
        }
        subsystem->finish();
    }
}

// x' = -x + a t has the solution (1 + a) exp(-t) + a t - a.
TEST(EveryKind, follows_an_input_that_rises_linearly) {
    constexpr double a = 0.3;
    for (const std::string& kind : all_kinds) {
        const auto subsystem = make_kind("Dahlquist", kind);
        ASSERT_GE(subsystem->interface().capabilities.input_derivatives, 1) << kind;
        initialise(*subsystem, 2.0);
        for (int k = 0; k < 20; ++k) {
            const std::vector<double> u = {a * 0.1 * k};
            const std::vector<double> du = {a};
            subsystem->set_inputs({u, du, 1});
            ASSERT_TRUE(subsystem->step({0.1 * k, 0.1 * (k + 1)})) << kind;
        }
        const double expected = (1.0 + a) * std::exp(-2.0) + a * 2.0 - a;
        // Given at intermediate points only, the input is held until its slope is known.
        const double bound = kind == "fmi3_cs" ? 1e-4 : 100.0 * tolerance_of(kind);
        EXPECT_NEAR(read(*subsystem, "x").reals.at(0), expected, bound) << kind;
        subsystem->finish();
    }
}

TEST(EveryKind, repeats_a_step_bit_for_bit_after_restore) {
    for (const std::string model : {"BouncingBall", "VanDerPol", "Dahlquist", "HeatRod"}) {
        for (const std::string& kind : all_kinds) {
            const auto subsystem = make_kind(model, kind);
            ASSERT_EQ(subsystem->interface().capabilities.rollback, can_save(kind)) << kind;
            if (!can_save(kind)) continue;
            initialise(*subsystem, 3.0);
            ASSERT_TRUE(subsystem->step({0.0, 0.4}));
            subsystem->save(StateSlot::step_begin);
            ASSERT_TRUE(subsystem->step({0.4, 1.3}));
            subsystem->restore(StateSlot::step_begin);
            ASSERT_TRUE(subsystem->step({0.4, 1.3}));
            const auto first = outputs_of(*subsystem);
            subsystem->restore(StateSlot::step_begin);
            ASSERT_TRUE(subsystem->step({0.4, 1.3}));
            EXPECT_EQ(outputs_of(*subsystem), first) << model << " " << kind;
            subsystem->finish();
        }
    }
}

TEST(EveryKind, goes_on_from_serialised_bytes_in_another_instance) {
    for (const std::string& kind : all_kinds) {
        const auto first = make_kind("BouncingBall", kind);
        ASSERT_EQ(first->interface().capabilities.serialise, can_save(kind)) << kind;
        if (!can_save(kind)) continue;
        const auto second = make_kind("BouncingBall", kind);
        initialise(*first, 3.0);
        initialise(*second, 3.0);
        ASSERT_TRUE(first->step({0.0, 0.6}));
        std::vector<std::byte> bytes;
        first->serialise(bytes);
        first->deserialise(bytes);
        second->deserialise(bytes);
        ASSERT_TRUE(first->step({0.6, 1.3}));
        ASSERT_TRUE(second->step({0.6, 1.3}));
        EXPECT_EQ(outputs_of(*first), outputs_of(*second)) << kind;
    }
}

// y = x + u depends on u directly.
TEST(EveryKind, gives_the_direct_feed_through_as_jacobian) {
    for (const std::string& kind : all_kinds) {
        const auto subsystem = make_kind("Dahlquist", kind);
        const bool has_jacobians = kind != "fmi1_cs";  // FMI 1.0 has no function for them
        ASSERT_EQ(subsystem->interface().capabilities.jacobians, has_jacobians) << kind;
        if (!has_jacobians) continue;
        initialise(*subsystem, 1.0);
        const std::vector<double> du = {1.0};
        std::vector<double> dy(2);
        subsystem->jacobian_times(du, dy);
        const bool y_first = subsystem->interface().outputs[0].name == "y";
        EXPECT_NEAR(dy[y_first ? 0 : 1], 1.0, 1e-9) << kind;
        EXPECT_NEAR(dy[y_first ? 1 : 0], 0.0, 1e-9) << kind;
        subsystem->finish();
    }
}

// dx/dt = -x + u, y = x + u with u = 1 from the start on: y = 2 - e^-t.
TEST(EveryKind, traces_its_outputs_inside_a_step_or_says_that_it_cannot) {
    for (const std::string& kind : all_kinds) {
        const auto subsystem = make_kind("LinearOde", kind);
        const bool is_closed = kind.ends_with("_cs") && kind != "fmi3_cs";
        ASSERT_EQ(subsystem->interface().capabilities.traces, !is_closed) << kind;
        if (is_closed) continue;
        write(*subsystem, "d", {.reals = {1.0}, .integers = {}, .strings = {}});
        initialise(*subsystem, 1.0);
        subsystem->keep_trace(true);
        const std::vector<double> u = {1.0};
        for (const Interval interval : {Interval{0.0, 0.5}, {0.5, 1.0}}) {
            subsystem->set_inputs({u});
            ASSERT_TRUE(subsystem->step(interval));
            const OutputTrace& trace = subsystem->trace();
            ASSERT_GE(trace.times.size(), 4U) << kind;
            EXPECT_EQ(trace.times.front(), interval.begin);
            EXPECT_EQ(trace.times.back(), interval.end);
            for (std::size_t k = 0; k < trace.times.size(); ++k)
                EXPECT_NEAR(trace.row(k)[0], 2.0 - std::exp(-trace.times[k]), 10.0 * tight) << kind;
            EXPECT_EQ(trace.row(trace.times.size() - 1)[0], outputs_of(*subsystem)[0]);
        }
        subsystem->finish();
    }
}

TEST(EveryKind, of_feedthrough_passes_reals_integers_booleans_and_strings) {
    for (const std::string& kind : all_kinds) {
        const auto subsystem = make_kind("Feedthrough", kind);
        subsystem->enter_initialisation({0.0, 1.0, tight});
        const auto set = [&](const std::string& type, const std::string& text) {
            const auto& info = subsystem->variables().list()[index_of(*subsystem, type + "_in")];
            Values values;
            ASSERT_TRUE(append_text(info.type, text, values));
            write(*subsystem, type + "_in", values);
        };
        const auto got = [&](const std::string& type) {
            const auto& info = subsystem->variables().list()[index_of(*subsystem, type + "_out")];
            return to_text(info.type, read(*subsystem, type + "_out"), 0);
        };
        const std::vector<std::pair<std::string, std::string>> inputs = {
            {"float64", "1.5"},  {"int8", "-7"},      {"uint16", "65535"}, {"int32", "-42"},
            {"boolean", "true"}, {"string", "a & b"}, {"enumeration", "3"}};
        for (const auto& [type, text] : inputs) set(type, text);
        for (const auto& [type, text] : inputs) EXPECT_EQ(got(type), text) << kind << " " << type;
        subsystem->exit_initialisation();
        ASSERT_TRUE(subsystem->step({0.0, 0.1})) << kind;
        for (const auto& [type, text] : inputs) EXPECT_EQ(got(type), text) << kind << " " << type;
        subsystem->finish();
    }
}

TEST(EveryKind, of_the_step_function_averages_the_last_four_inputs) {
    for (const std::string& kind : all_kinds) {
        const auto subsystem = make_kind("MovingAverage", kind);
        initialise(*subsystem, 1.0);
        const std::vector<double> u = {4.0};
        for (int k = 0; k < 6; ++k) {
            subsystem->set_inputs({u});
            // A little beyond the period, where Model Exchange has its time events.
            const double begin = k == 0 ? 0.0 : 0.1 * k + 0.01;
            ASSERT_TRUE(subsystem->step({begin, 0.1 * (k + 1) + 0.01})) << kind;
            EXPECT_DOUBLE_EQ(outputs_of(*subsystem)[0], std::min(4.0, k + 1.0)) << kind;
        }
        subsystem->finish();
    }
}
