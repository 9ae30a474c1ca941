#include "tandem/extend/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem {
namespace {

using testing::HasSubstr;

struct Chosen {
    bool smooth = false;
    int order = 0;
    double tolerance = 1e-6;
    std::string rule = "trapezoidal";
    std::vector<std::string> sequence;

    std::vector<OptionSpec> describe() {
        return {{"smooth", &smooth, "keep inputs continuous"},
                {"order", &order, "of the extrapolation", 0, 2},
                {"tolerance", &tolerance, "of the iteration", 0.0},
                {.name = "rule",
                 .target = &rule,
                 .help = "of integration",
                 .choices = {"trapezoidal", "backward_euler"},
                 .aliases = {{"tustin", "trapezoidal"}}},
                {"sequence", &sequence, "of the subsystems"}};
    }
    Diagnostics assign(std::vector<GivenOption> given) {
        Diagnostics findings;
        assign_options(describe(), given, "coupling 'x'", findings);
        return findings;
    }
};

TEST(Options, older_names_of_a_choice_stand_for_it) {
    Chosen chosen;
    chosen.rule = "backward_euler";
    EXPECT_TRUE(chosen.assign({{"rule", "tustin", ""}}).empty());
    EXPECT_EQ(chosen.rule, "trapezoidal");

    int form = 0;
    OptionSpec spec = choice_option("form", &form, "of the law", {{"first", 1}, {"second", 2}});
    spec.aliases = {{"old", "second"}};
    const GivenOption given{"form", "old", ""};
    Diagnostics findings;
    assign_options({&spec, 1}, {&given, 1}, "coupling 'x'", findings);
    EXPECT_TRUE(findings.empty());
    EXPECT_EQ(form, 2);
}

TEST(Options, values_go_where_the_description_says) {
    Chosen chosen;
    EXPECT_TRUE(chosen
                    .assign({{"smooth", true, ""},
                             {"order", std::int64_t{2}, ""},
                             {"tolerance", std::int64_t{1}, ""},
                             {"rule", "backward_euler", ""},
                             {"sequence", std::vector<std::string>{"b", "a"}, ""}})
                    .empty());
    EXPECT_TRUE(chosen.smooth);
    EXPECT_EQ(chosen.order, 2);
    EXPECT_EQ(chosen.tolerance, 1.0);
    EXPECT_EQ(chosen.rule, "backward_euler");
    EXPECT_THAT(chosen.sequence, testing::ElementsAre("b", "a"));
}

TEST(Options, a_list_on_the_command_line_is_separated_by_commas) {
    Chosen chosen;
    EXPECT_TRUE(chosen.assign({parse_option("sequence=b, a", "--option")}).empty());
    EXPECT_THAT(chosen.sequence, testing::ElementsAre("b", "a"));
    EXPECT_TRUE(chosen.assign({parse_option("sequence=a", "--option")}).empty());
    EXPECT_THAT(chosen.sequence, testing::ElementsAre("a"));
}

TEST(Options, an_unknown_name_suggests_the_nearest) {
    Chosen chosen;
    const Diagnostics findings = chosen.assign({{"ordr", std::int64_t{1}, "system.toml:7"}});
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].place, "system.toml:7");
    EXPECT_THAT(findings[0].hint, HasSubstr("'order'"));
}

TEST(Options, wrong_types_and_ranges_say_what_is_wanted) {
    Chosen chosen;
    const Diagnostics findings = chosen.assign({{"order", std::int64_t{3}, ""},
                                                {"order", 1.5, ""},
                                                {"rule", "simpson", ""},
                                                {"smooth", "yes", ""},
                                                {"tolerance", -1.0, ""}});
    ASSERT_EQ(findings.size(), 5U);
    EXPECT_THAT(findings[0].problem, HasSubstr("from 0 to 2"));
    EXPECT_THAT(findings[1].problem, HasSubstr("a whole number"));
    EXPECT_THAT(findings[2].problem, HasSubstr("one of trapezoidal, backward_euler"));
    EXPECT_THAT(findings[3].problem, HasSubstr("true or false"));
    EXPECT_THAT(findings[4].problem, HasSubstr("at least 0"));
    EXPECT_EQ(chosen.order, 0);
}

TEST(Options, text_of_the_command_line_is_read_as_what_it_looks_like) {
    EXPECT_EQ(std::get<std::int64_t>(parse_option("order=2", "").value), 2);
    EXPECT_EQ(std::get<double>(parse_option("tolerance=1e-8", "").value), 1e-8);
    EXPECT_EQ(std::get<bool>(parse_option("smooth=true", "").value), true);
    EXPECT_EQ(std::get<std::string>(parse_option("rule=x=y", "").value), "x=y");
    EXPECT_THROW(parse_option("order", "--option"), InputError);
}

TEST(Options, present_values_can_be_shown) {
    Chosen chosen;
    chosen.sequence = {"a", "b"};
    EXPECT_EQ(value_text(chosen.describe()[4]), "[a, b]");
    EXPECT_EQ(value_text(chosen.describe()[1]), "0");
}

}  // namespace
}  // namespace tandem
