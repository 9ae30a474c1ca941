#include <gtest/gtest.h>

#include "support/model_kinds.hpp"
#include "support/system_file.hpp"

namespace tandem::test {
namespace {

/// y = f(y) through two subsystems without states.
std::string loop_text(const std::string& kind, const std::string& coupling,
                      const std::string& expression, double guess) {
    const std::string direct =
        fmt::format("a = 0.0, b = 0.0, c = 0.0, d = 1.0, u = {:.17e}", guess);
    return fmt::format(
               "connections = [\"a.y -> b.u\"]\n"
               "[experiment]\nstop = 1\nstep = 0.1\n[coupling]\nmethod = \"{}\"\n"
               "[[functions]]\ntarget = \"a.u\"\nexpression = \"{}\"\n"
               "signals = {{ y = \"b.y\"{} }}\n",
               coupling, expression,
               expression.find("s)") == std::string::npos ? "" : ", s = \"clock.y\"") +
           subsystem_text("a", "LinearOde", kind, direct) +
           subsystem_text("b", "LinearOde", kind, direct);
}

/// With q = 1 + t the solution is s q: y = s (q + q^n) - s (y / s)^n.
std::string power_of(double s, int n) {
    return fmt::format("{:e}*((1 + t) + (1 + t)^{}) - {:e}*(y/{:e})^{}", s, n, s, s, n);
}

bool can_run(const std::string& kind, const std::string& coupling) {
    if (coupling == "iterative") return !kind.starts_with("fmi1");  // it repeats steps
    return !kind.ends_with("_cs");                                  // one equation, linear models
}

// Nominals are 1 where nobody gave others: they say nothing about such values.
TEST(LoopsOfScaledValues, have_the_same_solution_times_the_scale) {
    for (const std::string& kind : all_kinds)
        for (const std::string coupling : {"aggregate", "iterative", "linear_implicit"})
            for (const double s : {1e-20, 1e-10, 1.0, 1e10})
                for (const int n : {2, 3}) {
                    if (!can_run(kind, coupling)) continue;
                    SCOPED_TRACE(fmt::format("{} {} {:g} {}", kind, coupling, s, n));
                    SystemFile file(loop_text(kind, coupling, power_of(s, n), 0.9 * s));
                    const Columns columns = file.run();
                    const std::vector<double>& y = columns.at("b.y");
                    ASSERT_EQ(y.size(), 11U);
                    // Loops are solved to 1e-10.
                    for (std::size_t k = 0; k < y.size(); ++k)
                        EXPECT_NEAR(y[k] / s, 1.0 + 0.1 * static_cast<double>(k), 1e-9);
                    EXPECT_TRUE(file.warnings.empty());
                }
}

// Each round of fixed_point leaves 0.9 of the error: fifty of them are not enough for a step of any
// length, and steps so short that the error is small by themselves would never come to the end.
TEST(IterationsThatAreTooSlow, end_with_the_solution_or_an_error) {
    for (const std::string accelerator : {"fixed_point", "aitken", "anderson", "broyden", "newton"})
        for (const std::string kind : {"native", "fmi2_cs"}) {
            SCOPED_TRACE(accelerator + " " + kind);
            SystemFile file(
                loop_text(kind, "iterative\"\naccelerator = \"" + accelerator,
                          "1e-9*(1 + s) + 0.9*y", 1e-8) +
                subsystem_text("clock", "LinearOde", kind, "a = 0.0, b = 1.0, c = 1.0, u = 1.0"));
            try {
                const Columns columns = file.run();
                EXPECT_NEAR(columns.at("b.y").back() / 1e-8, 2.0, 1e-8);
                EXPECT_NE(accelerator, "fixed_point");
            } catch (const NumericsError& error) {
                EXPECT_EQ(accelerator, "fixed_point") << error.what();
            }
        }
}

}  // namespace
}  // namespace tandem::test
