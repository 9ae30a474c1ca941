// Waves that jump: what ends of lines that yield make of them, over many delays.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "support/system_file.hpp"

namespace tandem::test {
namespace {

constexpr double impedance = 0.4, delay = 4e-4, mass = 0.01;

struct Line {
    std::string exchange = "coarse", kind = "native", method = "jacobi";
    double step = delay, stop = 1.5;
    std::string solver = "solver = \"dopri5\"\n";
    std::string model = "TlmMass", parameters = "";
};

/// A mass that moves from the start on; what is at the other end is said by `other`.
std::string system_text(const Line& line, double damper, const std::string& other,
                        const std::string& end = "flow = \"b.v\", effort = \"b.F\"") {
    return fmt::format(
               "[experiment]\nstop = {}\nstep = {:.17g}\ntolerance = 1e-9\n[coupling]\nmethod = "
               "\"{}\"\n[record]\nvariables = [\"*.*\"]\n[[tlm]]\nname = \"line\"\ndomain = "
               "\"mechanical\"\ndelay = {}\nimpedance = {}\nexchange = \"{}\"\nends = [{{ flow = "
               "\"a.v\", effort = \"a.F\" }}, {{ {} }}]\n",
               line.stop, line.step, line.method, delay, impedance, line.exchange, end) +
           subsystem_text("a", line.model, line.kind,
                          line.parameters.empty()
                              ? fmt::format("m = {}, d = {}, v = 1", mass, damper)
                              : line.parameters) +
           (line.kind == "native" || line.kind.ends_with("me") ? line.solver : "") + other;
}

const std::string blocked = subsystem_text("b", "FixedEnd", "native");

/// The exact position of a mass m with a damper d on a blocked line, which has the speed 1 at the
/// start, when no wave is on its way. Its transform is V = m / (m s + d + Z coth(s T)): the sum of
/// the residues at the zeros of (m s + d) (1 - e^(-2 s T)) + Z (1 + e^(-2 s T)). They fall off with
/// the third power of their number.
class ExactMass {
public:
    explicit ExactMass(double damper, int modes = 500) {
        for (int i = 0; i < modes; ++i) {
            const double near = impedance * delay / mass;
            const double x = i == 0 ? std::sqrt(near) : M_PI * i + near / (M_PI * i);
            Complex s(i == 0 ? -damper / (2.0 * mass) : 0.0, x / delay);
            for (int k = 0; k < 30; ++k) {
                const Complex e = std::exp(-2.0 * s * delay), own = mass * s + damper;
                s -= (own * (1.0 - e) + impedance * (1.0 + e)) /
                     (mass * (1.0 - e) + 2.0 * delay * e * (own - impedance));
            }
            const Complex sine = std::sinh(s * delay);
            roots_.push_back(s);
            residues_.push_back(mass / (mass - impedance * delay / (sine * sine)) / s);
        }
    }
    double position(double t) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < roots_.size(); ++i)
            sum += 2.0 * (residues_[i] * std::exp(roots_[i] * t)).real();
        return sum;
    }

private:
    using Complex = std::complex<double>;
    std::vector<Complex> roots_, residues_;
};

/// Amplitude of the motion, 1 / omega with the frequency of ClosedForm.
constexpr double amplitude = 1.0 / 315.4;

// What arrives is exact until the jump has come back to the mass. While it stays a jump, straight
// lines miss up to an eighth of what is between rows times the jump of the speed, which is 1; the
// mean brings that later.
TEST(JumpsOfWaves, leave_a_mass_on_the_course_of_the_closed_form) {
    const ExactMass exact(0.2);
    for (const auto& [exchange, tolerance] : std::vector<std::pair<std::string, double>>{
             {"coarse", 0.25}, {"fine", 0.25}, {"law", 0.02}})
        for (const double step : {delay, delay / 2.0, delay / 3.0}) {
            SystemFile file(
                system_text({.exchange = exchange, .step = step, .stop = 0.1}, 0.2, blocked));
            const Columns columns = file.run();
            const std::vector<double>& t = columns.at("time");
            for (std::size_t k = 0; k < t.size(); ++k)
                ASSERT_NEAR(columns.at("a.x")[k], exact.position(t[k]), tolerance * step)
                    << exchange << step << " at " << t[k];
        }
}

// Where the damper has taken all energy the mass is back where it was: a mean force that is wrong
// by what a jump leaves in each delay would have pushed it away for good. What is left is a ripple.
// Where T is no multiple of the step, the jump arrives inside one.
TEST(JumpsOfWaves, leave_a_mass_where_it_was_when_it_comes_to_rest) {
    ASSERT_LT(std::abs(ExactMass(0.2).position(1.5)), 1e-7);
    for (const std::string exchange : {"coarse", "fine", "law"})
        for (const double parts : {1.0, 2.0, 3.0, 1.0 / 0.7, 2.5}) {
            SystemFile file(
                system_text({.exchange = exchange, .step = delay / parts}, 0.2, blocked));
            run::SystemRun system(file.options());
            system.perform();
            const Columns columns = numbers_of(read_text_columns(file.in_folder("out.csv")));
            EXPECT_NEAR(columns.at("a.x").back(), 0.0, 1e-6)
                << exchange << ", parts of the delay: " << parts;
            const LineRecord line = system.record().lines.at(0);
            EXPECT_LT(line.created, 0.01 * line.most_stored) << exchange << parts;
        }
}

/// With the weight of a smooth window over the last `count` values, of which the ends count little.
double smooth_mean(const std::vector<double>& x, std::size_t count) {
    double mean = 0.0, weights = 0.0;
    for (std::size_t k = 0; k < count; ++k) {
        const double place = static_cast<double>(k) / static_cast<double>(count);
        const double weight = std::pow(std::sin(M_PI * place), 4.0);
        mean += weight * x[x.size() - count + k];
        weights += weight;
    }
    return mean / weights;
}

/// By how much an answer e^(-a s) to a jump is displaced, times a, with rows x / a apart: they have
/// x / 2 coth(x / 2) of its integral, and what they miss is taken for x^2 / 12 / (1 + x^2 / 60)
/// (tlm_subsystem_jumps.cpp). The difference is x^6 / 1e5 for small x.
double remainder_of_sum(double x) {
    return std::abs(0.5 * x / std::tanh(0.5 * x) - 1.0 - x * x / 12.0 / (1.0 + x * x / 60.0));
}

// The same with a mass that is six times as heavy as the line, and one that is lighter than it. The
// answers of such masses are fast against steps. The jump at the start and the one that comes back,
// which is twice as large, leave three remainders, and what follows less than one more. The solver
// leaves some times its tolerance of 1e-9 m. The waves in the line itself are hardly damped, so
// that the mean of a window over 1000 delays counts; the last position alone is off by their
// ripple.
TEST(JumpsOfWaves, leave_light_masses_where_they_were) {
    for (const double light : {1e-3, 1e-4})
        for (const auto& [exchange, rows] :
             std::vector<std::pair<std::string, double>>{{"coarse", 1.0}, {"law", 16.0}}) {
            SystemFile file(system_text(
                {.exchange = exchange,
                 .parameters = fmt::format("m = {}, d = {}, v = 1", light, 0.2 * light / mass)},
                0.0, blocked));
            const double answer = impedance / light;
            const double tolerance =
                4.0 * remainder_of_sum(answer * delay / rows) / answer + 10.0 * 1e-9;
            EXPECT_NEAR(smooth_mean(file.run().at("a.x"), 1000), 0.0, tolerance)
                << exchange << light;
        }
}

TEST(JumpsOfWaves, leave_every_kind_of_mass_where_it_was) {
    for (const auto& [kind, tolerance] : std::vector<std::pair<std::string, double>>{
             {"native", 1e-6},
             {"fmi1_me", 1e-6},
             {"fmi1_cs", 1e-6},  // nobody knows how it answers a jump, which is sent as its mean
             {"fmi2_me", 1e-6},
             {"fmi2_cs", 1e-6},
             {"fmi3_me", 1e-6},
             {"fmi3_cs", 1e-6}}) {
        // FMI 1.0 for Co-Simulation: flows are held over a step, and the damper is not the model's
        // alone.
        const double step = delay / (kind == "fmi1_cs" ? 4.0 : 1.0);
        SystemFile file(
            system_text({.exchange = "auto", .kind = kind, .step = step}, 0.2, blocked));
        EXPECT_NEAR(file.run().at("a.x").back(), 0.0, tolerance) << kind;
    }
}

// Both ends answer. All momentum goes into the two dampers, and the line is as long at the end as
// at the start: x = m v / (d + D). What is left is a ripple; where an end sends fewer rows than it
// gets, it passes on less of what follows a jump.
TEST(JumpsOfWaves, share_their_momentum_between_two_masses) {
    for (const std::string exchange : {"coarse", "fine", "law"})
        for (const std::string other : {"coarse", "law"})
            for (const double parts : {1.0, 2.5}) {
                const std::string second =
                    subsystem_text("b", "TlmMass", "native", "m = 0.004, d = 0.3") +
                    "solver = \"dopri5\"\n";
                SystemFile file(
                    system_text({.exchange = exchange, .step = delay / parts}, 0.2, second,
                                "flow = \"b.v\", effort = \"b.F\", exchange = \"" + other + "\""));
                const Columns columns = file.run();
                const double end = mass / (0.2 + 0.3);
                const bool is_mixed = (exchange == "law") != (other == "law");
                const double tolerance = is_mixed ? 2e-5 : 1e-6;
                EXPECT_NEAR(columns.at("a.x").back(), end, tolerance) << exchange << other << parts;
                EXPECT_NEAR(columns.at("b.x").back(), end, tolerance) << exchange << other << parts;
            }
}

// Co-Simulation FMUs of FMI 1.0 hold the flow over a step: the force lacks Zc times what it changes
// until the middle of the step. So a body that comes to rest from the speed v has lost the momentum
// Zc h v / 2 more than it gave to the line. What the mean of a jump misses, Zc / m h^2 / 6 times
// the jump of the speed, is of second order and far less.
TEST(JumpsOfWaves, cost_ends_without_a_linear_model_less_than_the_order_of_their_exchange) {
    for (const double parts : {1.0, 2.0, 4.0}) {
        const double h = delay / parts, own = 0.2, other = 0.3, second = 0.004;
        SystemFile file(system_text({.exchange = "coarse", .kind = "fmi1_cs", .step = h}, own,
                                    subsystem_text("b", "TlmMass", "fmi1_cs",
                                                   fmt::format("m = {}, d = {}", second, other))));
        const double end = (mass - 0.5 * impedance * h) / (own + other);
        const double by_jumps = (impedance / mass + impedance / second) * h * h / 6.0;
        EXPECT_NEAR(file.run().at("a.x").back(), end, by_jumps + 1e-6) << parts;
    }
}

// 1e5 delays without any damper: what the mass does is as large as at the start at most, and its
// mean is where it was.
TEST(JumpsOfWaves, do_not_grow_in_forty_seconds) {
    for (const auto& [exchange, stop] :
         std::vector<std::pair<std::string, double>>{{"coarse", 40.0}, {"law", 4.0}}) {
        SystemFile file(system_text({.exchange = exchange, .stop = stop}, 0.0, blocked));
        run::SystemRunOptions options = file.options();
        run::SystemRun system(options);
        system.perform();
        const LineRecord line = system.record().lines.at(0);
        EXPECT_LT(line.created, 0.01 * line.most_stored) << exchange;
        EXPECT_LE(line.stored, 1.001 * 0.5 * mass) << exchange;
        const Columns columns = numbers_of(read_text_columns(file.in_folder("out.csv")));
        const std::vector<double>& x = columns.at("a.x");
        const std::size_t last = x.size() / 2;
        double largest = 0.0;
        for (std::size_t k = x.size() - last; k < x.size(); ++k)
            largest = std::max(largest, std::abs(x[k]));
        EXPECT_LT(largest, 1.02 * amplitude) << exchange;
        EXPECT_NEAR(smooth_mean(x, last), 0.0, 1e-6) << exchange;
    }
}

// The velocity of a mass jumps where it is struck, later in the run: at the end of a step, inside
// one, and where T is no multiple of the step. From then on it is on the course of the closed form.
TEST(JumpsOfWaves, of_a_mass_that_is_struck_leave_it_where_it_was) {
    const ExactMass exact(0.2);
    for (const std::string kind : {"native", "fmi2_me", "fmi3_me"})
        for (const std::string exchange : {"coarse", "fine", "law"})
            for (const double parts : {1.0, 2.5})
                for (const double when : {0.1, 0.1 + 0.3 * delay}) {
                    SystemFile file(system_text(
                        {.exchange = exchange,
                         .kind = kind,
                         .step = delay / parts,
                         .stop = 1.6,
                         .model = "StruckMass",
                         .parameters = fmt::format("m = {}, d = 0.2, when = {:.17g}", mass, when)},
                        0.2, blocked));
                    const Columns columns = file.run();
                    EXPECT_NEAR(columns.at("a.x").back(), 0.0, 2e-6)
                        << kind << exchange << parts << " at " << when;
                    const double t = 0.12, place = at(columns, "a.x", t);
                    EXPECT_NEAR(place, exact.position(t - when), 0.02 * amplitude)
                        << kind << exchange << parts << " at " << when;
                }
}

// Nothing yields: jumps stay jumps for ever, and the force is that of the closed form.
TEST(JumpsOfWaves, stay_exact_where_no_end_yields) {
    for (const std::string exchange : {"sampled", "coarse", "fine", "law"}) {
        SystemFile file(fmt::format("[experiment]\nstop = 0.4\nstep = 2e-4\n[coupling]\nmethod = "
                                    "\"jacobi\"\n[record]\nvariables = [\"*.*\"]\n[[tlm]]\nname = "
                                    "\"line\"\ndomain = \"mechanical\"\ndelay = {}\nimpedance = "
                                    "{}\nexchange = \"{}\"\nends = [{{ flow = \"a.v\", effort = "
                                    "\"a.F\" }}, {{ flow = \"b.v\", effort = \"b.F\" }}]\n",
                                    delay, impedance, exchange) +
                        subsystem_text("a", "FixedEnd", "native", "speed = 1") + blocked);
        const Columns columns = file.run();
        const double trips = std::floor(0.4 / (2.0 * delay) + 1e-9);
        EXPECT_NEAR(-columns.at("a.F").back(), impedance * (1.0 + 2.0 * trips), 1e-9) << exchange;
    }
}

// A damper without mass at the other end: its speed follows the wave within the instant, and jumps
// with it. All momentum goes into the two dampers, and the line is as long at the end as at the
// start: x = m v / (d + D).
TEST(JumpsOfWaves, carry_their_momentum_to_ends_that_follow_within_the_instant) {
    const double own = 0.05, other = 0.1;
    const std::string damper = subsystem_text("b", "TlmDamper", "native",
                                              fmt::format("d = {}, Zc = {}", other, impedance));
    for (const std::string exchange : {"coarse", "fine", "law"})
        for (const double parts : {1.0, 2.0, 3.0}) {
            SystemFile file(system_text({.exchange = exchange, .step = delay / parts}, own, damper,
                                        "flow = \"b.v\", wave = \"b.c\""));
            const double end = mass / (own + other);
            EXPECT_NEAR(file.run().at("a.x").back(), end, 2e-4 * end) << exchange << parts;
        }
}

}  // namespace
}  // namespace tandem::test
