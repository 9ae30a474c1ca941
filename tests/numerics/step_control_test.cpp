#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

#include "support/example_folder.hpp"
#include "support/system_file.hpp"

namespace tandem::test {
namespace {

constexpr double decay = 100.0, frequency = 200.0, amplitude = 0.1, push = 10.0;
constexpr double rows_apart = 0.5, stop = 10.0;
const std::string fast = "solver = \"dopri5\"\ntolerance = 1e-12\n";

std::string model(const std::string& name, double a, double b, double x) {
    return subsystem_text(name, "LinearOde", "native",
                          fmt::format("a = {}, b = {}, x = {}", a, b, x)) +
           fast;
}

/// A slow oscillator (a, b) of frequency 1 that a fast one (c, d) pushes while it dies out within a
/// few hundredths of a second: x_a' = x_b, x_b' = -x_a + 10 x_c, x_c' = -100 x_c + 200 x_d,
/// x_d' = -100 x_d - 200 x_c. Nothing forgets the errors of a and b.
std::string two_scales() {
    return fmt::format(
               "connections = [\"b.y -> a.u\", \"d.y -> c.u\", \"c.y -> d.u\"]\n"
               "[experiment]\nstop = {}\nstep = {}\n[record]\nvariables = [\"*.x\"]\n",
               stop, rows_apart) +
           model("a", 0.0, 1.0, 1.0) + model("b", 0.0, 1.0, 0.0) +
           model("c", -decay, frequency, amplitude) + model("d", -decay, -frequency, 0.0) +
           fmt::format(
               "[[functions]]\ntarget = \"b.u\"\nexpression = \"-p + {} * q\"\n"
               "signals = {{ p = \"a.y\", q = \"c.y\" }}\n",
               push);
}

/// With z = x_c + i x_d = z0 e^(l t), l = -100 - 200 i, a particular solution of
/// x_a'' + x_a = push * Re z is Re(push z0 e^(l t) / (l^2 + 1)).
std::array<double, 4> exact(double t) {
    const std::complex<double> l(-decay, -frequency);
    const std::complex<double> g = push * amplitude / (l * l + 1.0);
    const std::complex<double> p = g * std::exp(l * t), z = amplitude * std::exp(l * t);
    const double cosine = 1.0 - g.real(), sine = -(g * l).real();
    return {cosine * std::cos(t) + sine * std::sin(t) + p.real(),
            sine * std::cos(t) - cosine * std::sin(t) + (l * p).real(), z.real(), z.imag()};
}

struct Measured {
    double error = 0.0;  ///< the largest of any state at any of the times looked at
    double advances = 0.0;
};

class Watched {
public:
    explicit Watched(run::SystemRunOptions options) : run_(prepared(std::move(options))) {
        run_.initialise();
    }
    void look() {
        const auto x = exact(run_.time());
        for (int s = 0; s < 4; ++s)
            measured_.error = std::max(measured_.error, std::abs(run_.system().outputs_of(s)[0] -
                                                                 x[static_cast<std::size_t>(s)]));
    }
    run::SystemRun& run() { return run_; }
    Measured measured() {
        measured_.advances = static_cast<double>(run_.report().advances);
        return measured_;
    }

private:
    static run::SystemRunOptions prepared(run::SystemRunOptions options) {
        if (options.coupling.empty()) options.coupling = "iterative";
        options.results = false;
        return options;
    }
    run::SystemRun run_;
    Measured measured_;
};

/// Looked at while the fast oscillator moves, and at the rows.
Measured controlled(const SystemFile& file, double tolerance, const std::string& order = "",
                    const std::string& coupling = "jacobi") {
    run::SystemRunOptions options = file.options();
    if (!order.empty()) {
        options.coupling = coupling;
        options.options = {"order=" + order};
    }
    options.step_control = "richardson";
    options.step_options = {fmt::format("tolerance={}", tolerance)};
    Watched watched(options);
    for (int i = 1; i <= 40; ++i) {
        watched.run().advance_to(2e-3 * i);
        watched.look();
    }
    while (watched.run().time() < stop) {
        watched.run().step();
        watched.look();
    }
    return watched.measured();
}

/// Looked at after every step.
Measured fixed(const SystemFile& file, double step) {
    run::SystemRunOptions options = file.options();
    options.step = step;
    Watched watched(options);
    while (watched.run().time() < stop) {
        watched.run().step();
        watched.look();
    }
    return watched.measured();
}

/// "name" or "name option=value".
void choose(const std::string& coupling, run::SystemRunOptions& options) {
    options.coupling = coupling.substr(0, coupling.find(' '));
    if (coupling.find(' ') != std::string::npos)
        options.options = {coupling.substr(coupling.find(' ') + 1)};
}

TEST(Richardson, keeps_the_error_within_a_factor_three_of_the_tolerance) {
    const SystemFile file(two_scales());
    for (const double tolerance : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7}) {
        const double error = controlled(file, tolerance).error;
        EXPECT_LT(error, 3.0 * tolerance);
        EXPECT_GT(error, tolerance / 3.0);
    }
}

// With tolerances that ask for steps within the limit of stability of an explicit coupling.
TEST(Richardson, knows_the_orders_of_explicit_couplings) {
    const SystemFile file(two_scales());
    for (const double tolerance : {1e-6, 1e-7}) {
        const double second = controlled(file, tolerance, "1").error;
        EXPECT_LT(second, 3.0 * tolerance);
        EXPECT_GT(second, tolerance / 3.0);
    }
    for (const double tolerance : {1e-8, 1e-9}) {
        const double third = controlled(file, tolerance, "2").error;
        EXPECT_LT(third, 3.0 * tolerance);
        EXPECT_GT(third, tolerance / 3.0);
    }
}

// What the next step makes up for counts as an error here: results are better than asked for.
TEST(Richardson, keeps_the_error_of_nepce_below_the_tolerance) {
    const SystemFile file(two_scales());
    for (const double tolerance : {1e-2, 1e-3, 1e-4})
        EXPECT_LT(controlled(file, tolerance, "1", "nepce").error, tolerance);
}

// q' = p, p' = -q - p/2, where the second subsystem puts out -q - p/2: its output owes to the held
// input p an error that falls no faster than the length of the step, but that nothing keeps.
TEST(Richardson, looks_through_outputs_that_follow_extrapolated_inputs) {
    const SystemFile file(
        "connections = [\"q.y -> p.u\", \"p.y -> q.u\"]\n"
        "[experiment]\nstop = 1.0\nstep = 0.1\n" +
        model("p", 0.0, 1.0, 1.0) +
        subsystem_text("q", "LinearOde", "native", "a = 0, b = 1, c = -1, d = -0.5") + fast);
    const std::complex<double> root(-0.25, std::sqrt(1.0 - 0.0625));
    const double expected = (std::exp(root) * root).imag() / root.imag();
    for (const std::string coupling :
         {"jacobi", "gauss_seidel", "nepce", "predictor inputs=mean", "pre_step error=off"}) {
        run::SystemRunOptions options = file.options();
        options.results = false;
        choose(coupling, options);
        options.step_control = "richardson";
        options.step_options = {"tolerance=1e-3"};
        run::SystemRun system(options);
        system.perform();
        EXPECT_EQ(system.report().beyond_tolerance, 0) << coupling;
        EXPECT_LT(system.report().steps, 1000) << coupling;
        // Within a factor three of the tolerance, as everywhere here.
        EXPECT_NEAR(system.system().outputs_of(0)[0], expected, 3e-3) << coupling;
    }
}

// Switches, where steps end, and solvers whose noise is larger than what short steps may add:
// neither holds the run up, and no step has to be taken beyond its tolerance.
TEST(Richardson, gets_past_jumps_and_noise) {
    const test::ExampleFolder examples;
    run::SystemRunOptions options;
    options.file = examples.in_folder("examples/bspk6/system_exact.toml");
    options.results = false;
    options.step = 1e-2;
    options.stop = 1.0;
    options.step_control = "richardson";
    options.step_options = {"tolerance=1e-3"};
    run::SystemRun system(options);
    system.perform();
    EXPECT_EQ(system.time(), 1.0);
    EXPECT_LT(system.report().steps, 1000);
    EXPECT_EQ(system.report().beyond_tolerance, 0);
}

// Steps are counted as the coupling takes them: whole ones, halves, and those that were repeated.
TEST(Richardson, takes_fewer_than_60_percent_of_the_fixed_steps_of_equal_error) {
    const SystemFile file(two_scales());
    for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
        const Measured adaptive = controlled(file, tolerance);
        // The error goes with the square of a fixed step: from a small one to that of equal error.
        const double small = 1e-3 * std::sqrt(tolerance / 1e-3);
        const double step = small * std::sqrt(adaptive.error / fixed(file, small).error);
        const Measured equal = fixed(file, step);
        EXPECT_NEAR(equal.error / adaptive.error, 1.0, 0.2) << "of equal error";
        EXPECT_LT(adaptive.advances, 0.6 * equal.advances);
    }
}

TEST(StepControl, combines_with_every_coupling) {
    const SystemFile file(two_scales() +
                          "[[bonds]]\nname = \"fast\"\neffort = \"d.y -> c.u\"\n"
                          "flow = \"c.y -> d.u\"\n");
    for (const char* control : {"richardson", "prediction_error", "power_residual"})
        for (const std::string coupling :
             {"jacobi", "jacobi order=1", "jacobi order=2", "gauss_seidel", "gauss_seidel order=1",
              "iterative", "iterative inputs=constant", "nepce", "nepce order=1",
              "nepce anti_aliasing=true", "pre_step", "pre_step optimisation=terminal", "predictor",
              "predictor inputs=mean", "linear_implicit", "linear_implicit form=value", "lti"}) {
            run::SystemRunOptions options = file.options();
            options.stop = 1.0;
            choose(coupling, options);
            options.step_control = control;
            options.step_options = {"tolerance=1e-3", "max_step=0.02"};
            run::SystemRun system(options);
            system.perform();
            const Columns columns = numbers_of(read_text_columns(options.outputs.front()));
            const std::vector<double> times = {0.0, 0.5, 1.0};
            EXPECT_EQ(columns.at("time"), times) << control << " " << coupling;
            // The tolerance of the two that repeat nothing is not one of the results.
            EXPECT_NEAR(columns.at("a.x").back(), exact(1.0)[0],
                        control == std::string("richardson") ? 3e-3 : 5e-2)
                << control << " " << coupling;
            EXPECT_LT(system.report().shortest, system.report().longest)
                << control << " " << coupling;
        }
}

// The energy that inputs carry is asked of those who follow laws: q' = p, p' = -q.
TEST(StepControl, knows_what_followed_a_law_inside_an_fmu) {
    const auto steps_of = [](const std::string& kind) {
        const SystemFile file(
            "connections = [\"q.y -> p.u\", \"p.y -> q.u\"]\n[experiment]\nstop = 1\nstep = 0.1\n"
            "[[bonds]]\nname = \"both\"\neffort = \"q.y -> p.u\"\nflow = \"p.y -> q.u\"\n" +
            subsystem_text("q", "LinearOde", kind, "a = 0, b = 1, c = 1, x = 1") +
            subsystem_text("p", "LinearOde", kind, "a = 0, b = -1, c = 1"));
        run::SystemRunOptions options = file.options();
        options.coupling = "linear_implicit";
        options.tolerance = 1e-8;
        options.step_control = "power_residual";
        options.step_options = {"tolerance=1e-4"};
        run::SystemRun system(options);
        system.perform();
        EXPECT_NEAR(system.system().outputs_of(0)[0], std::cos(1.0), 1e-3) << kind;
        return system.report().steps;
    };
    const long steps = steps_of("native");
    EXPECT_GT(steps, 5);
    for (const std::string kind : {"fmi2_cs", "fmi3_cs"}) EXPECT_EQ(steps_of(kind), steps) << kind;
}

TEST(StepControl, respects_the_limits_it_is_given) {
    const SystemFile file(two_scales());
    run::SystemRunOptions options = file.options();
    options.stop = 1.0;
    options.coupling = "iterative";
    options.step_control = "richardson";
    options.step_options = {"tolerance=1e-4", "min_step=1e-3", "max_step=4e-3", "first_step=2e-3"};
    run::SystemRun system(options);
    system.perform();
    EXPECT_GE(system.report().shortest, 0.5e-3) << "the last two before a row are even";
    EXPECT_LE(system.report().longest, 4e-3 * (1.0 + 1e-9));
    EXPECT_GT(system.report().beyond_tolerance, 0);
}

// Half of the steps: those that are not repeated may miss the tolerance now and then.
TEST(StepControl, says_so_where_most_steps_miss_the_tolerance) {
    SystemFile file(two_scales());
    const auto warnings_with = [&](std::vector<std::string> step_options) {
        run::SystemRunOptions options = file.options();
        options.stop = 1.0;
        options.coupling = "iterative";
        options.step_control = "richardson";
        options.step_options = std::move(step_options);
        file.run_text(options);
        return file.warnings;
    };
    EXPECT_TRUE(warnings_with({"tolerance=1e-4"}).empty());
    const std::vector<std::string> warnings = warnings_with({"tolerance=1e-9", "min_step=1e-2"});
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_TRUE(warnings[0].find("steps the error is beyond the tolerance") != std::string::npos)
        << warnings[0];
}

// Its outputs are not read in each step.
TEST(StepControl, names_subsystems_whose_errors_it_does_not_see) {
    const auto names_sink = [](const std::string& connections) {
        SystemFile file("connections = [" + connections +
                        "]\n[experiment]\nstop = 1.0\nstep = 0.5\n" +
                        model("source", -1.0, 1.0, 1.0) + model("sink", -1.0, 1.0, 0.0));
        run::SystemRunOptions options = file.options();
        options.coupling = "gauss_seidel";
        options.step_control = "richardson";
        file.run_text(options);
        return std::ranges::any_of(file.warnings, [](const std::string& warning) {
            return warning.find("does not see errors of 'sink'") != std::string::npos;
        });
    };
    EXPECT_TRUE(names_sink("'source.y -> sink.u'"));
    EXPECT_FALSE(names_sink("'source.y -> sink.u', 'sink.y -> source.u'"));
}

}  // namespace
}  // namespace tandem::test
