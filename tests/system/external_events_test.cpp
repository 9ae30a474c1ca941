#include <gmock/gmock.h>

#include <cmath>

#include "support/system_file.hpp"
#include "tandem/error.hpp"

namespace tandem::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Runs and reads back what an error says; empty if there was none.
template <class Error>
std::string error_of(SystemFile& file) {
    try {
        file.run();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

class ExternalEvents : public ::testing::TestWithParam<std::string> {
protected:
    /// x' = a x + u, y = x, at rest unless `parameters` say otherwise.
    std::string model(const std::string& name, const std::string& parameters) const {
        return subsystem_text(name, "LinearOde", GetParam(), parameters + ", b = 1, c = 1, d = 0");
    }
    static std::string head(double stop) {
        return fmt::format(
            "[experiment]\nstop = {}\nstep = 0.1\ntolerance = 1e-9\n[coupling]\nmethod = "
            "\"aggregate\"\n[record]\nvariables = [\"*.x\"]\n",
            stop);
    }
    static std::string drive(const std::string& target, const std::string& expression) {
        return fmt::format("[[functions]]\ntarget = \"{}\"\nexpression = \"{}\"\n", target,
                           expression);
    }
};
INSTANTIATE_TEST_SUITE_P(Kinds, ExternalEvents,
                         ::testing::Values("native", "fmi1_me", "fmi2_me", "fmi3_me"),
                         [](const auto& kind) { return kind.param; });

/// The times of rows that stand twice.
std::vector<double> event_times(const Columns& columns) {
    std::vector<double> times;
    const auto& all = columns.at("time");
    for (std::size_t k = 0; k + 1 < all.size(); ++k)
        if (all[k] == all[k + 1]) times.push_back(all[k]);
    return times;
}

TEST_P(ExternalEvents, reset_a_state_as_often_as_it_gets_there) {
    SystemFile file(head(2.0) + model("a", "x = 0, a = 0") + drive("a.u", "1") +
                    "[[events]]\nindicator = \"x - 0.45\"\nsignals = { x = \"a.x\" }\nactions = { "
                    "\"a.x\" = \"0\" }\n");
    const Columns columns = file.run();
    const std::vector<double> times = event_times(columns);
    ASSERT_EQ(times.size(), 4U);
    for (std::size_t k = 0; k < times.size(); ++k)
        EXPECT_NEAR(times[k], 0.45 * static_cast<double>(k + 1), 1e-7);
    EXPECT_NEAR(columns.at("a.x").back(), 0.2, 1e-7);
}

TEST_P(ExternalEvents, happen_only_in_their_direction) {
    // x = sin t crosses 0 upwards at 0 and 2 pi, downwards at pi and 3 pi. y counts.
    for (const auto& [direction, count] : std::vector<std::pair<std::string, double>>{
             {"falling", 2.0}, {"rising", 1.0}, {"both", 3.0}}) {
        SystemFile file(head(10.0) + model("a", "x = 0, a = 0") + model("n", "x = 0, a = 0") +
                        drive("a.u", "cos(t)") + drive("n.u", "0") +
                        fmt::format("[[events]]\nindicator = \"x + 1e-3\"\ndirection = "
                                    "\"{}\"\nsignals = {{ x = \"a.x\", n = \"n.x\" }}\nactions = "
                                    "{{ \"n.x\" = \"n + 1\" }}\n",
                                    direction));
        const Columns columns = file.run();
        EXPECT_NEAR(columns.at("n.x").back(), count, 1e-9) << direction;
        EXPECT_EQ(event_times(columns).size(), static_cast<std::size_t>(count)) << direction;
    }
}

TEST_P(ExternalEvents, set_inputs_at_their_times) {
    SystemFile file(head(1.0) + model("a", "x = 0, a = 0") +
                    "[[events]]\ntimes = [0.25, 0.5]\nactions = { \"a.u\" = \"4*t\" }\n");
    const Columns columns = file.run();
    EXPECT_EQ(event_times(columns), (std::vector{0.25, 0.5}));
    EXPECT_NEAR(columns.at("a.x").back(), 0.25 * 1.0 + 0.5 * 2.0, 1e-9);
}

TEST_P(ExternalEvents, see_the_values_before_they_act) {
    SystemFile file(
        head(1.0) + model("a", "x = 1, a = 0") + model("b", "x = 2, a = 0") + drive("a.u", "0") +
        drive("b.u", "0") +
        "[[events]]\ntimes = [0.5]\nsignals = { a = \"a.x\", b = \"b.x\" }\nactions = { "
        "\"a.x\" = \"b\", \"b.x\" = \"a\" }\n");
    const Columns columns = file.run();
    EXPECT_EQ(columns.at("a.x").back(), 2.0);
    EXPECT_EQ(columns.at("b.x").back(), 1.0);
}

TEST_P(ExternalEvents, follow_from_other_events_at_the_same_instant) {
    // The table jumps over 2; that sets x to -1, and that x falls through 0 sets n.
    SystemFile file(head(2.0) + "[subsystems.table]\nsource = \"table.csv\"\n" +
                    model("a", "x = 1, a = 0") + model("n", "x = 0, a = 0") + drive("a.u", "0") +
                    drive("n.u", "0") +
                    "[[events]]\nindicator = \"x\"\ndirection = \"falling\"\nsignals = { x = "
                    "\"a.x\", n = \"n.x\" }\nactions = { \"n.x\" = \"n + 1\" }\n"
                    "[[events]]\nindicator = \"w - 2\"\ndirection = \"rising\"\nsignals = { w = "
                    "\"table.w\" }\nactions = { \"a.x\" = \"-1\" }\n");
    file.add("table.csv", "time,w\n0,1\n1,1\n1,5\n2,5\n");
    const Columns columns = file.run();
    EXPECT_EQ(event_times(columns), std::vector{1.0});
    EXPECT_EQ(columns.at("a.x").back(), -1.0);
    EXPECT_EQ(columns.at("n.x").back(), 1.0);
}

TEST_P(ExternalEvents, see_what_the_events_of_models_change) {
    // The speed of the ball jumps from below 0 to above at each bounce: three in two seconds.
    SystemFile file(head(2.0) + subsystem_text("ball", "BouncingBall", GetParam()) +
                    model("n", "x = 0, a = 0") + drive("n.u", "0") +
                    "[[events]]\nindicator = \"v\"\ndirection = \"rising\"\nsignals = { v = "
                    "\"ball.v\", n = \"n.x\" }\nactions = { \"n.x\" = \"n + 1\" }\n");
    EXPECT_EQ(file.run().at("n.x").back(), 3.0);
}

TEST_P(ExternalEvents, of_which_several_set_one_input_make_a_switch) {
    // x' = -x + u between 0.5 and 1, u = 2 and 0: up in ln(2 - 0.5) - ln(2 - 1), down in ln 2.
    SystemFile file(head(6.0) + model("a", "x = 0, a = -1, u = 2") +
                    "[[events]]\nindicator = \"x - 1\"\ndirection = \"rising\"\nsignals = { x = "
                    "\"a.x\" }\nactions = { \"a.u\" = \"0\" }\n"
                    "[[events]]\nindicator = \"x - 0.5\"\ndirection = \"falling\"\nsignals = { x = "
                    "\"a.x\" }\nactions = { \"a.u\" = \"2\" }\n");
    const std::vector<double> times = event_times(file.run());
    ASSERT_EQ(times.size(), 10U);
    double expected = std::log(2.0);
    for (std::size_t k = 0; k < times.size(); ++k) {
        EXPECT_NEAR(times[k], expected, 1e-7) << k;
        expected += k % 2 == 0 ? std::log(2.0) : std::log(1.5);
    }
}

TEST_P(ExternalEvents, that_call_each_other_forever_are_reported) {
    const auto error_with = [&](const std::string& direction, const std::string& action) {
        SystemFile file(
            head(1.0) + model("a", "x = -0.5, a = 0") + drive("a.u", "1") +
            fmt::format("[[events]]\nname = \"mirror\"\nindicator = \"x\"\ndirection = \"{}\"\n"
                        "signals = {{ x = \"a.x\" }}\nactions = {{ \"a.x\" = \"{}\" }}\n",
                        direction, action));
        const std::string error = error_of<NumericsError>(file);
        EXPECT_GE(read_text_columns(file.in_folder("out.csv")).at("time").size(), 5U);
        return error;
    };
    // Back by so little that it is there again in a nanosecond; and to where it is due at once.
    EXPECT_THAT(error_with("rising", "-1e-9"),
                AllOf(HasSubstr("at t = 0.5"), HasSubstr("1000 events"), HasSubstr("'mirror'"),
                      HasSubstr("chatters")));
    EXPECT_THAT(
        error_with("both", "-x"),
        AllOf(HasSubstr("at t = 0.5"), HasSubstr("did not converge"), HasSubstr("'mirror'")));
}

TEST_P(ExternalEvents, with_an_action_that_gives_no_number_are_reported) {
    SystemFile file(
        head(1.0) + model("a", "x = 1, a = 0") + drive("a.u", "0") +
        "[[events]]\nname = \"bad\"\ntimes = [0.45]\nsignals = { x = \"a.x\" }\nactions "
        "= { \"a.x\" = \"log(-x)\" }\n");
    EXPECT_THAT(error_of<NumericsError>(file),
                AllOf(HasSubstr("'bad' at t = 0.45"), HasSubstr("'x' gives no number")));
}

TEST_P(ExternalEvents, end_the_step_for_co_simulation_fmus_too) {
    // c adds up what a says; a steps back to 0 at 0.25.
    SystemFile file(
        "connections = [\"a.y -> c.u\"]\n" + head(1.0) + model("a", "x = 1, a = 0") +
        drive("a.u", "0") +
        subsystem_text("c", "LinearOde", "fmi2_cs", "x = 0, a = 0, b = 1, c = 1, d = 0") +
        "[[events]]\ntimes = [0.25]\nactions = { \"a.x\" = \"0\" }\n");
    const Columns columns = file.run();
    ASSERT_EQ(event_times(columns).size(), 1U);
    EXPECT_NEAR(event_times(columns)[0], 0.25, 1e-7);
    // The step in which it happened ends there, so nothing is held beyond it.
    EXPECT_NEAR(columns.at("c.x").back(), 0.25, 1e-6);
}

TEST_P(ExternalEvents, at_the_begin_of_a_step_do_not_hide_others_in_it) {
    if (GetParam() == "fmi1_me") return;  // cannot go back
    SystemFile file(
        "connections = [\"a.y -> c.u\"]\n" + head(1.0) + model("a", "x = 0, a = 0") +
        drive("a.u", "0") +
        subsystem_text("c", "LinearOde", "fmi2_cs", "x = 0, a = 0, b = 1, c = 1, d = 0") +
        "[[events]]\ntimes = [0, 0.05]\nsignals = { x = \"a.x\" }\nactions = { \"a.x\" "
        "= \"x + 1\" }\n");
    const Columns columns = file.run();
    ASSERT_EQ(event_times(columns).size(), 2U);
    EXPECT_NEAR(event_times(columns)[0], 0.0, 1e-7);
    EXPECT_NEAR(event_times(columns)[1], 0.05, 1e-7);
    EXPECT_EQ(columns.at("a.x").back(), 2.0);
}

TEST(ExternalEventsOf, anything_but_models_solved_together_are_refused) {
    const std::string event = "[[events]]\ntimes = [0.5]\nactions = { \"a.x\" = \"0\" }\n";
    const auto problems = [&](const std::string& kind, const std::string& method,
                              const std::string& events) {
        SystemFile file("[experiment]\nstop = 1\n[coupling]\nmethod = \"" + method + "\"\n" +
                        subsystem_text("a", "LinearOde", kind) + events);
        return error_of<InputErrors>(file) + error_of<InputError>(file);
    };
    EXPECT_THAT(problems("native", "jacobi", event),
                HasSubstr("choose the coupling \"aggregate\""));
    EXPECT_THAT(problems("fmi2_cs", "aggregate", event),
                HasSubstr("'a.x' belongs to no Model Exchange or native model"));
    EXPECT_THAT(problems("native", "aggregate",
                         "[[events]]\ntimes = [0.5]\nactions = { \"a.y\" = \"0\" }\n"),
                HasSubstr("'a.y' is neither a state, an input nor a tunable parameter"));
    EXPECT_THAT(problems("native", "aggregate",
                         "[[events]]\ntimes = [0.5]\nactions = { \"a.a\" = \"0\" }\n"),
                HasSubstr("'a.a' is neither a state, an input nor a tunable parameter"));
    EXPECT_THAT(problems("native", "aggregate", "[[events]]\ntimes = [0.5]\n"),
                HasSubstr("does nothing"));
    EXPECT_THAT(problems("native", "aggregate",
                         "[[events]]\ntimes = [0.5]\nactions = { \"a.z\" = \"0\" }\n"),
                HasSubstr("'a' has no variable 'z'"));
    EXPECT_THAT(problems("native", "aggregate",
                         "[[events]]\ntimes = [0.5]\nactions = { \"a.x\" = \"0 +\" }\n"),
                HasSubstr("0 +"));
}

}  // namespace
}  // namespace tandem::test
