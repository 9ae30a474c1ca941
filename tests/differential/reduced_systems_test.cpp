#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/system_file.hpp"

// Small systems that wrong results of random ones were reduced to.
namespace tandem::test {
namespace {

std::string piece(const std::string& name, const std::string& model, const std::string& kind,
                  const std::string& parameters) {
    return fmt::format("[subsystems.{}]\n{}parameters = {{ {} }}\n", name,
                       source_of(model, kind, TANDEM_ODD_FMUS), parameters);
}

class ReducedSystems : public ::testing::TestWithParam<std::string> {};

// Two gains of 1 in a row behind a table with a pulse of 10 ms: every output is what the table says
// at the same time. What nepce adds to inputs for the pulse that it missed is no value of a signal.
TEST_P(ReducedSystems, rows_of_nepce_are_free_of_its_corrections) {
    SystemFile file(
        "[experiment]\nstop = 1\nstep = 0.1\n[coupling]\nmethod = \"nepce\"\n"
        "[subsystems.t]\nsource = \"pulse.csv\"\n" +
        piece("a", "HybridDirect", GetParam(), "d11 = 1.0") +
        piece("b", "HybridDirect", GetParam(), "d11 = 1.0") +
        "[[connections]]\nfrom = \"t.v\"\nto = \"a.u1\"\n"
        "[[connections]]\nfrom = \"a.y1\"\nto = \"b.u1\"\n");
    file.add("pulse.csv", "time,v\n0,0\n0.5,0\n0.505,100\n0.51,0\n2,0\n");
    const Columns columns = file.run();
    ASSERT_EQ(columns.at("time").size(), columns.at("b.y1").size());
    for (std::size_t k = 0; k < columns.at("time").size(); ++k) {
        const double t = columns.at("time")[k];
        const double v = 100.0 * std::max(0.0, 1.0 - std::abs(t - 0.505) / 0.005);
        EXPECT_NEAR(columns.at("a.y1")[k], v, 1e-9) << t;
        EXPECT_NEAR(columns.at("b.y1")[k], v, 1e-9) << t;
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ReducedSystems,
                         ::testing::Values("native", "fmi1_cs", "fmi2_cs", "fmi2_me", "fmi3_cs",
                                           "fmi3_me"));

/// A sampler s, which takes half of its input at 0.137, and a plant dx/dt = -x, y = x + u, which
/// feeds the jump back within the instant.
std::string sampled_loop(const std::string& sampler) {
    return "[experiment]\nstop = 1\nstep = 0.01\ntolerance = 1e-9\n"
           "[coupling]\nmethod = \"iterative\"\n" +
           piece("s", "HybridStates", sampler,
                 "rule = 3, first = 0.137, period = 5.0, height = 0.5, g1 = 1.0") +
           piece("p", "HybridDirect", "native", "a11 = -1.0, x1 = 1.0, c11 = 1.0, d11 = 1.0") +
           "[[connections]]\nfrom = \"s.y1\"\nto = \"p.u1\"\n"
           "[[connections]]\nfrom = \"p.y1\"\nto = \"s.u1\"\n";
}

// p.x1 = e^-t, p.y1 = x1 + s.y1, and s takes half of p.y1 before its own jump: 0.5 e^-0.137.
TEST(HiddenEvents, of_a_sampler_in_a_cycle_are_told_or_right) {
    for (const std::string kind : {"native", "fmi2_me", "fmi3_cs", "fmi2_cs"}) {
        SystemFile file(sampled_loop(kind));
        const double sampled = file.run().at("s.y1").back();
        const bool is_told = std::ranges::any_of(file.warnings, [](const std::string& warning) {
            return warning.find("s.y1 jumps by") != std::string::npos &&
                   warning.find("at t = 0.137") != std::string::npos;
        });
        EXPECT_EQ(is_told, kind == "fmi2_cs") << kind;
        if (is_told) continue;
        EXPECT_NEAR(sampled, 0.5 * std::exp(-0.137), 1e-6) << kind;
    }
}

// Nothing jumps: the same without events, with steps that are long for the motion.
TEST(HiddenEvents, are_not_seen_where_outputs_bend_only) {
    SystemFile file(
        "[experiment]\nstop = 10\nstep = 0.1\n[coupling]\nmethod = \"iterative\"\n" +
        piece("s", "HybridStates", "fmi2_cs",
              "a12 = 3.0, a21 = -3.0, b11 = 1.0, x1 = 1.0, c11 = 1.0") +
        piece("p", "HybridDirect", "native", "a11 = -1.0, b11 = 1.0, x1 = 1.0, c11 = 1.0") +
        "[[connections]]\nfrom = \"s.y1\"\nto = \"p.u1\"\n"
        "[[connections]]\nfrom = \"p.y1\"\nto = \"s.u1\"\n");
    file.run();
    EXPECT_THAT(file.warnings, ::testing::Not(::testing::Contains(::testing::HasSubstr("jumps"))));
}

/// a.y1 jumps from 0 to 1 by `rule`, and b, an FMU of FMI 1.0 that cannot go back, integrates it.
std::string jump_into_fmi1(const std::string& coupling, const std::string& source,
                           const std::string& rule) {
    return fmt::format(
        "[experiment]\nstop = 1\nstep = 0.1\n[coupling]\nmethod = \"{}\"\n{}{}"
        "[[connections]]\nfrom = \"a.y1\"\nto = \"b.u1\"\n",
        coupling, piece("a", "HybridStates", source, rule + ", height = 1.0, g1 = 1.0"),
        piece("b", "HybridStates", "fmi1_cs", "b11 = 1.0, c11 = 1.0"));
}

// The time of the event is known before the step: b.y1(1) = 1 - 0.25.
TEST(TimeEvents, end_steps_of_subsystems_that_cannot_go_back) {
    for (const std::string coupling : {"jacobi", "gauss_seidel", "nepce", "predictor",
                                       "linear_implicit", "lti", "aggregate", "auto"})
        for (const std::string source : {"native", "fmi1_me", "fmi2_me", "fmi3_me", "fmi3_cs"}) {
            SystemFile file(jump_into_fmi1(coupling, source, "rule = 1, first = 0.25"));
            const Columns columns = file.run();
            // A step goes on behind an event by up to 1e-8 of its length; nepce corrects its
            // inputs by the jump in that step.
            EXPECT_NEAR(columns.at("b.y1").back(), 0.75, 1e-7) << coupling << ", " << source;
            EXPECT_EQ(std::ranges::count_if(columns.at("time"),
                                            [](double t) { return std::abs(t - 0.25) < 1e-7; }),
                      2)
                << "a row on each side of the event; " << coupling << ", " << source;
        }
}

/// A ramp r.y1 = t, sampled every 0.1 s by s, whose sample b integrates.
std::string sampled_ramp(const std::string& coupling, const std::string& kind) {
    return "[experiment]\nstop = 1\nstep = 0.05\n" + coupling +
           piece("r", "HybridStates", kind, "x2 = 1.0, a12 = 1.0, c11 = 1.0") +
           piece("s", "HybridStates", kind,
                 "rule = 3, first = 0.1, period = 0.1, height = 1.0, g1 = 1.0") +
           piece("b", "HybridStates", kind, "b11 = 1.0, c11 = 1.0") +
           "[[connections]]\nfrom = \"r.y1\"\nto = \"s.u1\"\n"
           "[[connections]]\nfrom = \"s.y1\"\nto = \"b.u1\"\n";
}

// b.y1(1) = 0.1 (0.1 + ... + 0.9) = 0.45. Samples are taken 4e-8 steps before the event, 2e-9 s.
TEST(Samplers, see_their_inputs_of_the_instant_whatever_the_extrapolation) {
    for (const std::string coupling :
         {"method = \"gauss_seidel\"\n", "method = \"gauss_seidel\"\norder = 1\n",
          "method = \"gauss_seidel\"\norder = 2\n", "method = \"nepce\"\n",
          "method = \"iterative\"\n"})
        for (const std::string kind : {"native", "fmi2_me", "fmi3_cs"}) {
            SystemFile file(sampled_ramp("[coupling]\n" + coupling, kind));
            EXPECT_NEAR(file.run().at("b.y1").back(), 0.45, 1e-8) << coupling << kind;
        }
}

const std::string sampler = "rule = 3, first = 0.1, period = 0.1, height = 1.0, g1 = 1.0";

std::string aggregated(const std::string& options) {
    return "[experiment]\nstop = 1\nstep = 0.05\n[coupling]\nmethod = \"aggregate\"\n" + options;
}

std::string connected(const std::string& from, const std::string& to) {
    return fmt::format("[[connections]]\nfrom = \"{}\"\nto = \"{}\"\n", from, to);
}

// As one equation r and s2 would stand on both sides of s1, and s2 would see the sample before.
TEST(Samplers, in_a_row_through_a_co_simulation_fmu_see_the_sample_of_the_instant) {
    for (const std::string options :
         {"clusters = \"all\"\n", "clusters = \"cycles\"\n", "outer = \"iterative\"\n"}) {
        SystemFile file(aggregated(options) +
                        piece("r", "HybridStates", "native", "x2 = 1.0, a12 = 1.0, c11 = 1.0") +
                        piece("s1", "HybridStates", "fmi3_cs", sampler) +
                        piece("s2", "HybridStates", "native", sampler) +
                        connected("r.y1", "s1.u1") + connected("s1.y1", "s2.u1"));
        EXPECT_NEAR(file.run().at("s2.y1").back(), 1.0, 1e-8) << options;
    }
}

// y = t of r reaches s2 directly, too: sampled, because r and s2 are two equations.
TEST(Equations, that_a_co_simulation_fmu_keeps_apart_are_a_warning) {
    const std::string parts =
        piece("r", "HybridStates", "native", "x2 = 1.0, a12 = 1.0, c11 = 1.0") +
        piece("s1", "HybridStates", "fmi3_cs", sampler) +
        piece("s2", "HybridStates", "native", sampler) + connected("r.y1", "s1.u1") +
        connected("s1.y1", "s2.u1");
    const auto is_told = ::testing::Contains(::testing::HasSubstr("'r' feeds 's2', but"));
    SystemFile direct(aggregated("") + parts + connected("r.y1", "s2.u2"));
    direct.run();
    EXPECT_THAT(direct.warnings, is_told);
    SystemFile in_a_row(aggregated("") + parts);
    in_a_row.run();
    EXPECT_THAT(in_a_row.warnings, ::testing::Not(is_told));
}

// b.y1(1) = 2 (1 - 0.3) where j jumps at 0.3, d doubles it and s samples that.
TEST(Samplers, see_jumps_that_pass_through_feedthrough_at_the_instant) {
    const std::string jump = "rule = 1, first = 0.30000000000000004, height = 1.0, g1 = 1.0";
    struct Kinds {
        std::string models, others;
    };
    for (const Kinds& kinds : {Kinds{"native", "fmi3_cs"}, Kinds{"fmi3_me", "fmi3_cs"},
                               Kinds{"fmi2_me", "fmi2_cs"}, Kinds{"fmi3_cs", "native"}})
        for (const std::string options : {"", "outer = \"iterative\"\n"}) {
            SystemFile file(aggregated(options) +
                            piece("b", "HybridStates", kinds.models, "b11 = 1.0, c11 = 1.0") +
                            piece("s", "HybridStates", kinds.models, sampler) +
                            piece("d", "HybridDirect", kinds.others, "d11 = 2.0") +
                            piece("j", "HybridStates", kinds.models, jump) +
                            connected("j.y1", "d.u1") + connected("d.y1", "s.u1") +
                            connected("s.y1", "b.u1"));
            EXPECT_NEAR(file.run().at("b.y1").back(), 1.4, 1e-8)
                << kinds.models << ", " << kinds.others << ", " << options;
        }
}

// r jumps at 0.3, when s samples it. m and s feed each other, and r is one equation with m.
TEST(Samplers, that_an_equation_feeds_both_ways_are_a_warning) {
    SystemFile file(
        aggregated("outer = \"iterative\"\n") +
        piece("r", "HybridStates", "native", "rule = 1, first = 0.3, height = 1.0, g1 = 1.0") +
        piece("s", "HybridStates", "fmi3_cs", sampler) +
        piece("m", "HybridStates", "native", "b11 = 1.0, c11 = 1.0") + connected("r.y1", "s.u1") +
        connected("m.y1", "s.u2") + connected("s.y1", "m.u1"));
    EXPECT_NEAR(file.run().at("m.y1").back(), 0.6, 1e-8) << "the jump is sampled at 0.4";
    EXPECT_THAT(file.warnings,
                ::testing::Contains(::testing::HasSubstr("have events at the same instant")));
}

// 3 * 0.1 is a rounding error behind 30 * 0.01: both are one point of the results.
TEST(TimeEvents, behind_a_communication_point_by_rounding_leave_times_ascending) {
    for (const std::string coupling : {"auto", "jacobi", "gauss_seidel", "predictor", "iterative"})
        for (const std::string kind : {"native", "fmi2_me", "fmi3_cs"}) {
            SystemFile file(
                fmt::format("[experiment]\nstop = 0.4\nstep = 0.01\n[coupling]\nmethod = "
                            "\"{}\"\n",
                            coupling) +
                piece("a", "HybridStates", kind,
                      "rule = 1, first = 0.30000000000000004, height = 1.0, g1 = 1.0") +
                piece("b", "HybridStates", kind, "b11 = 1.0, c11 = 1.0") +
                "[[connections]]\nfrom = \"a.y1\"\nto = \"b.u1\"\n");
            const Columns columns = file.run();
            EXPECT_TRUE(std::ranges::is_sorted(columns.at("time"))) << coupling << ", " << kind;
            EXPECT_NEAR(columns.at("b.y1").back(), 0.1, 1e-8) << coupling << ", " << kind;
        }
}

// x1 of a reaches 0.25 at that time, which nobody knows before: b.y1(1) is late by up to a step.
TEST(StateEvents, that_cannot_end_a_step_are_findings_of_the_run) {
    for (const std::string coupling : {"jacobi", "gauss_seidel", "predictor", "aggregate"}) {
        SystemFile file(jump_into_fmi1(coupling, "native",
                                       "rule = 2, a12 = 1.0, x2 = 1.0, high = 0.25, low = -1.0"));
        EXPECT_NEAR(file.run().at("b.y1").back(), 0.75, 0.1) << coupling;
        EXPECT_THAT(file.warnings,
                    ::testing::Contains(::testing::AllOf(
                        ::testing::HasSubstr("steps are not cut at events, because 'b' cannot"),
                        ::testing::HasSubstr("t = 0.25"))))
            << coupling;
    }
}

// Nobody else is affected by what jumps in b.
TEST(StateEvents, of_subsystems_that_feed_nothing_need_no_warning) {
    SystemFile file("[experiment]\nstop = 1\nstep = 0.1\n[coupling]\nmethod = \"jacobi\"\n" +
                    piece("a", "HybridStates", "fmi1_cs", "a12 = 1.0, x2 = 1.0, c11 = 1.0") +
                    piece("b", "HybridStates", "native",
                          "rule = 2, b11 = 1.0, high = 0.25, low = -1.0, height = 1.0, g1 = 1.0") +
                    "[[connections]]\nfrom = \"a.y1\"\nto = \"b.u1\"\n");
    EXPECT_EQ(file.run().at("b.y1").back(), 1.0);
    EXPECT_THAT(file.warnings,
                ::testing::Not(::testing::Contains(::testing::HasSubstr("not cut at events"))));
}

}  // namespace
}  // namespace tandem::test
