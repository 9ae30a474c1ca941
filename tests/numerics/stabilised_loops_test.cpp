#include <gtest/gtest.h>

#include <cmath>

#include "support/model_kinds.hpp"
#include "support/system_file.hpp"
#include "tandem/error.hpp"

/// Couplings that read linear models, where outputs follow inputs within the instant.
namespace tandem::test {
namespace {

const std::string accurate = "solver = \"dopri5\"\ntolerance = 1e-10\n";

/// y_a = x_a - 5 y_b^3, y_b = x_b / 10 + y_a, with x_a' = 2 x_a: what loops do to each other
/// changes much from step to step.
std::string bent_loop() {
    return "connections = [\"a.y -> b.u\"]\n[experiment]\nstop = 2.0\nstep = 0.2\n"
           "[record]\nvariables = [\"*.x\", \"*.y\"]\n"
           "[[functions]]\ntarget = \"a.u\"\nexpression = \"-5 * y^3\"\nsignals = { y = \"b.y\" "
           "}\n" +
           subsystem_text("a", "LinearOde", "native", "x = 0.1, a = 2, b = 0, c = 1, d = 1") +
           accurate +
           subsystem_text("b", "LinearOde", "native", "x = 0, a = -1, b = 1, c = 0.1, d = 1") +
           accurate;
}

TEST(StabilisedLoops, settle_although_they_bend_between_steps) {
    SystemFile file(bent_loop());
    for (const char* coupling : {"predictor", "linear_implicit", "lti", "pre_step"}) {
        run::SystemRunOptions options = file.options();
        options.coupling = coupling;
        const Columns columns = numbers_of(file.run_text(options));
        const std::vector<double>&a = columns.at("a.y"), &b = columns.at("b.y");
        ASSERT_EQ(a.size(), 11u) << coupling;
        for (std::size_t k = 0; k < a.size(); ++k) {
            const double x_a = 0.1 * std::exp(2.0 * columns.at("time")[k]);
            EXPECT_NEAR(a[k], x_a - 5.0 * std::pow(b[k], 3), 1e-6 * x_a) << coupling << k;
            EXPECT_NEAR(b[k], 0.1 * columns.at("b.x")[k] + a[k], 1e-9) << coupling << k;
        }
    }
}

/// q' = p, p' = -q - p/2, where the second subsystem puts out -q - p/2: its rows must be those of p
/// at their time, not of what p was expected to be on the mean.
TEST(StabilisedLoops, outputs_are_recorded_as_they_follow_from_states) {
    SystemFile file(
        "connections = [\"q.y -> p.u\", \"p.y -> q.u\"]\n[experiment]\nstop = 1.0\n"
        "step = 0.1\n[record]\nvariables = [\"*.x\", \"*.y\"]\n" +
        subsystem_text("p", "LinearOde", "native", "x = 1, a = 0") + accurate +
        subsystem_text("q", "LinearOde", "native", "a = 0, c = -1, d = -0.5") + accurate);
    for (const char* coupling : {"predictor", "pre_step"}) {
        run::SystemRunOptions options = file.options();
        options.coupling = coupling;
        options.options = {coupling == std::string("predictor") ? "inputs=mean"
                                                                : "optimisation=mean"};
        const Columns columns = numbers_of(file.run_text(options));
        for (std::size_t k = 0; k < columns.at("time").size(); ++k)
            EXPECT_NEAR(columns.at("q.y")[k], -columns.at("q.x")[k] - 0.5 * columns.at("p.x")[k],
                        1e-9)
                << coupling << k;
    }
}

std::string hybrid(const std::string& name, const std::string& model, const std::string& kind,
                   const std::string& parameters) {
    return fmt::format("[subsystems.{}]\n{}parameters = {{ {} }}\n", name,
                       source_of(model, kind, TANDEM_ODD_FMUS), parameters);
}

/// An amplifier y = G (s - b) whose output feeds b = y/2 + x_l/2, and a lag x_l' = b - x_l behind
/// it, so that b = (G s + x_l) / (2 + G) at every instant. s is the state of an oscillator.
std::string follower(const std::string& kind, double gain) {
    return "connections = [\"s.y1 -> a.u1\", \"b.y1 -> a.u2\", \"a.y1 -> b.u1\", "
           "\"l.y1 -> b.u2\", \"b.y1 -> l.u1\"]\n[experiment]\nstop = 1.0\nstep = 0.05\n"
           "tolerance = 1e-9\n[record]\nvariables = [\"*\"]\n" +
           hybrid("s", "HybridStates", kind, "x1 = 1, x2 = 0.5, a12 = 3, a21 = -3, c11 = 1") +
           hybrid("a", "HybridDirect", kind, fmt::format("d11 = {}, d12 = {}", gain, -gain)) +
           hybrid("b", "HybridDirect", kind, "d11 = 0.5, d12 = 0.5") +
           hybrid("l", "HybridStates", kind, "a11 = -1, b11 = 1, c11 = 1");
}

/// What the subsystems of that kind cannot do is refused before the run.
bool can_run(const std::string& kind, const std::string& coupling) {
    return kind != "fmi1_cs" || coupling != "pre_step";  // which needs linear models
}

TEST(StabilisedLoops, of_amplifiers_are_solved_to_rounding_whatever_their_gain) {
    for (const std::string& kind : all_kinds)
        for (const std::string coupling :
             {"predictor", "linear_implicit", "lti", "pre_step", "iterative"})
            for (const double gain : {1e3, 1e5, 1e8, -1e5, -1e8}) {
                SCOPED_TRACE(fmt::format("{} {} {:g}", kind, coupling, gain));
                SystemFile file(follower(kind, gain));
                run::SystemRunOptions options = file.options();
                options.coupling = coupling;
                if (!can_run(kind, coupling)) {
                    EXPECT_THROW(file.run_text(options), InputError);
                    continue;
                }
                const Columns columns = numbers_of(file.run_text(options));
                ASSERT_EQ(columns.at("time").size(), 21u);
                for (std::size_t k = 0; k < 21u; ++k) {
                    const double s = columns.at("s.x1")[k], l = columns.at("l.x1")[k];
                    EXPECT_NEAR(columns.at("b.y1")[k], (gain * s + l) / (2.0 + gain), 1e-12) << k;
                }
            }
}

}  // namespace
}  // namespace tandem::test
