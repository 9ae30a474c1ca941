#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "files/archive.hpp"
#include "support/model_kinds.hpp"
#include "support/system_file.hpp"

namespace tandem {
namespace {

using test::subsystem_text;
using test::SystemFile;

constexpr double stop = 10.0;

/// x = sin(t), and what a function of it integrates to: a.y.
std::string of_sine(const std::string& kind, const std::string& solver,
                    const std::string& expression) {
    return fmt::format(
               "[experiment]\nstop = {}\nstep = 1\ntolerance = 1e-8\n[coupling]\n"
               "method = \"aggregate\"\nsolver = \"{}\"\n",
               stop, solver) +
           subsystem_text("o", "Oscillator", kind, "k = 1, d = 0, k_link = 0, d_link = 0, v = 1") +
           subsystem_text("a", "LinearOde", kind, "a = 0") +
           "[[functions]]\ntarget = \"a.u\"\nexpression = \"" + expression +
           "\"\nsignals = { x = \"o.x\" }\n";
}

/// The integral of sin(t) - c from x = sin(t) to y on the rising side:
///   F(x) = -cos(asin(x)) - c asin(x).
double rising(double c, double x, double y) {
    const auto primitive = [c](double z) { return -std::sqrt(1.0 - z * z) - c * std::asin(z); };
    return primitive(y) - primitive(x);
}

/// A triangle of height 1 and of the width 2 w about x = c, which sin(t) passes four times in 10 s.
double triangles(double c, double w) {
    return 4.0 * (rising(c - w, c - w, c) - rising(c + w, c, c + w)) / w;
}

/// The caps of sin(t) above c, two in 10 s.
double caps(double c) {
    const double width = std::numbers::pi - 2.0 * std::asin(c);
    return 2.0 * (2.0 * std::sqrt(1.0 - c * c) - c * width);
}

struct Pulse {
    double centre, width;
};

/// Widths of 1e-4 to 1e-2.
std::vector<Pulse> random_pulses(unsigned seed, int count) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> part(0.0, 1.0);
    std::vector<Pulse> pulses;
    for (int i = 0; i < count; ++i)
        pulses.push_back({0.05 + 0.85 * part(random), std::pow(10.0, -4.0 + 2.0 * part(random))});
    return pulses;
}

/// From 1e-3 to 1e-1.
std::vector<double> half_widths(unsigned seed) {
    std::vector<double> widths;
    for (const Pulse& pulse : random_pulses(seed, 8)) widths.push_back(10.0 * pulse.width);
    return widths;
}

class KinksOfSignals : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {
protected:
    double end(const std::string& expression) {
        const auto& [kind, solver] = GetParam();
        SystemFile file(of_sine(kind, solver, expression));
        const double result = file.run().at("a.y").back();
        events = file.report.events;
        return result;
    }
    long events = 0;
};

/// Heights are such that the areas are about one: errors are those of the solver, some hundred
/// times its tolerance of 1e-8.
TEST_P(KinksOfSignals, let_no_pulse_be_stepped_over) {
    for (const auto& [c, w] : random_pulses(17, 12)) {
        const double height = 1.0 / w;
        EXPECT_NEAR(
            end(fmt::format("{:.17g} * max(0, 1 - abs(x - {:.17g}) / {:.17g})", height, c, w)),
            height * triangles(c, w), 2e-5)
            << c << " " << w;
        EXPECT_EQ(events, 0) << "nothing jumps";
    }
}

/// sin(t) is above c = cos(w) for 2 w, with an area that goes with (1 - c)^1.5. By the error of the
/// solver in x, ten times its tolerance, the area errs by 1.5 / (1 - c) of that.
TEST_P(KinksOfSignals, nor_one_around_the_time_at_which_the_signal_turns_around) {
    for (const double w : half_widths(23)) {
        const double c = std::cos(w);
        EXPECT_NEAR(end(fmt::format("{:.17g} * max(0, x - {:.17g})", 1.0 / caps(c), c)), 1.0,
                    1e-5 + 1.5e-7 / (1.0 - c))
            << w;
        EXPECT_EQ(events, 0) << "nothing jumps";
    }
}

TEST_P(KinksOfSignals, nor_one_of_relations) {
    for (const auto& [c, w] : random_pulses(31, 6)) {
        const double band = 4.0 * (std::asin(c + w) - std::asin(c - w));
        EXPECT_NEAR(end(fmt::format("abs(x - {:.17g}) < {:.17g} ? {:.17g} : 0", c, w, 1.0 / w)),
                    band / w, 2e-3)
            << c << " " << w;
        EXPECT_EQ(events, 8);
    }
    for (const double w : half_widths(37)) {
        const double c = std::cos(w);
        EXPECT_NEAR(end(fmt::format("x > {:.17g} ? {:.17g} : 0", c, 0.25 / w)), 1.0,
                    1e-5 + 0.5e-7 / (1.0 - c))
            << w;
        EXPECT_EQ(events, 4);
    }
}

/// What is left of whole periods, which cancel out: up to t = pi, and the beginning of what is
/// below zero.
TEST_P(KinksOfSignals, of_saturations_are_no_events) {
    const double limit = std::asin(0.1), ramp = 5.0 * (1.0 - std::cos(limit));
    const double above = 2.0 * ramp + 0.5 * (std::numbers::pi - 2.0 * limit);
    const double below = ramp + 0.5 * (stop - 3.0 * std::numbers::pi - limit);
    EXPECT_NEAR(end("min(0.5, max(-0.5, 5*x))"), above - below, 2e-6);
    EXPECT_EQ(events, 0);
}

/// Each time that sin(t) passes the level, up or down, y becomes larger by one.
TEST_P(KinksOfSignals, and_external_events_that_follow_each_other_within_a_step_happen) {
    const auto& [kind, solver] = GetParam();
    for (const double w : half_widths(41)) {
        SystemFile file(
            of_sine(kind, solver, "0*x") +
            fmt::format("[[events]]\nindicator = \"x - {:.17g}\"\nsignals = {{ x = \"o.x\", y = "
                        "\"a.y\" }}\nactions = {{ \"a.x\" = \"y + 1\" }}\n",
                        std::cos(w)));
        EXPECT_NEAR(file.run().at("a.y").back(), 4.0, 1e-12) << w;
    }
}

INSTANTIATE_TEST_SUITE_P(All, KinksOfSignals,
                         ::testing::Combine(::testing::Values("native", "fmi1_me", "fmi2_me",
                                                              "fmi3_me"),
                                            ::testing::Values("cvode", "cvode_adams", "dopri5")));

/// Evaluations of the derivatives in the run of a system with one equation.
double evaluations(const SystemFile& file) {
    run::SystemRun system(file.options());
    system.perform();
    const RunRecord record = system.record();
    for (const GroupRecord& group : record.groups)
        for (const Statistic& one : group.statistics)
            if (one.name == "derivative calls") return one.value;
    ADD_FAILURE() << "they are not counted";
    return 0.0;
}

std::string decay(const std::string& solver, const std::string& start,
                  const std::string& expression) {
    return "[experiment]\nstop = 1000\nstep = 1\ntolerance = 1e-6\n[coupling]\n"
           "method = \"aggregate\"\nsolver = \"" +
           solver + "\"\n" + subsystem_text("o", "LinearOde", "native", "a = -1, x = " + start) +
           subsystem_text("a", "LinearOde", "native", "a = -1") +
           "[[functions]]\ntarget = \"a.u\"\nexpression = \"" + expression +
           "\"\nsignals = { x = \"o.y\" }\n";
}

/// x comes to the kink and stays there, up to the errors of the solver, which cross zero in many
/// steps, or was there all the time. The solver does not start afresh: three evaluations show that
/// the kink does not matter.
TEST(KinksAtRest, cost_a_few_evaluations_a_step) {
    for (const char* solver : {"cvode", "cvode_adams", "dopri5"})
        for (const char* start : {"0", "1", "-1"}) {
            const double smooth = evaluations(SystemFile(decay(solver, start, "x")));
            for (const char* expression : {"max(0, x)", "abs(x)", "min(x, 0) + max(x, 0)"})
                EXPECT_LT(evaluations(SystemFile(decay(solver, start, expression))), 3.0 * smooth)
                    << solver << " " << start << " " << expression;
        }
}

std::string of_time(const std::string& kind, const std::string& method,
                    const std::string& expression) {
    return "[experiment]\nstop = 10\nstep = 1\ntolerance = 1e-8\n[coupling]\nmethod = \"" + method +
           "\"\n" + subsystem_text("a", "LinearOde", kind, "a = 0") +
           subsystem_text("other", "Oscillator", kind) +
           "[[sources]]\ntarget = \"a.u\"\nexpression = \"" + expression + "\"\n";
}

auto warnings_of_kinks(const SystemFile& file) {
    return std::ranges::count_if(file.warnings, [](const std::string& text) {
        return text.starts_with(
            "functions of time with min, max or abs change faster than the "
            "communication step");
    });
}

class SampledKinks : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

/// A triangle of area w: held, or linear, over the steps between its corners it has this area by
/// the rule of trapezia.
TEST_P(SampledKinks, of_time_are_communication_points) {
    const auto& [kind, method] = GetParam();
    for (const auto& [centre, w] : random_pulses(53, 6)) {
        const double t = 10.0 * centre;
        SystemFile file(of_time(
            kind, method,
            fmt::format("{:.17g} * max(0, 1 - abs(t - {:.17g}) / {:.17g})", 1.0 / w, t, w)));
        EXPECT_NEAR(file.run().at("a.y").back(), 1.0, 1e-6) << t << " " << w;
        EXPECT_EQ(file.report.steps, 13);
        EXPECT_EQ(warnings_of_kinks(file), 0);
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, SampledKinks,
    ::testing::Combine(::testing::Values("native", "fmi1_cs", "fmi2_cs", "fmi3_cs", "fmi2_me"),
                       ::testing::Values("jacobi", "gauss_seidel", "iterative")));

/// The FMU of LinearOde as one that asks for equal steps.
void unpack_with_equal_steps(const std::string& folder) {
    std::filesystem::create_directory(folder);
    Archive(test::file_of("LinearOde", "fmi2_cs")).unpack(folder);
    const std::string path = folder + "/modelDescription.xml";
    std::string text = read_text_file(path);
    const std::string can = "canHandleVariableCommunicationStepSize=\"true\"";
    ASSERT_NE(text.find(can), std::string::npos);
    text.replace(text.find(can), can.size(), "canHandleVariableCommunicationStepSize=\"false\"");
    std::ofstream(path) << text;
}

TEST(KinksOfTime, inside_steps_that_must_be_equal_come_with_a_warning) {
    SystemFile file(
        "[experiment]\nstop = 10\nstep = 1\n[coupling]\nmethod = \"jacobi\"\n"
        "[subsystems.a]\nsource = \"equal\"\nkind = \"cs\"\n" +
        subsystem_text("other", "Oscillator", "native") +
        "[[sources]]\ntarget = \"a.u\"\nexpression = \"max(0, 1 - abs(t - 3.7))\"\n");
    unpack_with_equal_steps(file.in_folder("equal"));
    file.run();
    EXPECT_EQ(file.report.steps, 10);
    EXPECT_EQ(warnings_of_kinks(file), 1);
}

}  // namespace
}  // namespace tandem
