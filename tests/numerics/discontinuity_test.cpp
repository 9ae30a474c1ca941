#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "support/system_file.hpp"

namespace tandem::test {
namespace {

/// Lines under [coupling] of every method that takes subsystems of any kind, with the options that
/// change how inputs follow.
const std::vector<std::string> couplings = {
    "method = \"jacobi\"",
    "method = \"jacobi\"\norder = 1",
    "method = \"jacobi\"\norder = 2",
    "method = \"gauss_seidel\"",
    "method = \"gauss_seidel\"\norder = 1",
    "method = \"gauss_seidel\"\norder = 2",
    "method = \"iterative\"",
    "method = \"iterative\"\ninputs = \"constant\"",
    "method = \"nepce\"",
    "method = \"predictor\"",
    "method = \"linear_implicit\"",
    "method = \"lti\"",
    "method = \"pre_step\"",
    "method = \"aggregate\"",
};

/// Kinds that tell their events and can repeat a step.
const std::vector<std::string> kinds = {"native", "fmi2_me", "fmi3_me", "fmi3_cs"};

/// A source of `kind` that jumps from 0 to 1, into an integrator of the same kind: x(1).
double integral_of_jump(const std::string& coupling, const std::string& kind, double jump,
                        double step) {
    SystemFile file(
        fmt::format("connections = [\"s.speed -> i.u\"]\n[experiment]\nstop = 1\nstep = {}\n"
                    "[coupling]\n{}\n[record]\nvariables = [\"i.x\"]\n",
                    step, coupling) +
        subsystem_text("s", "StepSource", kind,
                       fmt::format("height = 1, on = {:.17g}, off = 100", jump)) +
        subsystem_text("i", "LinearOde", kind, "a = 0, x = 0"));
    return file.run().at("i.x").back();
}

// A step that is cut at an event ends 1e-8 steps behind it, with the values before it; the solvers
// add 1e-9.
TEST(Discontinuities, of_a_source_act_from_their_time_on_with_every_coupling_and_kind) {
    for (const std::string& kind : kinds)
        for (const std::string& coupling : couplings)
            for (const double step : {0.1, 0.5})
                EXPECT_NEAR(integral_of_jump(coupling, kind, 0.25, step), 0.75, 1e-7 * step)
                    << kind << ' ' << coupling << ' ' << step;
}

TEST(Discontinuities, act_from_their_time_on_wherever_they_are) {
    std::mt19937 random(17);
    std::uniform_real_distribution<double> times(0.01, 0.99), steps(0.03, 0.7);
    for (const std::string& coupling : couplings)
        for (const std::string kind : {"native", "fmi3_cs"}) {
            const double jump = times(random), step = steps(random);
            EXPECT_NEAR(integral_of_jump(coupling, kind, jump, step), 1.0 - jump, 1e-7)
                << kind << ' ' << coupling << ' ' << jump << ' ' << step;
        }
}

TEST(Discontinuities, leave_step_control_within_its_tolerance) {
    const std::string richardson = "[step_control]\nmethod = \"richardson\"\ntolerance = 1e-7";
    for (const std::string method : {"gauss_seidel", "iterative"})
        EXPECT_NEAR(
            integral_of_jump("method = \"" + method + "\"\n" + richardson, "native", 0.25, 0.1),
            0.75, 1e-7)
            << method;
}

// Nobody learns of the events of an FMU for Co-Simulation of FMI 1.0 and 2.0, and one for Model
// Exchange of FMI 1.0 cannot repeat a step to end it at the event: a jump acts somewhere in the
// step in which it happens.
TEST(Discontinuities, at_which_no_step_can_end_act_within_their_step) {
    for (const std::string kind : {"fmi1_cs", "fmi2_cs", "fmi1_me"})
        for (const std::string method : {"jacobi", "gauss_seidel", "iterative", "nepce"})
            for (const double step : {0.1, 0.02})
                EXPECT_NEAR(integral_of_jump("method = \"" + method + "\"", kind, 0.25, step), 0.75,
                            step)
                    << kind << ' ' << method << ' ' << step;
}

// dx/dt = -x + u and y = x + u, w = v - k y and u = w: an algebraic loop of gain -k, where k jumps.
// With q = k / (1 + k):
//   u = (1 - q) v - q x,   dx/dt = -(1 + q) x + (1 - q) v.
struct Loop {
    static constexpr double jump = 0.5432, before = 0.5, behind = 4.0, v = 1.0;

    static double share(double k) { return k / (1.0 + k); }
    static double input(double x, double k) { return (1.0 - share(k)) * v - share(k) * x; }
    static double go_on(double x, double k, double t) {
        const double rate = 1.0 + share(k);
        const double rest = (1.0 - share(k)) * v / rate;
        return rest + (x - rest) * std::exp(-rate * t);
    }
    static double x_at_jump() { return go_on(0.0, before, jump); }
    static double x(double t) {
        return t <= jump ? go_on(0.0, before, t) : go_on(x_at_jump(), behind, t - jump);
    }
};

/// How the gain comes in: a source with an event, or a table.
std::string gain_text(const std::string& source, const std::string& kind) {
    if (source == "table") return "[subsystems.s]\nsource = \"gain.csv\"\n";
    return subsystem_text(
        "s", "StepSource", kind,
        fmt::format("height = {}, on = {}, off = 100", Loop::behind - Loop::before, Loop::jump));
}

struct LoopRun {
    Columns columns;
    /// Of x at t = 1.
    double error() const { return std::abs(columns.at("x.x").back() - Loop::x(1.0)); }
    /// Of the loop's input in the last row at the jump, by what x is there.
    double error_behind_jump() const {
        const std::vector<double>& times = columns.at("time");
        std::size_t row = 0;
        for (std::size_t k = 0; k < times.size(); ++k)
            if (std::abs(times[k] - Loop::jump) < 1e-6) row = k;
        EXPECT_GT(row, 0U) << "no row at the jump";
        return std::abs(columns.at("w.y")[row] - Loop::input(columns.at("x.x")[row], Loop::behind));
    }
};

LoopRun run_loop(const std::string& coupling, const std::string& source, const std::string& kind,
                 double step) {
    const std::string accurate = kind.ends_with("_cs") ? "" : "tolerance = 1e-10\n";
    SystemFile file(
        fmt::format("connections = [\"w.y -> x.u\"]\n[experiment]\nstop = 1\nstep = {}\n"
                    "tolerance = 1e-10\n[coupling]\n{}\n[record]\nvariables = [\"x.x\", \"w.y\"]\n",
                    step, coupling) +
        subsystem_text("x", "LinearOde", kind, "a = -1, b = 1, c = 1, d = 1, x = 0") + accurate +
        subsystem_text("w", "LinearOde", kind,
                       fmt::format("a = 0, b = 0, c = 1, d = -1, x = {}", Loop::v)) +
        accurate + gain_text(source, kind) +
        fmt::format("[[functions]]\ntarget = \"w.u\"\nexpression = \"({} + s) * y\"\n"
                    "signals = {{ s = \"s.speed\", y = \"x.y\" }}\n",
                    Loop::before));
    file.add("gain.csv", fmt::format("time,speed\n0,0\n{0},0\n{0},{1}\n2,{1}\n", Loop::jump,
                                     Loop::behind - Loop::before));
    return {file.run()};
}

TEST(Discontinuities, of_the_gain_of_an_algebraic_loop_are_solved_at_their_instant) {
    for (const std::string& coupling : couplings)
        for (const std::string source : {"event", "table"})
            for (const std::string kind : {"native", "fmi2_me", "fmi3_cs"}) {
                if (coupling.find("nepce") != std::string::npos) continue;
                const LoopRun run = run_loop(coupling, source, kind, 0.05);
                EXPECT_LT(run.error_behind_jump(), 1e-7)
                    << coupling << ' ' << source << ' ' << kind;
            }
}

// The errors of a step are 4 times smaller with half of it; before the loop was solved behind the
// jump, one step in 20 erred by its first power.
TEST(Discontinuities, of_the_gain_of_an_algebraic_loop_leave_the_order_as_it_is) {
    for (const std::string source : {"event", "table"})
        for (const std::string kind : {"native", "fmi3_me", "fmi3_cs"}) {
            const auto error = [&](double step) {
                return run_loop("method = \"iterative\"", source, kind, step).error();
            };
            EXPECT_GT(error(0.05) / error(0.0125), 14.0) << source << ' ' << kind;
            EXPECT_LT(error(0.0125), 1e-4) << source << ' ' << kind;
        }
}

/// The node, branches and switches of BspK6 with a solver in each, coupled by `iterative`: the
/// largest error of the voltages at t = 0.5, where a switch has been thrown by an integer at t =
/// 1/6. The reference are all equations as one, integrated to 1e-9.
double error_of_switched_loops(const std::string& kind, double step) {
    SystemFile file(
        fmt::format("connections = [\"s0.y1 -> s1.u\", \"s1.y -> s0.u1\", \"s2.y -> s0.u2\", "
                    "\"s0.y2 -> s2.u\", \"s3.y1 -> s0.u3\", \"s3.y2 -> s0.u4\"]\n"
                    "[experiment]\nstop = 0.5\nstep = {}\ntolerance = 1e-11\n"
                    "[coupling]\nmethod = \"iterative\"\n[record]\nvariables = [\"*.x\"]\n",
                    step) +
        subsystem_text("s0", "BspK6Node", kind) +
        subsystem_text("s1", "BspK6Branch", kind, "beat = 3, swing = 1000") +
        subsystem_text("s2", "BspK6Branch", kind, "beat = 2, swing = -1000") +
        subsystem_text("s3", "BspK6Switches", kind));
    const Columns columns = file.run();
    return std::max({std::abs(columns.at("s0.x").back() - 0.0975330558),
                     std::abs(columns.at("s1.x").back() - 0.031693515),
                     std::abs(columns.at("s2.x").back() - 0.395360678)});
}

// Second order: 4 times less with half the step.
TEST(Discontinuities, of_integers_that_switch_loops_leave_the_order_as_it_is) {
    for (const std::string kind : {"native", "fmi3_me"}) {
        const double coarse = error_of_switched_loops(kind, 4e-3);
        EXPECT_LT(coarse, 5e-6) << kind;
        EXPECT_GT(coarse / error_of_switched_loops(kind, 2e-3), 3.8) << kind;
    }
}

}  // namespace
}  // namespace tandem::test
