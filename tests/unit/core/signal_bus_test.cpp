#include "tandem/extend/signal_bus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/mock_subsystem.hpp"

namespace tandem {
namespace {

using ::testing::ElementsAre;

class Stub final : public test::StubSubsystem {
public:
    Stub(std::size_t inputs, std::size_t outputs) : StubSubsystem("s", inputs, outputs, {}) {}
    void set_inputs(const InputCourse&) override {}
    StepResult step(Interval interval) override { return {Outcome::complete, interval.end}; }
    void get_outputs(std::span<double>) override {}
};

PortLayout layout_of(const std::vector<std::pair<std::size_t, std::size_t>>& sizes) {
    std::vector<std::unique_ptr<Subsystem>> subsystems;
    for (const auto& [inputs, outputs] : sizes)
        subsystems.push_back(std::make_unique<Stub>(inputs, outputs));
    return PortLayout(subsystems);
}

TEST(PortLayout, puts_the_ports_of_subsystems_one_after_the_other) {
    const PortLayout layout = layout_of({{2, 1}, {0, 0}, {1, 3}});
    EXPECT_EQ(layout.inputs(), 3);
    EXPECT_EQ(layout.outputs(), 4);
    EXPECT_EQ(layout.input_begin(2), 2);
    EXPECT_EQ(layout.output_begin(2), 1);
    EXPECT_EQ(layout.subsystem_of_input(1), 0);
    EXPECT_EQ(layout.subsystem_of_input(2), 2);
    EXPECT_EQ(layout.subsystem_of_output(0), 0);
    EXPECT_EQ(layout.subsystem_of_output(3), 2);
    EXPECT_THAT(layout.input_begins(), ElementsAre(0, 2, 2, 3));
}

TEST(SignalBus, routes_links_and_functions_to_all_or_to_one) {
    SignalBus bus(
        layout_of({{2, 1}, {1, 1}}),
        {{.output = 0, .input = 2, .gain = 2.0, .offset = 1.0}, {.output = 1, .input = 1}},
        {{0, {1, 0}, [](double t, std::span<const double> s) { return t + s[0] - s[1]; }}});
    bus.outputs()[0] = 3.0;
    bus.outputs()[1] = 10.0;
    bus.route_to(1, 0.5);
    EXPECT_THAT(bus.inputs(), ElementsAre(0.0, 0.0, 7.0));
    bus.route(0.5);
    EXPECT_THAT(bus.inputs(), ElementsAre(7.5, 10.0, 7.0));
    bus.outputs()[1] = 20.0;
    bus.route_input(1, 0.5);
    EXPECT_THAT(bus.inputs(), ElementsAre(7.5, 20.0, 7.0));
    EXPECT_TRUE(bus.is_fed(0));
    EXPECT_EQ(bus.links_into(1).size(), 1U);
    EXPECT_TRUE(bus.functions_into(1).empty());
    EXPECT_EQ(bus.inputs_of(1).size(), 1U);
}

}  // namespace
}  // namespace tandem
