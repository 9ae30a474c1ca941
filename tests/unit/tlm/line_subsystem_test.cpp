#include "tlm/line_subsystem.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "support/mock_subsystem.hpp"
#include "tandem/error.hpp"

namespace tandem::tlm {
namespace {

using test::MockSubsystem;

constexpr double delay = 1e-3, impedance = 0.5;

/// Two subsystems that do not take laws, with a line between them; the flow of the first is the
/// time, that of the second 0.
class HeldPair : public ::testing::Test {
protected:
    HeldPair() {
        TlmOptions options;
        options.name = "rod";
        options.delay = delay;
        options.impedance = {impedance};
        options.sign = -1.0;
        element_ = std::make_shared<TlmElement>(options);
        for (int end : {0, 1}) {
            auto mock = std::make_unique<MockSubsystem>(
                "mock", 1,
                [end](double t, const std::vector<double>&) { return end == 0 ? t : 0.0; },
                Capabilities{.input_derivatives = 1});
            mocks_.push_back(mock.get());
            std::vector<TlmEnd> ends;
            ends.emplace_back(element_, end, TlmPorts{.flows = {0}, .efforts = {0}},
                              TlmReading{TlmExchange::coarse});
            ends_.push_back(std::make_unique<TlmSubsystem>(std::move(mock), std::move(ends)));
        }
        start();
    }
    void start() {
        for (auto& subsystem : ends_) subsystem->expect_steps({delay, delay});
        for (auto& subsystem : ends_) subsystem->enter_initialisation({});
        for (auto& subsystem : ends_) subsystem->exit_initialisation();
    }
    void step(int number, double length) {
        const std::array<double, 2> zeros = {};
        double output[1];
        for (auto& subsystem : ends_)
            EXPECT_TRUE(subsystem->exchange_step(
                {.values = std::span(zeros).first(subsystem->interface().inputs.size())},
                {length * number, length * (number + 1)}, output));
    }

    std::shared_ptr<TlmElement> element_;
    std::vector<MockSubsystem*> mocks_;
    std::vector<std::unique_ptr<TlmSubsystem>> ends_;
};

// w = -c + 2 Z v; the second end receives 2 Z (t - T), and feels it with the flow 0.
TEST_F(HeldPair, gets_values_and_slopes_of_waves_with_the_flow_of_the_begin) {
    for (int k = 0; k < 4; ++k) step(k, delay / 2.0);
    const MockSubsystem::Course& second = mocks_[1]->courses[3];
    EXPECT_NEAR(second.values[0], 2.0 * impedance * 0.5e-3, 1e-15);
    EXPECT_NEAR(second.derivatives[0], 2.0 * impedance, 1e-12);
    const MockSubsystem::Course& first = mocks_[0]->courses[1];
    EXPECT_NEAR(first.values[0], -impedance * 0.5e-3, 1e-15) << "nothing has come back yet";
    EXPECT_NEAR(first.derivatives[0], 0.0, 1e-12) << "the flow is held";
}

// An end that computes its effort itself takes the wave and how fast it changes.
TEST_F(HeldPair, gives_slopes_of_waves_to_an_input_of_their_own) {
    for (const auto& [exchange, takes_derivatives] : {std::pair(TlmExchange::coarse, false),
                                                      {TlmExchange::sampled, false},
                                                      {TlmExchange::coarse, true}}) {
        auto mock = std::make_unique<MockSubsystem>(
            "mock", 2, [](double, const std::vector<double>&) { return 0.0; },
            Capabilities{.input_derivatives = takes_derivatives ? 1 : 0});
        const MockSubsystem& second = *mock;
        std::vector<TlmEnd> ends;
        ends.emplace_back(element_, 1,
                          TlmPorts{.flows = {0}, .efforts = {1}, .takes_waves = true, .slope = 0},
                          TlmReading{exchange});
        ends_[1] = std::make_unique<TlmSubsystem>(std::move(mock), std::move(ends));
        start();
        for (int k = 0; k < 4; ++k) step(k, delay / 2.0);
        EXPECT_NEAR(second.courses[3].values[1], 2.0 * impedance * 0.5e-3, 1e-15);
        EXPECT_NEAR(second.courses[3].values[0],
                    exchange == TlmExchange::coarse ? 2.0 * impedance : 0.0, 1e-12);
        EXPECT_EQ(second.courses[3].derivatives,
                  std::vector<double>(takes_derivatives ? 2 : 0, 0.0));
    }
}

// Steps send at their ends; inside, both sides of an event, and rows that are not too near.
TEST(TlmEnd, sends_both_sides_of_events_inside_a_step) {
    TlmOptions options;
    options.delay = delay;
    options.impedance = {impedance};
    const auto element = std::make_shared<TlmElement>(options);
    TlmEnd end(element, 0, {.flows = {0}, .efforts = {0}}, {TlmExchange::continuous});
    TlmEnd(element, 1, {.flows = {0}, .efforts = {0}}, {}).prepare({delay, delay}, true);
    end.prepare({delay, delay}, true);
    end.start(0.0, std::array{1.0});
    end.begin_step({0.0, delay}, TlmEnd::Side::before);
    const double h = delay;
    const OutputTrace trace{{0.0, 0.5 * h, 0.5 * h, 0.501 * h, h}, {1.0, 1.0, -3.0, -3.0, -3.0}};
    end.end_step(std::array{-3.0}, &trace);
    const auto sent = [&](double t) {
        double wave[1];
        EXPECT_EQ(element->lines[0].read(t, wave), DelayLine::Read::good);
        return wave[0];
    };
    EXPECT_DOUBLE_EQ(sent(0.499 * h), 2.0 * impedance);
    EXPECT_DOUBLE_EQ(sent(0.5 * h), -6.0 * impedance);
    EXPECT_DOUBLE_EQ(sent(0.75 * h), -6.0 * impedance);
}

// Flow and effort on straight lines, and so the wave w = c + 2 Z f: the integrals of e f and of
// w^2 / (4 Z), by hand. With Z = 0.5 and preload 3 the flow goes from f0 to 4 f0 in a step.
TEST(TlmEnd, accounts_for_the_work_of_its_subsystem_and_the_energy_of_its_waves) {
    struct Case {
        double flow, put_in, taken_out, sent;
    };
    // c = 3 - Z f0: 2.5 and 3.5, e = c + Z f from 3 to 4.5 and to 1.5, w from 3.5 to 6.5 and from
    // 2.5 to -0.5.
    for (const Case each : {Case{1.0, 9.75, 0.0, 12.875}, Case{-1.0, 0.0, 5.25, 0.875}}) {
        TlmOptions options;
        options.delay = delay;
        options.impedance = {impedance};
        options.preload = {3.0};
        const auto element = std::make_shared<TlmElement>(options);
        TlmEnd end(element, 0, {.flows = {0}, .efforts = {0}}, {TlmExchange::coarse});
        TlmEnd(element, 1, {.flows = {0}, .efforts = {0}}, {}).prepare({delay, delay}, true);
        end.prepare({delay, delay}, true);
        end.start(0.0, std::array{each.flow});
        constexpr double h = delay / 2.0;
        end.begin_step({0.0, h}, TlmEnd::Side::before);
        end.end_step(std::array{4.0 * each.flow}, nullptr);
        const TlmElement::Layout at = element->layout();
        std::vector<double> row(at.width);
        ASSERT_EQ(element->lines[0].read(h, row), DelayLine::Read::good);
        EXPECT_NEAR(row[at.put_in], each.put_in * h, 1e-15);
        EXPECT_NEAR(row[at.taken_out], each.taken_out * h, 1e-15);
        EXPECT_NEAR(row[at.sent], each.sent * h, 1e-15);
    }
}

TEST_F(HeldPair, cannot_take_steps_longer_than_the_delay) {
    try {
        step(0, 2.0 * delay);
        FAIL() << "waves were read that nobody has sent";
    } catch (const NumericsError& error) {
        EXPECT_NE(std::string(error.what()).find("tlm 'rod'"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("longer than the delay, 0.001"),
                  std::string::npos);
    }
}

}  // namespace
}  // namespace tandem::tlm
