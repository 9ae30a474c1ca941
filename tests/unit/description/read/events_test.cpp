#include "description/read/events.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "description/write/write_ssp.hpp"
#include "unit/description/files.hpp"

namespace tandem::description {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

const std::string two = "[subsystems.a]\nsource = 'a.fmu'\n[subsystems.b]\nsource = 'b.fmu'\n";

std::string problems(const std::string& text) {
    const Files files;
    files.write("s.toml", text);
    return files.problems("s.toml");
}

TEST(SystemEvents, have_an_indicator_with_a_direction_signals_and_actions) {
    const Files files;
    files.write("s.toml", two + R"([[events]]
name = "wall"
indicator = "x - 0.3"
direction = "falling"
signals = { x = "a.x", v = "a.v" }
actions = { "a.v" = "-v", "b.v" = "v + t" }
)");
    const FlatSystem flat = files.flat("s.toml");
    ASSERT_THAT(flat.events, SizeIs(1));
    const FlatEvent& wall = flat.events[0];
    EXPECT_EQ(wall.name, "wall");
    EXPECT_EQ(wall.indicator, "x - 0.3");
    EXPECT_EQ(wall.direction, Direction::falling);
    EXPECT_FALSE(wall.has_times());
    ASSERT_THAT(wall.signals, SizeIs(2));
    EXPECT_EQ(wall.signals[1].name, "v");
    EXPECT_EQ(wall.signals[1].variable.subsystem, 0U);
    EXPECT_EQ(wall.signals[1].variable.name, "v");
    ASSERT_THAT(wall.actions, SizeIs(2));
    EXPECT_EQ(wall.actions[0].target.variable.name, "v");
    EXPECT_EQ(wall.actions[0].expression, "-v");
    EXPECT_EQ(wall.actions[1].target.variable.subsystem, 1U);
    EXPECT_EQ(wall.actions[1].expression, "v + t");
    EXPECT_THAT(wall.place, HasSubstr("s.toml:5"));
    EXPECT_THAT(wall.actions[0].place, HasSubstr("s.toml:10"));
    EXPECT_THAT(flat.connections, IsEmpty());
}

TEST(SystemEvents, have_times_instead_of_an_indicator_and_are_named_by_their_order) {
    const Files files;
    files.write("s.toml", two +
                              "[[events]]\ntimes = [1, 2.5]\nactions = { a.v = '0' }\n"
                              "[[events]]\nindicator = 't - 3'\nactions = { b.v = '1' }\n");
    const FlatSystem flat = files.flat("s.toml");
    ASSERT_THAT(flat.events, SizeIs(2));
    EXPECT_THAT(flat.events[0].times, ElementsAre(1.0, 2.5));
    EXPECT_TRUE(flat.events[0].has_times());
    EXPECT_EQ(flat.events[0].name, "event 1");
    EXPECT_EQ(flat.events[0].actions.at(0).target.variable.name, "v");
    EXPECT_EQ(flat.events[1].name, "event 2");
    EXPECT_EQ(flat.events[1].direction, Direction::both);
}

constexpr const char* nested = R"(
connections = ["a.y -> axle.u", { from = "axle.y", to = "a.u", factor = 3 }]
[subsystems.a]
source = "a.fmu"
[systems.axle]
connectors = { u = { kind = "input", unit = "km" }, y = { kind = "output" } }
connections = ["u -> wheel.u", { from = "wheel.y", to = "y", factor = 2 }]
[systems.axle.subsystems.wheel]
source = "wheel.fmu"
[[systems.axle.events]]
name = "kerb"
indicator = "height"
signals = { height = "u", v = "wheel.v" }
actions = { "wheel.v" = "-v" }
[[events]]
name = "stop"
indicator = "y"
signals = { y = "axle.y", deep = "axle.wheel.z" }
actions = { "axle.wheel.v" = "0", "axle.u" = "deep" }
)";

TEST(SystemEvents, of_nested_systems_are_resolved_through_connectors_with_their_stages) {
    const Files files;
    files.write("s.toml", nested);
    const FlatSystem flat = files.flat("s.toml");
    ASSERT_THAT(flat.events, SizeIs(2));
    const FlatEvent& stop = flat.events[0];
    EXPECT_EQ(stop.name, "stop");
    EXPECT_EQ(stop.signals.at(0).variable, (FlatVariable{1, "y", "", {}, ""}));
    EXPECT_EQ(stop.signals[0].stages.at(0).transformation.factor, 2.0);
    EXPECT_EQ(stop.signals.at(1).variable.name, "z");
    ASSERT_THAT(stop.actions, SizeIs(2));
    for (const FlatAction& action : stop.actions) EXPECT_EQ(action.target.variable.subsystem, 1U);
    const FlatEvent& kerb = flat.events[1];
    EXPECT_EQ(kerb.name, "axle.kerb");
    EXPECT_EQ(kerb.signals.at(0).variable.subsystem, 0U);
    EXPECT_EQ(kerb.signals[0].stages.at(0).unit, "km");
    EXPECT_EQ(kerb.actions.at(0).target.variable.name, "v");
    EXPECT_THAT(flat.connections, SizeIs(2));
}

std::string words(const FlatSystem& flat) {
    std::string text;
    for (const FlatEvent& event : flat.events) {
        text += event.name + "|" + event.indicator + "|" +
                std::to_string(static_cast<int>(event.direction));
        for (const double t : event.times) text += " " + std::to_string(t);
        for (const FlatSignal& signal : event.signals)
            text += " " + signal.name + "=" + flat.subsystems[signal.variable.subsystem].name +
                    "." + signal.variable.name;
        for (const FlatAction& action : event.actions)
            text += " " + flat.subsystems[action.target.variable.subsystem].name + "." +
                    action.target.variable.name + ":=" + action.expression;
        text += "\n";
    }
    return text;
}

TEST(SystemEvents, are_the_same_when_a_package_is_written_and_read_again) {
    const Files files;
    files.write("a.fmu", "a");
    files.write("wheel.fmu", "w");
    files.write("s.toml", std::string(nested) + R"([[events]]
times = [0.1, 1e-7, 5]
actions = { "a.x" = "t > 1 ? 2 : -1" }
[[events]]
indicator = "t*t - 2"
direction = "rising"
actions = { "a.x" = "0" }
)");
    Diagnostics findings;
    const SystemDescription description = read_system(files / "s.toml", findings);
    EXPECT_THAT(findings, SizeIs(1));  // the times, whose order must not matter to writing
    write_ssp(description, files / "s.ssp");
    const FlatSystem before = flatten(description, findings);
    Diagnostics again;
    const FlatSystem after = flatten(read_system(files / "s.ssp", again), again);
    EXPECT_THAT(before.events, SizeIs(4));
    EXPECT_EQ(words(before), words(after));
    EXPECT_THAT(again, SizeIs(1));
}

TEST(SystemEvents, are_refused_with_all_their_mistakes_at_once) {
    const std::string text = problems(two + R"([[events]]
direction = "down"
indicator = "x"
signals = { x = "c.x", y = 3 }
actions = { "d.v" = "1", "a.w" = 0 }
tims = [1]
[[events]]
name = "second"
)");
    EXPECT_THAT(text, HasSubstr("s.toml:6: [[events]]: unknown direction 'down'"));
    EXPECT_THAT(text, HasSubstr("use rising, falling or both"));
    EXPECT_THAT(text, HasSubstr("s.toml:8: event: there is no 'c.x'"));
    EXPECT_THAT(text, HasSubstr("s.toml:8: [[events]]: signal 'y' must be a text"));
    EXPECT_THAT(text, HasSubstr("s.toml:9: event: there is no 'd.v'"));
    EXPECT_THAT(text, HasSubstr("s.toml:9: [[events]]: action on 'a.w' must be a text"));
    EXPECT_THAT(text, HasSubstr("s.toml:10: [[events]]: unknown key 'tims'"));
    EXPECT_THAT(text, HasSubstr("did you mean 'times'?"));
    EXPECT_THAT(text, HasSubstr("s.toml:11: event: has neither an indicator nor times"));
    EXPECT_THAT(text, HasSubstr("s.toml:11: event: does nothing"));
}

TEST(SystemEvents, need_finite_ascending_times) {
    const auto with = [](const std::string& times) {
        return problems(two + "[[events]]\nactions = { a.v = '0' }\n" + times + "\n");
    };
    EXPECT_EQ(with("times = [-1, 0, 1.5]"), "");
    EXPECT_THAT(with("times = [1, 3, 2]"),
                HasSubstr("s.toml:7: event: the times must ascend, but 2 follows 3"));
    EXPECT_THAT(with("times = [1, 1]"), HasSubstr("must ascend"));
    EXPECT_THAT(with("times = [inf]"), HasSubstr("inf is not a time"));
    EXPECT_THAT(with("times = [nan, 1]"), HasSubstr("nan is not a time"));
    EXPECT_THAT(with("times = []"), HasSubstr("neither an indicator nor times"));
    EXPECT_THAT(with("times = ['1']"), HasSubstr("'times' must be numbers, not a text"));
    EXPECT_THAT(with("times = 1"), HasSubstr("'times' must be a list"));
    EXPECT_THAT(with("times = [1]\nindicator = 't'"), HasSubstr("has both an indicator and times"));
    EXPECT_THAT(with("times = [1]\ndirection = 'rising'"),
                HasSubstr("s.toml:8: [[events]]: 'direction' is for an indicator"));
}

TEST(SystemEvents, report_a_wrong_type_once) {
    const std::string text = problems(two + "[[events]]\nindicator = 3\nactions = 'a.v'\n");
    EXPECT_THAT(text, HasSubstr("'indicator' must be a text"));
    EXPECT_THAT(text, HasSubstr("'actions' must be a table"));
    EXPECT_THAT(text, Not(HasSubstr("neither")));
    EXPECT_THAT(text, Not(HasSubstr("does nothing")));
    EXPECT_THAT(problems("events = ['x']\n" + two), HasSubstr("s.toml:1: [[events]]: must be"));
    EXPECT_THAT(problems("events = { x = 1 }\n" + two), HasSubstr("write [[events]]"));
}

TEST(SystemEvents, of_the_same_name_are_refused) {
    const std::string event = "[[events]]\nname = 'w'\nindicator = 't'\nactions = { a.v = '0' }\n";
    EXPECT_THAT(problems(two + event + event),
                HasSubstr("s.toml:9: [[events]]: two are called 'w', here and at s.toml:5"));
}

TEST(SystemEvents, set_a_variable_only_once) {
    const std::string text =
        problems(std::string(nested) +
                 "[[events]]\nindicator = 't'\nactions = { axle.u = '1', axle.wheel.u = '2' }\n");
    EXPECT_THAT(text, HasSubstr("event 'event 2': 'axle.wheel.u' is set twice"));
}

TEST(SystemEvents, cannot_set_what_is_no_variable_of_a_subsystem) {
    const std::string head = nested;
    EXPECT_THAT(problems(head + "[[events]]\nindicator = 't'\nactions = { axle.y = '1' }\n"),
                HasSubstr("the output of the system 'axle' 'axle.y' cannot be set"));
    EXPECT_THAT(problems("[subsystems.a]\nsource = 'a.fmu'\n[systems.s]\ninputs = ['u']\n"
                         "[[events]]\nindicator = 't'\nactions = { s.u = '1' }\n"),
                HasSubstr("event: 's.u' leads to no variable that could be set"));
}

TEST(SystemEvents, cannot_take_the_result_of_a_function) {
    EXPECT_THAT(problems(two + R"([systems.s]
inputs = ["u"]
[[systems.s.events]]
indicator = "x"
signals = { x = "u" }
actions = { "p.v" = "1" }
[systems.s.subsystems.p]
source = "p.fmu"
[[functions]]
target = "s.u"
expression = "t"
)"),
                HasSubstr("an event cannot take the result of a function"));
}

}  // namespace
}  // namespace tandem::description
