// Random expressions of time: what their searches say is compared with dense samples.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "expression/expression.hpp"

namespace tandem::run {
namespace {

constexpr double end = 10.0;
constexpr int dense = 3000, most_stops = 20'000;

class RandomFormula {
public:
    explicit RandomFormula(std::mt19937& random) : random_(random) {}

    /// Smooth but for abs, min, max, angles that jump and domains that end.
    std::string formula(int depth) {
        if (depth == 0) return below(3) == 0 ? number() : "t";
        const std::string a = formula(depth - 1);
        switch (below(16)) {
            case 0: return fmt::format("({} + {})", a, formula(depth - 1));
            case 1: return fmt::format("({} - {})", a, formula(depth - 1));
            case 2: return fmt::format("{} * {}", a, formula(depth - 1));
            case 3: return fmt::format("{} / (1.5 + sin({}))", a, formula(depth - 1));
            case 4: return fmt::format("sin({} * {})", number(), a);
            case 5: return fmt::format("cos({} + {})", number(), a);
            case 6: return fmt::format("exp(-abs({}))", a);
            case 7: return fmt::format("sqrt({})", a);
            case 8: return fmt::format("ln({})", a);
            case 9: return fmt::format("atan2(sin({}), cos({}))", a, formula(depth - 1));
            case 10: return fmt::format("abs({} - {})", a, number());
            case 11: return fmt::format("min({}, {})", a, formula(depth - 1));
            case 12: return fmt::format("max({}, {})", a, number());
            case 13: return fmt::format("({})^{}", a, 1 + below(4));
            case 14: return fmt::format("tanh({})", a);
            default: return fmt::format("(t > {} ? {} : {})", number(), a, formula(depth - 1));
        }
    }
    std::size_t below(std::size_t bound) { return random_() % bound; }
    double time() { return std::uniform_real_distribution(0.0, end)(random_); }

private:
    std::string number() { return fmt::format("{:.3f}", 0.3 * time() - 0.5); }

    std::mt19937& random_;
};

double value(const std::string& text, double t) {
    return expression::Expression(text, {}, "").evaluate(t, {});
}

bool is_constant(const std::string& text) {
    return expression::Expression("(" + text + ") > 0", {}, "").switch_count() == 0;
}

/// A relation `operand > 0` as a run sees it: its outcome is taken anew at each switching time and
/// held in between. At no sample may the held outcome be wrong, except by rounding errors.
void expect_held_outcomes_right(const std::string& operand, const std::vector<double>& extra) {
    const expression::Expression difference(operand, {}, ""),
        relation("(" + operand + ") > 0", {}, "");
    std::vector<double> times = extra;
    for (int k = 1; k <= dense; ++k) times.push_back(end * k / dense);
    std::ranges::sort(times);
    const int last = relation.switch_count() - 1;
    double next = 0.0, held = 0.0;
    int stops = 0;
    for (const double t : times) {
        for (; next <= t && stops < most_stops; ++stops) {
            held = relation.outcome(last, next, {}, {});
            next = relation.next_switch(next, end);
        }
        const double now = relation.evaluate(t, {}), distance = difference.evaluate(t, {});
        if (stops == most_stops) return;  // oscillates more than is worth the time
        const bool is_rounding = std::abs(distance) <= 1e-10 || std::abs(next - t) <= 1e-12;
        ASSERT_TRUE(now == held || is_rounding)
            << operand << " at t = " << fmt::format("{}", t) << ": " << distance;
    }
}

TEST(SwitchingTimes, of_random_expressions_are_those_of_dense_samples) {
    std::mt19937 random(20);
    RandomFormula draw(random);
    for (int k = 0; k < 150; ++k) {
        const std::string formula = draw.formula(3);
        const double level = value(formula, draw.time());
        if (!std::isfinite(level) || is_constant(formula)) continue;
        expect_held_outcomes_right(fmt::format("{} - ({})", formula, level), {});
    }
}

/// |f(t) - f(t0)| < |f(t0 + w) - f(t0)|: a pulse of about the width w, a millionth of the range,
/// which samples do not meet unless they are told where it is.
TEST(SwitchingTimes, of_pulses_of_a_millionth_of_the_range_are_found) {
    std::mt19937 random(21);
    RandomFormula draw(random);
    int pulses = 0;
    for (int k = 0; k < 300; ++k) {
        const std::string formula = draw.formula(2);
        const double width = 1e-6 * end, t0 = draw.time();
        const double level = value(formula, t0);
        const double height = std::abs(value(formula, t0 + width) - level);
        if (!(height > 1e-8 && height < 1e-2)) continue;
        ++pulses;
        std::vector<double> near;
        for (int i = -40; i <= 40; ++i) near.push_back(t0 + i * width / 16.0);
        expect_held_outcomes_right(fmt::format("{} - abs({} - ({}))", height, formula, level),
                                   near);
    }
    EXPECT_GT(pulses, 100);
}

}  // namespace
}  // namespace tandem::run
