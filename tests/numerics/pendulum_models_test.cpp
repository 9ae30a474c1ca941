#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kit/native_ode.hpp"
#include "support/model_kinds.hpp"

namespace tandem {
namespace {

struct Point {
    std::vector<double> x, u;
};

struct Values {
    std::vector<double> dx, y;
};

void start(kit::NativeOde& ode) {
    ode.enter_initialisation({0.0, 1.0, 1e-8});
    ode.exit_initialisation();
}

Values evaluate(kit::NativeOde& ode, const Point& point) {
    Values values{std::vector<double>(ode.shape().states.size()),
                  std::vector<double>(ode.shape().outputs.size())};
    EXPECT_TRUE(ode.set_point({0.0, point.x, point.u}));
    EXPECT_TRUE(ode.derivatives(values.dx));
    EXPECT_TRUE(ode.outputs(values.y));
    return values;
}

double output(const kit::NativeOde& ode, const Values& values, const std::string& name) {
    const auto& ports = ode.shape().outputs;
    const auto found = std::ranges::find(ports, name, &Port::name);
    return found == ports.end() ? std::nan("")
                                : values.y[static_cast<std::size_t>(found - ports.begin())];
}

constexpr double theta = 0.7, omega = -1.3;
const std::vector<double> forces = {0.4, -2.5, 1.7};
const Point polar_point{{theta, omega}, forces};
const Point cartesian_point{
    {std::sin(theta), -std::cos(theta), omega* std::cos(theta), omega* std::sin(theta)}, forces};

/// Central differences with h = 1e-5 err by h^2 and by rounding, 1e-16/h: 1e-10 of values up to 10.
void expect_exact_jacobian(const std::string& model, const Point& point) {
    kit::NativeOde ode(test::library_of(model).model_class(), model);
    start(ode);
    const std::size_t n = point.x.size();
    constexpr double h = 1e-5;
    for (std::size_t k = 0; k < n + point.u.size(); ++k) {
        Point plus = point, minus = point;
        (k < n ? plus.x[k] : plus.u[k - n]) += h;
        (k < n ? minus.x[k] : minus.u[k - n]) -= h;
        const Values high = evaluate(ode, plus), low = evaluate(ode, minus);
        Values exact = evaluate(ode, point);
        std::vector<double> d_x(n, 0.0), d_u(point.u.size(), 0.0);
        (k < n ? d_x[k] : d_u[k - n]) = 1.0;
        ASSERT_TRUE(ode.jacobian_times(d_x, d_u, exact.dx, exact.y));
        for (std::size_t i = 0; i < high.dx.size(); ++i)
            EXPECT_NEAR(exact.dx[i], (high.dx[i] - low.dx[i]) / (2.0 * h), 1e-8) << i << k;
        for (std::size_t i = 0; i < high.y.size(); ++i)
            EXPECT_NEAR(exact.y[i], (high.y[i] - low.y[i]) / (2.0 * h), 1e-8) << i << k;
    }
}

TEST(Pendulums, know_their_exact_jacobians) {
    expect_exact_jacobian("PendulumPolar", polar_point);
    Point off_the_circle = cartesian_point;
    off_the_circle.x[0] *= 1.1;
    expect_exact_jacobian("PendulumCartesian", off_the_circle);
}

TEST(Pendulums, move_alike_in_both_coordinates) {
    kit::NativeOde polar(test::library_of("PendulumPolar").model_class(), "polar");
    kit::NativeOde cartesian(test::library_of("PendulumCartesian").model_class(), "cartesian");
    start(polar);
    start(cartesian);
    const Values a = evaluate(polar, polar_point), b = evaluate(cartesian, cartesian_point);
    for (const char* name : {"theta", "omega", "x", "y"})
        EXPECT_NEAR(output(polar, a, name), output(cartesian, b, name), 1e-15) << name;
    // x = sin theta: x'' = omega' cos theta - omega^2 sin theta, and y = -cos theta.
    EXPECT_NEAR(b.dx[2], a.dx[1] * std::cos(theta) - omega * omega * std::sin(theta), 1e-14);
    EXPECT_NEAR(b.dx[3], a.dx[1] * std::sin(theta) + omega * omega * std::cos(theta), 1e-14);
}

TEST(Pendulums, put_a_bob_that_drifted_too_far_back_on_the_circle) {
    kit::NativeOde ode(test::library_of("PendulumCartesian").model_class(), "pendulum");
    start(ode);
    Point point{{0.6, -0.8, 0.4, 0.3}, {0.0, 0.0, 0.0}};
    evaluate(ode, point);
    EXPECT_FALSE(ode.completed_step().enter_event_mode);
    for (double& value : point.x) value *= 1.0 + 2e-6;
    point.x[2] += 2e-6;
    evaluate(ode, point);
    ASSERT_TRUE(ode.completed_step().enter_event_mode);
    EXPECT_TRUE(ode.update_discrete().states_changed);
    std::vector<double> x(4);
    ode.get_states(x);
    EXPECT_NEAR(x[0] * x[0] + x[1] * x[1], 1.0, 1e-15);
    EXPECT_NEAR(x[0] * x[2] + x[1] * x[3], 0.0, 1e-15);
    EXPECT_NEAR(x[0] / x[1], point.x[0] / point.x[1], 1e-15);
}

}  // namespace
}  // namespace tandem
