#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "core/function_slope.hpp"
#include "support/system_file.hpp"

namespace tandem {
namespace {

using test::subsystem_text;
using test::SystemFile;

constexpr double stop = 2.0;

struct Steep {
    const char* expression;
    std::function<double(double t, double x)> value;
    double at;  ///< the x where it jumps or has no slope
    /// The error that each of the places passed may make, where a step goes so far in x.
    std::function<double(double distance)> change;
};

std::vector<Steep> steep_functions() {
    const auto root = [](double distance) { return std::sqrt(distance); };
    return {
        {"sqrt(max(0, x))", [](double, double x) { return std::sqrt(std::max(0.0, x)); }, 0, root},
        {"abs(x)^0.5", [](double, double x) { return std::sqrt(std::abs(x)); }, 0, root},
        {"sqrt(t) + x", [](double t, double x) { return std::sqrt(t) + x; }, 0, root},
        {"x > 0 ? 1 : 0", [](double, double x) { return x > 0 ? 1.0 : 0.0; }, 0,
         [](double) { return 1.0; }},
        {"x > 0.99 ? 100 : 0", [](double, double x) { return x > 0.99 ? 100.0 : 0.0; }, 0.99,
         [](double) { return 100.0; }}};
}

/// x = sin(3 t + phase), by the midpoint rule.
double integral(const Steep& steep, double phase) {
    constexpr int points = 1000000;
    double sum = 0.0;
    for (int i = 0; i < points; ++i) {
        const double t = stop * (i + 0.5) / points;
        sum += steep.value(t, std::sin(3.0 * t + phase));
    }
    return sum * stop / points;
}

class SteepFunctions : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {
protected:
    static double run(const Steep& steep, double phase, double step) {
        const auto& [kind, method] = GetParam();
        SystemFile file(
            fmt::format("[experiment]\nstop = {}\nstep = {}\ntolerance = 1e-8\n[coupling]\n"
                        "method = \"{}\"\n",
                        stop, step, method) +
            subsystem_text("o", "Oscillator", kind,
                           fmt::format("k = 9, d = 0, k_link = 0, d_link = 0, x = {}, v = {}",
                                       std::sin(phase), 3.0 * std::cos(phase))) +
            subsystem_text("a", "LinearOde", kind, "a = 0") +
            fmt::format("[[functions]]\ntarget = \"a.u\"\nexpression = \"{}\"\n",
                        steep.expression) +
            "signals = { x = \"o.x\" }\n");
        return file.run().at("a.y").back();
    }
    /// x passes every place at most three times.
    static double allowed(const Steep& steep, double step) {
        return 3.0 * step * steep.change(3.0 * step);
    }
};

TEST_P(SteepFunctions, are_wrong_by_no_more_than_they_change_in_a_step) {
    for (const Steep& steep : steep_functions()) {
        const double phase = std::asin(steep.at);
        const double right = integral(steep, phase);
        for (const double step : {0.002, 0.001})
            EXPECT_NEAR(run(steep, phase, step), right, allowed(steep, step))
                << steep.expression << ", step " << step;
    }
}

TEST_P(SteepFunctions, likewise_just_before_and_behind_the_place) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> exponent(-16.0, -3.0);
    for (const Steep& steep : steep_functions())
        for (const double side : {-1.0, 1.0, -1.0, 1.0}) {
            const double phase = std::asin(steep.at) + side * std::pow(10.0, exponent(random));
            EXPECT_NEAR(run(steep, phase, 0.002), integral(steep, phase), allowed(steep, 0.002))
                << steep.expression << ", phase " << phase;
        }
}

INSTANTIATE_TEST_SUITE_P(All, SteepFunctions,
                         ::testing::Combine(::testing::Values("native", "fmi2_cs"),
                                            ::testing::Values("predictor", "linear_implicit", "lti",
                                                              "pre_step")));

double limited(const std::function<double(double)>& function, double x, double change) {
    const FunctionLink link{
        0, {0}, [&](double, std::span<const double> signals) { return function(signals[0]); }};
    std::vector<double> signals{x};
    const FunctionNear near(link, 0.0, signals);
    return limited_slope(near, 0, slope_of(near, 0, 1.0), change);
}

TEST(FunctionSlopes, of_smooth_functions_are_never_limited) {
    for (const double change : {-0.3, -1e-3, -1e-9, -1e-17, 0.0, 1e-17, 1e-9, 1e-3, 0.3})
        for (const double x : {-2.0, -0.15, -5e-4, 0.0, 5e-4, 0.15, 1.0, 2.0}) {
            EXPECT_NEAR(limited([](double y) { return y * y; }, x, change), 2.0 * x, 1e-8);
            EXPECT_NEAR(limited([](double y) { return std::cos(y); }, x, change), -std::sin(x),
                        1e-8);
            EXPECT_NEAR(limited([](double y) { return 1e6 * (y - 1.0); }, x, change), 1e6, 1e-2);
        }
}

TEST(FunctionSlopes, that_do_not_last_are_those_of_the_chord) {
    const auto root = [](double x) { return std::sqrt(x); };
    EXPECT_NEAR(limited(root, 0.0, 0.01), 10.0, 1e-9);
    EXPECT_NEAR(limited(root, 0.0, -0.01), 10.0, 1e-9) << "there is no number on that side";
    const auto contact = [](double x) { return 100.0 * std::max(0.0, x); };
    EXPECT_NEAR(limited(contact, 0.01, -0.1), 10.0, 1e-9) << "no force draws behind the contact";
    EXPECT_NEAR(limited(contact, 0.01, 0.1), 100.0, 1e-6);
    const auto jump = [](double x) { return x > 0.0 ? 1.0 : 0.0; };
    EXPECT_NEAR(limited(jump, 0.0, 0.01), 100.0, 1e-9);
    EXPECT_EQ(limited(jump, 0.0, -0.01), 0.0);
}

}  // namespace
}  // namespace tandem
