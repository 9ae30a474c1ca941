// A rigid body (models/rigid_body_3d) that a transmission line holds to the ground, against closed
// forms.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <span>
#include <vector>

#include "support/tlm_models.hpp"

namespace tandem {
namespace {

using Eigen::Vector3d;
using test::Settings;
using Wave = Eigen::Matrix<double, 6, 1>;  ///< of force and moment

struct Impedances {
    double force, moment;
    Wave operator*(const Wave& flow) const {
        Wave effort;
        effort << force * flow.head<3>(), moment * flow.tail<3>();
        return effort;
    }
};

/// Velocity and angular velocity of end 1, from the states r, v, q, w of the body.
Wave flow_of(std::span<const double> x, const Vector3d& offset) {
    const Eigen::Quaterniond q = Eigen::Quaterniond(x[6], x[7], x[8], x[9]).normalized();
    const Vector3d spin = q * Vector3d(x[10], x[11], x[12]);
    Wave flow;
    flow << Vector3d(x[3], x[4], x[5]) + spin.cross(q * offset), spin;
    return flow;
}

/// F = c - Zc v, M = cM - Zcr w with the velocities of the moment; c is a line in time.
class LineLaw final : public Law {
public:
    void evaluate(const LawPoint& point, std::span<double> inputs) const override {
        const Wave effort =
            wave + (point.t - begin) * slope - impedances * flow_of(point.states, offset);
        std::ranges::fill(inputs, 0.0);
        std::ranges::copy(effort, inputs.begin());
    }
    Impedances impedances;
    Vector3d offset;
    double begin = 0.0;
    Wave wave, slope;
};

struct Setup {
    Settings body;
    Impedances impedances;
    double delay;
    int steps_per_delay;
    Wave preload;  ///< on the body
};

/// The ground does not move, so it sends back what arrives with the other sign: what the body sent
/// comes back two delays later.
class HangingBody {
public:
    explicit HangingBody(const Setup& setup)
        : host_(test::started("RigidBody3D", setup.body)),
          h_(setup.delay / setup.steps_per_delay),
          way_(2 * static_cast<std::size_t>(setup.steps_per_delay)) {
        law_.impedances = setup.impedances;
        law_.offset = Vector3d::Zero();
        if (const auto offset = setup.body.find("offset1"); offset != setup.body.end())
            law_.offset = Vector3d(offset->second.data());
        sent_.assign(way_ + 1, -setup.preload);
    }
    void advance_to(double t) {
        for (const long last = std::lround(t / h_); steps_ < last; ++steps_) step();
    }
    std::span<const double> states() const { return host_->states(); }

private:
    void step() {
        const auto k = static_cast<std::size_t>(steps_);
        const Wave begin = -sent_[k], end = -sent_[k + 1];
        law_.begin = h_ * static_cast<double>(k);
        law_.wave = begin;
        law_.slope = (end - begin) / h_;
        std::vector<double> values(12);
        law_.evaluate({law_.begin, host_->states()}, values);
        host_->set_inputs({.values = values, .law = &law_});
        ASSERT_TRUE(host_->step({law_.begin, h_ * static_cast<double>(k + 1)}));
        sent_.push_back(-end + 2.0 * (law_.impedances * flow_of(host_->states(), law_.offset)));
    }

    std::unique_ptr<ode::HostedOde> host_;
    double h_;
    std::size_t way_;  ///< steps to the ground and back
    LineLaw law_;
    std::vector<Wave> sent_;  ///< the first at t = -2 delays
    long steps_ = 0;
};

struct Velocities {
    double t, v, w;
};

// Waves are straight lines over a hundredth of the delay: errors go with the square of that part,
// 4.2e-5 with a twentieth, 1.7e-6 here.
TEST(RigidBody3D, swings_on_a_line_as_the_exact_solution_does) {
    Wave preload;
    preload << 30.0, -20.0, 50.0, 1.5, -2.0, 0.7;
    HangingBody body({.body = {{"m", {2.0}}, {"J", {0.05, 0.05, 0.05}}},
                      .impedances = {1e3, 20.0},
                      .delay = 1e-3,
                      .steps_per_delay = 100,
                      .preload = preload});
    for (const Velocities& at : std::vector<Velocities>{{0.001, 0.0118040802, 0.0247259965},
                                                        {0.004, 0.0100854744, 0.0311765815},
                                                        {0.01, 0.00526557096, -0.0145545115},
                                                        {0.025, -0.0111270383, 0.0341179842},
                                                        {0.05, 0.0188606868, -0.0436923641}}) {
        body.advance_to(at.t);
        const Wave flow = flow_of(body.states(), Vector3d::Zero());
        for (Eigen::Index i = 0; i < 3; ++i) {
            EXPECT_NEAR(flow[i], at.v * preload[i] / 30.0, 4e-6) << at.t;
            EXPECT_NEAR(flow[3 + i], at.w * preload[3 + i] / 1.5, 4e-6) << at.t;
        }
    }
}

/// The angle from the vertical in the plane of the swing, and the part out of that plane.
struct Swing {
    double angle, outside;
};
const Vector3d along(std::cos(35.0 * std::numbers::pi / 180.0),
                     std::sin(35.0 * std::numbers::pi / 180.0), 0.0);
Swing swing_of(std::span<const double> x) {
    const Vector3d middle(x[0], x[1], x[2]);
    return {std::atan2(middle.dot(along), -middle[2]), middle.dot(along.cross(Vector3d::UnitZ()))};
}

// A rod of 1 m, released at 60 degrees: angles of the elliptic integral. 2e-5 for the elasticity.
TEST(RigidBody3D, is_a_pendulum_where_a_stiff_line_holds_the_end_of_a_rod) {
    const double angle = std::numbers::pi / 3.0;
    const Vector3d rod = std::sin(angle) * along - std::cos(angle) * Vector3d::UnitZ();
    const auto q = Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitX(), rod);
    Wave preload = Wave::Zero();
    preload.head<3>() << -2.60972909, -1.82735198, 4.291875;
    HangingBody body({.body = {{"m", {1.0}},
                               {"J", {1e-3, 1.0 / 12.0, 1.0 / 12.0}},
                               {"g", {0.0, 0.0, -9.81}},
                               {"offset1", {-0.5, 0.0, 0.0}},
                               {"r", {0.5 * rod[0], 0.5 * rod[1], 0.5 * rod[2]}},
                               {"q", {q.w(), q.x(), q.y(), q.z()}}},
                      .impedances = {2e3, 0.0},
                      .delay = 2e-4,
                      .steps_per_delay = 1,
                      .preload = preload});
    for (const auto& [t, expected] :
         {std::pair{0.25, 0.665899328}, {0.5, -0.230179491}, {1.0, -0.954629048}}) {
        body.advance_to(t);
        const Swing swing = swing_of(body.states());
        EXPECT_NEAR(swing.angle, expected, 2e-5) << t;
        EXPECT_NEAR(swing.outside, 0.0, 1e-9) << t;
    }
}

}  // namespace
}  // namespace tandem
