#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "kit/native_ode.hpp"
#include "support/model_kinds.hpp"
#include "support/race_car_points.hpp"

namespace tandem {
namespace {

/// From the order chassis, fl, fr, rl, rr to that of the whole car, which has the states of its
/// wheels as arrays: there state n of wheel k is element k of array n.
std::vector<double> as_arrays(const std::vector<double>& x) {
    constexpr std::size_t chassis = 15, wheels = 4, states = 8;
    std::vector<double> result = x;
    for (std::size_t k = 0; k < wheels; ++k)
        for (std::size_t n = 0; n < states; ++n)
            result[chassis + n * wheels + k] = x[chassis + k * states + n];
    return result;
}

// Forces of 1e4 N cancel to accelerations of the order of 1: of their 16 digits 11 remain.
constexpr double rounding = 1e-11;

TEST(RaceCar, as_one_model_has_the_derivatives_of_the_reference) {
    kit::NativeOde car(test::library_of("RaceCar").model_class(), "car");
    car.enter_initialisation({0.0, 20.0, 1e-6});
    car.exit_initialisation();
    for (const test::RaceCarPoint& point : test::race_car_points) {
        const std::vector<double> x = as_arrays(point.x), expected = as_arrays(point.dx);
        std::vector<double> dx(x.size());
        ASSERT_TRUE(car.set_point({point.t, x, {}}));
        car.update_discrete();
        ASSERT_TRUE(car.derivatives(dx));
        for (std::size_t i = 0; i < x.size(); ++i)
            EXPECT_NEAR(dx[i], expected[i], rounding * std::max(1.0, std::abs(expected[i])))
                << "state " << i << " at t = " << point.t;
    }
}

struct Position {
    double t, x, y;
};

// An implementation in another language, integrated to 1e-11 with events found to 2e-14 s.
const std::vector<Position> course = {{5.0, -12.283999109, 38.346373643},
                                      {10.0, 12.588945529, 14.772654483},
                                      {20.0, -0.41410976461, -0.07218342413}};

// 0.1 mm on a course of 240 m at a tolerance of 1e-6, whose errors add up over 20 s.
constexpr double closeness = 1e-4;

TEST(RaceCar, as_one_model_drives_the_course_with_344_events) {
    for (const ode::Method method : {ode::Method::cvode_bdf, ode::Method::dopri5}) {
        int events = 0;
        ode::HostedOdeOptions options;
        options.solver.method = method;
        options.solver.relative_tolerance = 1e-6;
        options.on_event = [&](const ode::EventNotice& notice) {
            if (notice.state_event && notice.after) ++events;
        };
        ode::HostedOde car(
            std::make_unique<kit::NativeOde>(test::library_of("RaceCar").model_class(), "car"),
            options);
        test::initialise(car, 20.0);
        double t = 0.0;
        for (const Position& expected : course) {
            ASSERT_EQ(car.step({t, expected.t}).outcome, Outcome::complete);
            t = expected.t;
            EXPECT_NEAR(test::read(car, "X").reals.at(0), expected.x, closeness) << t;
            EXPECT_NEAR(test::read(car, "Y").reals.at(0), expected.y, closeness) << t;
        }
        EXPECT_EQ(events, 344) << to_string(method);
    }
}

}  // namespace
}  // namespace tandem
