// When discrete values arrive where models are solved together.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/odd_models.hpp"

namespace tandem {
namespace {

using testing::Columns;
using testing::odd_text;
using testing::SystemFile;
using testing::TextColumns;

const std::string aggregated =
    "[record]\nvariables = [\"*\"]\n[coupling]\nmethod = \"aggregate\"\ntolerance = 1e-10\n";

const std::vector<std::string> solved_by_us = {"native", "fmi1_me", "fmi2_me", "fmi3_me"};

class SampledControl : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, SampledControl, ::testing::ValuesIn(solved_by_us),
                         [](const auto& kind) { return kind.param; });

constexpr double a = -1.0, b = 2.0, kp = 1.5, ki = 0.8, reference = 1.0, period = 0.1;

std::string plant(const std::string& kind) {
    return odd_text("plant", "HiddenVariables", kind, fmt::format("a = {}, b = {}, x = 3", a, b));
}
std::string controller(const std::string& kind) {
    return odd_text(
        "controller", "SampledUnit", kind,
        fmt::format("kp = {}, ki = {}, reference = {}, period = {}", kp, ki, reference, period));
}

/// dx/dt = a x + b u with u held over each period: the PI law sees x(t_k) at t_k.
std::vector<double> controlled(std::size_t samples) {
    const double decay = std::exp(a * period), gain = (decay - 1.0) / a * b;
    std::vector<double> x = {3.0};
    double integral = 0.0;
    while (x.size() < samples) {
        const double error = reference - x.back();
        integral += ki * period * error;
        x.push_back(decay * x.back() + gain * (kp * error + integral));
    }
    return x;
}

TEST_P(SampledControl, SeesTheContinuousStateOfTheSameInstant) {
    for (const std::string& of_plant : solved_by_us) {
        SCOPED_TRACE("plant " + of_plant);
        SystemFile file(
            "connections = [\"plant.x -> controller.y\", \"controller.u -> plant.u\"]\n"
            "[experiment]\nstop = 2\nstep = 0.05\n" +
            aggregated + controller(GetParam()) + plant(of_plant));
        const Columns columns = file.run();
        const std::vector<double> expected = controlled(21);
        for (std::size_t k = 0; k < expected.size(); ++k)
            ASSERT_NEAR(testing::at(columns, "plant.x", static_cast<double>(k) * period),
                        expected[k], 1e-8)
                << k;
    }
}

// A unit that samples between plant and controller changes nothing if all sample together: with
// kp = -1 and reference 0 it says what it sees.
TEST_P(SampledControl, SeesWhatASensorHasSampledAtTheSameInstant) {
    const std::string sensor = odd_text("sensor", "SampledUnit", GetParam(), "kp = -1");
    for (const std::string& parts : {sensor + controller(GetParam()) + plant("native"),
                                     controller(GetParam()) + plant("native") + sensor}) {
        SystemFile file(
            "connections = [\"plant.x -> sensor.y\", \"sensor.u -> controller.y\", "
            "\"controller.u -> plant.u\"]\n[experiment]\nstop = 2\nstep = 0.05\n" +
            aggregated + parts);
        const Columns columns = file.run();
        const std::vector<double> expected = controlled(21);
        for (std::size_t k = 0; k < expected.size(); ++k)
            ASSERT_NEAR(testing::at(columns, "plant.x", static_cast<double>(k) * period),
                        expected[k], 1e-8)
                << k;
    }
}

// The stair has the height 1 + k from k * 0.1 on. Every unit adds one to the count and a mark to
// the text, and turns the flag round.
TEST_P(SampledControl, PassesValuesOfEveryTypeAlongAChainWithinOneInstant) {
    std::vector<std::string> parts = {
        testing::subsystem_text("stair", "Stair", GetParam(), "period = 0.1"),
        odd_text("first", "SampledUnit", GetParam(), "text_in = \"a\", gear_in = 3"),
        odd_text("second", "SampledUnit", GetParam()),
        odd_text("third", "SampledUnit", GetParam()),
    };
    for (int listing = 0; listing < 2; ++listing) {
        SCOPED_TRACE(listing);
        std::string text =
            "connections = [\"stair.count -> first.count_in\", \"first.count -> second.count_in\", "
            "\"second.count -> third.count_in\", \"first.flag -> second.flag_in\", "
            "\"second.flag -> third.flag_in\", \"first.text -> second.text_in\", "
            "\"second.text -> third.text_in\", \"first.gear -> second.gear_in\", "
            "\"second.gear -> third.gear_in\"]\n[experiment]\nstop = 0.95\nstep = 0.05\n" +
            aggregated;
        for (const std::string& part : parts) text += part;
        std::ranges::reverse(parts);
        SystemFile file(text);
        const TextColumns columns = file.run_text();
        const auto number = [&](const char* name, std::size_t row) {
            return std::stod(columns.at(name)[row]);
        };
        for (std::size_t k = 0; k + 1 < columns.at("time").size(); ++k) {
            if (columns.at("time")[k] == columns.at("time")[k + 1]) continue;  // before an event
            EXPECT_EQ(number("third.count", k), number("stair.count", k) + 3.0)
                << columns.at("time")[k];
            EXPECT_EQ(columns.at("third.text")[k], "a+++") << columns.at("time")[k];
            EXPECT_EQ(columns.at("third.gear")[k], "3") << columns.at("time")[k];
            EXPECT_EQ(columns.at("third.flag")[k], columns.at("first.flag")[k]);
            EXPECT_NE(columns.at("third.flag")[k], columns.at("second.flag")[k]);
        }
    }
}

// With kp = -1 and reference 0 the unit says what it sees: k at the k-th period, where both act.
TEST_P(SampledControl, SeesWhatAnotherModelShowsBehindItsOwnTimeEvent) {
    const std::string stair = odd_text("stair", "HiddenStair", GetParam());
    const std::string unit = odd_text("unit", "SampledUnit", GetParam(), "kp = -1");
    for (const std::string& parts : {stair + unit, unit + stair}) {
        SystemFile file(
            "connections = [\"stair.y -> unit.y\"]\n[experiment]\nstop = 0.95\n"
            "step = 0.05\n" +
            aggregated + parts);
        const Columns columns = file.run();
        for (int k = 1; k < 9; ++k)
            EXPECT_EQ(testing::at(columns, "unit.u", 0.1 * k + 0.05), k) << parts;
    }
}

// Two sampled models that feed each other, count = other count + 1: the one that is listed first
// updates first, and a value needs one period for its way round. At 0, 0.1, ... 0.4 one has 1, 3,
// 5, 7, 9 and two has 2, 4, 6, 8, 10. (FMI 1.0 takes the first sample when it is initialised.)
TEST_P(SampledControl, GoesRoundACycleOfSampledValuesOnceInAPeriod) {
    SystemFile file(
        "connections = [\"one.count -> two.count_in\", \"two.count -> one.count_in\"]\n"
        "[experiment]\nstop = 0.45\nstep = 0.05\n" +
        aggregated + odd_text("one", "SampledUnit", GetParam()) +
        odd_text("two", "SampledUnit", GetParam()));
    const Columns columns = file.run();
    const double one = columns.at("one.count").back(), two = columns.at("two.count").back();
    EXPECT_EQ(two, one + 1.0);
    EXPECT_EQ(testing::at(columns, "one.count", 0.35), one - 2.0);
    EXPECT_EQ(one, GetParam() == "fmi1_me" ? 8.0 : 9.0);
}

// y = 1 + u/2 + s with u = y: y = 2 + 2 s, and s becomes 0.4 u at each sample, with the u before
// it.
TEST(SampledLoops, SampleWhatIsBeforeTheSample) {
    for (const std::string kind : {"native", "fmi2_me", "fmi3_me"})
        for (const std::string coupling : {"aggregate", "iterative"}) {
            SCOPED_TRACE(kind + " " + coupling);
            SystemFile file(
                "connections = [\"p.y1 -> p.u1\"]\n[experiment]\nstop = 1\n"
                "step = 0.1\n[coupling]\nmethod = \"" +
                coupling + "\"\n" +
                odd_text("p", "HybridDirect", kind,
                         "x1 = 1.0, c11 = 1.0, d11 = 0.5, g1 = 1.0, rule = 3, "
                         "first = 0.13, period = 0.13, height = 0.4"));
            double s = 0.0;
            for (int k = 0; k < 7; ++k) s = 0.4 * (2.0 + 2.0 * s);
            EXPECT_NEAR(file.run().at("p.y1").back(), 2.0 + 2.0 * s, 1e-9);
        }
}

}  // namespace
}  // namespace tandem
