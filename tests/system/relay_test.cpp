// State events that come from inputs, in feedback loops and on communication points.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/edited_fmu.hpp"
#include "support/example_folder.hpp"
#include "support/odd_models.hpp"

namespace tandem {
namespace {

using test::Columns;
using test::odd_text;
using test::SystemFile;

std::string head(const std::string& coupling, double step, double stop, double start = 0.0) {
    return fmt::format(
        "[experiment]\nstart = {}\nstop = {}\nstep = {:.17g}\ntolerance = 1e-9\n[record]\n"
        "variables = [\"*.*\"]\n[coupling]\nmethod = \"{}\"\n",
        start, stop, step, coupling);
}

/// dx/dt = a x + y under the relay r.
std::string feedback(const std::string& kind, double a, const std::string& relay) {
    return "[[connections]]\nfrom = \"i.x\"\nto = \"r.u\"\n[[connections]]\nfrom = \"r.y\"\nto = "
           "\"i.u\"\n" +
           odd_text("i", "HiddenVariables", kind, fmt::format("a = {}, b = 1, x = 0", a)) +
           odd_text("r", "Relay", kind, relay);
}

/// dx/dt = -x + y with y = 1 or 0: exponentials between the two thresholds.
double thermostat(double t, double low, double high) {
    double x = 0.0;
    for (bool on = true;; on = !on) {
        const double until = on ? std::log((1.0 - x) / (1.0 - high)) : std::log(x / low);
        if (until > t) return on ? 1.0 - (1.0 - x) * std::exp(-t) : x * std::exp(-t);
        t -= until;
        x = on ? high : low;
    }
}

const std::vector<std::string> kinds_with_events = {"native", "fmi2_me", "fmi3_me", "fmi3_cs"};

class Relays : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, Relays, ::testing::ValuesIn(kinds_with_events),
                         [](const auto& kind) { return kind.param; });

// A triangle between -0.1 and 0.1, which switches at multiples of these steps up to rounding
// errors. The short step over an event is 1e-8 steps long.
TEST_P(Relays, switch_in_the_loop_of_an_iteration_on_communication_points) {
    for (const double step : {0.025, 0.02, 0.001}) {
        SystemFile file(head("iterative", step, 1.05) + feedback(GetParam(), 0.0, ""));
        const Columns columns = file.run();
        EXPECT_EQ(columns.at("r.count").back(), 5.0) << step;
        EXPECT_NEAR(columns.at("i.x").back(), -0.05, 1e-6 * step) << step;
    }
}

// Between communication points no end values of inputs agree with an output that jumps.
TEST_P(Relays, switch_in_the_loop_of_an_iteration_inside_steps) {
    const double low = 0.345678, high = 0.654321;
    const std::string relay = fmt::format("low = {}, high = {}, off = 0", low, high);
    for (const double step : {0.1, 0.01}) {
        SystemFile file(head("iterative", step, 5.0) + feedback(GetParam(), -1.0, relay));
        const Columns columns = file.run();
        EXPECT_EQ(columns.at("r.count").back(), 7.0) << step;
        EXPECT_NEAR(columns.at("i.x").back(), thermostat(5.0, low, high), 1e-6) << step;
    }
}

// Without slopes of inputs each of the seven events may be early by 1e-3 of the step, and x goes on
// with a rate of at most 1.
TEST(ARelayThatTakesNoSlopes, switches_in_the_loop_of_an_iteration) {
    const double low = 0.345678, high = 0.654321;
    const test::EditedFmu fmu(TANDEM_ODD_FMUS "/Relay_fmi3.fmu",
                              {{" providesIntermediateUpdate=\"true\"", ""}});
    for (const double step : {0.1, 0.01}) {
        SystemFile file(
            head("iterative", step, 5.0) +
            "[[connections]]\nfrom = \"i.x\"\nto = \"r.u\"\n[[connections]]\nfrom = \"r.y\"\nto = "
            "\"i.u\"\n" +
            odd_text("i", "HiddenVariables", "native", "a = -1, b = 1, x = 0") +
            fmt::format("[subsystems.r]\nsource = \"{}\"\ntype = \"fmu\"\nkind = \"cs\"\n"
                        "parameters = {{ low = {}, high = {}, off = 0 }}\n",
                        fmu.path().string(), low, high));
        const Columns columns = file.run();
        EXPECT_EQ(columns.at("r.count").back(), 7.0) << step;
        EXPECT_NEAR(columns.at("i.x").back(), thermostat(5.0, low, high), 7e-3 * step) << step;
    }
}

/// Couplings whose inputs inside a step come from a prediction, which its end need not confirm.
const std::vector<std::string> predicting = {
    "jacobi\"\norder = 1 #", "predictor", "predictor\"\ninputs = \"interpolated\" #",
    "linear_implicit",       "lti",       "pre_step"};

// An event of a predicted input that is none with the values that outputs come to would be counted,
// taken back and counted again.
TEST_P(Relays, count_each_crossing_of_predicted_inputs_once) {
    for (const std::string& coupling : predicting) {
        if (coupling == "pre_step" && GetParam() == "fmi3_cs") continue;  // it tells no states
        for (const double step : {0.1, 0.015625}) {
            SystemFile file(head(coupling, step, 10.0) +
                            "[[connections]]\nfrom = \"s.y\"\nto = \"r.u\"\n" +
                            test::subsystem_text("s", "SineSource", GetParam(), "omega = 2") +
                            odd_text("r", "Relay", GetParam(), "high = 0.5, low = 0.5"));
            EXPECT_EQ(file.run().at("r.count").back(), 7.0) << coupling << step;
        }
    }
}

// The least-squares line of predictor and pre_step does not begin where outputs are: events were
// lost in the jump from one line to the next.
TEST_P(Relays, switch_in_the_loop_of_a_prediction) {
    const double low = 0.345678, high = 0.654321;
    const std::string relay = fmt::format("low = {}, high = {}, off = 0", low, high);
    for (const std::string& coupling : predicting)
        for (const double step : {0.1, 0.015625}) {
            SystemFile file(head(coupling, step, 5.0) + feedback(GetParam(), -1.0, relay));
            const Columns columns = file.run();
            EXPECT_EQ(columns.at("r.count").back(), 7.0) << coupling << step;
            EXPECT_NEAR(columns.at("i.x").back(), thermostat(5.0, low, high), 1e-5)
                << coupling << step;
        }
}

/// Two oscillators of masses 1 with springs of 20 and 30 N/m in all, each pulled by the other with
/// 7 N/m, and a counter of the crossings of the first one.
std::string counted_oscillators() {
    const std::string shared = ", k_link = 7, d = 0.2, d_link = 0";
    return "[[connections]]\nfrom = \"a.x\"\nto = \"b.x_left\"\n[[connections]]\nfrom = "
           "\"b.x\"\nto = \"a.x_left\"\n[[connections]]\nfrom = \"a.x\"\nto = \"c.u\"\n" +
           test::subsystem_text("a", "Oscillator", "native", "x = 1, k = 6" + shared) +
           test::subsystem_text("b", "Oscillator", "native", "k = 16" + shared) +
           odd_text("c", "Crossings", "native", "level = -0.0608");
}

// What corrects inputs for errors of earlier steps is given up at events: inputs that jump back
// over the level would cross it again. The level is crossed five times in the solution, of which
// `aggregate` is an independent one.
TEST(Crossings, of_corrected_inputs_are_counted_once) {
    SystemFile exact(head("aggregate", 0.01, 4.0) + counted_oscillators());
    ASSERT_EQ(exact.run().at("c.count").back(), 5.0);
    for (const std::string coupling :
         {"pre_step", "pre_step\"\noptimisation = \"interpolated\" #",
          "jacobi\"\norder = 1\nsmooth = true #", "nepce\"\norder = 1 #"})
        for (const double step : {0.02, 0.01, 0.005, 0.0025}) {
            SystemFile file(head(coupling, step, 4.0) + counted_oscillators());
            EXPECT_EQ(file.run().at("c.count").back(), 5.0) << coupling << step;
        }
}

// The counter begins above the level, to which its input has come when it is initialised. In FMI
// 1.0 that is when it is first asked. x = 0.6 exp(-0.05 t) cos(3.162 t) about crosses 0.05 four
// times in 4 s: at 0.47, 1.51, 2.46 and 3.51 s.
TEST(Crossings, begin_on_the_side_of_a_start_value_that_comes_from_elsewhere) {
    for (const std::string kind : {"native", "fmi1_me", "fmi2_me", "fmi3_me"})
        for (const std::string coupling : {"aggregate", "jacobi", "gauss_seidel", "iterative"}) {
            SystemFile file(
                head(coupling, 0.01, 4.0) +
                "[[connections]]\nfrom = \"m.x\"\nto = \"c.u\"\n"
                "[[connections]]\nfrom = \"c.y\"\nto = \"f.u1\"\n" +
                test::subsystem_text("m", "Oscillator", kind,
                                     "x = 0.6, k = 10, d = 0.1, k_link = 0, d_link = 0") +
                odd_text("c", "Crossings", kind, "level = 0.05") +
                test::subsystem_text("f", "FirstOrder", kind, "b1 = 0.2"));
            EXPECT_EQ(file.run().at("c.count").back(), 4.0) << kind << " " << coupling;
        }
}

// A relay that tells nobody of its events: where a step ends at a jump, no value agrees with what
// it brings about. The run goes on around it, and says so.
TEST(ARelayThatTellsNoEvents, does_not_end_the_run_of_an_iteration) {
    const double low = 0.345678, high = 0.654321;
    SystemFile file(
        head("iterative", 0.02, 5.0) +
        feedback("fmi2_cs", -1.0, fmt::format("low = {}, high = {}, off = 0", low, high)));
    const Columns columns = file.run();
    EXPECT_THAT(file.warnings,
                ::testing::Contains(::testing::HasSubstr("that 'r' tells nobody of")));
    EXPECT_NEAR(columns.at("r.count").back(), 7.0, 1.0);
}

// Times of events are rounded to multiples of 1e-9 there, and not to before the event: the relay
// would not switch, and find it again and again.
TEST_P(Relays, switch_at_late_times) {
    const double low = 0.345678, high = 0.654321;
    const std::string relay = fmt::format("low = {}, high = {}, off = 0", low, high);
    for (const std::string coupling :
         {"iterative", "predictor", "lti", "gauss_seidel\"\norder=1 #"})
        for (const double start : {1e5, 1e6, 1e7}) {
            SystemFile file(head(coupling, 0.015625, start + 5.0, start) +
                            feedback(GetParam(), -1.0, relay));
            const Columns columns = file.run();
            EXPECT_EQ(columns.at("r.count").back(), 7.0) << coupling << start;
            EXPECT_NEAR(columns.at("i.x").back(), thermostat(5.0, low, high), 1e-5)
                << coupling << start;
        }
}

/// A ramp y = t into a relay, and an integrator of its output.
std::string ramp_into_relay(const std::string& kind) {
    return "[[sources]]\ntarget = \"r.u\"\nexpression = \"t\"\n[[connections]]\nfrom = "
           "\"r.y\"\nto = \"i.u\"\n" +
           odd_text("i", "HiddenVariables", kind, "a = 0, b = 1, x = 0") +
           odd_text("r", "Relay", kind, "high = 0.5, low = -1");
}

// Inputs that end a step at 0.49999999999999994 and begin the next one at 0.5 are no jump, but the
// event happens. gauss_seidel holds the value of the end of the step: early by a step.
TEST_P(Relays, switch_where_the_input_reaches_them_by_a_rounding_error) {
    for (const std::string coupling : {"jacobi", "iterative", "predictor", "linear_implicit", "lti",
                                       "pre_step", "nepce", "aggregate"}) {
        if (coupling == "aggregate" && GetParam() == "fmi3_cs") continue;
        for (const double step : {0.125, 0.1, 0.05}) {
            SystemFile file(head(coupling, step, 1.0) + ramp_into_relay(GetParam()));
            const Columns columns = file.run();
            EXPECT_EQ(columns.at("r.count").back(), 1.0) << coupling << step;
            // held inputs reach it at the next communication point
            const double late = coupling == "jacobi" || coupling == "nepce" ? step : 1e-6 * step;
            EXPECT_NEAR(columns.at("i.x").back(), 0.0, 2.0 * late) << coupling << step;
        }
    }
}

/// x1 = t, and s = 1 from x1 = 0.5 on; i integrates y1 = s.
std::string threshold(const std::string& kind) {
    return "[[sources]]\ntarget = \"h.u1\"\nexpression = \"1\"\n[[connections]]\nfrom = "
           "\"h.y1\"\nto = \"i.u\"\n" +
           odd_text("h", "HybridStates", kind,
                    "b11 = 1, g1 = 1, rule = 2, height = 1, high = 0.5, low = -1") +
           odd_text("i", "HiddenVariables", kind, "a = 0, b = 1, x = 0");
}

// The event is found a rounding error behind the communication point, and acts from there on.
TEST_P(Relays, act_on_others_at_once_where_their_event_is_on_a_communication_point) {
    for (const std::string coupling : {"jacobi", "gauss_seidel", "iterative", "predictor",
                                       "linear_implicit", "lti", "pre_step", "nepce"})
        for (const double step : {0.125, 0.1, 0.07}) {
            SystemFile file(head(coupling, step, 1.0) + threshold(GetParam()));
            EXPECT_NEAR(file.run().at("i.x").back(), 0.5, 1e-6 * step) << coupling << step;
        }
}

TEST(Relay, late_events_under_step_control_are_told_of) {
    const std::string relay = "low = 0.345678, high = 0.654321, off = 0";
    for (const auto& [coupling, is_told] : std::vector<std::pair<std::string, bool>>{
             {"jacobi", true}, {"jacobi\"\norder = 1 #", false}}) {
        SystemFile file(head(coupling, 0.1, 5.0) + feedback("native", -1.0, relay));
        run::SystemRunOptions options = file.options();
        options.step_control = "richardson";
        options.step_options = {"tolerance=1e-5"};
        const Columns columns = test::numbers_of(file.run_text(options));
        const bool tells = std::ranges::any_of(file.warnings, [](const std::string& warning) {
            return warning.find("6 state events, the first of 'r' at 1.1") != std::string::npos;
        });
        EXPECT_EQ(tells, is_told) << coupling;
        if (!is_told) {
            EXPECT_NEAR(columns.at("i.x").back(), thermostat(5.0, 0.345678, 0.654321), 1e-5);
        }
    }
}

// Bobs are put back on their circles after internal steps in which they drifted off by 1e-7. Such
// an event comes wherever the step ends: ends before it moved towards the start by 4e-8 of a step
// each time, for hours. What comes before an event may cost eight attempts, and a few to find it.
TEST(StepEvents, do_not_hold_up_an_iteration) {
    const test::ExampleFolder examples;
    run::SystemRunOptions options;
    options.file = examples.in_folder("examples/pendulums_cartesian/system.toml");
    options.results = false;
    options.coupling = "iterative";
    options.step = 0.1;
    run::SystemRun system(options);
    system.perform();
    EXPECT_EQ(system.time(), 5.0);
    EXPECT_GT(system.report().events, 0);
    EXPECT_LT(system.report().advances, 20 * (50 + system.report().events));
}

}  // namespace
}  // namespace tandem
