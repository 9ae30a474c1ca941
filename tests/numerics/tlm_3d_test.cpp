// Bodies that transmission lines in space hold, as systems, against closed forms.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "files/archive.hpp"
#include "files/temporary_folder.hpp"
#include "support/system_file.hpp"
#include "support/zip_surgery.hpp"

namespace tandem::test {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;

/// The frame of a subsystem that is turned against that of the system.
const Eigen::AngleAxisd turned_frame(pi / 6.0, Vector3d(1.0, 1.0, 1.0).normalized());
const std::string turned_axes = fmt::format(", axis = [1, 1, 1], angle = {:.17g}", pi / 6.0);

std::string numbers(const Vector3d& v) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", v[0], v[1], v[2]);
}
/// The start value of an orientation.
std::string numbers(const Eigen::Quaterniond& q) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}, {:.17g}]", q.w(), q.x(), q.y(), q.z());
}

std::string experiment_text(double stop, double step, int decimation = 1) {
    return fmt::format(
        "[experiment]\nstop = {:.17g}\nstep = {:.17g}\ntolerance = 1e-11\n"
        "[coupling]\nmethod = \"jacobi\"\n"
        "[record]\nvariables = [\"*\"]\ndecimation = {}\nevents = false\n",
        stop, step, decimation);
}
std::string body_text(const std::string& name, const std::string& parameters) {
    return subsystem_text(name, "RigidBody3D", "native", parameters) + "solver = \"dopri5\"\n";
}
const std::string ground_text = subsystem_text("ground", "FixedEnd3D", "native");

/// `port`: what stands behind the names of the variables.
std::string end_text(const std::string& subsystem, const std::string& port,
                     const std::string& more = "") {
    std::string text = "{ ";
    for (const auto& [key, variable] : {std::pair("position", "r"),
                                        {"orientation", "R"},
                                        {"velocity", "v"},
                                        {"angular_velocity", "w"},
                                        {"force", "F"},
                                        {"moment", "M"}})
        text += fmt::format("{}{} = \"{}.{}{}\"", text.size() > 2 ? ", " : "", key, subsystem,
                            variable, port);
    return text + more + " }";
}

struct Line {
    double impedance, rotational_impedance, delay;
    std::string preload;  ///< six numbers
    std::string ends;
    std::string more = "";
};
std::string line_text(const Line& line) {
    return fmt::format(
        "[[tlm]]\nname = \"joint\"\ndomain = \"mechanical_3d\"\nimpedance = {}\n"
        "rotational_impedance = {}\ndelay = {}\npreload = [{}]\n{}ends = [{}]\n",
        line.impedance, line.rotational_impedance, line.delay, line.preload, line.more, line.ends);
}

Columns results_of(const std::string& text) {
    SystemFile file(text);
    return file.run();
}

std::size_t row_at(const Columns& columns, double t) {
    const std::vector<double>& times = columns.at("time");
    const auto row = std::ranges::lower_bound(times, t - 1e-9);
    EXPECT_TRUE(row != times.end() && *row < t + 1e-9) << "no row at " << t;
    return static_cast<std::size_t>(row - times.begin());
}
Vector3d vector_at(const Columns& columns, const std::string& name, std::size_t row) {
    return {columns.at(name + "[1]")[row], columns.at(name + "[2]")[row],
            columns.at(name + "[3]")[row]};
}
Eigen::Matrix3d matrix_at(const Columns& columns, const std::string& name, std::size_t row) {
    Eigen::Matrix3d matrix;
    for (int i = 0; i < 9; ++i)
        matrix(i / 3, i % 3) = columns.at(fmt::format("{}[{}]", name, i + 1))[row];
    return matrix;
}

/// A body that is let go on a line that is bent and stretched.
Columns released_body(const std::string& start, const std::string& frame = "") {
    return results_of(experiment_text(0.05, 2e-5) +
                      body_text("body", "m = 2, J = [0.05, 0.05, 0.05]" + start) + ground_text +
                      line_text({1e3, 20.0, 1e-3, "30, -20, 50, 1.5, -2, 0.7",
                                 end_text("body", "1", frame) + ", " + end_text("ground", "")}));
}

/// Waves are straight lines between internal steps, or over a step, a fiftieth of the delay: what
/// that costs goes with its square.
constexpr double released_tolerance = 4e-7, released_tolerance_by_steps = 1.2e-5;

void expect_released(const Columns& columns, const Eigen::Matrix3d& to_system,
                     double tolerance = released_tolerance) {
    struct Velocities {
        double t, v, w;
    };
    for (const Velocities& at : std::vector<Velocities>{{0.001, 0.0118040802, 0.0247259965},
                                                        {0.004, 0.0100854744, 0.0311765815},
                                                        {0.01, 0.00526557096, -0.0145545115},
                                                        {0.025, -0.0111270383, 0.0341179842},
                                                        {0.05, 0.0188606868, -0.0436923641}}) {
        const std::size_t row = row_at(columns, at.t);
        const Vector3d v = to_system * vector_at(columns, "body.v1", row);
        const Vector3d w = to_system * vector_at(columns, "body.w1", row);
        EXPECT_LT((v - at.v / 30.0 * Vector3d(30.0, -20.0, 50.0)).norm(), tolerance) << at.t;
        EXPECT_LT((w - at.w / 1.5 * Vector3d(1.5, -2.0, 0.7)).norm(), tolerance) << at.t;
    }
}

TEST(LineInSpace, swings_a_body_as_the_exact_solution_does) {
    expect_released(released_body(""), Eigen::Matrix3d::Identity());
}

TEST(LineInSpace, swings_a_body_in_a_turned_frame_as_in_that_of_the_system) {
    const Columns columns =
        released_body(", q = " + numbers(Eigen::Quaterniond(turned_frame.inverse())), turned_axes);
    expect_released(columns, turned_frame.toRotationMatrix());
    const Vector3d in_frame(0.00148366143, -0.00155641738, 0.0106038979);
    EXPECT_LT((vector_at(columns, "body.v1", row_at(columns, 0.01)) - in_frame).norm(),
              released_tolerance);
    EXPECT_LT((matrix_at(columns, "body.R1", 0) - turned_frame.inverse().toRotationMatrix()).norm(),
              1e-14);
}

// FMI 1.0 and 2.0 have no arrays: variables v1[1], v1[2], v1[3] are taken for one. The ground has
// nothing to solve: as an FMU for Co-Simulation it answers at the ends of steps only.
TEST(LineInSpace, swings_fmus_of_every_version_and_kind_alike) {
    for (const std::string kind : {"fmi1_me", "fmi2_cs", "fmi2_me", "fmi3_cs", "fmi3_me"}) {
        SCOPED_TRACE(kind);
        const bool has_arrays = kind.starts_with("fmi3");
        expect_released(
            results_of(experiment_text(0.05, 2e-5) +
                       subsystem_text("body", "RigidBody3D", kind,
                                      has_arrays ? "m = 2, J = [0.05, 0.05, 0.05]"
                                                 : "m = 2, \"J[1]\" = 0.05, \"J[2]\" = 0.05, "
                                                   "\"J[3]\" = 0.05") +
                       (kind.ends_with("me") ? "solver = \"dopri5\"\n" : "") +
                       subsystem_text("ground", "FixedEnd3D", kind) +
                       line_text({1e3, 20.0, 1e-3, "30, -20, 50, 1.5, -2, 0.7",
                                  end_text("body", "1") + ", " + end_text("ground", "")})),
            Eigen::Matrix3d::Identity(),
            kind.ends_with("cs") ? released_tolerance_by_steps : released_tolerance);
    }
}

// Tools name the elements of a matrix R1[1,1], R1[1,2], ...: the body with its variables renamed.
TEST(LineInSpace, takes_orientations_by_rows_and_columns) {
    const TemporaryFolder folder;
    const std::filesystem::path fmu = folder.path() / "body";
    Archive(std::filesystem::path(TANDEM_FMU_DIR) / "RigidBody3D_fmi2.fmu").unpack(fmu);
    std::string description = test::read_bytes(fmu / "modelDescription.xml");
    for (int i = 0; i < 9; ++i) {
        const std::string name = fmt::format("name=\"R1[{}]\"", i + 1);
        const std::size_t place = description.find(name);
        ASSERT_NE(place, std::string::npos) << name;
        description.replace(place, name.size(),
                            fmt::format("name=\"R1[{},{}]\"", i / 3 + 1, i % 3 + 1));
    }
    test::write_bytes(fmu / "modelDescription.xml", description);
    expect_released(
        results_of(experiment_text(0.05, 2e-5) +
                   fmt::format("[subsystems.body]\nsource = \"{}\"\nkind = \"me\"\n"
                               "solver = \"dopri5\"\nparameters = {{ m = 2, \"J[1]\" = 0.05, "
                               "\"J[2]\" = 0.05, \"J[3]\" = 0.05 }}\n",
                               fmu.string()) +
                   ground_text +
                   line_text({1e3, 20.0, 1e-3, "30, -20, 50, 1.5, -2, 0.7",
                              end_text("body", "1") + ", " + end_text("ground", "")})),
        Eigen::Matrix3d::Identity());
}

// Two bodies whirl about the joint between them. Their forces turn with them, the waves on their
// way do not: the line is as stiff as Z Om cot(Om T/2). Before the start waves have not turned,
// which makes ripples; steps that do not divide the delay damp these, and leave the ends apart from
// where they should be by the same vector for ever: that goes out over one turn.
TEST(LineInSpace, holds_bodies_that_whirl_about_it) {
    constexpr double spin = 20.0, delay = 1e-3, impedance = 1e4, m = 2.0, arm = 0.3;
    const double stiffness = impedance * spin / std::tan(0.5 * spin * delay);
    const double stretch = m * spin * spin * arm / (stiffness - m * spin * spin);
    const double radius = arm + stretch, force = m * spin * spin * radius;
    EXPECT_NEAR(stretch, 1.20008801e-05, 1e-13);
    EXPECT_NEAR(force, 240.009601, 1e-6);
    const auto body = [&](const std::string& name, double side) {
        return body_text(
            name, fmt::format("m = {}, J = [0.05, 0.05, 0.05], w = [0, 0, {}], "
                              "offset1 = [{}, 0, 0], r = [{:.17g}, 0, 0], v = [0, {:.17g}, 0]",
                              m, spin, -side * arm, side * radius, side * spin * radius));
    };
    const Columns columns = results_of(
        experiment_text(1.0, delay / 7.5) + body("a", 1.0) + body("b", -1.0) +
        line_text({impedance, 100.0, delay, fmt::format("{:.17g}, 0, 0, 0, 0, 0", -force),
                   end_text("a", "1") + ", " + end_text("b", "1"), "exchange = \"coarse\"\n"}));
    const std::size_t last = columns.at("time").size() - 1;
    const auto turn = static_cast<std::size_t>(std::lround(2.0 * pi / spin / (delay / 7.5)));
    double mean_stretch = 0.0;
    for (std::size_t row = last - turn; row < last; ++row) {
        for (const std::string name : {"a", "b"}) {
            EXPECT_NEAR(vector_at(columns, name + ".r", row).norm(), radius, 1e-5 * radius);
            EXPECT_NEAR(vector_at(columns, name + ".F1", row).norm(), force, 1e-5 * force);
            EXPECT_LT(vector_at(columns, name + ".M1", row).norm(), 1e-5);
        }
        mean_stretch += 0.5 *
                        (vector_at(columns, "a.r1", row) - vector_at(columns, "b.r1", row)).norm() /
                        static_cast<double>(turn);
    }
    EXPECT_NEAR(mean_stretch, stretch, 1e-3 * stretch);
}

/// Times at which a value goes through zero.
std::vector<double> zeros(const std::vector<double>& t, const std::vector<double>& y) {
    std::vector<double> crossings;
    for (std::size_t k = 1; k < t.size(); ++k)
        if (y[k - 1] * y[k] < 0.0)
            crossings.push_back(t[k - 1] + (t[k] - t[k - 1]) * y[k - 1] / (y[k - 1] - y[k]));
    return crossings;
}

// A rod of 1 m, let go at 60 degrees: angles and the period of the elliptic integral. 2e-5 for the
// elasticity of the joint. On a rod that is let go acts F = m (a - g), with the acceleration
// a = -3/4 g sin(theta) of its centre, across the rod.
TEST(LineInSpace, is_a_ball_joint_for_a_pendulum) {
    constexpr double g = 9.81, angle = pi / 3.0, azimuth = 35.0 * pi / 180.0;
    const Vector3d along(std::cos(azimuth), std::sin(azimuth), 0.0), up = Vector3d::UnitZ();
    const Vector3d rod = std::sin(angle) * along - std::cos(angle) * up;
    const Vector3d across = std::cos(angle) * along + std::sin(angle) * up;
    const Vector3d force = g * up - 0.75 * g * std::sin(angle) * across;
    EXPECT_LT((force - Vector3d(-2.60972909, -1.82735198, 4.291875)).norm(), 1e-8);
    const Columns columns = results_of(
        experiment_text(1.5, 2e-4) +
        body_text("rod", fmt::format("m = 1, J = [1e-3, {0:.17g}, {0:.17g}], g = [0, 0, -{1}], "
                                     "offset1 = [-0.5, 0, 0], r = {2}, q = {3}",
                                     1.0 / 12.0, g, numbers(Vector3d(0.5 * rod)),
                                     numbers(Eigen::Quaterniond::FromTwoVectors(
                                         Vector3d(Vector3d::UnitX()), rod)))) +
        ground_text +
        line_text({2e3, 0.0, 2e-4,
                   fmt::format("{:.17g}, {:.17g}, {:.17g}, 0, 0, 0", force[0], force[1], force[2]),
                   "{ velocity = \"rod.v1\", force = \"rod.F1\" }, "
                   "{ velocity = \"ground.v\", force = \"ground.F\" }"}));
    std::vector<double> angles;
    for (std::size_t row = 0; row < columns.at("time").size(); ++row) {
        const Vector3d middle = vector_at(columns, "rod.r", row);
        angles.push_back(std::atan2(middle.dot(along), -middle[2]));
        EXPECT_NEAR(middle.dot(along.cross(up)), 0.0, 1e-10);
    }
    for (const auto& [t, expected] : {std::pair(0.25, 0.665899328),
                                      {0.5, -0.230179491},
                                      {1.0, -0.954629048},
                                      {1.5, 0.642937785}})
        EXPECT_NEAR(angles[row_at(columns, t)], expected, 2e-5) << t;
    const std::vector<double> crossings = zeros(columns.at("time"), angles);
    ASSERT_EQ(crossings.size(), 2U);
    EXPECT_NEAR(2.0 * (crossings[1] - crossings[0]), 1.7578148, 2e-5);
}

/// Two bodies that spin together about z, bent against each other by a moment of 1 N.m about their
/// common x axis: how the second is turned against the first, about their axes.
class BentShaft {
public:
    explicit BentShaft(bool corotating, bool is_turned = false, double damping = 0.0)
        : frame_(is_turned ? turned_frame.toRotationMatrix() : Eigen::Matrix3d::Identity()) {
        const std::string body = "J = [0.05, 0.05, 0.05], w = [0, 0, 20], t_ramp = 0.05, M_ext = ";
        const std::string second =
            "[1, 0, 0], q = " + numbers(Eigen::Quaterniond(frame_.transpose().eval()));
        SystemFile file(
            experiment_text(0.5, 1e-4, 10) + body_text("a", body + "[-1, 0, 0]") +
            body_text("b", body + second) +
            line_text({100.0, 10.0, 1e-3, "0, 0, 0, 0, 0, 0",
                       end_text("a", "1") + ", " + end_text("b", "1", is_turned ? turned_axes : ""),
                       fmt::format("corotating = {}\ndamping = {}\n", corotating, damping)}));
        run::SystemRun system(file.options());
        system.perform();
        columns_ = numbers_of(read_text_columns(file.in_folder("out.csv")));
        account_ = system.record().lines.at(0);
    }
    /// Over a tenth of a second, with weights that rise and fall so that ripples count for nothing.
    Vector3d mean_bend(double begin) const {
        const std::size_t first = row_at(columns_, begin), last = row_at(columns_, begin + 0.1);
        Vector3d sum = Vector3d::Zero();
        double weights = 0.0;
        for (std::size_t row = first; row <= last; ++row) {
            const Eigen::AngleAxisd bend(matrix_at(columns_, "a.R1", row).transpose() * frame_ *
                                         matrix_at(columns_, "b.R1", row));
            const double part =
                static_cast<double>(row - first) / static_cast<double>(last - first);
            const double weight = std::pow(std::sin(pi * part), 2);
            sum += weight * bend.angle() * bend.axis();
            weights += weight;
        }
        return sum / weights;
    }
    Vector3d drift() const { return (mean_bend(0.4) - mean_bend(0.1)) / 0.3; }
    const LineRecord& account() const { return account_; }

private:
    LineRecord account_;
    Eigen::Matrix3d frame_;
    Columns columns_;
};

// Stiffness 1e4 N.m, so the bend is 1e-4. The moment on its way does not turn with the shaft: the
// bend drifts with spin times bend, 0.0020018 rad/s.
TEST(LineInSpace, that_does_not_turn_with_its_ends_lets_a_bent_shaft_drift) {
    const BentShaft shaft(false);
    EXPECT_NEAR(shaft.mean_bend(0.1)[0], 1e-4, 2e-6);
    EXPECT_NEAR(shaft.drift()[1], 0.0020018, 2e-6);
}

TEST(LineInSpace, that_turns_with_its_ends_keeps_a_shaft_bent) {
    for (const bool is_turned : {false, true}) {
        SCOPED_TRACE(is_turned);
        const BentShaft shaft(true, is_turned);
        EXPECT_NEAR(shaft.mean_bend(0.1)[0], 1e-4, 1e-7);
        EXPECT_NEAR(shaft.mean_bend(0.1)[1], -1e-6, 1e-7);
        EXPECT_LT(shaft.drift().norm(), 1e-7);
    }
}

// What arrives is late by T / (1 - a) instead of T as long as it changes slowly: the stiffness is
// (1 - a) Z / T. What arrived a delay before turns with the receiver as what arrives does.
TEST(LineInSpace, that_is_damped_and_turns_with_its_ends_keeps_a_shaft_bent) {
    for (const bool is_turned : {false, true}) {
        SCOPED_TRACE(is_turned);
        const BentShaft shaft(true, is_turned, 0.2);
        EXPECT_NEAR(shaft.mean_bend(0.1)[0], 1e-4 / 0.8, 1e-7);
        EXPECT_LT(shaft.drift().norm(), 1e-7);
        EXPECT_LE(shaft.account().created, 1e-9 * shaft.account().put_in);
    }
}

}  // namespace
}  // namespace tandem::test
