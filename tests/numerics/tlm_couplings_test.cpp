#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/system_file.hpp"

/// Transmission lines beside couplings.
namespace tandem::test {
namespace {

const std::string accurate = "solver = \"dopri5\"\ntolerance = 1e-10\n";

/// What else the three subsystems have.
struct More {
    std::string left, m1, m2;
    std::string kind_of_m2 = "native";
};
const More own_solvers{accurate, accurate, accurate};

/// The two masses and springs on the right of examples/tlm_spring_mass as two subsystems with
/// coupling functions between them, a line to the left.
std::string three_parts(const std::string& coupling, double step, const More& more = own_solvers) {
    return fmt::format(
               "[experiment]\nstop = 0.2\nstep = {}\ntolerance = 1e-9\n[coupling]\n{}\n"
               "[record]\nvariables = [\"*.x*\", \"left.F3\"]\nevents = false\n"
               "[[tlm]]\nname = \"spring\"\ndomain = \"mechanical\"\ndelay = 4e-4\n"
               "impedance = 0.4\nexchange = \"coarse\"\n"
               "ends = [{{ flow = \"left.v3\", effort = \"left.F3\" }}, "
               "{{ flow = \"m1.v\", effort = \"m1.F\" }}]\n"
               "[[functions]]\ntarget = \"m1.F2\"\nexpression = \"90 * (b - a)\"\n"
               "signals = {{ a = \"m1.x\", b = \"m2.x\" }}\n"
               "[[functions]]\ntarget = \"m2.F\"\nexpression = \"90 * (a - b)\"\n"
               "signals = {{ a = \"m1.x\", b = \"m2.x\" }}\n",
               step, coupling) +
           subsystem_text("left", "TlmLeft", "native") + more.left +
           subsystem_text("m1", "TlmMass", "native", "m = 0.005, d = 0.2") + more.m1 +
           subsystem_text("m2", "TlmMass", more.kind_of_m2, "m = 0.005, d = 0.2, k = 141") +
           more.m2;
}

double last_force(const std::string& coupling, double step, const More& more = own_solvers) {
    SystemFile file(three_parts(coupling, step, more));
    return file.run().at("left.F3").back();
}

constexpr double force = 90.380824;  // of two parts, with steps of 2e-4

TEST(TlmCouplings, parts_between_lines_become_equations_of_their_own) {
    SystemFile file(three_parts("method = \"aggregate\"", 2e-4, {}));
    run::SystemRunOptions options = file.options();
    options.tolerance = 1e-10;
    run::SystemRun system(options);
    EXPECT_EQ(system.system().size(), 2) << "the line keeps them apart";
    system.perform();
    EXPECT_NEAR(numbers_of(read_text_columns(options.outputs.front())).at("left.F3").back(), force,
                1e-5 * force);
}

TEST(TlmCouplings, parts_between_lines_may_be_coupled_in_any_way) {
    EXPECT_NEAR(last_force("method = \"iterative\"", 2e-4), force, 1e-4 * force);
    EXPECT_NEAR(last_force("method = \"predictor\"", 2e-4), force, 1e-5 * force);
    EXPECT_NEAR(last_force("method = \"pre_step\"", 2e-4), force, 1e-4 * force);
    EXPECT_NEAR(last_force("method = \"lti\"", 2e-4), force, 1e-5 * force);
    EXPECT_NEAR(last_force("method = \"gauss_seidel\"\norder = 1", 2e-4), force, 1e-3 * force);
    EXPECT_NEAR(last_force("method = \"jacobi\"\norder = 2", 2e-4), force, 1e-3 * force);
    EXPECT_NEAR(last_force("method = \"nepce\"\norder = 1", 2e-4), force, 1e-3 * force);
}

const std::string own_paces = "method = \"aggregate\"\nouter = \"asynchronous\"";

// Steps of 2e-4 on the left, of 1.25e-4 on the right; the force is that of two parts, as in
// tlm_spring_mass_test.cpp. If both had steps of 2e-4 it would be 90.3808, of 1.25e-4 90.4272.
TEST(TlmCouplings, equations_between_lines_may_step_at_their_own_pace) {
    const double of_two_parts = 90.5084286;
    for (const std::string of_m2 : {"", "step_ratio = 8\n"})
        EXPECT_NEAR(last_force(own_paces + "\nsolver = \"dopri5\"\ntolerance = 1e-10", 1e-3,
                               {"step_ratio = 5\n", "step_ratio = 8\n", of_m2}),
                    of_two_parts, 1e-6 * of_two_parts);
}

/// The same with the right side as one subsystem.
struct Two {
    std::string coupling, line;
    std::string right = "TlmRight";
    std::string end_right = "flow = \"right.v1\", effort = \"right.F1\"";
    std::string of_left = accurate, of_right = accurate;
};

std::string two_parts(const Two& two, double stop, double step) {
    return fmt::format(
               "[experiment]\nstop = {}\nstep = {}\ntolerance = 1e-9\n[coupling]\n"
               "method = \"{}\"\n[record]\nvariables = [\"left.F3\"]\nevents = false\n"
               "[[tlm]]\nname = \"spring\"\ndomain = \"mechanical\"\ndelay = 4e-4\n"
               "impedance = 0.4\n{}ends = [{{ flow = \"left.v3\", effort = \"left.F3\" }}, "
               "{{ {} }}]\n",
               stop, step, two.coupling, two.line, two.end_right) +
           subsystem_text("left", "TlmLeft", "native") + two.of_left +
           subsystem_text("right", two.right, "native") + two.of_right;
}

// A law of the coupling for one input goes beside a held wave for another: as if the right side
// were one subsystem that computes the effort itself from the wave. If the flow were held as well
// the force would be larger by 0.09, without the law by 0.06, with straight waves by 0.96.
TEST(TlmCouplings, held_waves_leave_the_laws_of_couplings_alone) {
    std::string text = three_parts("method = \"lti\"", 2e-5);
    text.replace(text.find("\"coarse\""), 8, "\"sampled\"");
    SystemFile file(text);
    Two two{"jacobi", "exchange = \"sampled\"\n", "TlmRightWave"};
    two.end_right = R"(flow = "right.v1", wave = "right.c", impedance = "right.Zc")";
    SystemFile whole(two_parts(two, 0.2, 2e-5));
    EXPECT_NEAR(file.run().at("left.F3").back(), whole.run().at("left.F3").back(), 1e-4);
}

// Every step is done, taken back and done again in halves: the waves are those of steps of half the
// length, but for the errors of the iteration (1e-10) and of solvers. Waves that were not taken
// back change the force by more than 1.
TEST(TlmCouplings, repeated_steps_send_what_the_last_attempt_sends) {
    SystemFile file(three_parts("method = \"iterative\"", 2e-4));
    run::SystemRunOptions options = file.options();
    options.step_control = "richardson";
    options.step_options = {"tolerance=1e6"};
    const std::vector<double> repeated = numbers_of(file.run_text(options)).at("left.F3");
    SystemFile halves(three_parts("method = \"iterative\"", 1e-4));
    const std::vector<double> once = halves.run().at("left.F3");
    ASSERT_EQ(once.size(), 2 * repeated.size() - 1);
    for (std::size_t k = 0; k < repeated.size(); ++k)
        EXPECT_NEAR(repeated[k], once[2 * k], 1e-6) << k;
}

std::string problem_of(const std::string& text) {
    SystemFile file(text);
    try {
        run::SystemRun system(file.options());
        system.perform();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

void expect_problem(const std::string& text, const std::string& problem) {
    EXPECT_THAT(problem_of(text), ::testing::HasSubstr(problem));
}

// A macro step of 200 delays, which an event of somebody else cuts short after it was made.
TEST(TlmCouplings, steps_of_own_paces_are_taken_back_as_far_as_they_are_long) {
    const auto speed_with = [](const std::string& others) {
        SystemFile file(
            "[experiment]\nstop = 1\nstep = 0.2\n[coupling]\nmethod = \"asynchronous\"\n[record]\n"
            "variables = [\"a.v\"]\nevents = false\n[[tlm]]\nname = \"line\"\ndomain = "
            "\"mechanical\"\ndelay = 1e-3\nimpedance = 0.4\n"
            "ends = [{ flow = \"a.v\", effort = \"a.F\" }, { flow = \"b.v\", effort = \"b.F\" "
            "}]\n" +
            subsystem_text("a", "TlmMass", "native", "m = 1, v = 1") + accurate +
            "step_ratio = 800\n" + subsystem_text("b", "TlmMass", "native", "m = 1") + accurate +
            "step_ratio = 800\n" + others);
        const std::vector<double> speed = file.run().at("a.v");
        EXPECT_EQ(speed.size(), 6U);
        return speed.back();
    };
    // Steps then end at other times, so that jumps are smeared over others.
    EXPECT_NEAR(speed_with(subsystem_text("ball", "BouncingBall", "native")), speed_with(""), 5e-5);
}

TEST(TlmCouplings, steps_longer_than_a_delay_are_refused_with_the_limit) {
    expect_problem(three_parts("method = \"jacobi\"", 5e-4),
                   "tlm 'spring': steps of 0.0005 are longer than its delay, 0.0004");
}

TEST(TlmCouplings, steps_of_own_paces_longer_than_half_a_delay_are_refused_with_the_limit) {
    const std::string problem =
        "tlm 'spring': steps of 0.0003 are longer than half of its delay, 0.0004\n"
        "  hint: choose a step of at most 0.0002 by step_ratio";
    expect_problem(three_parts(own_paces, 3e-4, {}), problem);
    expect_problem(three_parts(own_paces, 3e-4, {"", "step_ratio = 2\n", ""}), problem);
    EXPECT_EQ(
        problem_of(three_parts(own_paces, 3e-4, {"step_ratio = 2\n", "step_ratio = 2\n", ""})), "");
    Two two{"asynchronous", ""};
    two.of_left = "step_ratio = 2\n";
    expect_problem(two_parts(two, 0.01, 3e-4), problem);
    two.of_right = "step_ratio = 2\n";
    EXPECT_EQ(problem_of(two_parts(two, 0.01, 3e-4)), "");
}

TEST(TlmCouplings, members_of_an_equation_must_agree_on_its_pace) {
    expect_problem(
        three_parts(own_paces, 2e-4, {"step_ratio = 3\n", "step_ratio = 2\n", "step_ratio = 4\n"}),
        "step_ratio 4 of 'm2' differs from 2 of 'm1', and both are in one equation");
}

std::string between(const std::string& from, const std::string& to, const std::string& by) {
    return fmt::format(
        "'{}' feeds '{}' by a connection or coupling function, but with {} nothing "
        "except transmission lines may be between them",
        from, to, by);
}

std::string linked(const std::string& connection, const std::string& model) {
    return "connections = [\"" + connection +
           "\"]\n[experiment]\nstop = 1\nstep = 1e-3\n[coupling]\nmethod = \"asynchronous\"\n" +
           subsystem_text("a", model, "native") + subsystem_text("b", model, "native");
}

TEST(TlmCouplings, links_between_subsystems_of_their_own_pace_are_refused) {
    const std::string by = "the coupling 'asynchronous'";
    expect_problem(linked("a.y -> b.u", "LinearOde"), between("a", "b", by));
    expect_problem(linked("a.int32_out -> b.int32_in", "Feedthrough"), between("a", "b", by));
    expect_problem(three_parts("method = \"asynchronous\"", 2e-4), between("m1", "m2", by));
}

// What is in one equation is not between subsystems.
TEST(TlmCouplings, links_between_equations_and_others_of_their_own_pace_are_refused) {
    expect_problem(three_parts(own_paces, 2e-4, {"", "", "", "fmi2_cs"}),
                   between("aggregate 2", "m2", "outer = \"asynchronous\""));
}

TEST(TlmCouplings, steps_of_own_paces_follow_what_a_subsystem_feeds_itself) {
    const std::string text =
        "connections = [\"a.y -> a.u\"]\n[experiment]\nstop = 0.5\nstep = 0.01\n[coupling]\n"
        "method = \"asynchronous\"\n[record]\nvariables = [\"a.x\"]\n" +
        subsystem_text("a", "LinearOde", "native", "x = 1, a = 0, b = 1, c = 1, d = 0") +
        "step_ratio = 10\n" + subsystem_text("b", "LinearOde", "native");
    SystemFile file(text);
    // x' = x by steps of Euler's rule.
    EXPECT_NEAR(file.run().at("a.x").back(), std::pow(1.001, 500), 1e-5);
}

}  // namespace
}  // namespace tandem::test
