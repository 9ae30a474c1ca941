#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>
#include <unsupported/Eigen/MatrixFunctions>

#include "support/mock_subsystem.hpp"
#include "tlm/line_subsystem.hpp"

namespace tandem {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Two equal masses on springs and dampers with a line between them; steps as long as the delay.
struct Pair {
    double m, b, k, impedance, delay;
};

/// What the wave does inside a step: it has its value at the end, is a straight line, or has its
/// value at the start.
enum class Reading { end, line, start };

/// (x, v, c, c') with c' constant, over a delay.
MatrixXd flow_of(const Pair& pair) {
    MatrixXd field = MatrixXd::Zero(4, 4);
    field(0, 1) = 1.0;
    field.row(1) << -pair.k / pair.m, -(pair.b + pair.impedance) / pair.m, 1.0 / pair.m, 0.0;
    field(2, 3) = 1.0;
    return (field * pair.delay).exp();
}

/// One step of y = (x1, v1, F1, x2, v2, F2), subsystems solved exactly:
///   m v' = -b v - k x + c - Z v,   c from c0 = F + Z v to c1 = Z v_other - F_other,
///   F = c1 - Z v at the end.
MatrixXd step_of(const Pair& pair, Reading reading) {
    const double h = pair.delay, z = pair.impedance;
    const MatrixXd flow = flow_of(pair);
    MatrixXd step = MatrixXd::Zero(6, 6);
    for (const int own : {0, 3}) {
        const int other = 3 - own;
        Eigen::Matrix<double, 1, 6> begin = Eigen::Matrix<double, 1, 6>::Zero(), end = begin;
        begin(own + 2) = 1.0, begin(own + 1) = z;
        end(other + 2) = -1.0, end(other + 1) = z;
        MatrixXd start = MatrixXd::Zero(4, 6);
        start(0, own) = start(1, own + 1) = 1.0;
        start.row(2) = reading == Reading::end ? end : begin;
        if (reading == Reading::line) start.row(3) = (end - begin) / h;
        const MatrixXd state = flow * start;
        step.row(own) = state.row(0);
        step.row(own + 1) = state.row(1);
        step.row(own + 2) = end - z * state.row(1);
    }
    return step;
}

/// All but the one that a line under static load always has, 1.
std::vector<double> other_moduli(const Pair& pair, Reading reading) {
    // Forces of the size of k x, times of the size of the delay.
    VectorXd scale(6);
    const double size = std::sqrt(pair.k * pair.m);
    scale << 1.0, std::sqrt(pair.k / pair.m), std::sqrt(pair.k / pair.m) * size, 1.0,
        std::sqrt(pair.k / pair.m), std::sqrt(pair.k / pair.m) * size;
    const MatrixXd scaled =
        scale.cwiseInverse().asDiagonal() * step_of(pair, reading) * scale.asDiagonal();
    const auto values = scaled.eigenvalues().eval();
    Eigen::Index nearest = 0;
    (values.array() - 1.0).abs().minCoeff(&nearest);
    std::vector<double> moduli;
    for (Eigen::Index i = 0; i < values.size(); ++i)
        if (i != nearest) moduli.push_back(std::abs(values(i)));
    std::ranges::sort(moduli, std::greater{});
    return moduli;
}

class Draws {
public:
    explicit Draws(double longest) : longest_(longest) {}
    /// The damping of the pair that comes next.
    double next(Pair& pair) {
        pair.m = std::pow(10.0, between(-2.0, 2.0));
        pair.delay = std::pow(10.0, between(-5.0, 0.0));
        const double omega = std::pow(10.0, between(-3.0, std::log10(longest_))) / pair.delay;
        const double zeta = between(-1.5, 1.5);
        pair.impedance = std::pow(10.0, between(-3.0, 2.0)) * pair.m / pair.delay;
        pair.k = pair.m * omega * omega;
        pair.b = 2.0 * zeta * pair.m * omega;
        return zeta;
    }

private:
    double between(double low, double high) {
        return std::uniform_real_distribution(low, high)(random_);
    }
    double longest_;
    std::mt19937_64 random_{20240611};
};

struct Counts {
    int damped = 0, damped_but_growing = 0, driven = 0, driven_but_shrinking = 0;
};

Counts scan(Reading reading, double longest, double least_damping = 1e-3) {
    Draws draws(longest);
    Counts counts;
    for (int draw = 0; draw < 2000; ++draw) {
        Pair pair{};
        const double zeta = draws.next(pair);
        if (std::abs(zeta) < least_damping) continue;
        const double largest = other_moduli(pair, reading).front();
        if (zeta > 0.0) {
            ++counts.damped;
            if (largest >= 1.0 + 1e-12) ++counts.damped_but_growing;
        } else {
            ++counts.driven;
            if (largest <= 1.0) ++counts.driven_but_shrinking;
        }
    }
    return counts;
}

constexpr Pair example{0.01, 0.2, 140.0, 0.4, 4e-4};

void expect_moduli(Reading reading, const std::vector<double>& expected) {
    const std::vector<double> moduli = other_moduli(example, reading);
    for (std::size_t i = 0; i < expected.size(); ++i)
        EXPECT_NEAR(moduli[i], expected[i], 1e-9) << i;
}

TEST(TlmStability, of_an_example_is_as_computed_elsewhere) {
    expect_moduli(Reading::end,
                  {0.9960095195, 0.9960095195, 0.9880717129, 0.9880717129, 0.9841242962});
    expect_moduli(Reading::line,
                  {0.9999364833, 0.9960381869, 0.9960381869, 0.9960065538, 0.9960065538});
    expect_moduli(Reading::start,
                  {1.015874702, 1.003938723, 1.003938723, 0.9960637458, 0.9960637458});
}

TEST(TlmStability, with_straight_waves_holds_in_the_whole_left_half_plane) {
    for (const double longest : {0.3, 3.0, 100.0}) {
        const Counts counts = scan(Reading::line, longest);
        EXPECT_GT(counts.damped, 900);
        EXPECT_EQ(counts.damped_but_growing, 0) << longest;
    }
    EXPECT_EQ(scan(Reading::line, 0.3, 0.05).driven_but_shrinking, 0);
}

TEST(TlmStability, with_the_wave_of_the_end_is_lost_where_delays_are_long) {
    EXPECT_EQ(scan(Reading::end, 0.3).damped_but_growing, 0);
    EXPECT_GT(scan(Reading::end, 100.0).damped_but_growing, 50);
    const Counts held = scan(Reading::start, 0.3);
    EXPECT_EQ(held.damped_but_growing, held.damped) << "sampled waves always grow";
}

/// A mass of the pair, solved exactly, that takes the wave with its slope.
class Mass final : public test::StubSubsystem {
public:
    Mass(const Pair& pair, double x, double v)
        : StubSubsystem("mass", 1, 1, {.input_derivatives = 1}), flow_(flow_of(pair)) {
        state_ << x, v, 0.0, 0.0;
    }
    void set_inputs(const InputCourse& course) override {
        state_(2) = course.values[0];
        state_(3) = course.order > 0 ? course.derivatives[0] : 0.0;
    }
    StepResult step(Interval interval) override {
        state_ = (flow_ * state_).eval();
        return {Outcome::complete, interval.end};
    }
    void get_outputs(std::span<double> outputs) override { outputs[0] = state_(1); }

private:
    MatrixXd flow_;
    Eigen::Vector4d state_;
};

// Both begin with the same velocity and opposite forces, so that no wave jumps.
TEST(TlmStability, is_that_of_the_lines_of_runs) {
    using namespace tlm;
    Draws draws(3.0);
    for (int draw = 0; draw < 50; ++draw)
        for (const auto& [reading, exchange] : {std::pair(Reading::line, TlmExchange::coarse),
                                                {Reading::start, TlmExchange::sampled}}) {
            Pair pair{};
            draws.next(pair);
            const double x1 = 1.0, x2 = -0.3, v = 0.5 / pair.delay;
            const double force = 0.2 * pair.impedance / pair.delay;
            TlmOptions options;
            options.delay = pair.delay;
            options.impedance = {pair.impedance};
            options.sign = -1.0;
            options.preload = {force};
            const auto element = std::make_shared<TlmElement>(options);
            std::vector<std::unique_ptr<TlmSubsystem>> masses;
            for (const int end : {0, 1}) {
                std::vector<TlmEnd> ends;
                ends.emplace_back(element, end,
                                  TlmPorts{.flows = {0}, .efforts = {0}, .takes_waves = true},
                                  TlmReading{exchange});
                masses.push_back(std::make_unique<TlmSubsystem>(
                    std::make_unique<Mass>(pair, end == 0 ? x1 : x2, v), std::move(ends)));
                masses.back()->expect_steps({pair.delay, pair.delay});
            }
            for (auto& mass : masses) mass->enter_initialisation({});
            for (auto& mass : masses) mass->exit_initialisation();
            const MatrixXd map = step_of(pair, reading);
            VectorXd y(6);
            y << x1, v, force, x2, v, -force;
            double largest = v;
            for (int k = 0; k < 40; ++k) {
                y = (map * y).eval();
                largest = std::max({largest, std::abs(y(1)), std::abs(y(4))});
                for (std::size_t m : {0, 1}) {
                    const double none = 0.0;
                    double output = 0.0;
                    ASSERT_TRUE(masses[m]->exchange_step({.values = {&none, 1}},
                                                         {k * pair.delay, (k + 1) * pair.delay},
                                                         {&output, 1}));
                    ASSERT_NEAR(output, y(m == 0 ? 1 : 4), 1e-9 * largest) << draw << " " << k;
                }
            }
        }
}

}  // namespace
}  // namespace tandem
