#include "stepsize/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::stepsize {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(StepControls, are_known_by_their_names_and_by_older_ones) {
    EXPECT_THAT(controls().names(),
                ElementsAre("fixed", "power_residual", "prediction_error", "richardson"));
    EXPECT_EQ(controls().find("energy"), controls().find("power_residual"));
    EXPECT_EQ(controls().find("predictor"), controls().find("prediction_error"));
}

TEST(StepControls, are_made_with_their_defaults_and_options) {
    for (const ControlRow& row : controls().rows()) {
        Diagnostics findings;
        EXPECT_EQ(make_control({row.name}, findings).control == nullptr, row.name == "fixed");
        EXPECT_TRUE(findings.empty()) << row.name;
    }
    Diagnostics findings;
    const Control control =
        make_control({"energy", {{"tolerance", 1e-3, ""}, {"max_step", 0.5, ""}}, ""}, findings);
    EXPECT_TRUE(findings.empty());
    EXPECT_TRUE(control.needs_bonds);
    EXPECT_EQ(control.options.tolerance, 1e-3);
    EXPECT_EQ(control.options.max_step, 0.5);
}

std::string problem_of(const ControlChoice& choice) {
    Diagnostics findings;
    make_control(choice, findings);
    EXPECT_THAT(findings, SizeIs(1));
    return findings.empty() ? "" : findings[0].problem + " | " + findings[0].hint;
}

TEST(StepControls, wrong_choices_are_explained) {
    EXPECT_THAT(problem_of({"richardsen"}), HasSubstr("did you mean 'richardson'"));
    EXPECT_THAT(problem_of({"fixed", {{"tolerance", 1e-3, ""}}, ""}),
                HasSubstr("power_residual, prediction_error, richardson"));
    EXPECT_THAT(problem_of({"richardson", {{"min_step", 1.0, ""}, {"max_step", 0.5, ""}}, ""}),
                HasSubstr("must not be larger than max_step = 0.5"));
}

}  // namespace
}  // namespace tandem::stepsize
