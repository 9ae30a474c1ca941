#include <gmock/gmock.h>

#include "unit/description/files.hpp"

namespace tandem::description {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TEST(SystemFile, says_everything_about_a_quarter_car) {
    const Files files;
    files.write("car.toml", R"toml(
name = "quarter car"

[experiment]
start = 0
stop = 2.5
step = 1e-3
tolerance = 1e-6

[subsystems.chassis]
source = "Chassis.fmu"
kind = "me"
solver = "cvode"
tolerance = 1e-8
parameters = { m = 300, "k.front" = 1.5e4, label = "red", on = true }

[subsystems.wheel]
source = "fmus/Wheel.fmu"
kind = "cs"
step_ratio = 4

[subsystems.controller]
source = "libcontroller.so"

[subsystems.road]
source = "road.csv"
interpolation = "linear"

[coupling]
method = "jacobi"
order = 1
smoothing = true
weights = [0.5, 1]

[record]
variables = ["*.x", "chassis.v"]
exclude = ["road.*"]
decimation = 10
events = false
output = ["out.csv", "out.h5"]

[[sources]]
target = "wheel.z"
expression = "0.1*sin(2*t)"
unit = "m"

[[functions]]
target = "controller.e"
expression = "a - b"
signals = { a = "chassis.x", b = "wheel.x" }

[[bonds]]
name = "suspension"
effort = "wheel.F -> chassis.F"
flow = "chassis.v -> wheel.v"

[[connections]]
from = "wheel.F"
to = "chassis.F"
factor = -1
suppress_unit_conversion = true

[[connections]]
from = "chassis.v"
to = "wheel.v"
)toml");
    const SystemDescription car = read_system(files / "car.toml");
    EXPECT_EQ(car.system.name, "quarter car");
    EXPECT_EQ(car.experiment.stop, 2.5);
    EXPECT_EQ(car.experiment.step, 1e-3);
    ASSERT_THAT(car.system.subsystems, SizeIs(4));
    const SubsystemDescription& chassis = car.system.subsystems[0];
    EXPECT_EQ(chassis.name, "chassis");
    EXPECT_EQ(chassis.kind, PreferredKind::model_exchange);
    EXPECT_EQ(chassis.source, files / "Chassis.fmu");
    EXPECT_EQ(chassis.place, (files / "car.toml").string() + ":10");
    ASSERT_THAT(chassis.bindings, SizeIs(1));
    ASSERT_THAT(chassis.bindings[0].parameters, SizeIs(4));
    EXPECT_EQ(chassis.bindings[0].parameters[1].name, "k.front");
    EXPECT_EQ(chassis.bindings[0].parameters[3].value.type, ValueType::boolean);
    EXPECT_EQ(car.system.subsystems[2].type, SourceType::library);
    EXPECT_EQ(car.system.subsystems[3].type, SourceType::table);
    EXPECT_EQ(car.coupling.method, "jacobi");
    ASSERT_THAT(car.coupling.options, SizeIs(3));
    EXPECT_EQ(car.coupling.options[0].as_integer(), 1);
    EXPECT_TRUE(car.coupling.options[1].as_boolean());
    EXPECT_EQ(car.coupling.options[2].entries[0].as_real(), 0.5);
    EXPECT_EQ(car.recording.decimation, 10);
    EXPECT_FALSE(car.recording.events);
    EXPECT_THAT(car.recording.outputs, SizeIs(2));

    const FlatSystem flat = files.flat("car.toml");
    EXPECT_EQ(flat.subsystems[0].option("solver")->as_text(), "cvode");
    EXPECT_EQ(flat.subsystems[1].option("step_ratio")->as_integer(), 4);
    EXPECT_THAT(connection_texts(flat),
                ElementsAre("wheel.F -> chassis.F", "chassis.v -> wheel.v"));
    EXPECT_EQ(flat.connections[0].stages.at(0).transformation.factor, -1.0);
    EXPECT_TRUE(flat.connections[0].stages.at(0).suppress_unit_conversion);
    ASSERT_THAT(flat.functions, SizeIs(2));
    EXPECT_EQ(flat.functions[0].expression, "a - b");
    ASSERT_THAT(flat.functions[0].signals, SizeIs(2));
    EXPECT_EQ(flat.functions[0].signals[1].variable.name, "x");
    EXPECT_EQ(flat.functions[1].expression, "0.1*sin(2*t)");
    EXPECT_EQ(flat.functions[1].targets.at(0).variable.name, "z");
    ASSERT_THAT(flat.bonds, SizeIs(1));
    EXPECT_EQ(flat.bonds[0].effort, 0U);
    EXPECT_EQ(flat.bonds[0].flow, 1U);
}

TEST(SystemFile, keeps_the_order_in_which_subsystems_are_written) {
    const Files files;
    files.write("s.toml",
                "[subsystems.zeta]\nsource='a.fmu'\n[subsystems.alpha]\nsource='a.fmu'\n"
                "[subsystems.mid]\nsource='a.fmu'\n");
    const FlatSystem flat = files.flat("s.toml");
    EXPECT_EQ(flat.subsystems[0].name, "zeta");
    EXPECT_EQ(flat.subsystems[1].name, "alpha");
    EXPECT_EQ(flat.subsystems[2].name, "mid");
}

TEST(SystemFile, takes_connections_as_texts_and_tables_in_one_list) {
    const Files files;
    files.write("s.toml", R"(
connections = ["a.y -> b.u", { from = "b.y", to = "a.u", map = { true = false, false = true } },
  { from = "a.mode", to = "b.mode", map = { 1 = 3, 2 = 4 } },
  { from = "a.gear", to = "b.gear", map = { low = "LOW", high = "HIGH" } }]
[subsystems]
a = { source = "a.fmu" }
b = { source = "b.fmu" }
)");
    const FlatSystem flat = files.flat("s.toml");
    ASSERT_THAT(flat.connections, SizeIs(4));
    EXPECT_TRUE(flat.connections[0].stages.empty());
    EXPECT_EQ(value_map(flat.connections[1].stages)->type, Transformation::Type::boolean);
    EXPECT_EQ(value_map(flat.connections[2].stages)->type, Transformation::Type::integer);
    EXPECT_EQ(value_map(flat.connections[3].stages)->type, Transformation::Type::enumeration);
    EXPECT_EQ(value_map(flat.connections[3].stages)->entries[1].target, "HIGH");
    EXPECT_THAT(flat.connections[2].place, HasSubstr("s.toml:3"));
}

TEST(SystemFile, reads_parameters_with_units_types_and_arrays) {
    const Files files;
    files.write("s.toml", R"(
[subsystems.a]
source = "a.fmu"
[subsystems.a.parameters]
speed = { value = 36, unit = "km/h" }
small = { value = 3, type = "Int8" }
gear = { value = "high", enumeration = "Gear" }
matrix = [[1, 2, 3], [4, 5, 6.5]]
frame.mass = 2
)");
    const FlatSystem flat = files.flat("s.toml");
    EXPECT_EQ(parameter(flat, "a", "speed")->value.unit, "km/h");
    EXPECT_EQ(parameter(flat, "a", "small")->value.type, ValueType::int8);
    EXPECT_EQ(parameter(flat, "a", "gear")->value.enumeration, "Gear");
    const ParameterValue& matrix = parameter(flat, "a", "matrix")->value;
    EXPECT_THAT(matrix.dimensions, ElementsAre(2U, 3U));
    EXPECT_THAT(matrix.values.reals, ElementsAre(1, 2, 3, 4, 5, 6.5));
    EXPECT_EQ(real_parameter(flat, "a", "frame.mass"), 2.0);
}

TEST(SystemFile, is_understood_as_the_documentation_shows_it) {
    std::ifstream page(std::string(TANDEM_SOURCE_DIR) + "/docs/system_file.md");
    const std::string text{std::istreambuf_iterator<char>(page), {}};
    const auto begin = text.find("```toml\n") + 8;
    const Files files;
    files.write("s.toml", text.substr(begin, text.find("```", begin) - begin));
    files.write("trailer.toml", R"(
connectors = { load = { kind = "parameter" } }
connections = ["load -> box.m"]
[subsystems.box]
source = "Box.fmu"
)");
    files.write("measured.csv", "time,chassis.x\n");
    const FlatSystem flat = files.flat("s.toml");
    EXPECT_EQ(flat.report.reference, files / "measured.csv");
    EXPECT_THAT(flat.report.plots, SizeIs(1));
    EXPECT_THAT(flat.subsystems, SizeIs(6));
    EXPECT_THAT(flat.connections, SizeIs(5));
    EXPECT_THAT(flat.functions, SizeIs(2));
    EXPECT_THAT(flat.events, SizeIs(1));
    EXPECT_THAT(flat.bonds, SizeIs(1));
    EXPECT_THAT(flat.tlm, SizeIs(1));
    EXPECT_EQ(real_parameter(flat, "rear.wheel", "m"), 40);
    EXPECT_EQ(parameter(flat, "trailer.box", "m")->value.unit, "t");
}

TEST(SystemFile, defines_units_and_enumerations) {
    const Files files;
    files.write("s.toml", R"(
[units]
furlong = { m = 1, factor = 201.168 }
[enumerations]
Gear = ["park", "drive"]
Mode = { off = 0, on = 5 }
[subsystems.a]
source = "a.fmu"
)");
    const FlatSystem flat = files.flat("s.toml");
    EXPECT_EQ(flat.unit("furlong")->factor, 201.168);
    EXPECT_EQ(flat.unit("km")->factor, 1000.0);
    EXPECT_FALSE(flat.unit("smoot").has_value());
    EXPECT_EQ(flat.enumeration("Gear")->items[1].value, 2);
    EXPECT_EQ(flat.enumeration("Mode")->items[1].value, 5);
}

}  // namespace
}  // namespace tandem::description
