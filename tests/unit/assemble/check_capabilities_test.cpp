#include "assemble/check_capabilities.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::assemble {
namespace {

using testing::HasSubstr;

TEST(CheckCapabilities, names_each_subsystem_that_cannot_do_what_the_coupling_needs) {
    Diagnostics findings;
    const Capabilities needed = {.rollback = true, .input_derivatives = 1};
    check_capabilities({{"wheel", "s.toml:3", {.rollback = true, .input_derivatives = 2}, needed},
                        {"tyre", "s.toml:7", {.input_derivatives = 1}, needed},
                        {"rim", "s.toml:8", {}, {}},
                        {"road", "s.toml:9", {.rollback = true}, needed}},
                       "coupling 'newton'", "use another", findings);
    ASSERT_EQ(findings.size(), 2U);
    EXPECT_EQ(findings[0].severity, Severity::error);
    EXPECT_EQ(findings[0].place, "s.toml:7");
    EXPECT_THAT(findings[0].problem,
                HasSubstr("subsystem 'tyre' cannot do what coupling 'newton' needs: rollback"));
    EXPECT_EQ(findings[0].hint, "use another");
    EXPECT_EQ(findings[1].place, "s.toml:9");
    EXPECT_THAT(findings[1].problem, HasSubstr("derivatives of inputs up to order 1 (it has 0)"));
}

TEST(CheckCapabilities, finds_each_capability_that_is_missing) {
    Diagnostics findings;
    const Capabilities everything = {.rollback = true,
                                     .serialise = true,
                                     .jacobians = true,
                                     .laws = true,
                                     .variable_step = true,
                                     .input_derivatives = 1,
                                     .output_derivatives = 1};
    check_capabilities({{"a", "", {}, everything}}, "coupling 'all'", "", findings);
    EXPECT_EQ(findings.size(), 7U);
}

}  // namespace
}  // namespace tandem::assemble
