#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include "support/odd_models.hpp"
#include "support/system_file.hpp"

/// Signals that a communication step does not resolve are told of.
namespace tandem::test {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

struct Chosen {
    std::string coupling;
    std::vector<std::string> options;
};

std::vector<std::string> warnings_of(const SystemFile& file, const Chosen& chosen) {
    run::SystemRunOptions options = file.options();
    options.coupling = chosen.coupling;
    options.options = chosen.options;
    options.results = false;
    run::SystemRun run(options);
    run.perform();
    std::vector<std::string> warnings;
    for (const Diagnostic& finding : run.findings()) warnings.push_back(finding.problem);
    return warnings;
}

/// y_a = sin(angle t) feeds b, steps of 1.
std::string sine(double angle, const std::string& kind, double stop = 1000.0) {
    return fmt::format("connections = [\"a.y -> b.u\"]\n[experiment]\nstep = 1.0\nstop = {}\n",
                       stop) +
           subsystem_text("a", "SineSource", kind, fmt::format("omega = {}", angle)) +
           subsystem_text("b", "LinearOde", kind, "x = 0.0, a = -1.0, b = 1.0");
}

// Differences of order p of a sine have the amplitude (2 sin(angle / 2))^p, a mean size of 2/pi of
// that, and the sine has a standard deviation of 1/sqrt(2).
TEST(Resolution, of_a_sine_is_told_in_percent_of_its_deviation) {
    for (const int order : {1, 2}) {
        const double angle = order == 1 ? 0.2 : 0.6;
        const double part = std::pow(2.0 * std::sin(angle / 2.0), order) * 2.0 / std::numbers::pi *
                            std::numbers::sqrt2;
        const SystemFile file(sine(angle, "native"));
        EXPECT_THAT(
            warnings_of(file, {"jacobi", {fmt::format("order={}", order - 1)}}),
            Contains(HasSubstr(fmt::format("does not resolve the values of a.y -> b.u: in a step a "
                                           "coupling of order {} misses on average {:.0f} %",
                                           order, 100.0 * part))));
    }
}

TEST(Resolution, is_seen_in_short_runs_and_for_all_kinds) {
    for (const std::string kind : {"native", "fmi1_cs", "fmi2_cs", "fmi3_cs"})
        for (const char* coupling : {"jacobi", "gauss_seidel", "nepce"}) {
            const SystemFile file(sine(1.0, kind, 25.0));
            EXPECT_THAT(warnings_of(file, {coupling, {}}),
                        Contains(HasSubstr("does not resolve the values of a.y -> b.u")))
                << kind << " " << coupling;
        }
}

TEST(Resolution, is_enough_where_steps_are_short_or_a_model_is_asked) {
    const SystemFile fine(sine(0.02, "native"));
    for (const char* coupling : {"jacobi", "gauss_seidel", "nepce", "iterative"})
        EXPECT_THAT(warnings_of(fine, {coupling, {}}), Each(Not(HasSubstr("does not resolve"))))
            << coupling;
    const SystemFile coarse(sine(0.6, "native"));
    for (const char* coupling : {"predictor", "lti", "linear_implicit", "aggregate"})
        EXPECT_THAT(warnings_of(coarse, {coupling, {}}), Each(Not(HasSubstr("does not resolve"))))
            << coupling;
}

std::string source(const std::string& expression, const std::string& kind, double stop) {
    return fmt::format(
               "[[sources]]\ntarget = \"a.u\"\nexpression = \"{}\"\n[experiment]\nstep = "
               "1.0\nstop = {}\n",
               expression, stop) +
           subsystem_text("a", "LinearOde", kind, "x = 0.0, a = 0.0, b = 1.0");
}

// Its period is a step: it looks constant at communication points.
TEST(Resolution, of_functions_of_time_is_judged_inside_steps) {
    for (const std::string kind : {"native", "fmi1_cs", "fmi2_cs", "fmi3_cs"}) {
        const SystemFile fast(source("cos(6.283185307179586 * t)", kind, 10.0));
        const SystemFile slow(source("cos(0.01 * t)", kind, 1000.0));
        for (const char* coupling : {"jacobi", "gauss_seidel", "nepce", "iterative", "predictor"}) {
            EXPECT_THAT(warnings_of(fast, {coupling, {}}),
                        Contains(HasSubstr("does not resolve the values of a.u: in a step")))
                << kind << " " << coupling;
            EXPECT_THAT(warnings_of(slow, {coupling, {}}), Each(Not(HasSubstr("does not resolve"))))
                << kind << " " << coupling;
        }
    }
    const SystemFile native(source("cos(6.283185307179586 * t)", "native", 10.0));
    EXPECT_THAT(warnings_of(native, {"aggregate", {}}), Each(Not(HasSubstr("does not resolve"))))
        << "it is evaluated by the solver";
}

/// A table t that feeds an integrator.
std::string table_into(const std::string& kind) {
    return "connections = [\"t.y -> a.u\"]\n[experiment]\nstep = 1.0\nstop = 50.0\n"
           "[subsystems.t]\nsource = \"table.csv\"\n" +
           subsystem_text("a", "LinearOde", kind, "x = 0.0, a = 0.0, b = 1.0");
}

/// A triangle with corners at 0, 5, 10, ..., or values that jump there.
std::string rows_of(bool jumps) {
    std::string rows = "time,y\n";
    for (int i = 0; i <= 10; ++i) {
        if (jumps && i > 0) rows += fmt::format("{},{}\n", 5 * i, (i + 1) % 2);
        rows += fmt::format("{},{}\n", 5 * i, i % 2);
    }
    return rows;
}

// Held inputs are half a step late on its ramps. Lines follow these, and steps end at jumps.
TEST(Resolution, of_tables_is_judged_inside_steps) {
    for (const std::string kind : {"native", "fmi2_cs", "fmi3_cs"})
        for (const bool jumps : {false, true}) {
            const SystemFile file(table_into(kind));
            file.add("table.csv", rows_of(jumps));
            const std::vector<std::string> warnings = warnings_of(file, {"jacobi", {}});
            if (jumps) {
                EXPECT_THAT(warnings, Each(Not(HasSubstr("does not resolve")))) << kind;
            } else {
                EXPECT_THAT(warnings, Contains(HasSubstr("the values of t.y -> a.u"))) << kind;
            }
            for (const Chosen& chosen : {Chosen{"gauss_seidel", {"order=1"}}, {"iterative", {}}})
                EXPECT_THAT(warnings_of(file, chosen), Each(Not(HasSubstr("does not resolve"))))
                    << kind << " " << chosen.coupling;
        }
}

// Jumps now and then, and what is small beside the value.
TEST(Resolution, is_not_missed_by_rare_jumps_and_small_changes) {
    for (const std::string u : {"t > 100 && t < 600 ? 1.0 : 0.0", "1000.0 + sin(2.0 * t)"}) {
        const SystemFile file(
            "connections = [\"a.y -> b.u\"]\n[[functions]]\ntarget = \"a.u\"\nexpression = \"" + u +
            "\"\nsignals = {}\n[experiment]\nstep = 1.0\nstop = 1000.0\n" +
            subsystem_text("a", "LinearOde", "native", "x = 0.0, a = -1.0, b = 0.0, d = 1.0") +
            subsystem_text("b", "LinearOde", "native", "x = 0.0, a = -1.0, b = 1.0"));
        EXPECT_THAT(warnings_of(file, {"jacobi", {"order=0"}}),
                    Each(Not(HasSubstr("does not resolve"))))
            << u;
    }
}

// A thermostat that switches 7 times in 5 s, by a truth value that is seen up to a step late.
TEST(Resolution, of_switches_that_nobody_tells_of) {
    for (const std::string kind : {"native", "fmi2_cs"}) {
        const SystemFile file(
            "connections = [\"i.x -> r.u\", \"r.on -> i.u\"]\n"
            "[experiment]\nstop = 5\nstep = 0.01\n" +
            odd_text("i", "HiddenVariables", kind, "a = -1, b = 1, x = 0") +
            odd_text("r", "Relay", kind, "low = 0.345678, high = 0.654321"));
        const auto late = HasSubstr(
            "in 6 steps truth values or enumerations switch without telling of an event, 'r.on'");
        if (kind == "native")
            EXPECT_THAT(warnings_of(file, {"jacobi", {}}), Each(Not(late)));
        else
            EXPECT_THAT(warnings_of(file, {"jacobi", {}}), Contains(late));
    }
}

}  // namespace
}  // namespace tandem::test
