#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "kit/native_ode.hpp"
#include "support/stepped_system.hpp"

namespace tandem {
namespace {

using test::SteppedSystem;

constexpr double pi = std::numbers::pi;

/// Voltages x0, x1, x2; currents y1, y2 and voltages u1, u2 at the ports of the node.
struct Row {
    double t, x0, x1, x2, y1, u1, u2, y2;
};

// All equations as one, integrated to 1e-9.
const std::vector<Row> printed = {
    {0.5, 0.0975330558, 0.031693515, 0.395360678, 5.02969336e-05, 0.0975833528, 0.395360678, 0.0},
    {1.0, 0.0711472306, 0.230581794, -0.250101052, -0.000100413178, 0.0710468174, 0.0719265532,
     0.000779322633},
    {2.0, 0.0707594023, -0.199373942, -0.285484446, 0.000138454905, 0.0708978572, 0.0780380801,
     0.00727867781},
    {5.0, 0.0402995109, 0.203080947, -0.289242171, -0.000162781436, 0.0401367295, 0.0406290526,
     0.000329541682}};
const std::vector<Row> passive = {
    {0.5, 0.0976429008, 0.0315293164, 0.395343374, -5.04292352e-05, 0.0975924715, 0.395343374, 0.0},
    {1.0, 0.0709673445, 0.230506032, -0.249720248, 0.000100352351, 0.0710676968, 0.0701931384,
     -0.000774206119},
    {2.0, 0.0686775514, -0.199312534, -0.28204665, -0.000137215735, 0.0685403357, 0.061792977,
     -0.00688457435},
    {5.0, 0.0391596084, 0.203061315, -0.288793737, 0.000163574558, 0.0393231829, 0.0388323096,
     -0.000327298748},
    {20.0, 0.0427486146, -0.202944161, -0.288931179, -0.000245202371, 0.0425034122, 0.0424175968,
     -0.000331017758}};
// Implicit Euler in each subsystem, H = 1e-4, all exchanged values solved for.
const std::vector<Row> euler = {
    {0.5, 0.0975481881, 0.0315992157, 0.395299513, 5.03805318e-05, 0.0975985686, 0.395299513, 0.0},
    {1.0, 0.0711447981, 0.230543153, -0.250047868, -0.000100390374, 0.0710444078, 0.0719239858,
     0.000779187712},
    {2.0, 0.0707444029, -0.199334303, -0.285431197, 0.0001384269, 0.0708828298, 0.0780216862,
     0.00727728336}};

using State = std::array<double, 3>;

void expect_row(const Row& seen, const Row& row, double tolerance) {
    EXPECT_NEAR(seen.x0, row.x0, tolerance) << row.t;
    EXPECT_NEAR(seen.x1, row.x1, tolerance) << row.t;
    EXPECT_NEAR(seen.x2, row.x2, tolerance) << row.t;
    EXPECT_NEAR(seen.y1, row.y1, tolerance) << row.t;
    EXPECT_NEAR(seen.u1, row.u1, tolerance) << row.t;
    EXPECT_NEAR(seen.u2, row.u2, tolerance) << row.t;
    EXPECT_NEAR(seen.y2, row.y2, tolerance) << row.t;
}

/// A model with the point it is evaluated at.
class Member {
public:
    explicit Member(const std::string& model)
        : ode_(test::library_of(model).model_class(), model) {}

    void set(const std::string& name, double value) {
        ode_.variables().write(group(name), {{value}, {}, {}});
    }
    void set_integer(const std::string& name, std::int64_t value) {
        ode_.variables().write(group(name), {{}, {value}, {}});
        ode_.update_discrete();
    }
    void start() {
        ode_.enter_initialisation({0.0, 20.0, 1e-9});
        ode_.exit_initialisation();
        ode_.update_discrete();
    }
    double rate(double t, double x, std::vector<double> u) {
        EXPECT_TRUE(ode_.set_point({t, {&x, 1}, u}));
        double dx = 0.0;
        EXPECT_TRUE(ode_.derivatives({&dx, 1}));
        return dx;
    }
    double output(const std::string& name, double t, double x, std::vector<double> u) {
        EXPECT_TRUE(ode_.set_point({t, {&x, 1}, u}));
        std::vector<double> y(ode_.shape().outputs.size());
        EXPECT_TRUE(ode_.outputs(y));
        for (std::size_t i = 0; i < y.size(); ++i)
            if (ode_.shape().outputs[i].name == name) return y[i];
        return std::nan("");
    }

private:
    VariableGroup group(const std::string& name) {
        const auto& list = ode_.variables().list();
        for (std::size_t i = 0; i < list.size(); ++i) {
            const std::vector<std::size_t> one = {i};
            if (list[i].name == name) return ode_.variables().group(one);
        }
        throw std::runtime_error("no variable " + name);
    }
    kit::NativeOde ode_;
};

/// The node and its branches, with the loops between them solved by elimination:
///   u = x_branch + r y and y = u - x_node give y = (x_node - x_branch) / (r - 1).
class Whole {
public:
    explicit Whole(double sign) {
        for (Member* branch : {&first_, &second_}) branch->set("sign", sign);
        second_.set("beat", 2.0);
        second_.set("swing", -1000.0);
        for (Member* member : {&node_, &first_, &second_}) member->start();
    }

    Row row(double t, const State& x) {
        Row row{t, x[0], x[1], x[2], 0.0, x[1], x[2], 0.0};
        if (std::sin(2.0 * pi * middle_) > -0.5) solve(first_, row, x[1], row.y1, row.u1);
        if (std::sin(pi * middle_) < 0.5) solve(second_, row, x[2], row.y2, row.u2);
        return row;
    }

    /// The switches stay as they are at the middle, from here to there.
    void advance(State& x, double begin, double end) {
        middle_ = 0.5 * (begin + end);
        const int steps = static_cast<int>(std::ceil((end - begin) / 1e-3));
        const double h = (end - begin) / steps;
        for (int k = 0; k < steps; ++k) runge_kutta(x, begin + k * h, h);
    }

    void expect_consistent(const Row& row) {
        node_.set_integer("u3", std::sin(pi * row.t) > 0.5);
        node_.set_integer("u4", std::sin(2.0 * pi * row.t) < -0.5);
        EXPECT_NEAR(node_.output("y1", row.t, row.x0, {row.u1, row.u2}), row.y1, 1e-15);
        EXPECT_NEAR(node_.output("y2", row.t, row.x0, {row.u1, row.u2}), row.y2, 1e-15);
        // A rounding of y is seen 2000 times larger.
        EXPECT_NEAR(first_.output("y", row.t, row.x1, {row.y1}), row.u1, 1e-12);
        EXPECT_NEAR(second_.output("y", row.t, row.x2, {row.y2}), row.u2, 1e-12);
    }

private:
    static void solve(Member& branch, const Row& row, double x, double& y, double& u) {
        const double r = branch.output("y", row.t, x, {1.0}) - branch.output("y", row.t, x, {0.0});
        y = (row.x0 - x) / (r - 1.0);
        u = row.x0 + y;
    }
    State rates(double t, const State& x) {
        const Row at = row(t, x);
        return {node_.rate(t, x[0], {at.u1, at.u2}), first_.rate(t, x[1], {at.y1}),
                second_.rate(t, x[2], {at.y2})};
    }
    static State moved(const State& x, double h, const State& k) {
        return {x[0] + h * k[0], x[1] + h * k[1], x[2] + h * k[2]};
    }
    void runge_kutta(State& x, double t, double h) {
        const State a = rates(t, x);
        const State b = rates(t + h / 2.0, moved(x, h / 2.0, a));
        const State c = rates(t + h / 2.0, moved(x, h / 2.0, b));
        const State d = rates(t + h, moved(x, h, c));
        for (std::size_t i = 0; i < 3; ++i)
            x[i] += h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
    }

    Member node_{"BspK6Node"}, first_{"BspK6Branch"}, second_{"BspK6Branch"};
    double middle_ = 0.0;
};

/// All times up to `stop` at which a switch changes or a row is given.
std::vector<double> stops(const std::vector<Row>& rows) {
    std::vector<double> times;
    const double stop = rows.back().t;
    for (double n = 0.0; n < stop; n += 1.0) {
        times.insert(times.end(), {n + 7.0 / 12.0, n + 11.0 / 12.0});
        times.insert(times.end(), {2.0 * n + 1.0 / 6.0, 2.0 * n + 5.0 / 6.0});
    }
    for (const Row& row : rows) times.push_back(row.t);
    std::erase_if(times, [&](double t) { return t > stop; });
    std::ranges::sort(times);
    return times;
}

// The fourth order method with steps of 1 ms errs by about (3 pi h)^4 / 120 = 7e-11; the figures
// are given with 9 digits and to 1e-9.
void expect_solution(double sign, const std::vector<Row>& rows) {
    Whole whole(sign);
    State x{};
    double t = 0.0;
    std::size_t next = 0;
    for (const double stop : stops(rows)) {
        whole.advance(x, t, stop);
        t = stop;
        if (t != rows[next].t) continue;
        const Row seen = whole.row(t, x);
        expect_row(seen, rows[next++], 1.2e-9);
        whole.expect_consistent(seen);
    }
    EXPECT_EQ(next, rows.size());
}

TEST(BspK6Models, have_the_solution_of_all_equations_as_one) { expect_solution(1.0, printed); }

TEST(BspK6Models, have_that_solution_for_passive_resistors_too) { expect_solution(-1.0, passive); }

TEST(BspK6Models, give_the_step_of_implicit_euler_that_is_computed_by_hand) {
    constexpr double h = 0.01;
    for (const std::string kind : {"native", "fmi1_cs", "fmi2_cs", "fmi3_cs"}) {
        const auto node = test::make_kind("BspK6NodeEuler", kind);
        const auto branch = test::make_kind("BspK6BranchEuler", kind);
        for (Subsystem* subsystem : {node.get(), branch.get()}) test::initialise(*subsystem, 1.0);
        const std::vector<double> u = {3.0, 2.0}, i = {0.25};
        node->set_inputs({u});
        EXPECT_EQ(test::read(*node, "y1").reals[0], 3.0) << kind;
        test::write(*node, "u4", {{}, {1}, {}});
        ASSERT_TRUE(node->step({0.0, h}));
        const double x = 5.0 * h / (1.0 + 2.0 * h);
        EXPECT_NEAR(test::read(*node, "x").reals[0], x, 1e-15) << kind;
        EXPECT_EQ(test::read(*node, "y1").reals[0], 0.0) << kind;
        EXPECT_NEAR(test::read(*node, "y2").reals[0], 2.0 - x, 1e-15) << kind;
        branch->set_inputs({i});
        EXPECT_EQ(test::read(*branch, "y").reals[0], 1001.0 * 0.25) << kind;
        ASSERT_TRUE(branch->step({0.0, h}));
        const double v = 2.0 * h * (std::sin(3.0 * pi * h) - 0.25) / (1.0 + 2.0 * h);
        EXPECT_NEAR(test::read(*branch, "x").reals[0], v, 1e-15) << kind;
        EXPECT_NEAR(test::read(*branch, "y").reals[0],
                    v + (1000.0 * std::sin(0.2 * pi * h) + 1001.0) * 0.25, 1e-12)
            << kind;
    }
}

TEST(BspK6Models, switch_at_their_times_as_events_and_as_samples) {
    for (const std::string model : {"BspK6Switches", "BspK6SwitchesSampled"})
        for (const std::string kind : {"native", "fmi2_cs", "fmi3_cs"}) {
            const auto switches = test::make_kind(model, kind);
            test::initialise(*switches, 25.0);
            for (int k = 0; k < 2500; ++k) {
                const double t = (k + 1) * 0.01;
                StepResult result = switches->step({k * 0.01, t});
                if (result.outcome == Outcome::early_return)
                    result = switches->step({result.reached, t});
                ASSERT_TRUE(result) << model << kind << t;
                EXPECT_EQ(test::read(*switches, "y1").integers[0], std::sin(pi * t) > 0.5) << t;
                EXPECT_EQ(test::read(*switches, "y2").integers[0], std::sin(2.0 * pi * t) < -0.5)
                    << t;
            }
        }
}

/// The four subsystems of the example. `models`: the node, both branches, the switches.
struct Four {
    Four(const std::array<std::string, 3>& models, const std::string& kind,
         SteppedSystem::Inputs inputs = SteppedSystem::Inputs::constant)
        : system(inputs),
          s0(system.add(models[0], kind)),
          s1(system.add(models[1], kind)),
          s2(system.add(models[1], kind, {{"beat", 2.0}, {"swing", -1000.0}})),
          s3(system.add(models[2], kind)) {
        system.connect(s0, "y1", s1, "u");
        system.connect(s1, "y", s0, "u1");
        system.connect(s2, "y", s0, "u2");
        system.connect(s0, "y2", s2, "u");
        system.connect_integer(s3, "y1", s0, "u3");
        system.connect_integer(s3, "y2", s0, "u4");
        system.start();
    }
    Row row(double t) {
        return {t,
                system.value(s0, "x"),
                system.value(s1, "x"),
                system.value(s2, "x"),
                system.value(s0, "y1"),
                system.value(s0, "u1"),
                system.value(s0, "u2"),
                system.value(s0, "y2")};
    }

    SteppedSystem system;
    std::size_t s0, s1, s2, s3;
};

// The loop is linear: Newton's method has it at the second residual. The figures are given with 9
// digits.
TEST(BspK6Models, with_implicit_euler_need_two_residuals_and_have_the_documented_values) {
    for (const std::string kind : {"native", "fmi2_cs", "fmi3_cs"}) {
        Four four({"BspK6NodeEuler", "BspK6BranchEuler", "BspK6SwitchesSampled"}, kind);
        constexpr double h = 1e-4;
        std::size_t next = 0;
        for (int k = 1; next < euler.size(); ++k) {
            ASSERT_LE(four.system.step({(k - 1) * h, k * h}, 1e-10), 2) << kind << k * h;
            if (std::abs(k * h - euler[next].t) < h / 2.0)
                expect_row(four.row(k * h), euler[next++], 1e-9);
        }
    }
}

// A switch that changes inside a step acts from its start: it moves x0 by H times the jump of its
// rate, 0.4/s, at most. The solvers begin anew in every step, so their errors of 1e-8 do not add up
// to more than 1e-6. The third residual is for what differences of values with these errors get
// wrong.
TEST(BspK6Models, with_solvers_inside_stay_within_the_step_of_the_exact_solution) {
    for (const auto inputs : {SteppedSystem::Inputs::constant, SteppedSystem::Inputs::linear}) {
        Four four({"BspK6Node", "BspK6Branch", "BspK6Switches"}, "native", inputs);
        constexpr double h = 1e-4;
        for (int k = 0; k < 5000; ++k)
            ASSERT_LE(four.system.step({k * h, (k + 1) * h}, 1e-10), 3) << k * h;
        expect_row(four.row(0.5), printed[0], 5e-5);
    }
}

}  // namespace
}  // namespace tandem
