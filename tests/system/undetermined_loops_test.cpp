#include <gtest/gtest.h>

#include "support/model_kinds.hpp"
#include "support/system_file.hpp"
#include "tandem/error.hpp"

namespace tandem::test {
namespace {

/// y = f(y) through two subsystems without states.
std::string loop_text(const std::string& kind, const std::string& coupling,
                      const std::string& expression) {
    const std::string direct = "a = 0.0, b = 0.0, c = 0.0, d = 1.0, u = 0.9";
    return fmt::format(
               "connections = [\"a.y -> b.u\"]\n"
               "[experiment]\nstop = 1\nstep = 0.1\n[coupling]\nmethod = \"{}\"\n"
               "[[functions]]\ntarget = \"a.u\"\nexpression = \"{}\"\n"
               "signals = {{ y = \"b.y\" }}\n",
               coupling, expression) +
           subsystem_text("a", "LinearOde", kind, direct) +
           subsystem_text("b", "LinearOde", kind, direct);
}

std::string message_of(const std::string& text) {
    try {
        SystemFile(text).run();
    } catch (const NumericsError& error) {
        return error.what();
    }
    return "none";
}

bool can_run(const std::string& kind, const std::string& coupling) {
    if (coupling.starts_with("iterative")) return !kind.starts_with("fmi1");  // it repeats steps
    return !kind.ends_with("_cs");
}

TEST(LoopsThatDetermineNothing, are_refused_at_the_start_and_behind_discontinuities) {
    std::vector<std::string> couplings = {"aggregate", "linear_implicit"};
    for (const std::string accelerator : {"fixed_point", "aitken", "anderson", "broyden", "newton"})
        couplings.push_back("iterative\"\naccelerator = \"" + accelerator);
    for (const std::string& kind : all_kinds)
        for (const std::string& coupling : couplings) {
            if (!can_run(kind, coupling)) continue;
            SCOPED_TRACE(kind + " " + coupling);
            for (const std::string expression : {"y", "(t < 0.5 ? 0.5 : 1)*y"})
                EXPECT_NE(message_of(loop_text(kind, coupling, expression)).find("is singular"),
                          std::string::npos)
                    << expression;
        }
}

// y = 0.1 / (1 - 1.9 t) is infinite at 1 / 1.9, and y^2 = 0.6 - t has no solution behind 0.6.
TEST(AggregatedLoops, do_not_pass_a_pole_or_a_fold) {
    for (const std::string kind : {"native", "fmi1_me", "fmi2_me", "fmi3_me"}) {
        SCOPED_TRACE(kind);
        const std::string pole = message_of(loop_text(kind, "aggregate", "0.1 + 1.9*t*y"));
        EXPECT_NE(pole.find("at t = 0.526"), std::string::npos) << pole;
        EXPECT_NE(pole.find("algebraic loop through a.y, b.y"), std::string::npos) << pole;
        const std::string fold = message_of(loop_text(kind, "aggregate", "y - (y*y - (0.6 - t))"));
        EXPECT_NE(fold.find("at t = 0.6"), std::string::npos) << fold;
    }
}

}  // namespace
}  // namespace tandem::test
