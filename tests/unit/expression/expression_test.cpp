#include "expression/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tandem/error.hpp"

namespace tandem::expression {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

double value(const std::string& text, double t = 0.0, std::vector<double> signals = {}) {
    std::vector<std::string> names = {"a", "b", "c"};
    names.resize(signals.size());
    return Expression(text, names, "here").evaluate(t, signals);
}

std::string refusal(const std::string& text, const std::vector<std::string>& names = {"a", "b"}) {
    try {
        const Expression expression(text, names, "system.toml:7");
    } catch (const InputError& error) {
        return error.what();
    }
    return "none";
}

TEST(Expression, is_a_formula_of_signals_and_time) {
    EXPECT_EQ(value("2 * a - b / 4 + t", 10.0, {3.0, 8.0}), 14.0);
    EXPECT_EQ(value("(a - b)^2", 0.0, {1.0, 4.0}), 9.0);
    EXPECT_EQ(value("max(a, b, c) - min(a, b, c)", 0.0, {1.0, 4.0, -2.0}), 6.0);
    EXPECT_EQ(value("sin(t)", 0.5), std::sin(0.5));
    EXPECT_EQ(value("_pi"), std::acos(-1.0));
}

TEST(Expression, chooses_by_comparison) {
    EXPECT_EQ(value("t >= 1 ? a : b", 1.0, {3.0, 4.0}), 3.0);
    EXPECT_EQ(value("t >= 1 ? a : b", 0.9, {3.0, 4.0}), 4.0);
    EXPECT_EQ(value("a == b", 0.0, {3.0, 3.0}), 1.0);
    EXPECT_EQ(value("a != b && a <= b", 0.0, {3.0, 4.0}), 1.0);
}

TEST(Expression, binds_as_in_mathematics) {
    EXPECT_EQ(value("-2^2"), -4.0);
    EXPECT_EQ(value("2^3^2"), 512.0);
    EXPECT_EQ(value("2^-3"), 0.125);
    EXPECT_EQ(value("-a^-2", 0.0, {2.0}), -0.25);
    EXPECT_EQ(value("7 - 2 - 1"), 4.0);
    EXPECT_EQ(value("8 / 4 / 2"), 1.0);
    EXPECT_EQ(value("2 * -3"), -6.0);
    EXPECT_EQ(value("1 || 0 && 0"), 1.0);
    EXPECT_EQ(value("1 + 1 < 3 && 2 > 1"), 1.0);
    EXPECT_EQ(value("0 ? 1 : 0 ? 2 : 3"), 3.0);
    EXPECT_EQ(value("a ? 1 : 2", 0.0, {-0.5}), 1.0);
}

TEST(Expression, knows_the_usual_functions) {
    EXPECT_EQ(value("rint(2.5) + rint(-2.5)"), 1.0);
    EXPECT_EQ(value("sign(-3) + sign(0)"), -1.0);
    EXPECT_EQ(value("sum(1, 2, 4) + avg(1, 2, 6)"), 10.0);
    EXPECT_EQ(value("log(_e) + ln(_e) + log10(100) + log2(8)"), 7.0);
    EXPECT_EQ(value("atan2(1, -1)"), std::atan2(1.0, -1.0));
    EXPECT_EQ(value("abs(-1e-3) + .5 + 1.e1"), 10.501);
}

TEST(Expression, may_be_nested_deeply_but_not_without_end) {
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '(') + "a" + std::string(depth, ')');
    };
    EXPECT_EQ(refusal(nested(50)), "none");
    EXPECT_THAT(refusal(nested(100'000)), HasSubstr("nested too deeply"));
    EXPECT_THAT(refusal(std::string(100'000, '-') + "a"), HasSubstr("nested too deeply"));
}

/// Each of 60 levels uses the one below twice: 2^60 evaluations if each use were one.
TEST(Expression, evaluates_each_part_once_however_often_it_is_used) {
    std::string text = "a";
    for (int level = 0; level < 60; ++level) text = "sign(" + text + ")";
    EXPECT_EQ(value(text, 0.0, {-3.0}), -1.0);
    text = "a";
    for (int level = 0; level < 60; ++level) text = "(" + text + " != b)";
    EXPECT_EQ(value(text, 0.0, {2.0, 1.0}), 0.0);  // 1, then 1 != 1, then 0 != 1, ...
    const Expression expression("t == (t == (t == (t == 3)))", {}, "");
    EXPECT_EQ(expression.switch_count(), 8);
}

/// The sum 1 - 1 + 1 - ... of so many terms, and a staircase of so many steps.
TEST(Expression, may_be_long_but_not_without_end) {
    const auto terms = [](int count) {
        std::string text = "1";
        for (int k = 1; k < count; ++k) text += k % 2 == 0 ? "+a" : "-a";
        return text;
    };
    EXPECT_EQ(value(terms(9000), 0.0, {1.0}), 0.0);
    EXPECT_THAT(refusal(terms(400'000)),
                AllOf(HasSubstr("more than 20000 operands and operations"),
                      ::testing::ResultOf([](const std::string& text) { return text.size(); },
                                          ::testing::Lt(500U))));
    std::string staircase;
    for (int k = 1; k <= 1000; ++k)
        staircase += "t < " + std::to_string(k) + " ? " + std::to_string(k) + " : ";
    EXPECT_EQ(value(staircase + "0", 700.5), 701.0);
    const Expression expression(staircase + "0", {}, "");
    EXPECT_EQ(expression.next_switch(700.5, 2000.0), 701.0);
}

/// All times in [0, end] at which an expression of time alone switches.
std::vector<double> switching_times(const std::string& text, double end) {
    const Expression expression(text, {}, "");
    std::vector<double> times;
    double t = 0.0;
    while ((t = expression.next_switch(t, end)) <= end) times.push_back(t);
    return times;
}

void expect_times(const std::vector<double>& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k)
        EXPECT_NEAR(found[k], expected[k], 1e-13 * (1.0 + expected[k]));
}

TEST(SwitchingTimes, of_relations_are_found_however_short_a_pulse_is) {
    expect_times(switching_times("t >= 3.3", 10.0), {3.3});
    expect_times(switching_times("t > 3.3 && t <= 3.3000001", 10.0), {3.3, 3.3000001});
    expect_times(switching_times("abs(t - 5) < 1e-9", 1e6), {5.0 - 1e-9, 5.0 + 1e-9});
    expect_times(switching_times("t^3 - 6*t^2 + 11*t - 6 > 0", 10.0), {1.0, 2.0, 3.0});
    expect_times(switching_times("exp(-t) < 0.5 ? 1 : 0", 10.0), {std::log(2.0)});
    expect_times(switching_times("rint(2*t)", 1.0), {0.25, 0.75});
    expect_times(switching_times("t == 2 ? 5 : 1", 4.0), {2.0});
}

/// sin(50 t) > 0.999: k periods of 2 pi / 50, each with two crossings around pi / 2.
TEST(SwitchingTimes, of_oscillations_are_all_found) {
    constexpr double pi = 3.14159265358979323846;
    std::vector<double> expected;
    for (int k = 0; k < 20; ++k)
        for (const double phase : {std::asin(0.999), pi - std::asin(0.999)})
            expected.push_back((phase + 2.0 * pi * k) / 50.0);
    expect_times(switching_times("sin(50*t) > 0.999", 20.0 * 2.0 * pi / 50.0), expected);
}

/// Bounds cannot tell that t - t is zero, nor that a parabola only touches its tangent.
TEST(SwitchingTimes, are_none_where_nothing_switches) {
    for (const char* text : {"t - t > 0", "sin(t) > 1", "2 > 1", "t^2 - 2*t + 1 < 0", "sin(t)"})
        expect_times(switching_times(text, 1000.0), {});
}

/// The operands of min are there before the first two are compared.
TEST(SwitchingTimes, are_found_beside_signals) {
    const Expression expression("min(2, t, max(t, a)) + (t > 3 ? 1 : 0)", {"a"}, "");
    EXPECT_EQ(expression.next_kink(0.0, 10.0), 2.0);
    EXPECT_EQ(expression.next_switch(0.0, 10.0), 3.0);
}

/// A number that is asked for its truth counts as 1, for bounds as well.
TEST(SwitchingTimes, are_found_beside_numbers_that_stand_for_true) {
    expect_times(switching_times("t < 2 * (t > 5 || 3)", 10.0), {2.0, 5.0});
    expect_times(switching_times("t < 4 * (t > 1 && 0.5)", 10.0), {1.0, 4.0});
}

/// The product is rounded to 0 up to half the smallest number.
TEST(SwitchingTimes, are_found_where_products_underflow) {
    const double factor = 1e-320 / std::numeric_limits<double>::denorm_min();  // a whole number
    expect_times(switching_times("t * 1e-320 > 0", 1.0), {0.5 / factor});
}

/// Equal but for rounding errors, which make no events.
TEST(SwitchingTimes, of_identities_are_none) {
    EXPECT_EQ(switching_times("sin(t)^2 + cos(t)^2 > 1", 10.0), std::vector<double>());
    EXPECT_EQ(switching_times("1 / (t - t) > 0", 10.0), std::vector<double>());
}

TEST(SwitchingTimes, are_found_in_runs_without_end) {
    const Expression expression("t >= 7 ? 1 : 0", {}, "");
    EXPECT_EQ(expression.next_switch(0.0, std::numeric_limits<double>::max()), 7.0);
    EXPECT_EQ(expression.next_switch(7.0, std::numeric_limits<double>::max()),
              std::numeric_limits<double>::infinity());
}

/// Where an operand is no number the relation is false, and rounding gives no number.
TEST(HeldOutcomes, of_operands_that_are_no_numbers_have_an_indicator_too) {
    const Expression relation("sqrt(a) < 2", {"a"}, ""), rounded("rint(sqrt(a))", {"a"}, "");
    const double inside = 1.0, outside = -1.0;
    for (const Expression* expression : {&relation, &rounded})
        for (const double a : {inside, outside}) {
            const double held = expression->outcome(0, 0.0, {&a, 1}, {});
            const double other = a == inside ? outside : inside;
            EXPECT_GT(expression->indicator(0, 0.0, {&a, 1}, {&held, 1}), 0.0);
            EXPECT_LT(expression->indicator(0, 0.0, {&other, 1}, {&held, 1}), 0.0);
        }
}

TEST(HeldOutcomes, replace_relations_until_they_are_taken_anew) {
    const Expression expression("a > 1 ? 10 : 20", {"a"}, "");
    const double below = 0.5, above = 1.5;
    const std::vector<double> held{0.0};
    EXPECT_EQ(expression.evaluate(0.0, {&above, 1}, held), 20.0);
    EXPECT_GT(expression.indicator(0, 0.0, {&below, 1}, held), 0.0);
    EXPECT_LT(expression.indicator(0, 0.0, {&above, 1}, held), 0.0);
    EXPECT_EQ(expression.outcome(0, 0.0, {&above, 1}, held), 1.0);
    const std::vector<double> none{std::nan("")};
    EXPECT_EQ(expression.evaluate(0.0, {&above, 1}, none), 10.0);
}

TEST(Expression, two_of_them_do_not_share_their_signals) {
    const Expression first("a", {"a"}, "");
    Expression second("a + t", {"a"}, "");
    const double one = 1.0;
    const double two = 2.0;
    EXPECT_EQ(first.evaluate(0.0, {&one, 1}), 1.0);
    EXPECT_EQ(second.evaluate(5.0, {&two, 1}), 7.0);
    const Expression moved = std::move(second);
    EXPECT_EQ(moved.evaluate(6.0, {&one, 1}), 7.0);
    EXPECT_EQ(first.evaluate(0.0, {&two, 1}), 2.0);
}

TEST(Expression, what_cannot_be_understood_is_refused_with_its_place_and_what_it_may_use) {
    EXPECT_THAT(refusal("a + speed"), AllOf(HasSubstr("system.toml:7: expression 'a + speed'"),
                                            HasSubstr("speed"), HasSubstr("it may use t, a, b")));
    for (const char* text : {"", "a +", "(a", "a b", "sin()", "2a", "max(", "a $ b", "\"text\""})
        EXPECT_THAT(refusal(text), HasSubstr("system.toml:7: expression '")) << text;
    EXPECT_THAT(refusal("x", {}), HasSubstr("it may use t"));
}

TEST(Expression, does_not_change_its_signals) {
    EXPECT_THAT(refusal("a = 3"), HasSubstr("to compare write '=='"));
    EXPECT_THAT(refusal("b == (a = 3)"), HasSubstr("to compare write '=='"));
    EXPECT_THAT(refusal("a += 1"), HasSubstr("expression 'a += 1'"));
    EXPECT_EQ(refusal("a <= b"), "none");
    EXPECT_EQ(refusal("a == b"), "none");
}

TEST(Expression, gives_one_value) { EXPECT_THAT(refusal("a, b"), HasSubstr("several values")); }

TEST(Expression, a_signal_cannot_hide_the_time) {
    EXPECT_THAT(refusal("t", {"t"}), HasSubstr("cannot be called t"));
}

}  // namespace
}  // namespace tandem::expression
