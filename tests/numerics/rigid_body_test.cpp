// Bodies in space for transmission lines (models/rigid_body_3d).
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "support/tlm_models.hpp"

namespace tandem {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using test::Settings;
using test::started;

Vector3d vector(const std::vector<double>& a) { return {a[0], a[1], a[2]}; }
std::vector<double> list(const Vector3d& a) { return {a[0], a[1], a[2]}; }

/// The quaternion has the length 1.5, which must not matter.
const Settings body = {{"m", {2.0}},
                       {"J", {0.05, 0.2, 0.11}},
                       {"g", {0.3, -0.2, -9.81}},
                       {"offset1", {0.3, -0.1, 0.2}},
                       {"offset2", {-0.4, 0.05, 0.1}},
                       {"M_ext", {1.0, -2.0, 0.5}},
                       {"r", {1.0, 2.0, 3.0}},
                       {"v", {-0.5, 0.25, 2.0}},
                       {"q", {1.2, 0.6, -0.3, 0.6}},
                       {"w", {3.0, -1.0, 2.0}}};
const Settings loads = {{"F1", {5.0, -3.0, 2.0}},
                        {"M1", {0.4, 0.1, -0.6}},
                        {"F2", {-1.0, 4.0, 7.0}},
                        {"M2", {-0.2, 0.8, 0.3}}};
Matrix3d orientation() {
    return Eigen::Quaterniond(1.2, 0.6, -0.3, 0.6).normalized().toRotationMatrix();
}

// In the frame at rest: d/dt (R J R^T w) = M, and r_i - r = R s_i.
TEST(RigidBody3D, has_the_equations_of_newton_and_euler) {
    const Matrix3d R = orientation();
    const Matrix3d inertia = R * vector(body.at("J")).asDiagonal() * R.transpose();
    const Vector3d spin = R * vector(body.at("w"));
    Vector3d force = 2.0 * vector(body.at("g")), moment = R * vector(body.at("M_ext"));
    for (const std::string n : {"1", "2"}) {
        const Vector3d arm = R * vector(body.at("offset" + n)), f = vector(loads.at("F" + n));
        force += f;
        moment += vector(loads.at("M" + n)) + arm.cross(f);
    }
    const Vector3d turning =
        R.transpose() * inertia.inverse() * (moment - spin.cross(inertia * spin));
    const auto host = started("RigidBody3D", body);
    test::set_inputs(*host, loads);
    const std::vector<double> rates = test::rates_of(*host);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        EXPECT_DOUBLE_EQ(rates[i], body.at("v")[i]);
        EXPECT_NEAR(rates[3 + i], force[k] / 2.0, 1e-14);
        EXPECT_NEAR(rates[10 + i], turning[k], 1e-12);
    }
}

// q' = q (0, w)/2 of Hamilton's product, and the pull to length 1.
TEST(RigidBody3D, turns_as_its_quaternion_says) {
    const auto host = started("RigidBody3D", body);
    const std::vector<double> rates = test::rates_of(*host);
    const Eigen::Quaterniond q(1.2, 0.6, -0.3, 0.6), w(0.0, 3.0, -1.0, 2.0);
    const Eigen::Quaterniond product = q * w;
    const double pull = 10.0 * (1.0 - 2.25);
    EXPECT_NEAR(rates[6], 0.5 * product.w() + pull * q.w(), 1e-14);
    EXPECT_NEAR(rates[7], 0.5 * product.x() + pull * q.x(), 1e-14);
    EXPECT_NEAR(rates[8], 0.5 * product.y() + pull * q.y(), 1e-14);
    EXPECT_NEAR(rates[9], 0.5 * product.z() + pull * q.z(), 1e-14);
}

TEST(RigidBody3D, gives_the_motion_of_its_points) {
    const Matrix3d R = orientation();
    const Vector3d spin = R * vector(body.at("w"));
    const auto host = started("RigidBody3D", body);
    for (const std::string n : {"1", "2"}) {
        const Vector3d arm = R * vector(body.at("offset" + n));
        std::vector<double> rows;
        for (Eigen::Index i = 0; i < 9; ++i) rows.push_back(R(i / 3, i % 3));
        test::expect_outputs(*host, {{"r" + n, list(vector(body.at("r")) + arm)},
                                     {"v" + n, list(vector(body.at("v")) + spin.cross(arm))},
                                     {"w" + n, list(spin)},
                                     {"R" + n, rows}});
    }
}

TEST(RigidBody3D, has_an_exact_jacobian) {
    const auto host = started("RigidBody3D", body);
    test::set_inputs(*host, loads);
    test::expect_exact_jacobian(*host, 1e-7);
}

// A body that tumbles freely keeps its energy and its angular momentum in the frame at rest; the
// quaternion comes to length 1. dopri5 keeps them to some 1e-10 a second.
TEST(RigidBody3D, keeps_what_a_free_body_keeps) {
    Settings free = body;
    free["g"] = free["M_ext"] = {0.0, 0.0, 0.0};
    const auto host = started("RigidBody3D", free);
    const Vector3d J = vector(body.at("J"));
    const auto momentum = [&] {
        const auto x = host->states();
        const Vector3d w(x[10], x[11], x[12]);
        return Vector3d(Eigen::Quaterniond(x[6], x[7], x[8], x[9]).normalized() *
                        J.cwiseProduct(w));
    };
    const auto energy = [&] {
        const auto x = host->states();
        return 0.5 * (J[0] * x[10] * x[10] + J[1] * x[11] * x[11] + J[2] * x[12] * x[12]);
    };
    const Vector3d momentum_before = momentum();
    const double energy_before = energy();
    test::set_inputs(*host, {});
    ASSERT_TRUE(host->step({0.0, 5.0}));
    EXPECT_LT((momentum() - momentum_before).norm(), 1e-8);
    EXPECT_NEAR(energy(), energy_before, 1e-8);
    const auto q = host->states().subspan(6, 4);
    EXPECT_NEAR(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1.0, 1e-9);
}

// J w' = M t/t_ramp, then M: w = M/J (t - t_ramp/2).
TEST(RigidBody3D, is_turned_by_a_moment_that_grows_to_an_event) {
    const auto host = started(
        "RigidBody3D", {{"J", {0.05, 0.05, 0.05}}, {"M_ext", {1.0, 0.0, 0.0}}, {"t_ramp", {0.05}}});
    test::set_inputs(*host, {});
    ASSERT_TRUE(host->step({0.0, 0.2}));
    test::expect_outputs(*host, {{"w1", {20.0 * 0.175, 0.0, 0.0}}}, 1e-9);
    EXPECT_EQ(host->statistics().time_events, 1);
}

TEST(FixedEnd3D, stays_where_it_is) {
    const std::vector<double> rows = {0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0};
    const std::vector<double> zeros = {0.0, 0.0, 0.0}, place = {1.0, 2.0, 3.0};
    const auto host = started("FixedEnd3D", {{"position", place}, {"orientation", rows}});
    test::set_inputs(*host, {{"F", {5.0, 6.0, 7.0}}, {"M", {1.0, 1.0, 1.0}}});
    test::expect_outputs(*host, {{"r", place}, {"R", rows}, {"v", zeros}, {"w", zeros}});
}

TEST(HydraulicCylinder3D, pushes_along_the_line_from_its_anchor) {
    const Vector3d r(1.0, 2.0, 2.0), v(0.3, -0.6, 0.2), F(100.0, -50.0, 20.0), g(0.0, 0.0, -9.81);
    const Vector3d anchor(-1.0, 1.0, 0.0), u = (r - anchor) / 3.0;
    const auto host =
        started("HydraulicCylinder3D",
                {{"r", list(r)}, {"v", list(v)}, {"g", list(g)}, {"anchor", list(anchor)}});
    std::vector<double> expected = list(v);
    for (const double a : list(((1e-3 * 2e6 - 1000.0 * u.dot(v)) * u + F) / 5.0 + g))
        expected.push_back(a);
    test::expect_rates(*host, {{"p", {2e6}}, {"F", list(F)}}, expected);
    test::expect_outputs(*host, {{"q", {-1e-3 * u.dot(v)}}, {"length", {3.0}}});
    test::expect_exact_jacobian(*host, 1e-7);
}

TEST(HydraulicCylinder3D, says_where_it_has_no_length) {
    const auto host = started("HydraulicCylinder3D", {});
    std::vector<double> states(6, 0.0), rates(6);
    const bool could =
        host->model().set_point({0.0, states, host->inputs()}) && host->model().derivatives(rates);
    EXPECT_FALSE(could);
}

// All solvers have the tolerance 1e-8, but for that of FMI 1.0, which cannot be told: 1e-9. Errors
// grow in half a second of tumbling.
TEST(RigidBody3D, runs_the_same_as_fmus) {
    const auto run = [](const std::string& kind) {
        const auto subsystem = test::make_kind("RigidBody3D", kind);
        test::write_all(*subsystem, body);
        test::initialise(*subsystem, 1.0);
        test::set_inputs(*subsystem, loads);
        EXPECT_TRUE(subsystem->step({0.0, 0.5})) << kind;
        return test::outputs_of(*subsystem);
    };
    const std::vector<double> native = run("native");
    ASSERT_EQ(native.size(), 36U);
    for (const std::string& kind : test::all_kinds) {
        const std::vector<double> fmu = run(kind);
        ASSERT_EQ(fmu.size(), native.size()) << kind;
        for (std::size_t i = 0; i < native.size(); ++i)
            EXPECT_NEAR(fmu[i], native[i], 1e-6) << kind << " " << i;
    }
}

}  // namespace
}  // namespace tandem
