#include "tandem/extend/port_variables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/mock_subsystem.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

using ::testing::ElementsAre;

TEST(PortVariables, are_inputs_as_given_last_and_outputs_as_they_are) {
    test::MockSubsystem doubler("s", 1,
                                [](double, const std::vector<double>& u) { return 2.0 * u[0]; });
    doubler.ports().inputs[0].name = "u";
    doubler.ports().outputs[0].name = "y";
    PortVariables variables;
    variables.prepare(doubler);
    ASSERT_EQ(variables.list().size(), 2U);
    EXPECT_TRUE(variables.list()[0].is_input);
    EXPECT_EQ(variables.list()[1].name, "y");
    const std::size_t both[] = {1, 0};
    const VariableGroup group = variables.group(both);
    Values values;
    values.resize(group.type, group.size);
    const VariableGroup input = variables.group(std::span(both).last(1));
    Values three;
    three.reals = {3.0};
    variables.write(input, three);
    doubler.step({0.0, 1.0});
    variables.read(group, values);
    EXPECT_THAT(values.reals, ElementsAre(6.0, 3.0));
    const double five[] = {5.0};
    variables.keep_inputs(five);
    variables.read(group, values);
    EXPECT_THAT(values.reals, ElementsAre(6.0, 5.0));
    EXPECT_THROW(variables.write(variables.group(std::span(both).first(1)), three), InputError);
}

}  // namespace
}  // namespace tandem
