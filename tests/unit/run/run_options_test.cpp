#include "run/run_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace tandem::run {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> names_of(const std::vector<GivenOption>& options) {
    std::vector<std::string> names;
    for (const GivenOption& option : options) names.push_back(option.name);
    return names;
}

TEST(RunOptions, have_names_of_their_own_and_say_what_they_mean) {
    RunOptions options;
    std::set<std::string> flags;
    for (const RunOption& option : describe(options)) {
        EXPECT_TRUE(flags.insert(flag_of(option)).second) << option.spec.name;
        EXPECT_FALSE(option.spec.help.empty()) << option.spec.name;
        EXPECT_STRNE(option.group, "") << option.spec.name;
    }
    EXPECT_TRUE(flags.contains("--step-control"));
}

TEST(RunOptions, that_are_chosen_are_those_that_are_not_as_at_the_start) {
    RunOptions options;
    EXPECT_THAT(chosen_options(options), IsEmpty());
    options.stop = 2.5;
    options.retry = true;
    options.threads = 0;
    options.set = {"a.k=1", "b.k=2"};
    const std::vector<GivenOption> chosen = chosen_options(options);
    EXPECT_THAT(names_of(chosen), ElementsAre("stop", "retry", "set", "threads"));
    EXPECT_EQ(std::get<std::string>(chosen[0].value), "2.5");
    EXPECT_THAT(std::get<std::vector<std::string>>(chosen[2].value), ElementsAre("a.k=1", "b.k=2"));
}

TEST(RunOptions, of_other_models_are_named) {
    RunOptions options;
    options.stop = 1.0;
    options.solver = "dopri5";
    options.coupling = "jacobi";
    options.step_options = {"tolerance=1"};
    EXPECT_THAT(chosen_names(options, RunOption::For::one_fmu), ElementsAre("--solver"));
    EXPECT_THAT(chosen_names(options, RunOption::For::systems),
                ElementsAre("--coupling", "--step-option"));
}

TEST(RunOptions, are_assigned_by_name_and_checked) {
    RunOptions options;
    std::vector<OptionSpec> specs;
    for (const RunOption& option : describe(options)) specs.push_back(option.spec);
    const std::vector<GivenOption> given = {
        {"stop", 3.0, ""}, {"threads", std::int64_t{2}, ""}, {"exchange", "fine", ""}};
    Diagnostics findings;
    assign_options(specs, given, "the run", findings);
    EXPECT_TRUE(findings.empty());
    EXPECT_EQ(options.stop, 3.0);
    EXPECT_EQ(options.threads, 2);
    EXPECT_EQ(options.exchange, "fine");
    const std::vector<GivenOption> wrong = {{"threads", std::int64_t{-1}, ""},
                                            {"exchange", "held", ""}};
    assign_options(specs, wrong, "the run", findings);
    EXPECT_EQ(findings.size(), 2U);
    EXPECT_EQ(options.threads, 2);
}

}  // namespace
}  // namespace tandem::run
