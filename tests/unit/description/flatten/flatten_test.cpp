#include <gmock/gmock.h>

#include "description/values.hpp"
#include "unit/description/files.hpp"

namespace tandem::description {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* nested = R"(
connections = ["source.y -> car.u", { from = "car.y", to = "sink.u", factor = 10, offset = 1 }]
[subsystems.source]
source = "a.fmu"
[subsystems.sink]
source = "a.fmu"
[systems.car]
inputs = ["u"]
outputs = ["y"]
connections = ["u -> axle.u", { from = "axle.y", to = "y", factor = 3 }]
[systems.car.systems.axle]
inputs = ["u"]
outputs = ["y"]
connections = [{ from = "u", to = "wheel.u", factor = 2 }, { from = "wheel.y", to = "y", offset = 5 }]
[systems.car.systems.axle.subsystems.wheel]
source = "w.fmu"
)";

TEST(Flattening, leads_connections_through_system_connectors_and_multiplies_gains) {
    const Files files;
    files.write("s.toml", nested);
    const FlatSystem flat = files.flat("s.toml");
    EXPECT_THAT(connection_texts(flat),
                testing::UnorderedElementsAre("source.y -> car.axle.wheel.u",
                                              "car.axle.wheel.y -> sink.u"));
    for (const FlatConnection& connection : flat.connections) {
        const auto map = fold(connection.stages, {}, [&](const std::string& name) {
                             return flat.unit(name);
                         }).map;
        const bool forward = connection.to.name == "u" && connection.from.name == "y" &&
                             flat.subsystems[connection.from.subsystem].name == "source";
        // 10*(3*(y + 5)) + 1
        EXPECT_EQ(map, forward ? (LinearMap{2.0, 0.0}) : (LinearMap{30.0, 151.0}));
    }
}

TEST(Flattening, finds_variables_deep_inside_by_their_path) {
    const Files files;
    files.write("s.toml", R"(
connections = ["car.axle.wheel.body.x -> sink.u", "sink.y -> car.axle.wheel.u[2]"]
[subsystems.sink]
source = "a.fmu"
[systems.car.systems.axle.subsystems.wheel]
source = "w.fmu"
)");
    const FlatSystem flat = files.flat("s.toml");
    EXPECT_THAT(connection_texts(flat),
                ElementsAre("car.axle.wheel.body.x -> sink.u", "sink.y -> car.axle.wheel.u[2]"));
    EXPECT_EQ(flat.connections[0].from.name, "body.x");
}

TEST(Flattening, uses_a_file_twice_as_two_systems) {
    const Files files;
    files.write("wheel.toml", R"(
inputs = ["u"]
connections = ["u -> hub.u"]
[subsystems.hub]
source = "hub.fmu"
parameters = { m = 1, r = 2 }
)");
    files.write("s.toml", R"(
connections = ["left.hub.y -> right.u"]
[systems.left]
source = "wheel.toml"
parameters = { "hub.m" = 10 }
[systems.right]
source = "wheel.toml"
[parameters]
right.hub.r = 20
)");
    const FlatSystem flat = files.flat("s.toml");
    ASSERT_THAT(flat.subsystems, SizeIs(2));
    EXPECT_THAT(connection_texts(flat), ElementsAre("left.hub.y -> right.hub.u"));
    EXPECT_EQ(real_parameter(flat, "left.hub", "m"), 10);
    EXPECT_EQ(real_parameter(flat, "left.hub", "r"), 2);
    EXPECT_EQ(real_parameter(flat, "right.hub", "m"), 1);
    EXPECT_EQ(real_parameter(flat, "right.hub", "r"), 20);
}

TEST(Flattening, lets_outer_parameters_win_over_inner_and_later_over_earlier) {
    const Files files;
    files.write("s.toml", R"(
parameter_sets = [ { values = { a.w.p = 1, a.w.q = 1 } }, { values = { a.w.q = 2 } } ]
[parameters]
a.w.r = 30
[systems.a]
parameters = { "w.p" = 100, "w.s" = 100, "w.r" = 100 }
[systems.a.subsystems.w]
source = "w.fmu"
parameters = { p = 1000, q = 1000, r = 1000, s = 1000, t = 1000 }
)");
    const FlatSystem flat = files.flat("s.toml");
    EXPECT_EQ(real_parameter(flat, "a.w", "p"), 1);
    EXPECT_EQ(real_parameter(flat, "a.w", "q"), 2);
    EXPECT_EQ(real_parameter(flat, "a.w", "r"), 30);
    EXPECT_EQ(real_parameter(flat, "a.w", "s"), 100);
    EXPECT_EQ(real_parameter(flat, "a.w", "t"), 1000);
}

TEST(Flattening, leads_parameters_through_system_connectors) {
    const Files files;
    files.write("s.toml", R"(
[parameters]
a.mass = 4
[systems.a]
connectors = { mass = { kind = "parameter", unit = "g" } }
connections = [{ from = "mass", to = "w.m", factor = 0.5 }, "mass -> v.m"]
[systems.a.subsystems.w]
source = "w.fmu"
[systems.a.subsystems.v]
source = "w.fmu"
parameters = { m = 7 }
)");
    const FlatSystem flat = files.flat("s.toml");
    const FlatParameter* through = parameter(flat, "a.w", "m");
    ASSERT_NE(through, nullptr);
    const auto folded = fold(through->stages, {through->value.unit, "kg"},
                             [&](const std::string& name) { return flat.unit(name); });
    // 4 g are 0.004 kg; the factor counts behind the unit conversion.
    EXPECT_DOUBLE_EQ(folded.map.gain * 4.0 + folded.map.offset, 0.002);
    EXPECT_EQ(real_parameter(flat, "a.v", "m"), 4);
}

TEST(Flattening, applies_prefix_and_mapping) {
    const Files files;
    files.write("s.toml", R"(
[[parameter_sets]]
prefix = "w."
values = { m = 1, unused = 2 }
[[parameter_sets]]
values = { mass = 5, length = 6, lost = 7 }
[parameter_sets.mapping]
mass = { target = "v.m", factor = 1000 }
length = "v.l"
[subsystems.w]
source = "w.fmu"
[subsystems.v]
source = "v.fmu"
)");
    const FlatSystem flat = files.flat("s.toml");
    EXPECT_EQ(real_parameter(flat, "w", "m"), 1);
    EXPECT_EQ(real_parameter(flat, "v", "l"), 6);
    EXPECT_EQ(parameter(flat, "v", "m")->stages.at(0).transformation.factor, 1000);
    EXPECT_EQ(parameter(flat, "v", "lost"), nullptr);
}

TEST(Flattening, carries_slices_through_arrays_of_systems) {
    const Files files;
    files.write("s.toml", R"(
connections = ["a.y[5:8] -> s.u[2:5]", "a.z -> s.v"]
[subsystems.a]
source = "a.fmu"
[systems.s]
inputs = ["u", "v"]
connections = ["u[3:9] -> w.x", "v[2] -> w.y", "v -> w.z"]
[systems.s.subsystems.w]
source = "w.fmu"
)");
    EXPECT_THAT(connection_texts(files.flat("s.toml")),
                ElementsAre("a.y[6:8] -> s.w.x[1:3]", "a.z[2] -> s.w.y", "a.z -> s.w.z"));
}

TEST(Flattening, joins_signals_through_a_dictionary_across_levels) {
    const Files files;
    files.write("s.toml", R"(
connections = ["engine.n -> bus.speed"]
[dictionaries.signals.signals]
speed = { unit = "rad/s" }
[references]
bus = "signals"
[subsystems.engine]
source = "e.fmu"
[systems.cockpit]
connections = ["bus.speed -> display.n"]
references = { bus = "signals" }
[systems.cockpit.subsystems.display]
source = "d.fmu"
)");
    const FlatSystem flat = files.flat("s.toml");
    EXPECT_THAT(connection_texts(flat), ElementsAre("engine.n -> cockpit.display.n"));
    EXPECT_EQ(flat.connections[0].stages.at(0).unit, "rad/s");
}

TEST(Flattening, finds_a_file_that_contains_itself) {
    const Files files;
    files.write("a.toml", "[systems.b]\nsource = 'b.toml'\n");
    files.write("b.toml", "[systems.a]\nsource = 'a.toml'\n");
    EXPECT_THAT(files.problems("a.toml"), HasSubstr("a.toml' contains itself"));
}

TEST(Flattening, reports_all_problems_at_once_and_load_throws_them) {
    const Files files;
    files.write("s.toml", R"(connections = ["a.y -> c.u", "d.y -> a.u"]
[subsystems.a]
source = "nowhere.fmu"
typo = 3
)");
    try {
        load_system(files / "s.toml");
        FAIL();
    } catch (const InputErrors& errors) {
        EXPECT_THAT(errors.findings(), SizeIs(4));
        EXPECT_THAT(errors.what(), HasSubstr("s.toml:4: [subsystems.a]: unknown key 'typo'"));
        EXPECT_THAT(errors.what(), HasSubstr("there is no 'c.u'"));
        EXPECT_THAT(errors.what(), HasSubstr("there is no 'd.y'"));
        EXPECT_THAT(errors.what(), HasSubstr("there is no file"));
    }
}

TEST(Flattening, checks_a_thousand_connections_in_one_go) {
    const Files files;
    std::string text = "connections = [\n";
    for (int i = 0; i < 1000; ++i) text += "  \"a.y" + std::to_string(i) + " -> b.u\",\n";
    files.write("s.toml", text + "]\n[subsystems.a]\nsource = 'a.fmu'\n");
    Diagnostics findings;
    flatten(read_system(files / "s.toml"), findings, {false});
    EXPECT_THAT(findings, SizeIs(1000));
}

TEST(ValueAs, turns_what_is_written_into_the_type_of_the_variable) {
    ParameterValue three{ValueType::int64, {{}, {3}, {}}, {}, {}, {}, {}};
    EXPECT_EQ(value_as(ValueType::float64, three)->reals.at(0), 3.0);
    EXPECT_EQ(value_as(ValueType::uint8, three)->integers.at(0), 3);
    EXPECT_FALSE(value_as(ValueType::boolean, three));
    EXPECT_FALSE(value_as(ValueType::string, three));
    three.values.integers[0] = 300;
    EXPECT_FALSE(value_as(ValueType::uint8, three));
    const ParameterValue half{ValueType::float64, {{0.5}, {}, {}}, {}, {}, {}, {}};
    EXPECT_FALSE(value_as(ValueType::int32, half));
    const ParameterValue name{ValueType::string, {{}, {}, {"high"}}, {}, {}, {}, {}};
    EXPECT_EQ(value_as(ValueType::enumeration, name, {{"low", 1}, {"high", 2}})->integers.at(0), 2);
    EXPECT_FALSE(value_as(ValueType::enumeration, name, {{"low", 1}}));
}

TEST(Fold, converts_units_before_it_transforms) {
    const auto lookup = [](const std::string& name) { return parse_unit(name); };
    Stage stage;
    stage.transformation = {Transformation::Type::linear, 2.0, 1.0, {}};
    // 5 km are 5000 m, doubled and one more.
    const LinearMap map = fold({stage}, {"km", "m"}, lookup).map;
    EXPECT_DOUBLE_EQ(map.gain * 5.0 + map.offset, 10001.0);
    stage.suppress_unit_conversion = true;
    EXPECT_EQ(fold({stage}, {"km", "m"}, lookup).map, (LinearMap{2.0, 1.0}));
    EXPECT_EQ(fold({}, {"N.m", "N"}, lookup).problem, "unit 'N.m' cannot become 'N'");
    EXPECT_THAT(fold({}, {"smoot", "m"}, lookup).not_known, ElementsAre("smoot"));
    const LinearMap celsius = fold({}, {"degC", "K"}, lookup).map;
    EXPECT_DOUBLE_EQ(celsius.gain * 20.0 + celsius.offset, 293.15);
}

}  // namespace
}  // namespace tandem::description
