#include <gmock/gmock.h>

#include <cmath>

#include "support/system_file.hpp"

/// Step control where the solver inside a subsystem is coarser than the tolerance of the coupling.
namespace tandem::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// x' = 3 v, v' = -3 x from (1, 0); the solver of `coarse` works to 1e-3, that of `fine` to 1e-11.
std::string oscillator(const std::string& tolerance) {
    return "connections = [\"fine.y -> coarse.u\", \"coarse.y -> fine.u\"]\n"
           "[experiment]\nstop = 2\nstep = 0.1\n[record]\nvariables = [\"*.y\"]\n" +
           subsystem_text("coarse", "LinearOde", "native",
                          "x = 1.0, a = 0.0, b = 3.0, c = 1.0, d = 0.0") +
           "tolerance = " + tolerance + "\n" +
           subsystem_text("fine", "LinearOde", "native",
                          "x = 0.0, a = 0.0, b = -3.0, c = 1.0, d = 0.0") +
           "tolerance = 1e-11\n";
}

struct Result {
    run::RunReport report;
    std::vector<std::string> warnings;
    double x = 0.0;
};

/// It gets at most `most` steps.
Result result_of(const SystemFile& file, const std::string& control, const std::string& tolerance,
                 long most) {
    run::SystemRunOptions options = file.options();
    options.coupling = "iterative";
    options.step_control = control;
    options.step_options = {"tolerance=" + tolerance};
    long steps = 0;
    options.go_on = [&](double) { return ++steps < most; };
    run::SystemRun run(options);
    run.perform();
    Result result{run.report(), {}, 0.0};
    for (const Diagnostic& finding : run.findings())
        result.warnings.push_back(sentence(finding.place, finding.problem, finding.hint));
    result.x = numbers_of(read_text_columns(file.in_folder("out.csv"))).at("coarse.y").back();
    return result;
}

// With a fine solver the same tolerance takes some hundred steps.
TEST(NoisySteps, of_a_coarse_solver_are_few_and_it_is_named) {
    for (const char* tolerance : {"1e-5", "1e-7"}) {
        const Result result =
            result_of(SystemFile(oscillator("1e-3")), "richardson", tolerance, 20000);
        EXPECT_EQ(result.report.end, run::End::complete) << tolerance;
        EXPECT_LT(result.report.advances, 20000) << tolerance;
        EXPECT_GT(result.report.beyond_tolerance, 0) << tolerance;
        EXPECT_THAT(result.warnings,
                    Contains(AllOf(HasSubstr("step control 'richardson': from "),
                                   HasSubstr("most of all of 'coarse'"),
                                   HasSubstr("give 'coarse' a tighter tolerance"))))
            << tolerance;
        // The solver's own tolerance of 1e-3 in each of its steps.
        EXPECT_NEAR(result.x, std::cos(6.0), 0.1) << tolerance;
    }
}

TEST(NoisySteps, are_not_suspected_of_a_fine_solver) {
    for (const char* control : {"richardson", "predictor"}) {
        const Result result = result_of(SystemFile(oscillator("1e-11")), control, "1e-5", 100000);
        EXPECT_EQ(result.report.end, run::End::complete) << control;
        EXPECT_THAT(result.warnings, IsEmpty()) << control;
        EXPECT_FALSE(result.report.noise) << control;
        EXPECT_NEAR(result.x, std::cos(6.0), 1e-4) << control;
    }
}

}  // namespace
}  // namespace tandem::test
