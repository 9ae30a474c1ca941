// Subsystems at lines with outputs that follow inputs within the instant.
#include <gtest/gtest.h>

#include <array>

#include "support/hidden_subsystem.hpp"
#include "support/linear_system.hpp"
#include "tandem/error.hpp"
#include "tlm/line_subsystem.hpp"

namespace tandem::test {
namespace {

using tlm::TlmElement;
using tlm::TlmEnd;
using tlm::TlmExchange;
using tlm::TlmPorts;
using tlm::TlmSubsystem;

constexpr double delay = 1e-2, impedance = 2.0;

std::unique_ptr<ode::HostedOde> hosted(const LinearPart& part) {
    ode::HostedOdeOptions options;
    options.solver.method = ode::Method::dopri5;
    return std::make_unique<ode::HostedOde>(
        std::make_unique<LinearModelOde>(part, VectorXd::Ones(part.a.rows())), options);
}

std::shared_ptr<TlmElement> line() {
    tlm::TlmOptions options;
    options.name = "line";
    options.delay = delay;
    options.impedance = {impedance};
    return std::make_shared<TlmElement>(options);
}

void start(TlmSubsystem& subsystem) {
    subsystem.enter_initialisation({.stop = 10.0, .tolerance = {}});
    subsystem.exit_initialisation();
}

/// The flow x follows the effort u1 and another input u2; a second output is u1 + u2.
LinearPart mass() {
    return {MatrixXd::Constant(1, 1, -1.0), MatrixXd::Constant(1, 2, -1.0),
            (MatrixXd(2, 1) << 1.0, 0.0).finished(), (MatrixXd(2, 2) << 0, 0, 1, 1).finished(),
            VectorXd::Zero(1)};
}

/// Two of them with a line between their first ports.
class Pair {
public:
    Pair(TlmExchange exchange, bool takes_laws) {
        const auto element = line();
        for (int end : {0, 1}) {
            std::unique_ptr<Subsystem> inner = hosted(mass());
            if (!takes_laws) inner = std::make_unique<HiddenSubsystem>(std::move(inner));
            std::vector<TlmEnd> ends;
            ends.emplace_back(element, end, TlmPorts{.flows = {0}, .efforts = {0}},
                              tlm::TlmReading{exchange});
            subsystems_.push_back(
                std::make_unique<TlmSubsystem>(std::move(inner), std::move(ends)));
            subsystems_.back()->expect_steps({delay, delay});
        }
        for (auto& subsystem : subsystems_) start(*subsystem);
    }
    Subsystem& operator[](std::size_t k) { return *subsystems_[k]; }

    /// The other input begins with `value` and goes up.
    std::array<double, 2> step(Interval interval, double value) {
        const std::array<double, 2> values = {0.0, value}, slopes = {0.0, 10.0};
        std::array<double, 2> outputs{};
        for (std::size_t k : {1, 0})
            EXPECT_TRUE(subsystems_[k]->exchange_step({values, slopes, 1}, interval, outputs));
        return outputs;
    }
    std::array<double, 2> outputs() {
        std::array<double, 2> outputs{};
        subsystems_[0]->get_outputs(outputs);
        return outputs;
    }

private:
    std::vector<std::unique_ptr<TlmSubsystem>> subsystems_;
};

TEST(TlmFeedThrough, a_step_that_is_taken_back_leaves_nothing_behind) {
    for (const auto exchange :
         {TlmExchange::sampled, TlmExchange::coarse, TlmExchange::fine, TlmExchange::continuous})
        for (const bool takes_laws : {true, false}) {
            if (!takes_laws && exchange > TlmExchange::coarse) continue;
            SCOPED_TRACE(static_cast<int>(exchange));
            Pair pair(exchange, takes_laws);
            pair.step({0.0, delay}, 1.0);
            pair.step({delay, 2.0 * delay}, 2.0);
            const auto before = pair.outputs();
            for (std::size_t k : {0, 1}) pair[k].save(StateSlot::step_begin);
            const auto first = pair.step({2.0 * delay, 3.0 * delay}, -5.0);
            for (std::size_t k : {0, 1}) pair[k].restore(StateSlot::step_begin);
            EXPECT_EQ(pair.outputs(), before);
            EXPECT_EQ(pair.step({2.0 * delay, 3.0 * delay}, -5.0), first);
        }
}

TEST(TlmFeedThrough, outputs_follow_inputs_of_couplings_as_they_are_at_the_end_of_the_step) {
    Pair by_slopes(TlmExchange::coarse, false), by_laws(TlmExchange::coarse, true);
    const auto slopes = by_slopes.step({0.0, delay}, 1.0), laws = by_laws.step({0.0, delay}, 1.0);
    // The other end begins with the flow 1, and is heard of now.
    const double others = 1.0 + 10.0 * delay + 2.0 * impedance;
    EXPECT_NEAR(slopes[1], others + impedance * slopes[0], 1e-12);
    EXPECT_NEAR(laws[1], others + impedance * laws[0], 1e-12);
}

/// Two flows G (p1 - p2) and -G (p1 - p2) into lines at both sides of an orifice without volume.
LinearPart orifice(double conductance) {
    return {MatrixXd::Zero(1, 1), MatrixXd::Zero(1, 2), MatrixXd::Zero(2, 1),
            conductance * (MatrixXd(2, 2) << -1, 1, 1, -1).finished(), VectorXd::Zero(1)};
}

// With waves c1 and c2: p1 = c1 + Z q1, p2 = c2 - Z q1, q1 = G (p2 - p1): so
// q1 = G (c2 - c1) / (1 + 2 G Z).
TEST(TlmFeedThrough, an_orifice_between_two_lines_takes_both_efforts_at_once) {
    for (const double conductance : {0.1, 1.0, 50.0}) {
        const auto left = line(), right = line();
        for (const auto& element : {left, right})
            element->lines[1].prepare({.width = 4, .capacity = 4});
        std::vector<TlmEnd> ends;
        ends.emplace_back(left, 0, TlmPorts{.flows = {0}, .efforts = {0}},
                          tlm::TlmReading{TlmExchange::continuous});
        ends.emplace_back(right, 0, TlmPorts{.flows = {1}, .efforts = {1}},
                          tlm::TlmReading{TlmExchange::continuous});
        TlmSubsystem subsystem(hosted(orifice(conductance)), std::move(ends));
        subsystem.expect_steps({delay, delay});
        start(subsystem);
        left->lines[1].add(0.0, std::array<double, 4>{7.0});
        right->lines[1].add(0.0, std::array<double, 4>{3.0});
        std::array<double, 2> outputs{};
        EXPECT_TRUE(
            subsystem.exchange_step({.values = std::array<double, 2>{}}, {0.0, delay}, outputs));
        const double flow = conductance * (3.0 - 7.0) / (1.0 + 2.0 * conductance * impedance);
        EXPECT_NEAR(outputs[0], flow, 1e-10) << conductance;
        EXPECT_NEAR(outputs[1], -flow, 1e-10) << conductance;
    }
}

// effort = wave + Z flow with the flow effort / Z: no effort is right.
TEST(TlmFeedThrough, flows_that_leave_no_effort_right_are_said) {
    const auto element = line();
    element->lines[1].prepare({.width = 4, .capacity = 4});
    std::vector<TlmEnd> ends;
    ends.emplace_back(element, 0, TlmPorts{.flows = {0}, .efforts = {0}},
                      tlm::TlmReading{TlmExchange::continuous});
    const LinearPart source{MatrixXd::Zero(1, 1), MatrixXd::Zero(1, 1), MatrixXd::Zero(1, 1),
                            MatrixXd::Constant(1, 1, 1.0 / impedance), VectorXd::Zero(1)};
    TlmSubsystem subsystem(hosted(source), std::move(ends));
    subsystem.expect_steps({delay, delay});
    start(subsystem);
    element->lines[1].add(0.0, std::array<double, 4>{7.0});
    std::array<double, 1> outputs{};
    EXPECT_THROW(subsystem.exchange_step({.values = outputs}, {0.0, delay}, outputs),
                 NumericsError);
}

}  // namespace
}  // namespace tandem::test
