// Two volumes of oil and the line between them (examples/tlm_hydraulic), against the exact
// solution of their delay equation.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "support/example_folder.hpp"
#include "support/system_file.hpp"

namespace tandem::test {
namespace {

constexpr double capacity = 1e-3 / 1e9, leak = 5e-11;  // of each volume
constexpr double inertance = 6e6, resistance = 5e8;    // of the pipe beside it
constexpr double impedance = 1.74e9, delay = 1e-3;
constexpr double pumped = 1e-4, begin_of_flow = 0.01;

/// Pressure and flow of the pump, then of the load.
using State = std::array<double, 4>;

State sum(const State& a, double factor, const State& b) {
    State result;
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = a[i] + factor * b[i];
    return result;
}

/// The method of steps with Runge-Kutta's of order 4: what arrives in a step was sent before. In
/// the middle of a step flows are those of the cubic through values and rates at its ends. Steps
/// are a part of the delay and of the time at which the pump begins, so corners of the solution
/// are at their ends.
class DelaySolution {
public:
    DelaySolution(int steps_per_delay, double stop)
        : per_delay_(static_cast<std::size_t>(steps_per_delay)), h_(delay / steps_per_delay) {
        const auto steps = static_cast<std::size_t>(std::lround(stop / h_));
        while (states_.size() <= steps) step();
    }
    /// pump.p, pump.q, pump.p_line, load.p, load.q, load.p_line
    std::array<double, 6> at(double t) const {
        const auto k = static_cast<std::size_t>(std::lround(t / h_));
        const State& y = states_[k];
        const Waves c = arriving(sent_, k);
        return {y[0], y[1], c[0] + impedance * y[1], y[2], y[3], c[1] + impedance * y[3]};
    }

private:
    using Waves = std::array<double, 2>;

    /// What each end gets is what the other one has sent, nothing before the start.
    Waves arriving(const std::vector<Waves>& sent, std::size_t k) const {
        return k < per_delay_ ? Waves{} : Waves{sent[k - per_delay_][1], sent[k - per_delay_][0]};
    }
    static Waves sent(const Waves& c, double q_pump, double q_load) {
        return {c[0] + 2.0 * impedance * q_pump, c[1] + 2.0 * impedance * q_load};
    }
    static State rates(const State& y, const Waves& c, double from_pump) {
        State rate;
        for (std::size_t i = 0; i < 2; ++i) {
            const double p = y[2 * i], q = y[2 * i + 1], p_line = c[i] + impedance * q;
            rate[2 * i] = ((i == 0 ? from_pump : 0.0) - leak * p - q) / capacity;
            rate[2 * i + 1] = (p - p_line - resistance * q) / inertance;
        }
        return rate;
    }
    void step() {
        const std::size_t k = states_.size() - 1;
        const double from_pump = (static_cast<double>(k) + 0.5) * h_ < begin_of_flow ? 0.0 : pumped;
        const Waves c0 = arriving(sent_, k), c1 = arriving(sent_, k + 1);
        const Waves middle = arriving(sent_between_, k);
        const State& y = states_[k];
        const State a = rates(y, c0, from_pump);
        const State b = rates(sum(y, 0.5 * h_, a), middle, from_pump);
        const State c = rates(sum(y, 0.5 * h_, b), middle, from_pump);
        const State d = rates(sum(y, h_, c), c1, from_pump);
        const State next = sum(sum(y, h_ / 6.0, sum(a, 1.0, d)), h_ / 3.0, sum(b, 1.0, c));
        const State after = rates(next, c1, from_pump);
        const State between =
            sum(sum(State{}, 0.5, sum(y, 1.0, next)), h_ / 8.0, sum(a, -1.0, after));
        sent_between_.push_back(sent(middle, between[1], between[3]));
        sent_.push_back(sent(c1, next[1], next[3]));
        states_.push_back(next);
    }

    std::size_t per_delay_;
    double h_;
    std::vector<State> states_{State{}};
    std::vector<Waves> sent_{Waves{}}, sent_between_;  ///< at the ends of steps; in their middles
};

const std::vector<std::string> columns_of_solution = {"pump.p", "pump.q", "pump.p_line",
                                                      "load.p", "load.q", "load.p_line"};

/// Largest differences over all rows, in parts of the largest value.
double error_of(const Columns& columns, const DelaySolution& exact) {
    double error = 0.0;
    for (std::size_t i = 0; i < columns_of_solution.size(); ++i) {
        const std::vector<double>& values = columns.at(columns_of_solution[i]);
        double difference = 0.0, size = 0.0;
        for (std::size_t k = 0; k < values.size(); ++k) {
            const double right = exact.at(columns.at("time")[k])[i];
            difference = std::max(difference, std::abs(values[k] - right));
            size = std::max(size, std::abs(right));
        }
        error = std::max(error, difference / size);
    }
    return error;
}

TEST(HydraulicLine, has_a_reference_that_is_exact_to_a_millionth) {
    const DelaySolution coarse(40, 0.2), fine(80, 0.2);
    for (int k = 0; k <= 200; ++k)
        for (std::size_t i = 0; i < 6; ++i) {
            const double t = 1e-3 * k, size = i % 3 == 1 ? pumped : 1e6;
            EXPECT_NEAR(coarse.at(t)[i], fine.at(t)[i], 1e-7 * size) << t;
        }
}

class HydraulicExample : public ::testing::Test {
protected:
    double error(double step, const std::string& exchange) {
        const std::string folder = folder_.in_folder("examples/tlm_hydraulic/");
        std::string text = read_text_file(folder + "system.toml");
        const auto replace = [&](const std::string& old, const std::string& by) {
            text.replace(text.find(old), old.size(), by);
        };
        replace("step = 5e-4", fmt::format("step = {}", step));
        replace("ends = [", fmt::format("exchange = \"{}\"\nends = [", exchange));
        std::ofstream(folder + "changed.toml") << text;
        run::SystemRunOptions options;
        options.file = folder + "changed.toml";
        options.outputs = {folder_.in_folder("out.csv")};
        run::SystemRun system(options);
        system.perform();
        return error_of(numbers_of(read_text_columns(folder_.in_folder("out.csv"))), exact_);
    }

private:
    ExampleFolder folder_;
    DelaySolution exact_{40, 0.2};
};

// Waves are sent after each step of the solver and are straight lines between these: 2.6e-4 and
// 3.1e-5 of the pressure at the line; those of the volumes are fifty times better.
TEST_F(HydraulicExample, follows_the_exact_solution) {
    EXPECT_LT(error(5e-4, "auto"), 5e-4);
    EXPECT_LT(error(1e-4, "auto"), 6e-5);
}

// 7.3e-3 and 3.2e-4: second order.
TEST_F(HydraulicExample, follows_it_with_straight_lines_between_communication_points) {
    const double error_of_long_steps = error(5e-4, "coarse");
    EXPECT_LT(error_of_long_steps, 1.5e-2);
    EXPECT_GT(error_of_long_steps / error(1e-4, "coarse"), 15.0);
}

// At f = 1/(2 step) each end feeds in energy that the volumes take too slowly.
TEST_F(HydraulicExample, grows_with_held_waves) { EXPECT_GT(error(5e-4, "sampled"), 1e3); }

}  // namespace
}  // namespace tandem::test
