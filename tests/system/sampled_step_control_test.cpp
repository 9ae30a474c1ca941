#include <gtest/gtest.h>

#include "support/model_kinds.hpp"
#include "support/odd_models.hpp"

namespace tandem::test {
namespace {

// The discrete input changes between the halves of a repeated step: all subsystems are in the
// middle then, not where the step began.
TEST(RepeatedHalves, exchange_discrete_values_in_the_middle) {
    for (const std::string kind : {"native", "fmi2_me", "fmi3_me", "fmi3_cs"}) {
        SCOPED_TRACE(kind);
        SystemFile file(
            "connections = [\"plant.x -> controller.y\", \"controller.u -> plant.u\"]\n"
            "[experiment]\nstop = 1\nstep = 0.05\n[coupling]\nmethod = \"jacobi\"\n"
            "[step_control]\nmethod = \"richardson\"\n" +
            odd_text("controller", "SampledUnit", kind,
                     "kp = 0.1, ki = 0.1, reference = 1, period = 0.1") +
            odd_text("plant", "HiddenVariables", kind, "a = -1, b = 2, x = 3"));
        const Columns columns = file.run();
        EXPECT_EQ(columns.at("time").back(), 1.0);
    }
}

}  // namespace
}  // namespace tandem::test
