#include "run/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"

namespace tandem::run {
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

TEST(Expression, IsAFormulaOfSignalsAndTime) {
    EXPECT_EQ(value("2 * a - b / 4 + t", 10.0, {3.0, 8.0}), 14.0);
    EXPECT_EQ(value("(a - b)^2", 0.0, {1.0, 4.0}), 9.0);
    EXPECT_EQ(value("max(a, b, c) - min(a, b, c)", 0.0, {1.0, 4.0, -2.0}), 6.0);
    EXPECT_EQ(value("sin(t)", 0.5), std::sin(0.5));
    EXPECT_EQ(value("_pi"), std::acos(-1.0));
}

TEST(Expression, ChoosesByComparison) {
    EXPECT_EQ(value("t >= 1 ? a : b", 1.0, {3.0, 4.0}), 3.0);
    EXPECT_EQ(value("t >= 1 ? a : b", 0.9, {3.0, 4.0}), 4.0);
    EXPECT_EQ(value("a == b", 0.0, {3.0, 3.0}), 1.0);
    EXPECT_EQ(value("a != b && a <= b", 0.0, {3.0, 4.0}), 1.0);
}

TEST(Expression, TwoOfThemDoNotShareTheirSignals) {
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

TEST(Expression, WhatCannotBeUnderstoodIsRefusedWithItsPlaceAndWhatItMayUse) {
    EXPECT_THAT(refusal("a + speed"), AllOf(HasSubstr("system.toml:7: expression 'a + speed'"),
                                            HasSubstr("speed"), HasSubstr("it may use t, a, b")));
    for (const char* text : {"", "a +", "(a", "a b", "sin()", "2a", "max(", "a $ b", "\"text\""})
        EXPECT_THAT(refusal(text), HasSubstr("system.toml:7: expression '")) << text;
    EXPECT_THAT(refusal("x", {}), HasSubstr("it may use t"));
}

TEST(Expression, DoesNotChangeItsSignals) {
    EXPECT_THAT(refusal("a = 3"), HasSubstr("to compare write '=='"));
    EXPECT_THAT(refusal("b == (a = 3)"), HasSubstr("to compare write '=='"));
    EXPECT_THAT(refusal("a += 1"), HasSubstr("expression 'a += 1'"));
    EXPECT_EQ(refusal("a <= b"), "none");
    EXPECT_EQ(refusal("a == b"), "none");
}

TEST(Expression, GivesOneValue) { EXPECT_THAT(refusal("a, b"), HasSubstr("several values")); }

TEST(Expression, ASignalCannotHideTheTime) {
    EXPECT_THAT(refusal("t", {"t"}), HasSubstr("cannot be called t"));
}

}  // namespace
}  // namespace tandem::run
