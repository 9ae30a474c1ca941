#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <numbers>

#include "support/system_file.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;

/// What the two members are, and how their common equation is solved.
struct Setting {
    std::string left, right, solver;

    friend void PrintTo(const Setting& setting, std::ostream* out) {
        *out << setting.left << ", " << setting.right << ", " << setting.solver;
    }
};

class Aggregated : public ::testing::TestWithParam<Setting> {
protected:
    std::string head(double stop) const {
        return fmt::format(
            "[experiment]\nstop = {}\nstep = 0.01\ntolerance = 1e-8\n[coupling]\n"
            "method = \"aggregate\"\nsolver = \"{}\"\n",
            stop, GetParam().solver);
    }
    std::string pair(const std::string& names, const std::string& model, const std::string& first,
                     const std::string& second) const {
        const auto slash = names.find('/');
        return subsystem_text(names.substr(0, slash), model, GetParam().left, first) +
               subsystem_text(names.substr(slash + 1), model, GetParam().right, second);
    }
};

INSTANTIATE_TEST_SUITE_P(
    Kinds, Aggregated, ::testing::ValuesIn([] {
        std::vector<Setting> all;
        for (const char* solver : {"cvode", "dopri5"}) {
            for (const char* kind : {"native", "fmi1_me", "fmi2_me", "fmi3_me"})
                all.push_back({kind, kind, solver});
            all.push_back({"native", "fmi2_me", solver});
            all.push_back({"fmi3_me", "native", solver});
            all.push_back({"fmi1_me", "fmi3_me", solver});
        }
        return all;
    }()),
    [](const auto& setting) {
        return setting.param.left + "_" + setting.param.right + "_" + setting.param.solver;
    });

TEST_P(Aggregated, pair_gives_the_exponentials_of_the_whole) {
    SystemFile file("connections = [\"a.y -> b.u\"]\n" + head(2.0) +
                    pair("a/b", "LinearOde", "x = 9, a = -1, b = 0, c = 1, d = 0",
                         "x = 2, a = 0, b = 1, c = 0, d = 0") +
                    "[record]\nvariables = [\"*.x\"]\n");
    const Columns columns = file.run();
    const auto& times = columns.at("time");
    ASSERT_EQ(times.size(), 201U);
    // The solver's tolerance, added up over its steps.
    for (std::size_t k = 0; k < times.size(); ++k) {
        EXPECT_NEAR(columns.at("a.x")[k], 9.0 * std::exp(-times[k]), 1e-6);
        EXPECT_NEAR(columns.at("b.x")[k], 11.0 - 9.0 * std::exp(-times[k]), 1e-6);
    }
}

TEST_P(Aggregated, loop_gives_the_exponentials_of_the_whole) {
    SystemFile file("connections = [\"b.y -> a.u\", \"a.y -> b.u\"]\n" + head(2.0) +
                    pair("a/b", "LinearOde", "x = 9, a = -1, b = 1, c = 1, d = -1",
                         "x = 2, a = -1, b = 1, c = 0, d = 0.5") +
                    "[record]\nvariables = [\"*.x\", \"*.y\"]\n");
    const Columns columns = file.run();
    const auto& times = columns.at("time");
    EXPECT_NEAR(columns.at("a.y")[0], 6.0, 1e-9);
    EXPECT_NEAR(columns.at("b.y")[0], 3.0, 1e-9);
    // The solver's tolerance, added up over its steps; the loop itself is solved to 1e-10.
    for (std::size_t k = 0; k < times.size(); ++k) {
        const double slow = std::exp(-2.0 / 3.0 * times[k]);
        EXPECT_NEAR(columns.at("a.x")[k], 9.0 * slow, 1e-7);
        EXPECT_NEAR(columns.at("b.x")[k], 18.0 * slow - 16.0 * std::exp(-times[k]), 1e-7);
        EXPECT_NEAR(columns.at("a.y")[k], 6.0 * slow, 1e-7);
        EXPECT_NEAR(columns.at("b.y")[k], 3.0 * slow, 1e-7);
    }
}

using State = std::array<double, 4>;  // theta1, omega1, theta2, omega2
constexpr double gravity = 9.82;

/// Both pendulums as one equation; `shake` is 1 with the shaken pivots and 0 without.
State slope(double t, const State& s, double shake) {
    const double w = shake * std::sin(t);
    const double force_x = (std::sin(s[0]) + 2.0 + w) - (std::sin(s[2]) - 2.0 - w);
    const double force_y = -std::cos(s[0]) + std::cos(s[2]);
    return {s[1], (-gravity + force_y) * std::sin(s[0]) + (force_x - w) * std::cos(s[0]), s[3],
            (-gravity - force_y) * std::sin(s[2]) + (-force_x - w) * std::cos(s[2])};
}

/// Runge and Kutta's step of order 4; at 1e-4 its error is below 1e-12 over 5 s.
State moved(double t, const State& s, double h, double shake) {
    const auto plus = [](const State& a, double f, const State& b) {
        return State{a[0] + f * b[0], a[1] + f * b[1], a[2] + f * b[2], a[3] + f * b[3]};
    };
    const State k1 = slope(t, s, shake);
    const State k2 = slope(t + h / 2, plus(s, h / 2, k1), shake);
    const State k3 = slope(t + h / 2, plus(s, h / 2, k2), shake);
    const State k4 = slope(t + h, plus(s, h, k3), shake);
    return plus(plus(plus(plus(s, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
}

constexpr const char* right_angle = "1.5707963267948966";

/// The coupling functions; the source of the shaking as `w`.
std::string spring(const std::string& w) {
    const auto function = [](const std::string& target, const std::string& expression,
                             const std::string& signals) {
        return fmt::format(
            "[[functions]]\ntarget = \"{}\"\nexpression = \"{}\"\nsignals = {{{}}}\n", target,
            expression, signals);
    };
    const std::string x = "a = \"left.x\", b = \"right.x\"";
    const std::string y = "a = \"left.y\", b = \"right.y\"";
    const std::string force = fmt::format("(a + 2 + {0}) - (b - 2 - {0})", w);
    return function("left.u1", "-" + w, "") + function("right.u1", "-" + w, "") +
           function("left.u2", force, x) + function("right.u2", "-(" + force + ")", x) +
           function("left.u3", "a - b", y) + function("right.u3", "b - a", y);
}

struct Checkpoint {
    double t;
    State state;
};
// Integrated independently, to 1e-12.
constexpr std::array<Checkpoint, 3> shaken = {
    {{1.0, {-0.614431543911, -0.511191744917, 0.450696984711, 0.0352215575809}},
     {2.0, {1.58914257904, 1.10240625981, -1.73767545411, -0.168249953569}},
     {5.0, {-0.141619107469, -3.28741137487, 0.645302528707, 1.95816529851}}}};

TEST(Pendulums, as_one_equation_give_the_reference_values) {
    State state{std::numbers::pi / 2, 0.0, -std::numbers::pi / 2, 0.0};
    for (int k = 0; k < 50000; ++k) {
        const double t = k * 1e-4;
        for (const Checkpoint& point : shaken) {
            if (std::abs(t - point.t) > 1e-9) continue;
            for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(state[i], point.state[i], 1e-10);
        }
        state = moved(t, state, 1e-4, 1.0);
    }
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(state[i], shaken[2].state[i], 1e-10);
}

/// Compares angles and what follows from them at every grid point. An early error grows by 6 at
/// most; the rest of the way from 1e-8 to 1e-6 is what a solver adds up over its steps.
void expect_shaken(const Columns& columns, const std::vector<std::string>& wanted) {
    State state{std::numbers::pi / 2, 0.0, -std::numbers::pi / 2, 0.0};
    for (int k = 0; k <= 500; ++k) {
        const auto row = static_cast<std::size_t>(k);
        for (const std::size_t side : {0U, 1U}) {
            const std::string name = side == 0 ? "left." : "right.";
            const double angle = state[2 * side], speed = state[2 * side + 1];
            const std::map<std::string, double> values = {{"theta", angle},
                                                          {"omega", speed},
                                                          {"x", std::sin(angle)},
                                                          {"y", -std::cos(angle)},
                                                          {"vx", speed * std::cos(angle)},
                                                          {"vy", speed * std::sin(angle)}};
            for (const std::string& variable : wanted)
                EXPECT_NEAR(columns.at(name + variable)[row], values.at(variable), 1e-6)
                    << name << variable << " at " << k * 0.01;
        }
        for (int step = 0; step < 100; ++step)
            state = moved(k * 0.01 + step * 1e-4, state, 1e-4, 1.0);
    }
}

TEST_P(Aggregated, polar_pendulums_move_as_one_equation) {
    SystemFile file(head(5.0) +
                    pair("left/right", "PendulumPolar", fmt::format("theta = {}", right_angle),
                         fmt::format("theta = -{}", right_angle)) +
                    spring("sin(t)") + "[record]\nvariables = [\"*.theta\", \"*.omega\"]\n");
    expect_shaken(file.run(), {"theta", "omega"});
}

TEST_P(Aggregated, cartesian_pendulums_move_as_one_equation) {
    SystemFile file(
        head(5.0) +
        pair("left/right", "PendulumCartesian", "x = 1, y = 0, drift = 1e-7",
             "x = -1, y = 0, drift = 1e-7") +
        spring("sin(t)") +
        "[record]\nvariables = [\"*.x\", \"*.y\", \"*.vx\", \"*.vy\"]\nevents = false\n");
    expect_shaken(file.run(), {"x", "y", "vx", "vy"});
}

/// The reference times of the impacts, whose, and the speed before.
struct Impact {
    double t;
    const char* who;
    double speed;
};
constexpr std::array<Impact, 7> impacts = {{{0.659317591160, "left", -3.10483493925},
                                            {0.766784348230, "right", 2.51526684274},
                                            {1.982511897373, "left", -3.03735134463},
                                            {2.307343090090, "right", 2.43097887595},
                                            {3.322012707654, "left", -3.05499729249},
                                            {3.877467770436, "right", 2.22558422994},
                                            {4.684522175759, "left", -3.10867532928}}};

double energy(const Columns& columns, std::size_t k) {
    const auto at = [&](const char* name) { return columns.at(name)[k]; };
    const double x = at("left.x") - at("right.x") + 4.0, y = at("left.y") - at("right.y");
    return 0.5 * (std::pow(at("left.omega"), 2) + std::pow(at("right.omega"), 2)) +
           gravity * (at("left.y") + at("right.y")) - 0.5 * (x * x + y * y);
}

TEST_P(Aggregated, pendulums_hit_their_walls_in_time_and_order) {
    const auto wall = [](const char* indicator, const char* direction, const std::string& who) {
        return fmt::format(
            "[[events]]\nindicator = \"{}\"\ndirection = \"{}\"\nsignals = {{ x = \"{}.x\", w = "
            "\"{}.omega\" }}\nactions = {{ \"{}.omega\" = \"-w\" }}\n",
            indicator, direction, who, who, who);
    };
    SystemFile file(head(5.0) +
                    pair("left/right", "PendulumPolar", fmt::format("theta = {}", right_angle),
                         fmt::format("theta = -{}", right_angle)) +
                    spring("0") + wall("x", "falling", "left") +
                    wall("x - 0.3", "rising", "right") +
                    "[record]\nvariables = [\"*.omega\", \"*.x\", \"*.y\"]\n");
    const Columns columns = file.run();
    const auto& times = columns.at("time");
    std::size_t found = 0;
    for (std::size_t k = 0; k + 1 < times.size(); ++k) {
        EXPECT_NEAR(energy(columns, k), -18.0, 1e-6) << times[k];
        if (times[k + 1] != times[k]) continue;
        ASSERT_LT(found, impacts.size());
        const Impact& impact = impacts[found++];
        const auto& speed = columns.at(std::string(impact.who) + ".omega");
        EXPECT_NEAR(times[k], impact.t, 1e-7);
        EXPECT_NEAR(speed[k], impact.speed, 1e-6);
        EXPECT_EQ(speed[k + 1], -speed[k]);
    }
    EXPECT_EQ(found, impacts.size());
}

TEST_P(Aggregated, ball_bounces_in_time) {
    // The first is the ball; the second one only makes it a group of two kinds.
    SystemFile file(head(2.0) +
                    pair("ball/other", "BouncingBall", "g = 9.82, e = 0.8, h = 1, v = 0",
                         "g = 9.81, e = 0.8, h = 1, v = 0") +
                    "[record]\nvariables = [\"*.h\", \"*.v\"]\n");
    const Columns columns = file.run();
    const auto& times = columns.at("time");
    std::vector<double> bounces;
    for (std::size_t k = 0; k + 1 < times.size(); ++k)
        if (times[k + 1] == times[k] && columns.at("ball.v")[k + 1] > 0.0 &&
            columns.at("ball.v")[k] < 0.0)
            bounces.push_back(times[k]);
    ASSERT_EQ(bounces.size(), 3U);
    EXPECT_NEAR(bounces[0], 0.451293682407, 1e-7);
    EXPECT_NEAR(bounces[1], 1.173363574257, 1e-7);
    EXPECT_NEAR(bounces[2], 1.751019487737, 1e-7);
    EXPECT_NEAR(columns.at("ball.h").back(), 0.260567595462, 1e-6);
    EXPECT_NEAR(columns.at("ball.v").back(), -0.175956202269, 1e-6);
    EXPECT_NEAR(columns.at("other.h").back(), 0.260741728327, 1e-6);
    EXPECT_NEAR(columns.at("other.v").back(), -0.165869135836, 1e-6);
}

TEST_P(Aggregated, a_table_acts_between_its_rows_and_where_it_jumps) {
    // x' = -x + u, u = t up to 1, then 3: x = t - 1 + exp(-t), then 3 + (exp(-1) - 3) exp(1 - t).
    // The second adds up the table itself, through a function.
    SystemFile file("connections = [\"table.u -> a.u\"]\n" + head(2.0) +
                    "[subsystems.table]\nsource = \"table.csv\"\n" +
                    pair("a/b", "LinearOde", "x = 0, a = -1, b = 1, c = 1, d = 0",
                         "x = 0, a = 0, b = 1, c = 1, d = 0") +
                    "[[functions]]\ntarget = \"b.u\"\nexpression = \"2*u + t\"\nsignals = { u = "
                    "\"table.u\" }\n[record]\nvariables = [\"*.x\", \"table.u\"]\n");
    file.add("table.csv", "time,u\n0,0\n1,1\n1,3\n2,3\n");
    const Columns columns = file.run();
    const auto& times = columns.at("time");
    int rows_at_jump = 0;
    for (std::size_t k = 0; k < times.size(); ++k) {
        const double t = times[k];
        const double x =
            t <= 1.0 ? t - 1.0 + std::exp(-t) : 3.0 + (std::exp(-1.0) - 3.0) * std::exp(1.0 - t);
        EXPECT_NEAR(columns.at("a.x")[k], x, 1e-7) << t;
        EXPECT_NEAR(columns.at("b.x")[k], t * t / 2 + (t <= 1.0 ? t * t : 1.0 + 6.0 * (t - 1.0)),
                    1e-7)
            << t;
        if (t == 1.0) {
            EXPECT_EQ(columns.at("table.u")[k], rows_at_jump == 0 ? 1.0 : 3.0);
            ++rows_at_jump;
        }
    }
    EXPECT_EQ(rows_at_jump, 2);
}

/// a and b, which feed each other, and c beside them, fed by them and feeding them:
/// x_a' = -x_a + x_b + x_c, x_b' = -2 x_a, x_c' = -x_c + x_a.
std::string three(const std::string& kind_of_c, double step, const std::string& coupling) {
    const std::string same = "c = 1, d = 0";
    return fmt::format(
               "connections = [\"a.y -> b.u\", \"a.y -> c.u\"]\n[experiment]\nstop = 1\nstep = "
               "{}\ntolerance = 1e-9\n[coupling]\n{}",
               step, coupling) +
           subsystem_text("a", "LinearOde", "fmi2_me", "x = 1, a = -1, b = 1, " + same) +
           subsystem_text("b", "LinearOde", "native", "x = 0, a = 0, b = -2, " + same) +
           subsystem_text("c", "LinearOde", kind_of_c, "x = 1, a = -1, b = 1, " + same) +
           "[[functions]]\ntarget = \"a.u\"\nexpression = \"p + q\"\nsignals = { p = \"b.y\", q = "
           "\"c.y\" }\n[record]\nvariables = [\"*.x\"]\n";
}

TEST(AggregatedWithOthers, co_simulation_fmus_are_coupled_to_the_equation) {
    SystemFile whole(three("fmi3_me", 0.1, "method = \"aggregate\"\n"));
    const Columns exact = whole.run();
    const auto error_at = [&](double step, const std::string& options) {
        SystemFile file(three("fmi2_cs", step, "method = \"aggregate\"\n" + options));
        const Columns columns = file.run();
        return std::abs(columns.at("a.x").back() - exact.at("a.x").back());
    };
    // What passes between the two is held, or extrapolated, over a step: orders 1, and 2.
    for (const std::string outer : {"jacobi", "gauss_seidel"}) {
        const std::string options = fmt::format("outer = \"{}\"\n", outer);
        EXPECT_NEAR(std::log2(error_at(0.02, options) / error_at(0.01, options)), 1.0, 0.1);
        const std::string linear = options + "order = 1\n";
        EXPECT_NEAR(std::log2(error_at(0.02, linear) / error_at(0.01, linear)), 2.0, 0.15);
    }
}

TEST(AggregatedWithOthers, only_cycles_become_one_if_asked_to) {
    // c feeds nobody here: the cycle is a and b, and c is sampled.
    const auto run = [](const std::string& clusters) {
        SystemFile file(
            "connections = [\"a.y -> b.u\", \"b.y -> a.u\", \"a.y -> c.u\"]\n[experiment]\nstop = "
            "1\nstep = 0.1\ntolerance = 1e-9\n[coupling]\nmethod = \"aggregate\"\nclusters = \"" +
            clusters + "\"\n" +
            subsystem_text("c", "LinearOde", "native", "x = 1, a = 0, b = 1, c = 1, d = 0") +
            subsystem_text("a", "LinearOde", "fmi2_me", "x = 1, a = 0, b = 1, c = 1, d = 0") +
            subsystem_text("b", "LinearOde", "native", "x = 0, a = 0, b = -1, c = 1, d = 0") +
            "[record]\nvariables = [\"*.x\"]\n");
        return file.run();
    };
    const Columns all = run("all");
    const Columns cycles = run("cycles");
    // x_a = cos t, x_b = -sin t, x_c = 1 + sin t.
    for (const Columns& columns : {all, cycles}) {
        EXPECT_NEAR(columns.at("a.x").back(), std::cos(1.0), 1e-7);
        EXPECT_NEAR(columns.at("b.x").back(), -std::sin(1.0), 1e-7);
    }
    EXPECT_NEAR(all.at("c.x").back(), 1.0 + std::sin(1.0), 1e-7);
    double held = 1.0;
    for (int k = 0; k < 10; ++k) held += 0.1 * std::cos(0.1 * k);
    EXPECT_NEAR(cycles.at("c.x").back(), held, 1e-7);
}

TEST(AggregatedWithOthers, is_what_models_get_unless_one_has_a_solver) {
    const auto coupling_of = [](const std::string& more) {
        SystemFile file("connections = [\"a.y -> b.u\"]\n[experiment]\nstop = 1\n" +
                        subsystem_text("a", "LinearOde", "native") +
                        subsystem_text("b", "LinearOde", "fmi2_me") + more);
        run::SystemRun system(file.options());
        return system.record().coupling.method;
    };
    EXPECT_EQ(coupling_of(""), "aggregate");
    EXPECT_EQ(coupling_of("solver = \"rk4\"\n"), "iterative");
    EXPECT_EQ(coupling_of(subsystem_text("c", "LinearOde", "fmi2_cs")), "aggregate");
}

}  // namespace
}  // namespace tandem::test
