// Models for transmission lines (models/tlm_spring_mass, tlm_ends, hydraulic_line): their
// equations, the exactness of their Jacobians, and that FMUs are the same.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "support/tlm_models.hpp"

namespace tandem {
namespace {

using test::Settings;
using test::started;

TEST(TlmSpringMass, has_the_equations) {
    const auto left = started("TlmLeft", {{"x3", {0.3}}, {"v3", {-2.0}}});
    test::expect_rates(*left, {{"F3", {7.0}}}, {-2.0, (0.2 * 2.0 + 7.0) / 0.005});
    const auto right =
        started("TlmRight", {{"x1", {0.3}}, {"v1", {-2.0}}, {"x2", {0.1}}, {"v2", {4.0}}});
    test::expect_rates(*right, {{"F1", {7.0}}},
                       {-2.0, (0.4 - 90.0 * 0.2 + 7.0) / 0.005, 4.0, (-0.8 + 18.0 - 14.1) / 0.005});
}

TEST(TlmSpringMass, computes_the_force_from_a_wave_and_the_velocity_of_the_moment) {
    const auto left = started("TlmLeftWave", {{"v3", {-2.0}}});
    test::expect_rates(*left, {{"c", {7.0}}}, {-2.0, (0.4 + 7.0 + 0.8) / 0.005});
    test::expect_outputs(*left, {{"F3", {7.8}}, {"v3", {-2.0}}});
    const auto right = started("TlmRightWave", {{"v1", {-2.0}}, {"Zc", {0.5}}});
    test::expect_rates(*right, {{"c", {7.0}}}, {-2.0, (0.4 + 7.0 + 1.0) / 0.005, 0.0, 0.0});
    test::expect_outputs(*right, {{"F1", {8.0}}});
}

/// At times k/10: (k/10)^2.
Settings squares() {
    Settings table = {{"t_table", {}}, {"c_table", {}}};
    for (int k = 0; k < 10; ++k) {
        table["t_table"].push_back(0.1 * k);
        table["c_table"].push_back(0.01 * k * k);
    }
    return table;
}

TEST(TlmSpringMass, looks_waves_up_in_a_table_and_keeps_to_its_ends) {
    for (const auto& [shift, wave] :
         {std::pair{0.5, 0.0}, {-0.25, 0.065}, {-0.3, 0.09}, {-0.9, 0.81}, {-5.0, 0.81}}) {
        const std::vector<std::pair<std::string, std::string>> models = {{"TlmLeftTable", "F3"},
                                                                         {"TlmRightTable", "F1"}};
        for (const auto& [model, force] : models) {
            Settings table = squares();
            for (double& t : table["t_table"]) t += shift;
            const auto host = started(model, {});
            test::set_inputs(*host, table);
            test::expect_outputs(*host, {{force, {wave}}});
        }
    }
}

TEST(TlmSpringMass, takes_a_table_with_equal_times) {
    const auto host = started("TlmLeftTable", {});
    test::set_inputs(*host, {{"t_table", std::vector<double>(10, 0.0)},
                             {"c_table", std::vector<double>(10, 3.0)}});
    test::expect_outputs(*host, {{"F3", {3.0}}});
}

TEST(TlmSpringMass, begins_to_push_at_an_event) {
    const auto host = started("TlmLeft", {{"t_step", {0.05}}, {"B3", {0.0}}});
    ASSERT_TRUE(host->step({0.0, 0.1}));
    // v = Fext (t - t_step)/M3; positions are exact for a parabola.
    test::expect_outputs(*host, {{"v3", {-1000.0}}, {"x3", {-25.0}}}, 1e-9);
    EXPECT_EQ(host->statistics().time_events, 1);
}

TEST(TlmEnds, have_the_equations) {
    const auto mass =
        started("TlmMass", {{"m", {2.0}}, {"d", {3.0}}, {"k", {5.0}}, {"x", {0.7}}, {"v", {-2.0}}});
    test::expect_rates(*mass, {{"F", {11.0}}, {"F2", {-4.0}}},
                       {-2.0, (11.0 - 4.0 + 6.0 - 3.5) / 2.0});
    const auto damper = started("TlmDamper", {{"d", {0.6}}});
    test::set_inputs(*damper, {{"c", {5.0}}});
    test::expect_outputs(*damper, {{"v", {5.0}}, {"F", {3.0}}});
    const auto end = started("FixedEnd", {{"speed", {1.5}}});
    test::set_inputs(*end, {{"F", {-100.0}}});
    test::expect_outputs(*end, {{"v", {1.5}}});
}

TEST(HydraulicLine, has_the_equations) {
    const auto volume =
        started("HydraulicVolume",
                {{"V", {2e-3}}, {"p", {3e6}}, {"q", {-2e-4}}, {"q_in", {1e-4}}, {"t_step", {0.0}}});
    test::expect_rates(*volume, {{"p_line", {1e6}}},
                       {1e9 / 2e-3 * (1e-4 - 5e-11 * 3e6 + 2e-4), (2e6 + 2e4) / 8.5e5});
    const auto piston = started("HydraulicPiston", {{"m", {2.0}}, {"v", {0.3}}});
    test::expect_rates(*piston, {{"p", {1e6}}, {"F", {-400.0}}}, {0.3, (1e3 - 400.0 - 30.0) / 2.0});
    test::expect_outputs(*piston, {{"q", {-3e-4}}});
    const auto source = started("HydraulicSource", {{"flow", {1e-4}}});
    test::expect_outputs(*source, {{"q", {1e-4}}});
}

// Source and leak alone: p = q_in/G (1 - exp(-G beta/V (t - t_step))).
TEST(HydraulicLine, fills_a_volume_from_the_time_of_the_step) {
    const auto host = started("HydraulicVolume", {{"q_in", {1e-4}}, {"L", {1e18}}});
    ASSERT_TRUE(host->step({0.0, 0.05}));
    test::expect_outputs(*host, {{"p", {2e6 * (1.0 - std::exp(-0.04 / 0.02))}}}, 1e-7);
    EXPECT_EQ(host->statistics().time_events, 1);
}

TEST(TlmModels, have_exact_jacobians) {
    const Settings table = squares();
    const std::vector<std::pair<std::string, Settings>> cases = {
        {"TlmLeft", {}},        {"TlmRight", {}},        {"TlmLeftWave", {}},
        {"TlmRightWave", {}},   {"TlmLeftTable", table}, {"TlmRightTable", table},
        {"TlmMass", {}},        {"TlmDamper", {}},       {"FixedEnd", {}},
        {"FixedEnd3D", {}},     {"HydraulicVolume", {}}, {"HydraulicSource", {}},
        {"HydraulicPiston", {}}};
    for (const auto& [model, inputs] : cases) {
        SCOPED_TRACE(model);
        const auto host = started(model, {});
        test::set_inputs(*host, inputs);
        ASSERT_TRUE(host->step({0.0, 0.42}));  // inside the table
        test::expect_exact_jacobian(*host, 1e-7);
    }
}

/// Two ends of a line of D1, in lockstep with steps of half the delay; each sends
/// w = -c + 2 Zc v, and the other has it as c a delay later.
class Lockstep {
public:
    enum class Pattern { held, sloped, table };
    Lockstep(const std::string& kind, Pattern pattern) : pattern_(pattern) {
        const std::string suffix = pattern == Pattern::held     ? ""
                                   : pattern == Pattern::sloped ? "Wave"
                                                                : "Table";
        ends_[0] = test::make_kind("TlmLeft" + suffix, kind);
        ends_[1] = test::make_kind("TlmRight" + suffix, kind);
        for (const auto& end : ends_) test::initialise(*end, 0.5);
    }
    /// F3 at the end of the next step.
    double advance() {
        for (std::size_t i = 0; i < 2; ++i) step(i);
        for (std::size_t i = 0; i < 2; ++i)
            sent_[i].push_back(-wave(i, k_ + 1) + 2.0 * impedance * velocity(i));
        ++k_;
        return wave(0, k_) - impedance * velocity(0);
    }
    static constexpr double impedance = 0.4, h = 2e-4;

private:
    static constexpr std::size_t delay_ = 2;
    double wave(std::size_t i, std::size_t k) const {
        return k < delay_ ? 0.0 : sent_[1 - i][k - delay_];
    }
    double velocity(std::size_t i) { return test::output_of(*ends_[i], i == 0 ? "v3" : "v1"); }
    void step(std::size_t i) {
        const double begin = h * static_cast<double>(k_), end = h * static_cast<double>(k_ + 1);
        const double c = wave(i, k_), slope = (wave(i, k_ + 1) - c) / h;
        std::vector<double> inputs = {c};
        if (pattern_ == Pattern::held) inputs = {c - impedance * velocity(i)};
        if (pattern_ == Pattern::table) inputs = samples(begin, c, slope);
        const bool has_slope = pattern_ == Pattern::sloped;
        ends_[i]->set_inputs({inputs, std::span(&slope, has_slope ? 1 : 0), has_slope ? 1 : 0});
        ASSERT_TRUE(ends_[i]->step({begin, end}));
    }
    static std::vector<double> samples(double begin, double c, double slope) {
        std::vector<double> both(20);
        for (std::size_t j = 0; j < 10; ++j) {
            const double after = h * static_cast<double>(j) / 9.0;
            both[j] = begin + after;
            both[10 + j] = c + slope * after;
        }
        return both;
    }

    Pattern pattern_;
    std::array<std::unique_ptr<Subsystem>, 2> ends_;
    std::array<std::vector<double>, 2> sent_ = {std::vector<double>{0.0}, {0.0}};
    std::size_t k_ = 0;
};

/// F3 at the times 0.12, 0.2 and 0.5.
void expect_forces(const std::string& kind, Lockstep::Pattern pattern,
                   const std::vector<double>& expected) {
    SCOPED_TRACE(kind);
    Lockstep run(kind, pattern);
    const std::vector<long> at = {600, 1000, 2500};
    long k = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        double force = 0.0;
        for (; k < at[i]; ++k) force = run.advance();
        EXPECT_NEAR(force / expected[i], 1.0, 1e-5)
            << "at t = " << Lockstep::h * static_cast<double>(k);
    }
}

// The figures are those of exact integration inside the steps. FMI 3.0 has no slopes of inputs.
TEST(TlmSpringMass, has_the_forces_of_the_reference_with_waves_that_slope) {
    for (const std::string kind : {"native", "fmi1_cs", "fmi2_cs", "fmi2_me", "fmi3_me"})
        expect_forces(kind, Lockstep::Pattern::sloped, {53.0796315, 90.380824, 100.508986});
}

TEST(TlmSpringMass, has_the_same_forces_with_tables) {
    for (const std::string kind : {"native", "fmi2_cs", "fmi3_cs", "fmi3_me"})
        expect_forces(kind, Lockstep::Pattern::table, {53.0796315, 90.380824, 100.508986});
}

// The force grows without bound: at t = 0.5 it is 4e6 N.
TEST(TlmSpringMass, is_shaken_by_forces_that_are_held) {
    for (const std::string kind : {"native", "fmi2_cs", "fmi3_cs"})
        expect_forces(kind, Lockstep::Pattern::held, {37.3316084, 83.3879574});
}

}  // namespace
}  // namespace tandem
