#include "coupling/catalog/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tandem::coupling {
namespace {

using testing::HasSubstr;

TEST(Catalog, is_in_alphabetic_order_and_describes_every_option) {
    EXPECT_TRUE(std::ranges::is_sorted(couplings().rows(), {}, &CouplingRow::name));
    for (const CouplingRow& entry : couplings().rows()) {
        EXPECT_FALSE(entry.summary.empty()) << entry.name;
        for (const OptionInfo& option : entry.options) EXPECT_FALSE(option.help.empty());
    }
}

TEST(Catalog, every_entry_can_be_made_with_its_defaults) {
    for (const CouplingRow& entry : couplings().rows()) {
        Diagnostics findings;
        EXPECT_NE(make_coupling({entry.name, {}, "", {"a", "b"}, {}}, findings), nullptr);
        EXPECT_TRUE(findings.empty());
    }
}

std::string problem_of(const Choice& choice) {
    Diagnostics findings;
    EXPECT_EQ(make_coupling(choice, findings), nullptr);
    return findings.empty() ? "" : findings[0].problem + " | " + findings[0].hint;
}

TEST(Catalog, wrong_choices_are_explained) {
    EXPECT_THAT(problem_of({"jakobi", {}, "", {}, {}}), HasSubstr("did you mean 'jacobi'"));
    EXPECT_THAT(problem_of({"gauss_seidel",
                            {{"sequence", std::vector<std::string>{"a", "c"}, ""}},
                            "",
                            {"a", "b"},
                            {}}),
                HasSubstr("no subsystem 'c'"));
    EXPECT_THAT(problem_of({"gauss_seidel",
                            {{"sequence", std::vector<std::string>{"a"}, ""}},
                            "",
                            {"a", "b"},
                            {}}),
                HasSubstr("every subsystem once"));
    EXPECT_THAT(problem_of({"jacobi", {}, "", {"a", "b"}, {2, 3}}), HasSubstr("does not divide"));
    EXPECT_THAT(problem_of({"nepce", {}, "", {"a", "b"}, {1, 2}}),
                HasSubstr("step_ratio of 'b': in the coupling 'nepce' all take one step"));
    EXPECT_THAT(problem_of({"jacobi", {{"sequence", std::vector<std::string>{}, ""}}, "", {}, {}}),
                HasSubstr("no option 'sequence'"));
}

TEST(Catalog, the_older_value_of_slopes_is_read) {
    Diagnostics findings;
    const std::vector<GivenOption> options = {{"order", std::int64_t{1}, ""},
                                              {"slopes", "told", ""}};
    EXPECT_NE(make_coupling({"jacobi", options, "", {}, {}}, findings), nullptr);
    EXPECT_TRUE(findings.empty());
}

}  // namespace
}  // namespace tandem::coupling
