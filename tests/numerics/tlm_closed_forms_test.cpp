#include <gtest/gtest.h>

#include <cmath>

#include "support/system_file.hpp"

namespace tandem::test {
namespace {

constexpr double impedance = 0.4, delay = 4e-4;

std::string line_text(const std::string& ends, const std::string& more = "") {
    return fmt::format(
        "[[tlm]]\nname = \"line\"\ndomain = \"mechanical\"\ndelay = {}\nimpedance = {}\n{}"
        "ends = [{}]\n",
        delay, impedance, more, ends);
}

std::string experiment_text(double step, double stop) {
    return fmt::format(
        "[experiment]\nstop = {}\nstep = {}\ntolerance = 1e-10\n[coupling]\nmethod = \"jacobi\"\n"
        "[record]\nvariables = [\"*.*\"]\n",
        stop, step);
}

const std::string two_ends =
    "{ flow = \"a.v\", effort = \"a.F\" }, { flow = \"b.v\", effort = \"b.F\" }";

class ClosedForm : public ::testing::TestWithParam<const char*> {
protected:
    std::string exchange() const { return fmt::format("exchange = \"{}\"\n", GetParam()); }
};

// One end moves into the line from the start on, the other is blocked: the force grows by steps.
TEST_P(ClosedForm, of_an_end_with_constant_speed_is_a_staircase) {
    SystemFile file(experiment_text(1e-4, 3e-3) + line_text(two_ends, exchange()) +
                    subsystem_text("a", "FixedEnd", "native", "speed = 1") +
                    subsystem_text("b", "FixedEnd", "native"));
    const Columns columns = file.run();
    for (std::size_t k = 1; k < columns.at("time").size(); ++k) {
        const double t = columns.at("time")[k];
        // Where a step arrives, it is what is behind it that counts.
        const double half_trips = t / delay + 1e-9;
        EXPECT_NEAR(-columns.at("a.F")[k], impedance * (1.0 + 2.0 * std::floor(half_trips / 2.0)),
                    1e-12)
            << t;
        EXPECT_NEAR(columns.at("b.F")[k], 2.0 * impedance * std::floor((half_trips + 1.0) / 2.0),
                    1e-12)
            << t;
    }
}

// A damper that is matched to the line sends nothing back.
TEST_P(ClosedForm, of_a_matched_end_has_no_echo) {
    SystemFile file(experiment_text(1e-4, 3e-3) +
                    line_text("{ flow = \"a.v\", effort = \"a.F\" }, "
                              "{ flow = \"b.v\", wave = \"b.c\", impedance = \"b.Zc\" }",
                              exchange()) +
                    subsystem_text("a", "FixedEnd", "native", "speed = 1") +
                    subsystem_text("b", "TlmDamper", "native", fmt::format("d = {}", impedance)));
    const Columns columns = file.run();
    for (std::size_t k = 1; k < columns.at("time").size(); ++k) {
        EXPECT_NEAR(-columns.at("a.F")[k], impedance, 1e-12);
        if (columns.at("time")[k] > delay + 1e-9) {
            EXPECT_NEAR(columns.at("b.F")[k], impedance, 1e-12);
        }
    }
}

// The same end without a wave: its flow follows the effort within the instant, f = -e / Z.
TEST(ClosedForm, of_a_matched_end_that_takes_an_effort_has_no_echo) {
    for (const char* exchange : {"coarse", "fine", "law"}) {
        SystemFile file(
            experiment_text(1e-4, 3e-3) +
            fmt::format("[[tlm]]\nname = \"line\"\ndomain = \"generic\"\ndelay = {}\n"
                        "impedance = {}\nexchange = \"{}\"\nends = [{{ flow = \"a.v\", "
                        "effort = \"a.F\" }}, {{ flow = \"b.y\", effort = \"b.u\" }}]\n",
                        delay, impedance, exchange) +
            subsystem_text("a", "FixedEnd", "native", "speed = 1") +
            subsystem_text("b", "LinearOde", "native",
                           fmt::format("a = 0, b = 0, c = 0, d = {}", -1.0 / impedance)));
        const Columns columns = file.run();
        for (std::size_t k = 1; k < columns.at("time").size(); ++k) {
            EXPECT_NEAR(columns.at("a.F")[k], impedance, 1e-10) << exchange;
            if (columns.at("time")[k] > delay + 1e-9) {
                EXPECT_NEAR(columns.at("b.u")[k], impedance, 1e-10) << exchange;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Every, ClosedForm,
                         ::testing::Values("sampled", "coarse", "fine", "law", "auto"));

// x tan x = Z T / m with x = omega T.
TEST(ClosedForm, of_a_mass_on_a_blocked_line_is_a_known_frequency) {
    SystemFile file(experiment_text(1e-4, 1.0) + line_text(two_ends) +
                    subsystem_text("a", "TlmMass", "native", "m = 0.01, v = 1") +
                    "solver = \"dopri5\"\ntolerance = 1e-11\n" +
                    subsystem_text("b", "FixedEnd", "native"));
    const Columns columns = file.run();
    const std::vector<double>& t = columns.at("time");
    const std::vector<double>& x = columns.at("a.x");
    std::vector<double> crossings;
    for (std::size_t k = 1; k < t.size(); ++k)
        if (x[k - 1] < 0.0 && x[k] >= 0.0)
            crossings.push_back(t[k - 1] - x[k - 1] * (t[k] - t[k - 1]) / (x[k] - x[k - 1]));
    ASSERT_GT(crossings.size(), 40u);
    const double period =
        (crossings.back() - crossings.front()) / static_cast<double>(crossings.size() - 1);
    EXPECT_NEAR(2.0 * M_PI / period, 315.3869611995149, 2e-4 * 315.4);
}

// A volume of oil as a line: pressure rises by steps, as much as it would without a delay.
TEST(ClosedForm, of_a_hydraulic_volume_rises_with_its_stiffness) {
    // Signs are those of hydraulic lines; units of the model are not.
    SystemFile file(
        "[experiment]\nstop = 1.2e-3\nstep = 5e-5\n[coupling]\nmethod = \"jacobi\"\n"
        "[record]\nvariables = [\"*.*\"]\n[[tlm]]\nname = \"volume\"\ndomain = \"generic\"\n"
        "delay = 1e-4\nvolume = 1e-3\nbulk_modulus = 1e9\n"
        "ends = [{ flow = \"a.v\", effort = \"a.F\" }, { flow = \"b.v\", effort = \"b.F\" }]\n" +
        subsystem_text("a", "FixedEnd", "native", "speed = 1e-4") +
        subsystem_text("b", "FixedEnd", "native"));
    const Columns columns = file.run();
    for (const auto& [t, pressure] : std::vector<std::pair<double, double>>{
             {5e-5, 10000}, {2.5e-4, 30000}, {4.5e-4, 50000}, {1.05e-3, 110000}})
        for (std::size_t k = 0; k < columns.at("time").size(); ++k)
            if (std::abs(columns.at("time")[k] - t) < 1e-9) {
                EXPECT_NEAR(columns.at("a.F")[k], pressure, 1e-7) << t;
            }
}

// A line with both ends at one mass: force w(t - T) - Z v at each, with w = -c + 2 Z v. With
// L = 2 Z / m and no waves at first: m v' = -2 Z v, then m v' = -2 Z v + 4 Z v(t - T):
//   v(T) = e^(-L T),   v(T + s) = e^(-L s) (e^(-L T) + 2 L s).
// Waves go on straight lines between points h = 2e-6 apart, which leaves some (L h)^2 / 8.
TEST(ClosedForm, of_a_line_between_two_ends_of_one_subsystem_is_a_mass_that_drags_it) {
    const double mass = 2.0 * impedance * delay;  // so that L T = 1
    const double once = std::exp(-1.0), later = std::exp(-0.75) * (once + 1.5);
    for (const std::string method : {"jacobi", "asynchronous"}) {
        SystemFile file(
            fmt::format("[experiment]\nstop = {}\nstep = 2e-6\ntolerance = 1e-10\n"
                        "[coupling]\nmethod = \"{}\"\n[record]\nvariables = [\"*.*\"]\n",
                        2.0 * delay, method) +
            line_text(
                "{ flow = \"a.v\", effort = \"a.F\" }, { flow = \"a.v\", effort = \"a.F2\" }") +
            subsystem_text("a", "TlmMass", "native", fmt::format("m = {:.17g}, v = 1", mass)));
        const Columns columns = file.run();
        const std::vector<double>& v = columns.at("a.v");
        ASSERT_EQ(v.size(), 401U);
        EXPECT_NEAR(v[200], once, 1e-8) << method;
        EXPECT_NEAR(v[350], later, 1e-5) << method;
        EXPECT_NEAR(v[400], std::exp(-1.0) * (once + 2.0), 1e-5) << method;
    }
}

// A mass that moves from the start on sends a jump, which comes back from the blocked end after 2
// T, and again after 4 T. With a = Z / m, x = t - 2 T and no waves at first: v = e^(-a t), then
//   v = e^(-a x) (e^(-2 a T) - 2 a x).
// T is a multiple of the steps, so jumps come at their ends, and no solver has to go over them.
// Waves are straight between internal steps; a jump that is smeared over one would leave a h / 2.
TEST(ClosedForm, of_a_mass_that_moves_at_the_start_has_jumps) {
    const double a = 0.5 / delay;
    const auto echoed = [&](double x) { return std::exp(-a * x) * (std::exp(-1.0) - 2.0 * a * x); };
    struct Case {
        std::string name, method, kind, solver, exchange;
        double start, tolerance;
    };
    const std::string rk4 = "solver = \"rk4\"\nstep = 4e-6\n";
    for (const Case& each : std::vector<Case>{
             {"rk4", "jacobi", "native", rk4, "law", 0.0, 3e-6},
             {"asynchronous", "asynchronous", "native", rk4, "law", 0.0, 3e-6},
             {"later", "jacobi", "native", rk4, "law", 1000.0, 3e-6},
             {"dopri5", "jacobi", "native", "solver = \"dopri5\"\n", "law", 0.0, 3e-6},
             {"cvode", "jacobi", "native", "solver = \"cvode\"\n", "law", 0.0, 3e-6},
             {"coarse", "jacobi", "native", rk4, "coarse", 0.0, 2e-5},
             {"Model Exchange", "jacobi", "fmi2_me", rk4, "law", 0.0, 3e-6},
             {"FMI 2.0", "jacobi", "fmi2_cs", "", "law", 0.0, 2e-5},
             {"FMI 3.0", "jacobi", "fmi3_cs", "", "law", 0.0, 2e-5}}) {
        SystemFile file(
            fmt::format("[experiment]\nstart = {}\nstop = {}\nstep = {}\ntolerance = 1e-10\n"
                        "[coupling]\nmethod = \"{}\"\n[record]\nvariables = [\"*.*\"]\n",
                        each.start, each.start + 4.0 * delay, delay / 50.0, each.method) +
            line_text(two_ends, fmt::format("exchange = \"{}\"\n", each.exchange)) +
            subsystem_text("a", "TlmMass", each.kind,
                           fmt::format("m = {:.17g}, v = 1", impedance / a)) +
            each.solver + subsystem_text("b", "FixedEnd", "native"));
        const Columns columns = file.run();
        const std::vector<double>& v = columns.at("a.v");
        const std::size_t n = v.size() - 1;
        ASSERT_EQ(n, 200U) << each.name;
        EXPECT_NEAR(v[n / 2], std::exp(-1.0), 1e-8) << each.name;
        EXPECT_NEAR(v[3 * n / 4], echoed(delay), each.tolerance) << each.name;
        EXPECT_NEAR(v[n], echoed(2.0 * delay), each.tolerance) << each.name;
        const double force = -impedance * (2.0 + std::exp(-1.0));
        EXPECT_NEAR(columns.at("a.F")[n / 2], force, 1e-8) << each.name << ", behind the jump";
    }
}

// Two masses without damper, one of them on a spring: what they have lost is in the line, which
// tells it by what they did inside its steps: with steps as long as the delay, too.
TEST(ClosedForm, of_the_energy_of_two_masses_is_kept_by_the_account_of_the_line) {
    for (const std::string exchange : {"coarse", "fine", "law"})
        for (const double step : {delay, delay / 4.0}) {
            SystemFile file(experiment_text(step, 0.03) +
                            line_text(two_ends, fmt::format("exchange = \"{}\"\n", exchange)) +
                            subsystem_text("a", "TlmMass", "native", "m = 1e-3, v = 1") +
                            "solver = \"dopri5\"\n" +
                            subsystem_text("b", "TlmMass", "native", "m = 3e-3, k = 20, v = -0.4") +
                            "solver = \"dopri5\"\n");
            run::SystemRun system(file.options());
            system.perform();
            const LineRecord line = system.record().lines.at(0);
            const Columns columns = numbers_of(read_text_columns(file.in_folder("out.csv")));
            const auto energy = [&](double t) {
                const double a = at(columns, "a.v", t), b = at(columns, "b.v", t);
                const double x = at(columns, "b.x", t);
                return 0.5 * (1e-3 * a * a + 3e-3 * b * b + 20.0 * x * x);
            };
            // The account ends a delay before the run does. Flows are taken as straight between
            // internal steps, of which there are eight in a step at least.
            const double lost = energy(0.0) - energy(0.03 - delay);
            EXPECT_NEAR(line.put_in - line.taken_out, lost, 2e-3 * energy(0.0)) << exchange << step;
            EXPECT_NEAR(line.stored, lost, (step == delay ? 0.1 : 0.02) * energy(0.0))
                << exchange << step << ", more or less by what interpolation does";
        }
}

// T / (1 - a) is how long slow waves are under way.
TEST(ClosedForm, of_a_damped_line_has_the_stiffness_that_it_was_given) {
    SystemFile file(experiment_text(1e-4, 1.0) +
                    "[[tlm]]\nname = \"line\"\ndomain = \"mechanical\"\ndelay = 4e-4\n"
                    "stiffness = 1000\ndamping = 0.5\nends = [" +
                    two_ends + "]\n" + subsystem_text("a", "TlmMass", "native", "d = 3, F2 = 5") +
                    subsystem_text("b", "FixedEnd", "native"));
    EXPECT_NEAR(file.run().at("a.x").back(), 5.0 / 1000.0, 1e-6);
}

// The same mass with a table of waves: what it shows where the jump arrives follows what is behind.
TEST(ClosedForm, of_a_mass_with_a_table_shows_what_is_behind_a_jump) {
    const double a = 0.5 / delay;
    for (const std::string kind : {"native", "fmi3_cs", "fmi3_me"}) {
        SystemFile file(
            experiment_text(delay / 4.0, 4.0 * delay) +
            line_text("{ flow = \"a.v3\", times = \"a.t_table\", waves = \"a.c_table\", impedance "
                      "= \"a.Zc\" }, { flow = \"b.v\", effort = \"b.F\" }",
                      "samples = 10\n") +
            subsystem_text("a", "TlmLeftTable", kind,
                           fmt::format("M3 = {:.17g}, B3 = 0, v3 = 1", impedance / a)) +
            subsystem_text("b", "FixedEnd", "native"));
        const double force = -impedance * (2.0 + std::exp(-1.0));
        EXPECT_NEAR(at(file.run(), "a.F3", 2.0 * delay), force, 1e-6) << kind;
    }
}

TEST(ClosedForm, of_a_mass_with_a_table_begins_with_the_preload) {
    SystemFile file(experiment_text(delay, 2.0 * delay) +
                    line_text("{ flow = \"a.v3\", times = \"a.t_table\", waves = \"a.c_table\", "
                              "impedance = \"a.Zc\" }, { flow = \"b.v\", effort = \"b.F\" }",
                              "preload = 30\n") +
                    subsystem_text("a", "TlmLeftTable", "native", "Fext = -30, t_step = 0") +
                    subsystem_text("b", "FixedEnd", "native"));
    const Columns columns = file.run();
    for (const double force : columns.at("a.F3")) EXPECT_NEAR(force, 30.0, 1e-9);
}

}  // namespace
}  // namespace tandem::test
