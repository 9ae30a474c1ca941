// Rows of results are consistent: an output that feeds nothing and follows an input by direct
// feedthrough is that of the input that its source gives at the same time, whatever a coupling gave
// the subsystem for the step.
#include <gtest/gtest.h>

#include <cmath>

#include "support/odd_models.hpp"

namespace tandem::test {
namespace {

struct Method {
    std::string name;
    std::vector<std::string> options;
};
const std::vector<Method> methods = {{"jacobi", {}},
                                     {"jacobi", {"order=1"}},
                                     {"jacobi", {"order=2"}},
                                     {"gauss_seidel", {}},
                                     {"gauss_seidel", {"order=1"}},
                                     {"nepce", {}},
                                     {"nepce", {"order=1"}},
                                     {"iterative", {}},
                                     {"predictor", {}},
                                     {"linear_implicit", {}},
                                     {"lti", {}},
                                     {"pre_step", {}}};

/// p and q swing. y = 0.5 x - 2 u of `first`, fed by p, and y = 0.25 x + 3 u of `second`, fed by p
/// through the coupling function u = 2 p + 0.1 t, feed nothing.
std::string system_of(const std::string& kind, int decimation = 1, int ratio = 1) {
    return fmt::format(
               "connections = [\"q.y -> p.u\", \"p.y -> q.u\", \"p.y -> first.u\"]\n"
               "[record]\nvariables = [\"*.x\", \"*.y\"]\ndecimation = {}\n"
               "[experiment]\nstop = 1.0\nstep = 0.1\ntolerance = 1e-9\n"
               "[[functions]]\ntarget = \"second.u\"\nexpression = \"2*p + 0.1*t\"\n"
               "signals = {{ p = \"p.y\" }}\n",
               decimation) +
           subsystem_text("second", "LinearOde", kind, "a = -1, b = 1, c = 0.25, d = 3") +
           subsystem_text("first", "LinearOde", kind, "a = -2, b = 1, c = 0.5, d = -2, x = 1") +
           (ratio > 1 ? fmt::format("step_ratio = {}\n", ratio) : "") +
           subsystem_text("p", "LinearOde", "native", "x = 1, a = 0") +
           subsystem_text("q", "LinearOde", "native", "a = -0.2, c = -4");
}

Columns run(SystemFile& file, const Method& method) {
    run::SystemRunOptions options = file.options();
    options.coupling = method.name;
    options.options = method.options;
    return numbers_of(file.run_text(options));
}

void expect_consistent(const Columns& columns, const std::string& which) {
    ASSERT_EQ(columns.at("time").size(), 11u) << which;
    for (std::size_t k = 0; k < 11; ++k) {
        const double p = columns.at("p.y")[k];
        // Up to rounding.
        EXPECT_NEAR(columns.at("first.y")[k], 0.5 * columns.at("first.x")[k] - 2.0 * p, 1e-12)
            << which << ", row " << k;
        const double u = 2.0 * p + 0.1 * columns.at("time")[k];
        EXPECT_NEAR(columns.at("second.y")[k], 0.25 * columns.at("second.x")[k] + 3.0 * u, 1e-12)
            << which << ", row " << k;
    }
}

TEST(RecordedRows, have_outputs_that_follow_from_the_inputs_at_their_time) {
    SystemFile file(system_of("native"));
    for (const Method& method : methods)
        expect_consistent(run(file, method),
                          method.name + (method.options.empty() ? "" : " " + method.options[0]));
    SystemFile multirate(system_of("native", 1, 4));
    expect_consistent(run(multirate, {"jacobi", {}}), "multirate");
}

TEST(RecordedRows, are_consistent_for_every_kind) {
    for (const std::string kind :
         {"fmi1_me", "fmi1_cs", "fmi2_me", "fmi2_cs", "fmi3_me", "fmi3_cs"})
        for (const std::string method : {"jacobi", "gauss_seidel"}) {
            SystemFile file(system_of(kind));
            expect_consistent(run(file, {method, {}}), kind + " " + method);
        }
}

/// p swings and jumps at 0.437; y1 = 0.5 x1 - 2 u1 of f, fed by p, feeds nothing. `of_f`: more
/// parameters of f.
std::string system_with_event(const std::string& kind, const std::string& of_f = "") {
    return "connections = [\"p.y1 -> f.u1\"]\n"
           "[record]\nvariables = [\"p.y1\", \"f.x1\", \"f.s\", \"f.y1\"]\n"
           "[experiment]\nstop = 1.0\nstep = 0.1\ntolerance = 1e-9\n" +
           odd_text("f", "HybridDirect", kind,
                    "a11 = -1, b11 = 1, c11 = 0.5, d11 = -2, g1 = 1, x1 = 1" + of_f) +
           odd_text("p", "HybridStates", "native",
                    "a12 = 1, a21 = -4, c11 = 1, g1 = 0.5, x1 = 1, rule = 1, first = 0.437, "
                    "height = 1");
}

void expect_consistent_at_events(const Columns& columns, std::size_t rows) {
    ASSERT_EQ(columns.at("time").size(), rows);
    for (std::size_t k = 0; k < rows; ++k)
        EXPECT_NEAR(
            columns.at("f.y1")[k],
            0.5 * columns.at("f.x1")[k] - 2.0 * columns.at("p.y1")[k] + columns.at("f.s")[k], 1e-12)
            << "row " << k << " at " << columns.at("time")[k];
}

// 11 rows of the grid and two of the event: what is before it belongs together as well.
TEST(RecordedRows, are_consistent_on_both_sides_of_an_event_of_the_source) {
    for (const std::string kind : {"native", "fmi2_me", "fmi3_me", "fmi2_cs", "fmi3_cs"})
        for (const Method& method : methods) {
            SCOPED_TRACE(kind + " " + method.name +
                         (method.options.empty() ? "" : " " + method.options[0]));
            SystemFile file(system_with_event(kind));
            expect_consistent_at_events(run(file, method), 13);
        }
}

// These couplings stop before the event, where f still is what it was.
TEST(RecordedRows, are_consistent_before_an_own_event_where_steps_stop_before_it) {
    for (const std::string kind : {"native", "fmi2_me", "fmi3_me", "fmi3_cs"})
        for (const std::string method : {"gauss_seidel", "nepce", "iterative"}) {
            SCOPED_TRACE(kind + " " + method);
            SystemFile file(system_with_event(kind, ", rule = 1, first = 0.623, height = 1"));
            expect_consistent_at_events(run(file, {method, {}}), 15);
        }
}

// They are made for the row alone: the run goes on as if there had been none.
TEST(RecordedRows, change_nothing_of_the_run) {
    for (const std::string kind : {"native", "fmi2_me", "fmi1_cs", "fmi2_cs", "fmi3_cs"}) {
        SystemFile every(system_of(kind)), rare(system_of(kind, 10));
        for (const Method& method : methods) {
            if (kind != "native" && method.name != "jacobi") continue;
            const Columns with = run(every, method), without = run(rare, method);
            for (const std::string name : {"p.x", "first.x", "second.x", "second.y"})
                EXPECT_EQ(with.at(name).back(), without.at(name).back())
                    << kind << " " << method.name << " " << name;
        }
    }
}

}  // namespace
}  // namespace tandem::test
