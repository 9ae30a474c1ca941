#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "support/system_file.hpp"

namespace tandem::test {
namespace {

constexpr double delay = 4e-4;

const std::string accurate = "solver = \"dopri5\"\ntolerance = 1e-11\n";

/// One way to couple the two ends of the line.
struct Scheme {
    std::string name, exchange;
    std::string left = "TlmLeft", right = "TlmRight", kind = "native";
    std::string end_left = "flow = \"left.v3\", effort = \"left.F3\"";
    std::string end_right = "flow = \"right.v1\", effort = \"right.F1\"";
    std::string solver_left = accurate, solver_right = accurate;
    std::string parameters = "";  ///< of the left end
    std::string more = "";        ///< of the line
};

void PrintTo(const Scheme& scheme, std::ostream* out) { *out << scheme.name; }

Scheme with_waves(Scheme scheme) {
    scheme.left = "TlmLeftWave", scheme.right = "TlmRightWave";
    scheme.end_left = R"(flow = "left.v3", wave = "left.c", impedance = "left.Zc")";
    scheme.end_right = R"(flow = "right.v1", wave = "right.c", impedance = "right.Zc")";
    return scheme;
}

Scheme with_tables(Scheme scheme) {
    scheme.left = "TlmLeftTable", scheme.right = "TlmRightTable";
    scheme.end_left = R"(flow = "left.v3", times = "left.t_table", waves = "left.c_table")";
    scheme.end_right = R"(flow = "right.v1", times = "right.t_table", waves = "right.c_table")";
    return scheme;
}

struct Stepping {
    double step = 0.0;
    double stop = 0.5;
    int left = 1, right = 1;  ///< steps of each; several: asynchronous
};

std::string system_text(const Scheme& scheme, const Stepping& stepping) {
    const bool own_pace = stepping.left * stepping.right > 1;
    const bool is_hosted = !scheme.kind.ends_with("cs");
    return fmt::format(
               "[experiment]\nstop = {}\nstep = {}\ntolerance = 1e-11\n"
               "[coupling]\nmethod = \"{}\"\n"
               "[record]\nvariables = [\"left.*\", \"right.*\"]\nevents = false\n"
               "[[tlm]]\nname = \"spring\"\ndomain = \"mechanical\"\ndelay = {}\n"
               "impedance = 0.4\nexchange = \"{}\"\n{}ends = [{{ {} }}, {{ {} }}]\n",
               stepping.stop, stepping.step, own_pace ? "asynchronous" : "jacobi", delay,
               scheme.exchange, scheme.more, scheme.end_left, scheme.end_right) +
           subsystem_text("left", scheme.left, scheme.kind, scheme.parameters) +
           (is_hosted ? scheme.solver_left : "") +
           (own_pace ? fmt::format("step_ratio = {}\n", stepping.left) : "") +
           subsystem_text("right", scheme.right, scheme.kind) +
           (is_hosted ? scheme.solver_right : "") +
           (own_pace ? fmt::format("step_ratio = {}\n", stepping.right) : "");
}

Columns run(const Scheme& scheme, const Stepping& stepping) {
    SystemFile file(system_text(scheme, stepping));
    return file.run();
}

/// What is left of the force of fast waves: root mean square of F3 less its mean, by the
/// trapezoidal rule, over 4 delays around, in a window of time.
double ripple(const Columns& columns, double begin, double end) {
    const std::vector<double>& t = columns.at("time");
    const std::vector<double>& force = columns.at("left.F3");
    const double step = t[1] - t[0];
    const auto half = static_cast<std::size_t>(std::lround(2.0 * delay / step));
    double sum = 0.0;
    int count = 0;
    for (std::size_t k = half; k + half < t.size(); ++k) {
        if (t[k] < begin - 1e-9 || t[k] > end + 1e-9) continue;
        double mean = 0.5 * (force[k - half] + force[k + half]);
        for (std::size_t j = k - half + 1; j < k + half; ++j) mean += force[j];
        const double rest = force[k] - mean / static_cast<double>(2 * half);
        sum += rest * rest;
        ++count;
    }
    return std::sqrt(sum / count);
}

const Scheme sampled{"sampled", "sampled"};
const Scheme coarse{"coarse", "coarse"};
const Scheme fine{"fine", "fine"};
const Scheme continuous{"continuous", "law"};

/// Ten internal steps in one of each end.
Scheme in_ten_steps(double left, double right) {
    Scheme scheme{"continuous, ten steps", "law"};
    scheme.solver_left = fmt::format("solver = \"rk4\"\nstep = {}\n", left / 10.0);
    scheme.solver_right = fmt::format("solver = \"rk4\"\nstep = {}\n", right / 10.0);
    return scheme;
}
Scheme in_ten_steps(double step) { return in_ten_steps(step, step); }

/// The table of section 5: schemes in lockstep, subsystems solved exactly.
struct Row {
    Scheme scheme;
    double step;
    double early, middle, late, last;  ///< F3 at 0.12, 0.2, 0.3 and 0.5 s
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.scheme.name << row.step; }

class SpringMassForce : public ::testing::TestWithParam<Row> {};

TEST_P(SpringMassForce, is_as_computed_with_exact_solvers) {
    const Row& row = GetParam();
    const Columns columns = run(row.scheme, {row.step});
    const auto expect = [&](double t, double force) {
        EXPECT_NEAR(at(columns, "left.F3", t), force, 1e-5 * std::abs(force)) << t;
    };
    expect(0.12, row.early);
    expect(0.2, row.middle);
    expect(0.3, row.late);
    expect(0.5, row.last);
}

INSTANTIATE_TEST_SUITE_P(
    Every, SpringMassForce,
    ::testing::Values(Row{sampled, 4e-4, 12.4708961, -2204.44774, -5441564.97, -3.76189853e+13},
                      Row{sampled, 2e-4, 37.3316084, 83.3879574, -190.989423, 3967369},
                      Row{sampled, 1e-4, 46.1296505, 83.4030151, 139.730226, -1225.49024},
                      Row{sampled, 2e-5, 51.8831591, 89.202849, 100.633925, 99.8391709},
                      Row{coarse, 4e-4, 52.8578261, 88.7345419, 98.4502436, 99.4017525},
                      Row{coarse, 2e-4, 53.0796315, 90.380824, 99.2377421, 100.508986},
                      Row{coarse, 1e-4, 53.1468125, 90.1172213, 100.136326, 99.5324635},
                      Row{coarse, 2e-5, 53.1692024, 90.0768891, 99.907083, 99.9673321},
                      Row{fine, 4e-4, 52.8578261, 88.7345419, 98.4502436, 99.4017525},
                      Row{fine, 2e-4, 53.0796315, 90.380824, 99.2377421, 100.508986},
                      // With ten internal steps in each, all of them sent.
                      Row{in_ten_steps(4e-4), 4e-4, 53.1663806, 90.080722, 99.9417775, 99.922004},
                      Row{in_ten_steps(2e-4), 2e-4, 53.1692024, 90.0768891, 99.907083,
                          99.9673321}));

// Waves come between the points of the other end: they are interpolated.
TEST(SpringMass, forces_are_right_where_the_delay_is_no_multiple_of_the_step) {
    const auto expect = [](Scheme scheme, double early, double late) {
        // The reference switches its force on where a step begins.
        scheme.parameters = "t_step = 0.10005";
        const Columns columns = run(scheme, {1.5e-4, 0.3});
        EXPECT_NEAR(at(columns, "left.F3", 0.12), early, 1e-5 * early) << scheme.name;
        EXPECT_NEAR(at(columns, "left.F3", 0.3), late, 1e-5 * late) << scheme.name;
    };
    expect(sampled, 44.0548179, 103.742824);
    expect(coarse, 54.3901529, 99.3114942);
    expect(fine, 54.4066053, 99.3542493);
}

// Every end with steps of its own: 2e-4 on the left, 1.25e-4 on the right.
TEST(SpringMass, forces_are_right_where_each_end_steps_at_its_own_pace) {
    struct Expected {
        Scheme scheme;
        std::array<double, 4> force;  ///< F3 at 0.12, 0.2, 0.3, 0.5
        double other, place;          ///< F1 and x3 at 0.5
        double tolerance = 1e-6;
    };
    const std::array<double, 4> times = {0.12, 0.2, 0.3, 0.5};
    const std::vector<Expected> rows = {
        {sampled, {43.2785315, 77.7699959, 105.577658, 104.741312}, -104.7391, -1.92264525},
        {coarse, {54.4879686, 90.5084286, 99.3372387, 100.006821}, -100.00707, -1.92037532},
        {fine, {54.5056686, 90.6251801, 99.3737377, 100.006195}, -100.006444, -1.92037516},
        // Corners of what arrives lie inside the ten steps here, which Runge-Kutta steps feel; the
        // reference integrates exactly.
        {in_ten_steps(2e-4, 1.25e-4),
         {53.1785684, 90.1439912, 99.9477727, 99.8156855},
         -100.239573,
         -1.92032606,
         1e-4}};
    for (const Expected& row : rows) {
        const Columns columns = run(row.scheme, {1e-3, 0.5, 5, 8});
        for (std::size_t k = 0; k < times.size(); ++k)
            EXPECT_NEAR(at(columns, "left.F3", times[k]), row.force[k],
                        row.tolerance * std::abs(row.force[k]))
                << row.scheme.name << " at " << times[k];
        EXPECT_NEAR(at(columns, "right.F1", 0.5), row.other, row.tolerance * 100.0);
        EXPECT_NEAR(at(columns, "left.x3", 0.5), row.place, row.tolerance * 2.0);
    }
}

// The last with steps of a twelfth of the delay, and a partner that is faster.
TEST(SpringMass, results_do_not_depend_on_threads) {
    for (const Stepping& stepping :
         {Stepping{2e-4, 0.2}, Stepping{1e-3, 0.2, 5, 8}, Stepping{8e-4, 0.2, 24, 40}}) {
        SystemFile file(system_text(continuous, stepping));
        run::SystemRunOptions options = file.options();
        options.threads = 1;
        const TextColumns alone = file.run_text(options);
        options.threads = 2;
        options.use_of_threads = exec::Use::always;
        for (int repetition = 0; repetition < 5; ++repetition)
            EXPECT_EQ(file.run_text(options), alone);
    }
}

TEST(SpringMass, exact_delays_are_approached_by_continuous_exchange) {
    const std::array<double, 3> times = {0.12, 0.2, 0.5};
    const std::array<double, 3> places = {-1.270488748, -1.653265069, -1.920309941};
    const std::array<double, 3> forces = {53.17014446, 90.07568777, 99.98223758};
    const Columns columns = run(continuous, {2e-5});
    for (std::size_t k = 0; k < times.size(); ++k) {
        EXPECT_NEAR(at(columns, "left.x3", times[k]), places[k], 1e-6);
        EXPECT_NEAR(at(columns, "left.F3", times[k]), forces[k], 2e-3);
    }
}

// sigma = k step / 2 (1 / M3 + 1 / M1), less what it is beyond the first order.
TEST(SpringMass, sampled_waves_grow_as_they_must) {
    for (const auto& [step, rate] : std::vector<std::pair<double, double>>{
             {4e-4, 78.74454}, {2e-4, 39.84182}, {1e-4, 19.98021}}) {
        const Columns columns = run(sampled, {step});
        const double growth = std::log(ripple(columns, 0.44, 0.49) / ripple(columns, 0.30, 0.35));
        EXPECT_NEAR(growth / 0.14, rate, 0.02 * rate) << step;
    }
}

/// Of what changes its sign from step to step: its mean over a window, with weights that rise and
/// fall so that slower waves count for nothing.
double alternation(const Columns& columns, double begin, double end) {
    const std::vector<double>& t = columns.at("time");
    const std::vector<double>& force = columns.at("left.F3");
    double sum = 0.0, weights = 0.0;
    for (std::size_t k = 0; k < t.size(); ++k) {
        if (t[k] < begin || t[k] > end) continue;
        const double sine = std::sin(std::numbers::pi * (t[k] - begin) / (end - begin));
        const double weight = sine * sine * sine * sine;
        sum += (k % 2 == 0 ? weight : -weight) * force[k];
        weights += weight;
    }
    return std::abs(sum) / weights;
}

// With short steps others are larger than the wave that grows, which is that of half a period a
// step.
TEST(SpringMass, sampled_waves_grow_even_in_short_steps) {
    const Columns columns = run(sampled, {2e-5});
    const double growth =
        std::log(alternation(columns, 0.40, 0.48) / alternation(columns, 0.20, 0.28));
    EXPECT_NEAR(growth / 0.2, 3.999842, 0.02 * 4.0);
}

// Where waves come between points of the other end straight lines damp them; cubics do not always.
TEST(SpringMass, waves_may_grow_with_cubics_where_the_delay_is_no_multiple_of_the_step) {
    Scheme scheme = coarse;
    scheme.parameters = "t_step = 0.10005";
    const auto growth = [&] {
        const Columns columns = run(scheme, {1.5e-4});
        return ripple(columns, 0.44, 0.49) / ripple(columns, 0.30, 0.35);
    };
    EXPECT_LT(growth(), 0.1);
    scheme.more = "interpolation = \"hermite\"\n";
    EXPECT_GT(growth(), 1.1);
}

TEST(SpringMass, waves_do_not_grow_with_other_exchanges) {
    for (const Scheme& scheme : {coarse, fine, continuous})
        for (const double step : {4e-4, 2e-4, 1e-4}) {
            const Columns columns = run(scheme, {step});
            EXPECT_LT(ripple(columns, 0.44, 0.49), ripple(columns, 0.15, 0.20))
                << scheme.name << " " << step;
        }
    const Columns columns = run(coarse, {2e-4});
    EXPECT_NEAR(ripple(columns, 0.15, 0.20), 0.679, 0.0068);
    EXPECT_NEAR(ripple(columns, 0.44, 0.49), 0.53043, 0.0053);
}

// The filter (1 - a) / (1 - a e^(-s T)) passes whole periods in a delay: every other standing wave
// stays.
TEST(SpringMass, damping_takes_every_other_standing_wave_away) {
    Scheme damped = coarse;
    damped.more = "damping = 0.2\n";
    EXPECT_LT(ripple(run(damped, {2e-4}), 0.44, 0.49), 0.5 * 0.53043);
}

TEST(SpringMass, cubics_change_nothing_where_waves_come_at_points_of_the_other_end) {
    Scheme cubic = coarse;
    cubic.more = "interpolation = \"hermite\"\n";
    EXPECT_NEAR(at(run(cubic, {1e-4, 0.2}), "left.F3", 0.2), 90.1172213, 1e-5 * 90.0);
}

LineRecord account_of(const Scheme& scheme, double step) {
    SystemFile file(system_text(scheme, {step}));
    run::SystemRun system(file.options());
    system.perform();
    return system.record().lines.at(0);
}

TEST(SpringMass, lines_that_are_passive_create_no_energy_and_lose_little) {
    for (const Scheme& scheme : {coarse, fine, continuous})
        for (const double step : {4e-4, 1e-4}) {
            const LineRecord line = account_of(scheme, step);
            EXPECT_LE(line.created, 1e-12 * line.put_in) << scheme.name << step;
            EXPECT_NEAR(line.taken_out + line.stored, line.put_in, 1e-4 * line.put_in)
                << scheme.name << step;
            EXPECT_NEAR(line.stored, 100.0 * 100.0 / (2.0 * 1000.0), 0.01) << "F^2 / 2 k at rest";
        }
}

TEST(SpringMass, held_waves_are_found_out_to_create_energy) {
    EXPECT_GT(account_of(sampled, 1e-4).created, 100.0);
    const LineRecord line = account_of(sampled, 2e-5);
    EXPECT_GT(line.created, 0.1);
    EXPECT_LT(line.created, 0.2);
}

/// FMUs with each exchange that they can do, against what native models get.
class SpringMassFmus : public ::testing::TestWithParam<Scheme> {};

TEST_P(SpringMassFmus, have_the_forces_of_native_models) {
    Scheme scheme = GetParam();
    const double expected = scheme.exchange == "sampled" ? 83.3879574 : 90.380824;
    for (const std::string kind : {"fmi2_cs", "fmi3_cs", "fmi2_me", "fmi3_me"}) {
        scheme.kind = kind;
        const Columns columns = run(scheme, {2e-4, 0.2});
        EXPECT_NEAR(at(columns, "left.F3", 0.2), expected, 1e-5 * expected) << kind;
    }
}

INSTANTIATE_TEST_SUITE_P(Every, SpringMassFmus,
                         ::testing::Values(sampled, coarse, fine, with_waves(coarse),
                                           with_tables(fine)));

}  // namespace
}  // namespace tandem::test
