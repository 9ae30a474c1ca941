#include <gtest/gtest.h>

#include <cmath>

#include "support/system_file.hpp"

/// Transmission lines beside couplings.
namespace tandem::testing {
namespace {

const std::string accurate = "solver = \"dopri5\"\ntolerance = 1e-10\n";

/// The two masses and springs on the right of examples/tlm_spring_mass as two subsystems with
/// coupling functions between them, a line to the left.
std::string three_parts(const std::string& coupling, double step, bool own_solvers) {
    const std::string solver = own_solvers ? accurate : "";
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
           subsystem_text("left", "TlmLeft", "native") + solver +
           subsystem_text("m1", "TlmMass", "native", "m = 0.005, d = 0.2") + solver +
           subsystem_text("m2", "TlmMass", "native", "m = 0.005, d = 0.2, k = 141") + solver;
}

double last_force(const std::string& coupling, double step, bool own_solvers = true) {
    SystemFile file(three_parts(coupling, step, own_solvers));
    return file.run().at("left.F3").back();
}

constexpr double force = 90.380824;  // of two parts, with steps of 2e-4

TEST(TlmCouplings, parts_between_lines_become_equations_of_their_own) {
    SystemFile file(three_parts("method = \"aggregate\"", 2e-4, false));
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

TEST(TlmCouplings, equations_between_lines_may_step_at_their_own_pace) {
    EXPECT_NEAR(last_force("method = \"aggregate\"\nouter = \"asynchronous\"", 2e-4, false), force,
                1e-4 * force);
}

// A law of the coupling for one input goes beside a held wave for another.
TEST(TlmCouplings, held_waves_leave_the_laws_of_couplings_alone) {
    std::string text = three_parts("method = \"lti\"", 2e-5, true);
    text.replace(text.find("\"coarse\""), 8, "\"sampled\"");
    SystemFile file(text);
    EXPECT_NEAR(file.run().at("left.F3").back(), 89.2, 2.0);
}

// With and without going back: the same waves.
TEST(TlmCouplings, repeated_steps_send_what_the_last_attempt_sends) {
    SystemFile file(three_parts("method = \"iterative\"", 2e-4, true));
    run::SystemRunOptions options = file.options();
    options.step_control = "richardson";
    options.step_options = {"tolerance=1e-2", "max_step=2e-4", "min_step=1e-5"};
    EXPECT_NEAR(numbers_of(file.run_text(options)).at("left.F3").back(), 90.07568777, 0.2);
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

TEST(TlmCouplings, steps_longer_than_a_delay_are_refused_with_the_limit) {
    EXPECT_NE(problem_of(three_parts("method = \"jacobi\"", 5e-4, true))
                  .find("steps of 0.0005 are longer than its delay, 0.0004"),
              std::string::npos);
}

TEST(TlmCouplings, links_between_subsystems_of_their_own_pace_are_refused) {
    const std::string text =
        "connections = [\"a.y -> b.u\"]\n[experiment]\nstop = 1\nstep = 1e-3\n[coupling]\n"
        "method = \"asynchronous\"\n" +
        subsystem_text("a", "LinearOde", "native") + subsystem_text("b", "LinearOde", "native");
    EXPECT_NE(problem_of(text).find("'a' feeds 'b' by a connection"), std::string::npos);
}

}  // namespace
}  // namespace tandem::testing
