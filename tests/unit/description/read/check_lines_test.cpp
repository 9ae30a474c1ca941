#include <gmock/gmock.h>

#include "unit/description/files.hpp"

namespace tandem::description {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string two = "[subsystems.a]\nsource = 'a.fmu'\n[subsystems.b]\nsource = 'b.fmu'\n";
const std::string line = "[[tlm]]\nname = 'l'\ndomain = 'mechanical'\n";
const std::string ends =
    "ends = [{ flow = 'a.v', effort = 'a.F' }, { flow = 'b.v', effort = 'b.F' }]\n";

std::string problems(const std::string& text) {
    const Files files;
    files.write("s.toml", text);
    return files.problems("s.toml");
}

TEST(TransmissionLineChecks, are_refused_with_all_their_mistakes_at_once) {
    const std::string text = problems(two + R"([[tlm]]
name = "l"
domain = "mechanicl"
delay = -1
impedance = 0
damping = 1
samples = 1
interpolation = "hermit"
exchange = "corse"
dealy = 3
ends = [
  { flow = "c.v", effort = "a.F", exchange = "finer" },
  { flw = "b.v", effort = 3 },
]
)");
    EXPECT_THAT(text, HasSubstr("s.toml:7: transmission line 'l': unknown domain 'mechanicl'"));
    EXPECT_THAT(text, HasSubstr("did you mean 'mechanical'?"));
    EXPECT_THAT(text, HasSubstr("s.toml:8: transmission line 'l': 'delay' must be greater than 0, "
                                "but is -1"));
    EXPECT_THAT(text, HasSubstr("s.toml:9: transmission line 'l': 'impedance' must be greater"));
    EXPECT_THAT(text, HasSubstr("s.toml:10: transmission line 'l': 'damping' must be at least 0"));
    EXPECT_THAT(text, HasSubstr("s.toml:11: transmission line 'l': 'samples' must be at least 2"));
    EXPECT_THAT(text, HasSubstr("unknown interpolation 'hermit'\n  hint: did you mean 'hermite'?"));
    EXPECT_THAT(text, HasSubstr("unknown exchange 'corse'\n  hint: did you mean 'coarse'?"));
    EXPECT_THAT(text, HasSubstr("s.toml:14: [[tlm]]: unknown key 'dealy'"));
    EXPECT_THAT(text, HasSubstr("s.toml:16: transmission line: there is no 'c.v'"));
    EXPECT_THAT(text, HasSubstr("first end: unknown exchange 'finer'"));
    EXPECT_THAT(text, HasSubstr("s.toml:17: [[tlm]] end: unknown key 'flw'"));
    EXPECT_THAT(text, HasSubstr("s.toml:17: [[tlm]] end: 'effort' must be a text"));
}

TEST(TransmissionLineChecks, need_a_name_a_domain_and_two_ends) {
    const std::string bare = problems(two + "[[tlm]]\ndelay = 1\nimpedance = 1\n");
    EXPECT_THAT(bare, HasSubstr("s.toml:5: [[tlm]]: 'name' is missing"));
    EXPECT_THAT(bare, HasSubstr("'domain' is missing"));
    EXPECT_THAT(bare, HasSubstr("'ends' is missing"));
    const std::string head = two + line + "delay = 1\nimpedance = 1\n";
    EXPECT_THAT(problems(head + "ends = [{ flow = 'a.v', effort = 'a.F' }]"),
                HasSubstr("s.toml:10: transmission line 'l': must have two ends, but has 1"));
    EXPECT_THAT(problems(head + "ends = ['a', 'b']"), HasSubstr("an end must be a table"));
    EXPECT_THAT(problems(head + "ends = 3"), HasSubstr("'ends' must be a list"));
    EXPECT_THAT(problems("tlm = ['x']\n" + two), HasSubstr("s.toml:1: [[tlm]]: must be a table"));
    EXPECT_THAT(problems("tlm = { name = 'x' }\n" + two), HasSubstr("write [[tlm]]"));
}

TEST(TransmissionLineChecks, of_the_same_name_are_refused) {
    const std::string text =
        problems(two + line + "delay = 1\nimpedance = 1\n" + ends + line +
                 "delay = 1\nimpedance = 1\n"
                 "ends = [{ flow = 'a.v', effort = 'a.G' }, { flow = 'b.v', effort = 'b.G' }]\n");
    EXPECT_THAT(text, HasSubstr("s.toml:11: two transmission lines are called 'l', here and at "
                                "s.toml:5"));
}

TEST(TransmissionLineChecks, say_their_delay_and_impedance_exactly_once) {
    const auto with = [](const std::string& keys) {
        return problems(two + line + keys + "\n" + ends);
    };
    EXPECT_EQ(with("delay = 1\nstiffness = 1"), "");
    EXPECT_THAT(with("delay = 1"), HasSubstr("nothing says its impedance"));
    EXPECT_THAT(with("impedance = 1"), HasSubstr("'delay' is missing"));
    EXPECT_THAT(with("stiffness = 1"), HasSubstr("or give both stiffness and mass"));
    EXPECT_THAT(
        with("delay = 1\nimpedance = 1\nmass = 1"),
        HasSubstr("s.toml:10: transmission line 'l': its impedance is said more than once: by "
                  "impedance and mass"));
    EXPECT_THAT(with("delay = 1\nstiffness = 1\nmass = 1"),
                HasSubstr("keep one of them, or stiffness and mass without the delay"));
    EXPECT_THAT(with("stiffness = 1\nmass = 1\nimpedance = 1"),
                HasSubstr("without a delay keep stiffness and mass alone"));
    EXPECT_THAT(with("delay = 1\nvolume = 1\nbulk_modulus = 1"),
                HasSubstr("'volume' is for hydraulic lines"));
    EXPECT_THAT(
        problems(two + "[[tlm]]\nname = 'l'\ndomain = 'hydraulic'\ndelay = 1\nvolume = 1\n" + ends),
        HasSubstr("'bulk_modulus' is missing"));
    const std::string typo = with("delay = '1'\nimpedance = nan");
    EXPECT_THAT(typo, HasSubstr("'delay' must be a finite number, but is a text"));
    EXPECT_THAT(typo, HasSubstr("'impedance' must be a finite number"));
    EXPECT_THAT(typo, Not(HasSubstr("missing")));
    EXPECT_THAT(typo, Not(HasSubstr("nothing says")));
}

std::string with_end(const std::string& end) {
    return problems(two + line +
                    "delay = 1\nimpedance = 1\nends = [{ flow = 'a.v', effort = 'a.F' "
                    "}, { " +
                    end + " }]\n");
}

TEST(TransmissionLineChecks, take_either_an_effort_or_waves_at_an_end) {
    EXPECT_EQ(with_end("flow = 'b.v', wave = 'b.c'"), "");
    EXPECT_EQ(with_end("flow = 'b.v', waves = 'b.c', times = 'b.t', impedance = 'b.Z'"), "");
    EXPECT_THAT(with_end("flow = 'b.v'"),
                HasSubstr("s.toml:10: transmission line 'l', second end: nothing says what it"));
    EXPECT_THAT(with_end("effort = 'b.F'"), HasSubstr("second end: 'flow' is missing"));
    EXPECT_THAT(with_end("flow = 'b.v', effort = 'b.F', wave = 'b.c'"),
                HasSubstr("'wave' cannot be combined with 'effort'"));
    EXPECT_THAT(with_end("flow = 'b.v', effort = 'b.F', slope = 'b.c'"),
                HasSubstr("'slope' cannot be combined with 'effort'"));
    EXPECT_THAT(with_end("flow = 'b.v', waves = 'b.c'"), HasSubstr("'times' is missing"));
    EXPECT_THAT(with_end("flow = 'b.v', wave = 'b.c', times = 'b.t'"),
                HasSubstr("'waves' is missing"));
    EXPECT_THAT(with_end("flow = 'b.v', waves = 'b.c', times = 'b.t', slope = 'b.s'"),
                HasSubstr("'slope' needs 'wave'"));
    EXPECT_THAT(with_end("flow = '', effort = 'b.F'"), HasSubstr("'flow' is empty"));
}

TEST(TransmissionLineChecks, keep_one_and_three_dimensions_apart) {
    EXPECT_THAT(with_end("flow = 'b.v', effort = 'b.F', force = 'b.G'"),
                HasSubstr("'force' is for mechanical_3d, not for the domain 'mechanical'"));
    EXPECT_THAT(with_end("flow = 'b.v', effort = 'b.F', origin = [0, 0, 0]"),
                HasSubstr("'origin' is for mechanical_3d"));
    const std::string flat =
        problems(two + line +
                 "delay = 1\nimpedance = 1\nrotational_impedance = 1\ncorotating = true\n" + ends);
    EXPECT_THAT(flat, HasSubstr("s.toml:10: transmission line 'l': 'rotational_impedance' is for"));
    EXPECT_THAT(flat, HasSubstr("s.toml:11: transmission line 'l': 'corotating' is for"));
    const std::string deep = problems(
        two + "[[tlm]]\nname = 'l'\ndomain = 'mechanical_3d'\ndelay = 1\nimpedance = 1\n" + ends);
    EXPECT_THAT(deep, HasSubstr("'rotational_impedance' is missing"));
    EXPECT_THAT(deep, HasSubstr("first end: 'flow' is not for mechanical_3d"));
    EXPECT_THAT(deep, HasSubstr("first end: 'velocity' is missing"));
    EXPECT_THAT(deep, HasSubstr("second end: 'force' is missing"));
    EXPECT_THAT(deep, Not(HasSubstr("'moment' is missing")));
}

std::string with_spatial_end(const std::string& end, const std::string& more = {}) {
    return problems(two +
                    "[[tlm]]\nname = 'l'\ndomain = 'mechanical_3d'\ndelay = 1\nimpedance = 1\n" +
                    (more.empty() ? "rotational_impedance = 0" : more) +
                    "\nends = [{ velocity = 'a.v', force = 'a.F' }, { velocity = 'b.v', force = "
                    "'b.F', " +
                    end + " }]\n");
}

TEST(TransmissionLineChecks, in_three_dimensions_need_what_their_moments_need) {
    EXPECT_EQ(with_spatial_end("origin = [1, 2, 3]"), "");
    const std::string stiff = with_spatial_end("position = 'b.r'", "rotational_impedance = 1");
    EXPECT_THAT(stiff, HasSubstr("'moment' is missing"));
    EXPECT_THAT(stiff, HasSubstr("'angular_velocity' is missing"));
    EXPECT_THAT(stiff, HasSubstr("'orientation' is missing\n  hint: add it, or write corotating"));
    EXPECT_THAT(
        with_spatial_end("position = 'b.r'", "rotational_impedance = 1\ncorotating = false"),
        Not(HasSubstr("'orientation'")));
    EXPECT_THAT(with_spatial_end("moment = 'b.M'"),
                HasSubstr("'angular_velocity' is missing\n  hint: add it, or leave out 'moment'"));
    EXPECT_THAT(with_spatial_end("moment = 'b.M', angular_velocity = 'b.w'"),
                HasSubstr("one end names 'moment', the other does not\n  hint: name it at both"));
    EXPECT_EQ(with_spatial_end("angular_velocity = 'b.w'"), "");
    EXPECT_THAT(with_spatial_end("position = 'b.r'", "rotational_impedance = -1"),
                HasSubstr("'rotational_impedance' must be at least 0, but is -1"));
}

TEST(TransmissionLineChecks, refuse_frames_that_are_none) {
    EXPECT_THAT(with_spatial_end("rotation = [1, 0, 0, 0, 1, 0, 0, 0, -1]"),
                HasSubstr("s.toml:11: transmission line 'l', second end: 'rotation' is not a"));
    EXPECT_THAT(with_spatial_end("rotation = [1, 0, 0, 0, 1, 0, 0, 0, 1.00000001]"),
                HasSubstr("'rotation' is not a rotation"));
    EXPECT_EQ(with_spatial_end("rotation = [1, 0, 0, 0, 1, 0, 0, 0, 1.0000000001]"), "");
    EXPECT_THAT(with_spatial_end("rotation = [1, 0, 0, 0, 1, 0, 0, 0, nan]"),
                HasSubstr("'rotation' is not a rotation"));
    EXPECT_THAT(with_spatial_end("rotation = [1, 0, 0]"),
                HasSubstr("'rotation' must be 9 numbers, but is 3"));
    EXPECT_THAT(with_spatial_end("origin = [1, 2]"),
                HasSubstr("'origin' must be 3 numbers, but is 2"));
    EXPECT_THAT(with_spatial_end("origin = [1, 2, 'x']"),
                HasSubstr("'origin' must be numbers, not a text"));
    EXPECT_THAT(with_spatial_end("origin = [1, 2, inf]"), HasSubstr("must be finite numbers"));
    EXPECT_THAT(with_spatial_end("axis = [1, 2, 3]"), HasSubstr("'axis' alone is no rotation"));
    EXPECT_THAT(with_spatial_end("angle = 1"), HasSubstr("'angle' alone is no rotation"));
    EXPECT_THAT(with_spatial_end("axis = [0, 0, 0], angle = 1"), HasSubstr("has no direction"));
    EXPECT_THAT(
        with_spatial_end("axis = [0, 0, 1], angle = 1, rotation = [1, 0, 0, 0, 1, 0, 0, 0, 1]"),
        HasSubstr("'axis' cannot be combined with 'rotation'"));
}

TEST(TransmissionLineChecks, have_as_many_preloads_as_they_have_efforts) {
    const std::string head = two + line + "delay = 1\nimpedance = 1\npreload = ";
    EXPECT_EQ(problems(head + "[3]\n" + ends), "");
    EXPECT_THAT(
        problems(head + "[1, 2]\n" + ends),
        HasSubstr("s.toml:10: transmission line 'l': 'preload' must be one number, but is 2"));
    EXPECT_THAT(problems(head + "[]\n" + ends), HasSubstr("must be one number, but is 0"));
    EXPECT_THAT(problems(head + "[inf]\n" + ends), HasSubstr("must be finite"));
    EXPECT_THAT(problems(head + "'x'\n" + ends), HasSubstr("'preload' must be a finite number"));
    EXPECT_THAT(with_spatial_end("position = 'b.r'", "rotational_impedance = 0\npreload = 3"),
                HasSubstr("'preload' must be six numbers, but is 1"));
}

TEST(TransmissionLineChecks, belong_to_one_subsystem_at_each_end) {
    EXPECT_THAT(
        with_end("flow = 'b.v', effort = 'a.G'"),
        HasSubstr("s.toml:10: transmission line 'l': one end has variables of both 'b' and"));
    EXPECT_THAT(with_end("flow = 'c.v', effort = 'b.F'"),
                HasSubstr("transmission line: there is no 'c.v'"));
}

TEST(TransmissionLineChecks, drive_inputs_that_nothing_else_drives) {
    const std::string head = "connections = ['b.y -> a.F']\n";
    EXPECT_THAT(problems(head + two + line + "delay = 1\nimpedance = 1\n" + ends),
                HasSubstr("s.toml:11: 'a.F' is driven twice, here and at s.toml:1"));
}

}  // namespace
}  // namespace tandem::description
