#include "description/read/lines.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "description/write/write_ssp.hpp"
#include "unit/description/files.hpp"

namespace tandem::description {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string two = "[subsystems.a]\nsource = 'a.fmu'\n[subsystems.b]\nsource = 'b.fmu'\n";
const std::string ends =
    "ends = [{ flow = 'a.v', effort = 'a.F' }, { flow = 'b.v', effort = 'b.F' }]\n";

std::string problems(const std::string& text, Severity severity = Severity::error) {
    const Files files;
    files.write("s.toml", text);
    return files.problems("s.toml", severity);
}

std::string name_of(const FlatTlmEnd::Port& port) {
    return port ? std::to_string(port->subsystem) + "." + port->name : "-";
}

TEST(TransmissionLines, are_read_with_their_numbers_and_both_ends) {
    const Files files;
    files.write("s.toml", two + R"([[tlm]]
name = "spring"
domain = "mechanical"
delay = 4e-4
impedance = 0.4
damping = 0.1
preload = 100
interpolation = "hermite"
exchange = "sampled"
samples = 5
[[tlm.ends]]
flow = "a.v3"
effort = "a.F3"
[[tlm.ends]]
flow = "b.v"
wave = "b.c"
impedance = "b.Zc"
slope = "b.dc"
times = "b.t"
waves = "b.cs"
exchange = "coarse"
)");
    const FlatSystem flat = files.flat("s.toml");
    ASSERT_THAT(flat.tlm, SizeIs(1));
    const FlatTlm& line = flat.tlm[0];
    EXPECT_EQ(line.name, "spring");
    EXPECT_EQ(line.domain, "mechanical");
    EXPECT_FALSE(line.is_3d());
    EXPECT_EQ(line.delay, 4e-4);
    EXPECT_EQ(line.impedance, 0.4);
    EXPECT_EQ(line.damping, 0.1);
    EXPECT_THAT(line.preload, ElementsAre(100.0));
    EXPECT_EQ(line.interpolation, "hermite");
    EXPECT_EQ(line.samples, 5);
    EXPECT_THAT(line.place, HasSubstr("s.toml:5"));
    EXPECT_EQ(line.ends[0].subsystem, 0U);
    EXPECT_EQ(name_of(line.ends[0].flow), "0.v3");
    EXPECT_EQ(name_of(line.ends[0].effort), "0.F3");
    EXPECT_EQ(name_of(line.ends[0].wave), "-");
    EXPECT_EQ(line.ends[0].exchange, "sampled");
    EXPECT_EQ(line.ends[1].subsystem, 1U);
    EXPECT_EQ(name_of(line.ends[1].wave), "1.c");
    EXPECT_EQ(name_of(line.ends[1].impedance), "1.Zc");
    EXPECT_EQ(name_of(line.ends[1].slope), "1.dc");
    EXPECT_EQ(name_of(line.ends[1].times), "1.t");
    EXPECT_EQ(name_of(line.ends[1].waves), "1.cs");
    EXPECT_EQ(line.ends[1].exchange, "coarse");
    EXPECT_THAT(line.ends[1].place, HasSubstr("s.toml:18"));
    EXPECT_THAT(flat.connections, IsEmpty());
}

const std::string line = "[[tlm]]\nname = 'l'\ndomain = 'mechanical'\n";

LineNumbers numbers_of(const std::string& keys) {
    const Files files;
    files.write("s.toml", two + "[[tlm]]\nname = 'l'\ndomain = 'generic'\n" + keys + "\n" + ends);
    return line_numbers(files.flat("s.toml").tlm.at(0));
}

TEST(TransmissionLines, have_delay_and_impedance_however_they_are_given) {
    const auto expect = [](const std::string& keys, double delay, double impedance) {
        const LineNumbers numbers = numbers_of(keys);
        // A square root and a product: a few roundings.
        EXPECT_NEAR(numbers.delay, delay, 1e-15 * delay) << keys;
        EXPECT_NEAR(numbers.impedance, impedance, 1e-15 * impedance) << keys;
    };
    expect("delay = 4e-4\nimpedance = 0.4", 4e-4, 0.4);
    expect("delay = 4e-4\nstiffness = 1000", 4e-4, 0.4);
    expect("delay = 4e-4\nmass = 1.6e-4", 4e-4, 0.4);
    expect("stiffness = 1000\nmass = 1.6e-4", 4e-4, 0.4);
    expect("delay = 2e-3\nvolume = 1e-3\nbulk_modulus = 1e9", 2e-3, 2e9);
    // Slow waves are under way for T / (1 - damping).
    expect("damping = 0.5\ndelay = 4e-4\nimpedance = 0.4", 4e-4, 0.4);
    expect("damping = 0.5\ndelay = 4e-4\nstiffness = 1000", 4e-4, 0.8);
    expect("damping = 0.5\ndelay = 4e-4\nmass = 1.6e-4", 4e-4, 0.2);
    expect("damping = 0.5\nstiffness = 1000\nmass = 1.6e-4", 2e-4, 0.4);
    expect("damping = 0.5\ndelay = 2e-3\nvolume = 1e-3\nbulk_modulus = 1e9", 2e-3, 4e9);
}

TEST(TransmissionLines, are_at_rest_and_linear_unless_the_file_says_otherwise) {
    const Files files;
    files.write("s.toml", two + line + "delay = 1\nimpedance = 1\n" + ends);
    const FlatTlm flat = files.flat("s.toml").tlm.at(0);
    EXPECT_THAT(flat.preload, IsEmpty());
    EXPECT_EQ(flat.damping, 0.0);
    EXPECT_EQ(flat.interpolation, "linear");
    EXPECT_EQ(flat.ends[0].exchange, "auto");
    EXPECT_EQ(flat.samples, 10);
    EXPECT_FALSE(flat.rotational_impedance.has_value());
}

const std::string spatial = R"([[tlm]]
name = "joint"
domain = "mechanical_3d"
delay = 1e-4
stiffness = 1e6
rotational_impedance = 2
preload = [1, 2, 3, 4, 5, 6]
corotating = false
[[tlm.ends]]
position = "a.r"
orientation = "a.R"
velocity = "a.v"
angular_velocity = "a.w"
force = "a.F"
moment = "a.M"
origin = [1, 2, 3]
axis = [0, 0, 2]
angle = 0.5
[[tlm.ends]]
velocity = "b.v[4:6]"
angular_velocity = "b.w"
force = "b.F"
moment = "b.M"
rotation = [0, -1, 0, 1, 0, 0, 0, 0, 1]
)";

TEST(TransmissionLines, in_three_dimensions_have_frames_and_vectors) {
    const Files files;
    files.write("s.toml", two + spatial);
    const FlatTlm flat = files.flat("s.toml").tlm.at(0);
    EXPECT_TRUE(flat.is_3d());
    EXPECT_EQ(flat.rotational_impedance, 2.0);
    EXPECT_FALSE(flat.corotating);
    EXPECT_THAT(flat.preload, ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_EQ(name_of(flat.ends[0].position), "0.r");
    EXPECT_EQ(name_of(flat.ends[0].orientation), "0.R");
    EXPECT_EQ(name_of(flat.ends[0].velocity), "0.v");
    EXPECT_EQ(name_of(flat.ends[0].angular_velocity), "0.w");
    EXPECT_EQ(name_of(flat.ends[0].force), "0.F");
    EXPECT_EQ(name_of(flat.ends[0].moment), "0.M");
    EXPECT_EQ(name_of(flat.ends[1].position), "-");
    EXPECT_EQ(name_of(flat.ends[1].velocity), "1.v[4:6]");
    EXPECT_THAT(flat.ends[0].origin, ElementsAre(1, 2, 3));
    EXPECT_THAT(flat.ends[0].rotation, ElementsAre(std::cos(0.5), -std::sin(0.5), 0, std::sin(0.5),
                                                   std::cos(0.5), 0, 0, 0, 1));
    EXPECT_THAT(flat.ends[1].rotation, ElementsAre(0, -1, 0, 1, 0, 0, 0, 0, 1));
    EXPECT_THAT(flat.ends[1].origin, ElementsAre(0, 0, 0));
}

TEST(TransmissionLines, rotate_about_an_axis_that_is_none_of_the_frame) {
    // A third of a turn about (1, 1, 1) takes x to y, y to z and z to x.
    const Files files;
    std::string text = spatial;
    text.replace(text.find("axis = [0, 0, 2]\nangle = 0.5"), 28,
                 "axis = [1, 1, 1]\nangle = 2.0943951023931953");
    files.write("s.toml", two + text);
    const std::array<double, 9> cyclic = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    const FlatTlm flat = files.flat("s.toml").tlm.at(0);
    for (std::size_t i = 0; i < 9; ++i)
        EXPECT_NEAR(flat.ends[0].rotation[i], cyclic[i], 1e-15) << i;  // roundings
}

const std::string nested = R"(
[subsystems.a]
source = "a.fmu"
[systems.axle]
inputs = ["v_in"]
outputs = ["v", "F_out"]
connectors = { F = { kind = "input", unit = "N" } }
connections = ["F -> wheel.F", "wheel.v -> v"]
[systems.axle.subsystems.wheel]
source = "wheel.fmu"
[[systems.axle.tlm]]
name = "tyre"
domain = "generic"
delay = 1
impedance = 2
ends = [{ flow = "wheel.v2", effort = "wheel.F2" }, { flow = "v_in", effort = "F_out" }]
[[tlm]]
name = "strut"
domain = "mechanical"
delay = 1
impedance = 2
ends = [{ flow = "a.v", effort = "a.S" }, { flow = "axle.v", effort = "axle.F" }]
[[tlm]]
name = "deep"
domain = "mechanical"
delay = 1
impedance = 2
ends = [{ flow = "a.x[2]", effort = "a.u" }, { flow = "axle.wheel.x", effort = "axle.wheel.u" }]
)";
const std::string outer = "connections = ['a.w -> axle.v_in', 'axle.F_out -> a.G']\n";

TEST(TransmissionLines, of_nested_systems_are_resolved_through_connectors) {
    const Files files;
    files.write("s.toml", outer + nested);
    const FlatSystem flat = files.flat("s.toml");
    EXPECT_EQ(problems(outer + nested, Severity::warning), "");
    EXPECT_THAT(flat.connections, IsEmpty());
    ASSERT_THAT(flat.tlm, SizeIs(3));
    EXPECT_EQ(flat.tlm[0].name, "strut");
    EXPECT_EQ(name_of(flat.tlm[0].ends[0].effort), "0.S");
    EXPECT_EQ(name_of(flat.tlm[0].ends[1].flow), "1.v");
    EXPECT_EQ(name_of(flat.tlm[0].ends[1].effort), "1.F");
    EXPECT_EQ(flat.tlm[0].ends[1].subsystem, 1U);
    EXPECT_EQ(name_of(flat.tlm[1].ends[0].flow), "0.x[2]");
    EXPECT_EQ(name_of(flat.tlm[1].ends[1].flow), "1.x");
    EXPECT_EQ(flat.tlm[2].name, "axle.tyre");
    EXPECT_EQ(name_of(flat.tlm[2].ends[0].flow), "1.v2");
    EXPECT_EQ(name_of(flat.tlm[2].ends[1].flow), "0.w");
    EXPECT_EQ(name_of(flat.tlm[2].ends[1].effort), "0.G");
    EXPECT_EQ(flat.tlm[2].ends[1].subsystem, 0U);
}

std::string words(const FlatSystem& flat) {
    std::string text;
    const auto add = [&](const auto& numbers) {
        for (const double number : numbers) text += fmt::format(" {}", number);
    };
    for (const FlatTlm& element : flat.tlm) {
        text +=
            fmt::format("{}|{}|{}|{}|{}|{}", element.name, element.domain, element.interpolation,
                        element.samples, element.corotating, element.damping);
        for (const auto& number : {element.delay, element.impedance, element.stiffness,
                                   element.mass, element.volume, element.bulk_modulus})
            text += number ? fmt::format(" {}", *number) : " -";
        text += fmt::format(" {}", element.rotational_impedance.value_or(0.0));
        add(element.preload);
        for (const FlatTlmEnd& end : element.ends) {
            text += "\n ";
            for (const TlmPort& port : tlm_ports)
                text += fmt::format(" {}={}", port.key, name_of(end.*port.flat));
            add(end.origin);
            add(end.rotation);
            text += " " + end.exchange;
        }
        text += "\n";
    }
    return text;
}

TEST(TransmissionLines, are_the_same_when_a_package_is_written_and_read_again) {
    const Files files;
    for (const char* name : {"a", "b", "wheel"}) files.write(name + std::string(".fmu"), name);
    files.write("s.toml",
                outer + nested + "[subsystems.b]\nsource = 'b.fmu'\n" + spatial + R"([[tlm]]
name = "pipe"
domain = "hydraulic"
delay = 1e-7
volume = 0.3
bulk_modulus = 1.1e9
damping = 0.125
preload = 5e6
interpolation = "hermite"
exchange = "fine"
samples = 4
ends = [
  { flow = "a.q", times = "a.t", waves = "a.cs", impedance = "a.Z" },
  { flow = "b.q", wave = "b.c", slope = "b.dc", exchange = "coarse" },
]
[[tlm]]
name = "bar"
domain = "rotational"
stiffness = 3
mass = 7
ends = [{ flow = "a.om", effort = "a.tau" }, { flow = "b.om", effort = "b.tau" }]
)");
    Diagnostics findings;
    const SystemDescription description = read_system(files / "s.toml", findings);
    write_ssp(description, files / "s.ssp");
    const FlatSystem before = flatten(description, findings);
    const FlatSystem after = flatten(read_system(files / "s.ssp", findings), findings);
    EXPECT_THAT(findings, IsEmpty());
    EXPECT_THAT(before.tlm, SizeIs(6));
    EXPECT_EQ(words(before), words(after));
}

TEST(TransmissionLines, refuse_connectors_that_point_the_other_way) {
    std::string text = nested;
    text.replace(text.find("flow = \"axle.v\""), 15, "flow = \"axle.F\"");
    EXPECT_THAT(problems(outer + text),
                HasSubstr("transmission line 'strut': the input of the system 'axle' 'axle.F' "
                          "cannot be its flow\n  hint: name an output"));
}

TEST(TransmissionLines, need_one_variable_behind_a_connector) {
    EXPECT_THAT(problems(nested),
                HasSubstr("transmission line 'axle.tyre': 'flow': 'v_in' leads to no variable"));
    EXPECT_THAT(problems("connections = ['a.w -> axle.v_in', 'axle.F_out -> a.G', 'axle.F_out -> "
                         "a.H']\n" +
                         nested),
                HasSubstr("'effort' leads to both 'a.G' and 'a.H'"));
    EXPECT_THAT(problems("connections = [{ from = 'a.w', to = 'axle.v_in', factor = 2 }, "
                         "'axle.F_out -> a.G']\n" +
                         nested),
                HasSubstr("'flow' takes values as they are, but they are transformed"));
    EXPECT_THAT(problems("connections = ['axle.F_out -> a.G']\n"
                         "sources = [{ target = 'axle.v_in', expression = 't' }]\n" +
                         nested),
                HasSubstr("'flow' leads to a function"));
}

}  // namespace
}  // namespace tandem::description
