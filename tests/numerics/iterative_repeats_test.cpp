#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/system_file.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;

// A table jumps from 0 to 1 at 0.5. In the step from there the ball beside it bounces, so that the
// step is cut and repeated; what the integrator is told begins at 1 all the same.
TEST(IterativeRepeats, a_step_after_a_jump_begins_behind_the_jump) {
    SystemFile file(
        "connections = [\"table.u -> i.u1\"]\n[experiment]\nstop = 1\nstep = 0.5\n"
        "[coupling]\nmethod = \"iterative\"\n"
        "[subsystems.table]\nsource = \"jump.csv\"\n" +
        subsystem_text("i", "FirstOrder", "native", "u2 = 0, x = 0, a = 0") +
        "solver = \"dopri5\"\ntolerance = 1e-10\n" +
        subsystem_text("ball", "BouncingBall", "native", "h = 2") + "solver = \"dopri5\"\n");
    file.add("jump.csv", "time,u\n0,0\n0.5,0\n0.5,1\n2,1\n");
    const Columns columns = file.run();
    EXPECT_GT(columns.at("time").size(), 5U) << "the two sides of the jump and of a bounce";
    EXPECT_NEAR(columns.at("i.y").back(), 0.5, 1e-9);
}

// s2 is fed by s1, which has stepped before it in a sweep, and by s3, which has not.
TEST(IterativeRepeats, sweeps_and_all_at_once_agree_where_a_function_takes_both) {
    std::string text =
        "connections = [\"s2.y -> s1.u1\"]\n[experiment]\nstop = 1\nstep = 0.1\n"
        "[record]\nvariables = [\"*.y\"]\n";
    for (const char* name : {"s1", "s2", "s3"})
        text += subsystem_text(name, "FirstOrderEuler", "native", "u2 = 0, x = 1");
    text +=
        "[[functions]]\ntarget = \"s2.u1\"\nexpression = \"p * q + t\"\n"
        "signals = { p = \"s1.y\", q = \"s3.y\" }\n"
        "[[functions]]\ntarget = \"s3.u1\"\nexpression = \"cos(p) + q\"\n"
        "signals = { p = \"s2.y\", q = \"s1.y\" }\n";
    std::vector<Columns> results;
    for (const char* sweep : {"jacobi", "gauss_seidel"}) {
        SystemFile file(text);
        run::SystemRunOptions options = file.options();
        options.coupling = "iterative";
        options.options = {fmt::format("sweep={}", sweep)};
        run::SystemRun system(options);
        system.perform();
        EXPECT_EQ(system.report().retried, 0) << sweep;
        results.push_back(numbers_of(read_text_columns(options.outputs.front())));
    }
    for (const char* name : {"s1.y", "s2.y", "s3.y"})
        EXPECT_NEAR(results[0].at(name).back(), results[1].at(name).back(), 1e-9) << name;
}

TEST(IterativeRepeats, linear_inputs_that_a_subsystem_cannot_take_are_refused) {
    const SystemFile file("connections = [\"a.y -> b.u1\"]\n[experiment]\nstop = 1\n" +
                          subsystem_text("a", "FirstOrderEuler", "fmi2_cs") +
                          subsystem_text("b", "FirstOrderEuler", "fmi2_cs"));
    run::SystemRunOptions options = file.options();
    options.coupling = "iterative";
    options.options = {"inputs=linear"};
    try {
        run::SystemRun system(options);
        FAIL() << "it was taken";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("subsystem 'b' cannot do what coupling 'iterative' "
                                            "needs: derivatives of inputs up to order 1"));
    }
}

TEST(IterativeRepeats, a_value_that_is_no_number_is_named) {
    const SystemFile file("connections = [\"b.y -> a.u1\"]\n[experiment]\nstop = 1\nstep = 0.1\n" +
                          subsystem_text("a", "FirstOrderEuler", "native") +
                          subsystem_text("b", "FirstOrderEuler", "native") +
                          "[[functions]]\ntarget = \"b.u1\"\nexpression = \"sqrt(0.55 - t) * p\"\n"
                          "signals = { p = \"a.y\" }\n");
    run::SystemRunOptions options = file.options();
    options.coupling = "iterative";
    run::SystemRun system(options);
    try {
        system.perform();
        FAIL() << "it was not noticed";
    } catch (const NumericsError& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("the coupling function of b.u1, \"sqrt(0.55 - t) * "
                              "p\", gives no finite number in the step from 0.55 to 0.6"));
    }
}

}  // namespace
}  // namespace tandem::test
