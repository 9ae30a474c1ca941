// The coupling 'iterative' with subsystems that are solved exactly: order of convergence, and the
// step up to which it is stable.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <memory>
#include <unsupported/Eigen/MatrixFunctions>
#include <vector>

#include "coupling/iterative/iterative.hpp"
#include "support/hosting.hpp"
#include "support/test_models.hpp"

namespace tandem {
namespace {

using coupling::InputForm;
using coupling::Iterative;
using coupling::IterativeOptions;
using coupling::Sweep;
using Eigen::MatrixXd;
using numerics::Accelerator;

/// dx/dt = A x + B u, y = C x + D u.
struct Linear {
    MatrixXd a, b, c, d;
    std::vector<double> start;
};

class LinearModel final : public test::TestModel {
public:
    explicit LinearModel(const Linear& system)
        : TestModel("linear", system.start, static_cast<int>(system.b.cols()),
                    static_cast<int>(system.c.rows())),
          system_(system) {}
    bool derivatives(std::span<double> dx) override { return multiply(system_.a, system_.b, dx); }
    bool outputs(std::span<double> y) override { return multiply(system_.c, system_.d, y); }

private:
    bool multiply(const MatrixXd& by_states, const MatrixXd& by_inputs, std::span<double> result) {
        using Map = Eigen::Map<const Eigen::VectorXd>;
        const auto size = [](std::span<const double> values) {
            return static_cast<Eigen::Index>(values.size());
        };
        Eigen::Map<Eigen::VectorXd>(result.data(), size(result)) =
            by_states * Map(x.data(), size(x)) + by_inputs * Map(u.data(), size(u));
        return true;
    }
    Linear system_;
};

MatrixXd matrix(Eigen::Index rows, Eigen::Index columns, const std::vector<double>& values) {
    return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
        values.data(), rows, columns);
}

/// Two subsystems and links between them, advanced by the coupling.
class Pair {
public:
    Pair(const Linear& first, const Linear& second, std::vector<Link> links, double tolerance) {
        std::vector<std::unique_ptr<Subsystem>> subsystems;
        for (const Linear* part : {&first, &second})
            subsystems.push_back(test::hosted(std::make_unique<LinearModel>(*part),
                                              test::options_for(ode::Method::dopri5, tolerance)));
        system_ = std::make_unique<System>(std::move(subsystems), std::move(links));
        for (int s = 0; s < system_->size(); ++s) system_->read_outputs(s);
        system_->route(0.0);
        for (int s = 0; s < system_->size(); ++s)
            system_->at(s).set_inputs({.values = system_->inputs_of(s)});
    }

    void prepare(const IterativeOptions& options) {
        coupling_ = std::make_unique<Iterative>(options);
        coupling_->prepare(*system_, 0.0);
    }
    void advance(double h) {
        const double begin = h * static_cast<double>(steps_);
        EXPECT_TRUE(coupling_->advance(*system_, {begin, h * static_cast<double>(++steps_)}));
    }
    std::span<const double> outputs() { return system_->outputs(); }

private:
    std::unique_ptr<System> system_;
    std::unique_ptr<Iterative> coupling_;
    long steps_ = 0;
};

struct Variant {
    const char* name;
    Accelerator accelerator;
    Sweep sweep;
};
const std::vector<Variant> variants = {
    {"fixed_point", Accelerator::fixed_point, Sweep::jacobi},
    {"fixed_point, gauss_seidel", Accelerator::fixed_point, Sweep::gauss_seidel},
    {"aitken", Accelerator::aitken, Sweep::gauss_seidel},
    {"anderson", Accelerator::anderson, Sweep::jacobi},
    {"broyden", Accelerator::broyden, Sweep::jacobi},
    {"newton", Accelerator::newton, Sweep::jacobi},
    {"newton, gauss_seidel", Accelerator::newton, Sweep::gauss_seidel}};

// x' = v and v' = -4 x - 0.4 v, each with the other as its input; x(0) = 1, v(0) = 0.
constexpr double stop = 1.0;
constexpr double exact_x = -0.2580702634395464, exact_v = -1.5032310042519774;

/// (x, v) at the end. Subsystems err by less than 1e-11, iterations by 1e-12 a step.
Eigen::Vector2d oscillate(const Variant& variant, InputForm inputs, int steps) {
    const Linear position{
        matrix(1, 1, {0.0}), matrix(1, 1, {1.0}), matrix(1, 1, {1.0}), matrix(1, 1, {0.0}), {1.0}};
    const Linear velocity{matrix(1, 1, {-0.4}),
                          matrix(1, 1, {-4.0}),
                          matrix(1, 1, {1.0}),
                          matrix(1, 1, {0.0}),
                          {0.0}};
    Pair pair(position, velocity, {{.output = 1, .input = 0}, {.output = 0, .input = 1}}, 1e-12);
    pair.prepare({{.solver = {.accelerator = variant.accelerator, .tolerance = 1e-12},
                   .sweep = variant.sweep},
                  inputs});
    for (int k = 0; k < steps; ++k) pair.advance(stop / steps);
    return {pair.outputs()[0], pair.outputs()[1]};
}

TEST(IterativeOrder, is_one_for_end_values_and_two_for_others_whatever_the_accelerator) {
    for (const auto& [inputs, order] :
         {std::pair{InputForm::constant, 1}, {InputForm::mean, 2}, {InputForm::linear, 2}})
        for (const Variant& variant : variants) {
            const auto error = [&, form = inputs](int steps) {
                return (oscillate(variant, form, steps) - Eigen::Vector2d(exact_x, exact_v)).norm();
            };
            EXPECT_NEAR(std::log2(error(80) / error(160)), order, 0.05)
                << variant.name << ", order " << order;
        }
}

TEST(IterativeOrder, accelerators_change_the_way_and_not_the_result) {
    for (const InputForm inputs : {InputForm::constant, InputForm::linear}) {
        const Eigen::Vector2d newton = oscillate(variants.back(), inputs, 50);
        for (const Variant& variant : variants)
            EXPECT_LT((oscillate(variant, inputs, 50) - newton).norm(), 1e-9) << variant.name;
    }
}

// Two masses of 1 kg on springs of 10 N/m to the ground and with one between them, with a damper of
// d beside each. The spring between belongs to the first, which takes the position and the velocity
// of the second and gives back the force.
constexpr double k = 10.0;
struct Masses {
    Linear first, second;
};
Masses masses(double d) {
    return {{matrix(2, 2, {0.0, 1.0, -2.0 * k, -2.0 * d}),
             matrix(2, 2, {0.0, 0.0, k, d}),
             matrix(1, 2, {k, d}),
             matrix(1, 2, {-k, -d}),
             {1.0, 0.0}},
            {matrix(2, 2, {0.0, 1.0, -k, -d}),
             matrix(2, 1, {0.0, 1.0}),
             MatrixXd::Identity(2, 2),
             MatrixXd::Zero(2, 1),
             {0.0, 0.0}}};
}
const Masses damped = masses(0.2);
const std::vector<Link> force_and_motion = {
    {.output = 0, .input = 2}, {.output = 1, .input = 0}, {.output = 2, .input = 1}};

/// x(h) = states x(0) + begins u(0) + ends u(h), exactly, for inputs as the coupling has them.
struct Propagator {
    MatrixXd states, begins, ends;
};

/// From exp of [A h, B h, 0; 0, 0, I; 0, 0, 0]: its first row holds the answers to the state, to a
/// unit input and to the ramp from 0 to 1.
Propagator propagator(const Linear& part, double h, InputForm inputs) {
    const Eigen::Index n = part.a.rows(), m = part.b.cols();
    MatrixXd all = MatrixXd::Zero(n + 2 * m, n + 2 * m);
    all.topLeftCorner(n, n) = h * part.a;
    all.block(0, n, n, m) = h * part.b;
    all.block(n, n + m, m, m).setIdentity();
    const MatrixXd e = all.exp();
    const MatrixXd unit = e.block(0, n, n, m), ramp = e.block(0, n + m, n, m);
    if (inputs == InputForm::constant) return {e.topLeftCorner(n, n), 0.0 * unit, unit};
    if (inputs == InputForm::mean) return {e.topLeftCorner(n, n), 0.5 * unit, 0.5 * unit};
    return {e.topLeftCorner(n, n), unit - ramp, ramp};
}

/// What one converged step does to the states x of both: with all inputs u = K x at communication
/// points, x+ = P x + Q K x + R K x+, so x+ = (1 - R K)^-1 (P + Q K) x.
MatrixXd amplification(const Masses& masses, double h, InputForm inputs) {
    const Propagator first = propagator(masses.first, h, inputs);
    const Propagator second = propagator(masses.second, h, inputs);
    const auto diagonal = [](const MatrixXd& a, const MatrixXd& b) {
        MatrixXd both = MatrixXd::Zero(a.rows() + b.rows(), a.cols() + b.cols());
        both.topLeftCorner(a.rows(), a.cols()) = a;
        both.bottomRightCorner(b.rows(), b.cols()) = b;
        return both;
    };
    // Position and velocity of the second are states; the force is C x1 + D x2.
    MatrixXd inputs_of_states = MatrixXd::Zero(3, 4);
    inputs_of_states.block(0, 2, 2, 2).setIdentity();
    inputs_of_states.block(2, 0, 1, 2) = masses.first.c;
    inputs_of_states.block(2, 2, 1, 2) = masses.first.d;
    const MatrixXd begin = diagonal(first.states, second.states) +
                           diagonal(first.begins, second.begins) * inputs_of_states;
    const MatrixXd end =
        MatrixXd::Identity(4, 4) - diagonal(first.ends, second.ends) * inputs_of_states;
    return end.partialPivLu().solve(begin);
}

double spectral_radius(const Masses& masses, double h, InputForm inputs) {
    return amplification(masses, h, inputs).eigenvalues().cwiseAbs().maxCoeff();
}

/// The smallest step from which on motions grow: scanned, then halved.
double limit(InputForm inputs) {
    constexpr double width = 1e-3;
    double stable = width;
    while (spectral_radius(damped, stable + width, inputs) < 1.0) stable += width;
    double unstable = stable + width;
    for (int i = 0; i < 40; ++i) {
        const double middle = 0.5 * (stable + unstable);
        (spectral_radius(damped, middle, inputs) < 1.0 ? stable : unstable) = middle;
    }
    return stable;
}

double energy(Pair& pair, double h, long steps) {
    for (long i = 0; i < steps; ++i) pair.advance(h);
    // Outputs are force, position and velocity of the second: in a growing or decaying mode their
    // squares go with the energy.
    const auto y = pair.outputs();
    return y[0] * y[0] / k + k * y[1] * y[1] + y[2] * y[2];
}

/// How fast the energy of a run grows, relative to what the recurrence says: 2 log(radius) a step.
/// Near its limit a step changes it by 5e-4, the solver of a subsystem by less than 1e-8. (A solver
/// that takes other steps for other inputs makes noise, which an iteration cannot go below.)
double growth_of_run(double h, InputForm inputs) {
    constexpr int samples = 50;  // a mean over phases
    Pair pair(damped.first, damped.second, force_and_motion, 1e-10);
    pair.prepare({{.solver = {.tolerance = 1e-10}}, inputs});
    const double rate = 2.0 * std::log(spectral_radius(damped, h, inputs));
    const long stretch = samples + std::lround(std::log(3.0) / std::abs(rate));
    const auto mean = [&] {
        double sum = 0.0;
        for (int i = 0; i < samples; ++i) sum += energy(pair, h, 1);
        return sum / samples;
    };
    energy(pair, h, stretch);  // what decays faster is gone
    const double before = mean();
    energy(pair, h, stretch - samples);
    return std::log(mean() / before) / (rate * static_cast<double>(stretch));
}

TEST(IterativeStability, of_end_values_ends_early_and_of_linear_inputs_late_where_theory_says) {
    const double constant = limit(InputForm::constant), linear = limit(InputForm::linear);
    // The faster mode has the period 2 pi / sqrt(30) = 1.147 s.
    EXPECT_NEAR(constant, 0.0813, 5e-4);
    EXPECT_NEAR(linear, 0.6073, 5e-4);
    for (const auto& [inputs, h] :
         {std::pair{InputForm::constant, constant}, {InputForm::linear, linear}}) {
        // One percent below the limit motions decay, one above they grow, as fast as they should:
        // that pins the limit of runs down to 0.2 %.
        EXPECT_NEAR(growth_of_run(0.99 * h, inputs), 1.0, 0.2) << h;
        EXPECT_NEAR(growth_of_run(1.01 * h, inputs), 1.0, 0.2) << h;
    }
}

TEST(IterativeStability, of_end_values_is_lost_at_every_step_where_nothing_damps) {
    for (const double h : {1e-3, 1e-2, 1e-1})
        EXPECT_GT(spectral_radius(masses(0.0), h, InputForm::constant), 1.0 + 0.1 * h * h) << h;
}

TEST(IterativeStability, of_means_has_no_limit_with_two_masses) {
    for (double h = 0.01; h < 10.0; h += 0.01)
        ASSERT_LT(spectral_radius(damped, h, InputForm::mean), 1.0) << h;
    for (const double h : {0.5, 1.5}) EXPECT_NEAR(growth_of_run(h, InputForm::mean), 1.0, 0.2) << h;
}

// A mass on a spring, x'' = -w^2 x + f/m, whose damper f = -d x' is a subsystem of its own. With f
// held at its mean, -d (v + v+)/2, and g = d sin(w h) / (2 m w),
//   v+ = cos(w h) v - w sin(w h) x - g (v + v+),
//   x+ = cos(w h) x + sin(w h)/w v - (1 - cos(w h)) d/(2 m w^2) (v + v+),
// the determinant of which is (1 - g)/(1 + g): the square of what a step does to a vibration. It is
// below one up to half a period, w h = pi, however strong the damper is.
constexpr double w = 2.0, mass = 0.5, damper = 0.3;

/// From three states in a row: what a step multiplies areas by.
double determinant_of_run(double h) {
    const Linear oscillator{matrix(2, 2, {0.0, 1.0, -w * w, 0.0}),
                            matrix(2, 1, {0.0, 1.0 / mass}),
                            MatrixXd::Identity(2, 2),
                            MatrixXd::Zero(2, 1),
                            {1.0, 0.5}};
    const Linear dashpot{MatrixXd::Zero(0, 0),
                         MatrixXd::Zero(0, 1),
                         MatrixXd::Zero(1, 0),
                         matrix(1, 1, {-damper}),
                         {}};
    Pair pair(oscillator, dashpot, {{.output = 1, .input = 1}, {.output = 2, .input = 0}}, 1e-12);
    pair.prepare({{.solver = {.tolerance = 1e-12}}, InputForm::mean});
    MatrixXd states(2, 3);
    for (int i = -2; i < 3; ++i) {
        pair.advance(h);
        if (i >= 0) states.col(i) << pair.outputs()[0], pair.outputs()[1];
    }
    return states.rightCols(2).determinant() / states.leftCols(2).determinant();
}

TEST(IterativeStability, of_means_ends_at_half_a_period_of_a_mass_with_a_damper_outside) {
    const double half_period = std::acos(-1.0) / w;
    for (const double part : {0.1, 0.5, 0.99, 1.01, 1.5}) {
        const double h = part * half_period;
        const double g = damper * std::sin(w * h) / (2.0 * mass * w);
        // Solvers and iterations leave 1e-12, of an area that may be a thousandth of the square.
        EXPECT_NEAR(determinant_of_run(h), (1.0 - g) / (1.0 + g), 1e-8) << part;
        EXPECT_EQ(determinant_of_run(h) < 1.0, part < 1.0) << part;
    }
}

}  // namespace
}  // namespace tandem
