// FMI 1.0 has one call for the initialisation: inputs are set before it.

#include <gtest/gtest.h>

#include <algorithm>

#include "support/model_kinds.hpp"

namespace tandem {
namespace {

class Fmi1Order : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, Fmi1Order, ::testing::Values("fmi1_cs", "fmi1_me"),
                         [](const auto& kind) { return kind.param; });

TEST_P(Fmi1Order, inputs_are_read_and_set_before_the_initialisation) {
    std::vector<std::string> calls;
    fmi::InstanceOptions instance;
    instance.name = "Dahlquist";
    instance.on_call = [&](const std::string& call) { calls.push_back(call); };
    const auto fmu = fmi::Fmu::open(test::file_of("Dahlquist", GetParam()));
    std::unique_ptr<Subsystem> subsystem;
    if (GetParam() == "fmi1_me")
        subsystem = std::make_unique<ode::HostedOde>(
            std::make_unique<subsystem::FmuOde>(fmu, instance), ode::HostedOdeOptions{});
    else
        subsystem = std::make_unique<subsystem::CsFmu>(
            fmu, subsystem::CsFmuOptions{.instance = instance, .on_event = {}});
    const std::string input = subsystem->interface().inputs.at(0).name;
    subsystem->enter_initialisation({0.0, 1.0, 1e-6});
    EXPECT_EQ(test::read(*subsystem, input).reals, std::vector{0.0});
    const double value = 2.5;
    subsystem->set_inputs({.values = {&value, 1}});
    EXPECT_EQ(test::read(*subsystem, input).reals, std::vector{2.5});
    subsystem->exit_initialisation();
    const auto place = [&](const std::string& name) {
        return std::find_if(calls.begin(), calls.end(),
                            [&](const std::string& call) { return call.starts_with(name); });
    };
    ASSERT_NE(place("fmiInitialize"), calls.end());
    EXPECT_LT(place("fmiSetReal("), place("fmiInitialize"));
}

}  // namespace
}  // namespace tandem
