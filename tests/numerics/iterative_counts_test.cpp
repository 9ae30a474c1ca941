// How many evaluations of a cycle the coupling 'iterative' takes, in systems whose numbers are
// known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "coupling/iterative/iterative.hpp"
#include "files/csv_reader.hpp"
#include "support/model_kinds.hpp"
#include "support/system_file.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

using coupling::CycleOptions;
using coupling::Sweep;
using numerics::Accelerator;
using numerics::FixedPointOptions;

double number_of(const std::vector<Statistic>& statistics, const std::string& name) {
    for (const Statistic& statistic : statistics)
        if (statistic.name == name) return statistic.value;
    ADD_FAILURE() << "no statistic " << name;
    return 0.0;
}

using Parameters = std::map<std::string, double>;
struct Part {
    std::string model;
    Parameters parameters;
};
struct Wire {
    int from, to, input;
};

/// Native models without memory, one output each, connected in a cycle and solved for one step.
class Loop {
public:
    Loop(const std::vector<Part>& parts, const std::vector<Wire>& wires) {
        std::vector<std::unique_ptr<Subsystem>> subsystems;
        std::vector<int> first_input{0};
        for (const Part& part : parts) {
            subsystems.push_back(test::make_kind(part.model, "native"));
            for (const auto& [name, value] : part.parameters)
                test::write(*subsystems.back(), name, {{value}, {}, {}});
            test::initialise(*subsystems.back(), 1.0);
            const auto inputs = subsystems.back()->interface().inputs.size();
            first_input.push_back(first_input.back() + static_cast<int>(inputs));
        }
        std::vector<Link> links;
        for (const Wire& wire : wires)
            links.push_back(
                {wire.from, first_input[static_cast<std::size_t>(wire.to)] + wire.input});
        system_ = std::make_unique<System>(std::move(subsystems), std::move(links));
    }

    /// One step from outputs that are all `start`.
    void solve(const CycleOptions& options, double start) {
        std::ranges::fill(system_->outputs(), start);
        coupling::Iterative coupling({options, coupling::InputForm::constant});
        coupling.prepare(*system_, 0.0);
        converged = static_cast<bool>(coupling.advance(*system_, {0.0, 0.1}));
        const auto solved = coupling.report(*system_).iteration_statistics;
        ASSERT_EQ(solved.size(), 1U);
        evaluations = static_cast<int>(number_of(solved[0].statistics, "iterations"));
        jacobians = static_cast<int>(number_of(solved[0].statistics, "jacobians"));
    }
    double output(int s) { return system_->outputs()[static_cast<std::size_t>(s)]; }

    bool converged = false;
    int evaluations = 0;
    int jacobians = 0;

private:
    std::unique_ptr<System> system_;
};

CycleOptions plain(double tolerance, Sweep sweep, double relaxation = 1.0) {
    return {.solver = {.accelerator = Accelerator::fixed_point,
                       .relaxation = relaxation,
                       .tolerance = tolerance,
                       .max_evaluations = 500},
            .sweep = sweep};
}

/// y_i = b_i - (the other two, weighted), b = 1, 2, 3.
Loop three_sums(const std::vector<std::array<double, 2>>& weights) {
    std::vector<Part> parts;
    std::vector<Wire> wires;
    for (int i = 0; i < 3; ++i) {
        const auto& weight = weights[static_cast<std::size_t>(i)];
        parts.push_back({"Polynomial", {{"c0", i + 1.0}, {"c1", -weight[0]}, {"c2", -weight[1]}}});
        int input = 0;
        for (int j = 0; j < 3; ++j)
            if (j != i) wires.push_back({j, i, input++});
    }
    return {parts, wires};
}

// By the norm of all residuals, |G(z) - z| <= 1e-10 (1 + |z|), the sweep takes 67; Tandem asks that
// of every value by itself, and with the smallest one 0.77 and the largest 5.8 that takes three
// more, as the residual falls by 0.7155 in each.
TEST(IterationCounts, of_sums_depend_on_the_sweep) {
    const std::vector<std::array<double, 2>> weak = {{0.8, 0.8}, {0.8, 0.8}, {0.8, 0.8}};
    Loop sweep = three_sums(weak);
    sweep.solve(plain(1e-10, Sweep::gauss_seidel), 0.0);
    EXPECT_TRUE(sweep.converged);
    EXPECT_EQ(sweep.evaluations, 70);
    EXPECT_NEAR(sweep.output(0), -4.2307692307692335, 1e-8);
    EXPECT_NEAR(sweep.output(2), 5.769230769230772, 1e-8);
    Loop at_once = three_sums(weak);
    at_once.solve(plain(1e-10, Sweep::jacobi), 0.0);
    EXPECT_FALSE(at_once.converged);
}

// The matrix of all at once is nilpotent: exact after three, the fourth confirms.
TEST(IterationCounts, of_other_sums_depend_on_it_the_other_way) {
    const std::vector<std::array<double, 2>> cyclic = {{2.0, -2.0}, {1.0, 1.0}, {2.0, 2.0}};
    Loop at_once = three_sums(cyclic);
    at_once.solve(plain(1e-10, Sweep::jacobi), 0.0);
    EXPECT_TRUE(at_once.converged);
    EXPECT_EQ(at_once.evaluations, 4);
    EXPECT_NEAR(at_once.output(0), -1.0, 1e-12);
    EXPECT_NEAR(at_once.output(1), 2.0, 1e-12);
    Loop sweep = three_sums(cyclic);
    sweep.solve(plain(1e-10, Sweep::gauss_seidel), 0.0);
    EXPECT_FALSE(sweep.converged);
}

// y1 = 3 exp(-u1), y2 = u2^2 / 2, each fed by the other, from (1, 1): a loop gain of -1.68.
Loop solved_pair(const CycleOptions& options) {
    Loop pair({{"Exponential", {{"gain", 3.0}, {"rate", -1.0}}},
               {"Polynomial", {{"c1", 0.0}, {"c2", 0.0}, {"c11", 0.5}}}},
              {{1, 0, 0}, {0, 1, 0}});
    pair.solve(options, 1.0);
    if (pair.converged) {
        // A residual of 1e-12 (1 + |z|) over |1 - loop gain| = 2.7 and a derivative up to 1.3.
        EXPECT_NEAR(pair.output(0), 1.2957686598253555, 1e-11);
        EXPECT_NEAR(pair.output(1), 0.839508209892799, 1e-11);
    }
    return pair;
}

// Documented are 132 and 40, by a norm of the residuals: that may take one more or less.
TEST(IterationCounts, of_a_nonlinear_pair_with_relaxation_are_the_documented_ones) {
    const Loop at_once = solved_pair(plain(1e-12, Sweep::jacobi, 0.5));
    EXPECT_TRUE(at_once.converged);
    EXPECT_NEAR(at_once.evaluations, 132, 1);
    const Loop sweep = solved_pair(plain(1e-12, Sweep::gauss_seidel, 0.5));
    EXPECT_TRUE(sweep.converged);
    EXPECT_NEAR(sweep.evaluations, 40, 1);
    for (const Sweep order : {Sweep::jacobi, Sweep::gauss_seidel})
        EXPECT_FALSE(solved_pair(plain(1e-12, order)).converged);
}

TEST(IterationCounts, of_newton_for_a_nonlinear_pair_are_the_documented_five) {
    const Loop newton = solved_pair({.solver = {.tolerance = 1e-12}});
    EXPECT_TRUE(newton.converged);
    EXPECT_EQ(newton.evaluations, 5);
    EXPECT_LE(newton.jacobians, 4);
}

// Nothing goes through states here, so derivatives at an instant are those of the step.
TEST(IterationCounts, of_newton_are_the_same_with_directional_derivatives) {
    const Loop newton = solved_pair(
        {.solver = {.tolerance = 1e-12}, .jacobian = coupling::JacobianSource::directional});
    EXPECT_TRUE(newton.converged);
    EXPECT_EQ(newton.evaluations, 5);
    EXPECT_EQ(newton.jacobians, 4);
}

/// A ring y_i = 1 + gains[i] y_{i-1} with cross links y_i += crosses[i] y_{i+1}.
Loop ring(const std::vector<double>& gains, const std::vector<double>& crosses) {
    const int n = static_cast<int>(gains.size());
    std::vector<Part> parts;
    std::vector<Wire> wires;
    for (int i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(i);
        parts.push_back({"Polynomial", {{"c0", i + 1.0}, {"c1", gains[k]}, {"c2", crosses[k]}}});
        wires.push_back({(i + n - 1) % n, i, 0});
        wires.push_back({(i + 1) % n, i, 1});
    }
    return {parts, wires};
}

/// The largest |y_i - (i + 1 + gains[i] y_{i-1} + crosses[i] y_{i+1})|.
double residual(Loop& loop, const std::vector<double>& gains, const std::vector<double>& crosses) {
    const int n = static_cast<int>(gains.size());
    double largest = 0.0;
    for (int i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(i);
        const double y = i + 1.0 + gains[k] * loop.output((i + n - 1) % n) +
                         crosses[k] * loop.output((i + 1) % n);
        largest = std::max(largest, std::abs(loop.output(i) - y));
    }
    return largest;
}

// A linear loop is solved by the first Newton step: the second evaluation confirms it. The loops
// are far from symmetric, so that a transposed Jacobian leads elsewhere. Differences of linear
// functions are exact to rounding, 1e-16 / 1e-6 of the values.
TEST(IterationCounts, of_newton_are_two_for_linear_loops_that_are_not_symmetric) {
    const CycleOptions newton{.solver = {.tolerance = 1e-8, .max_evaluations = 2}};
    const std::vector<std::pair<std::vector<double>, std::vector<double>>> loops = {
        {{-3.0, 0.5}, {0.0, 0.0}}, {{2.0, -3.0, 0.5, 4.0, -1.5}, {0.25, 0.0, 5.0, -0.75, 1.0}}};
    for (const auto& [gains, crosses] : loops) {
        Loop loop = ring(gains, crosses);
        loop.solve(newton, 0.0);
        EXPECT_TRUE(loop.converged) << gains.size();
        EXPECT_EQ(loop.evaluations, 2) << gains.size();
        EXPECT_EQ(loop.jacobians, 1) << gains.size();
        EXPECT_LT(residual(loop, gains, crosses), 1e-6) << gains.size();
    }
}

/// An example, run for its statistics.
struct Counts {
    double steps = 0.0, evaluations = 0.0, most = 0.0;
};

Counts counts_of(const std::string& example, const std::vector<std::string>& options,
                 std::optional<double> step = {}, std::optional<double> stop = {}) {
    const std::string path = TANDEM_SOURCE_DIR "/examples/" + example + "/system.toml";
    const test::SystemFile file(std::regex_replace(
        read_text_file(path), std::regex("../../build/release/fmus"), TANDEM_FMU_DIR));
    run::SystemRunOptions run_options = file.options();
    run_options.results = false;
    run_options.options = options;
    run_options.step = step;
    run_options.stop = stop;
    run::SystemRun run(run_options);
    run.perform();
    for (const GroupRecord& group : run.record().groups)
        if (!group.statistics.empty())
            return {number_of(group.statistics, "steps"), number_of(group.statistics, "iterations"),
                    number_of(group.statistics, "most in a step")};
    ADD_FAILURE() << "no cycle";
    return {};
}

TEST(IterationCounts, of_the_halves_of_an_oscillator_are_the_documented_ones) {
    const Counts counts = counts_of("one_cycle", {"tolerance=1e-12"});
    EXPECT_EQ(counts.steps, 500.0);
    EXPECT_EQ(counts.most, 8.0);
}

TEST(IterationCounts, of_newton_in_bspk6_are_two_a_step) {
    const Counts counts = counts_of("bspk6", {});
    EXPECT_EQ(counts.steps, 50000.0);
    EXPECT_LE(counts.evaluations / counts.steps, 2.2);
    EXPECT_LE(counts.most, 5.0);  // where a switch flips and the kept Jacobian is of the other side
}

struct Variant {
    std::vector<std::string> options;
    double most;
};

TEST(IterationCounts, of_methods_that_learn_in_bspk6_are_within_the_documented_ones) {
    for (const auto& [options, most] : std::vector<Variant>{
             {{"accelerator=anderson", "depth=4"}, 7.0},
             {{"accelerator=broyden", "start=identity"}, 9.0},
             {{"accelerator=aitken", "sweep=gauss_seidel", "max_iterations=200"}, 103.0},
             {{"accelerator=anderson", "depth=2", "sweep=gauss_seidel"}, 5.0}}) {
        const Counts counts = counts_of("bspk6", options, 1e-3);
        EXPECT_EQ(counts.steps, 5000.0) << options[0];
        EXPECT_LE(counts.most, most) << options[0];
    }
}

TEST(IterationCounts, of_methods_that_do_not_learn_do_not_matter_in_bspk6) {
    for (const auto& options :
         std::vector<std::vector<std::string>>{{"accelerator=fixed_point"},
                                               {"accelerator=fixed_point", "sweep=gauss_seidel"},
                                               {"accelerator=fixed_point", "relaxation=0.5"},
                                               {"accelerator=aitken"}})
        EXPECT_THROW(counts_of("bspk6", options, 1e-3, 0.01), NumericsError) << options.back();
}

}  // namespace
}  // namespace tandem
