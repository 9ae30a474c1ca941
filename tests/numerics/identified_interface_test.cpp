// Models of interfaces that are identified from the steps so far, on pairs of black boxes: not
// worse than outputs that go on with their slope, and much better, where subsystems show their
// states. Limits of medians leave a tenth or more above what was measured. No constant of the
// method was chosen by the seeds that are used here.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>

#include "coupling/explicit/explicit.hpp"
#include "coupling/network/pre_step.hpp"
#include "coupling/network/stabilised.hpp"
#include "support/black_box.hpp"
#include "support/stabilised_scenarios.hpp"

namespace tandem {
namespace {

using coupling::Coupling;
using coupling::InterfaceSource;
using coupling::PredictedForm;
using coupling::PreStep;
using coupling::PreStepInputs;
using coupling::PreStepOptions;
using coupling::Stabilised;
using coupling::StabilisedOptions;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::BlackBox;

std::unique_ptr<Coupling> predictor(InterfaceSource source, PredictedForm form) {
    StabilisedOptions options;
    options.inputs = form;
    options.linearisation.interface = source;
    return std::make_unique<Stabilised>(options);
}
std::unique_ptr<Coupling> pre_step(InterfaceSource source, PreStepInputs inputs) {
    PreStepOptions options;
    options.error = coupling::PreStepError::off;
    options.optimisation = inputs;
    options.linearisation.interface = source;
    return std::make_unique<PreStep>(options);
}

/// Two subsystems of states x and z, each of which feeds all that it shows to the other.
struct Pair {
    double cubic = 0.0, force = 0.0, noise = 0.0;
    bool has_odd_sizes = false, jumps = false, hides_states = false, changes = false;
    double internal_steps = 0.0;  ///< in each macro step; 0: none of a fixed length
};

/// A pair with random coefficients: rotations between all states, with a little damping.
class RandomPair {
public:
    static constexpr int states = 2;
    static constexpr int all = 2 * states;
    static constexpr long steps = 200;

    RandomPair(const Pair& pair, unsigned seed) : pair_(pair), seed_(seed) {
        std::mt19937 random(seed);
        const auto between = [&](double low, double high) {
            return std::uniform_real_distribution<double>(low, high)(random);
        };
        MatrixXd turning(all, all), damping(all, all);
        for (double& entry : turning.reshaped()) entry = between(-1.0, 1.0);
        for (double& entry : damping.reshaped()) entry = between(-1.0, 1.0);
        matrix_ = 3.0 * (turning - turning.transpose()) - 0.05 * damping * damping.transpose();
        h_ = std::pow(10.0, between(-2.0, -1.0));
        start_.resize(all);
        frequencies_.resize(all);
        sizes_ = VectorXd::Ones(all);
        for (double& value : start_) value = between(-1.0, 1.0);
        for (double& value : frequencies_) value = between(0.5, 3.0);
        if (pair.has_odd_sizes)
            for (double& value : sizes_) value = std::pow(10.0, between(-6.0, 6.0));
        seen_ = pair.hides_states ? 1 : states;
    }

    /// The largest error of a state where steps end; sizes do not count.
    double error_of(std::unique_ptr<Coupling> coupling) const { return error_of(*coupling); }
    double error_of(Coupling& coupling) const {
        const auto system = make();
        coupling.prepare(*system, 0.0);
        VectorXd exact = start_;
        double error = 0.0;
        for (long k = 0; k < steps; ++k) {
            const double begin = h_ * static_cast<double>(k);
            EXPECT_TRUE(coupling.advance(*system, {begin, begin + h_}));
            exact = move_on(exact, begin);
            if (pair_.jumps && k % 37 == 20) jump(*system, exact, k / 37 % all);
            VectorXd found(all);
            found << box(*system, 0).states(), box(*system, 1).states();
            error = std::max(error, (found - exact).lpNorm<Eigen::Infinity>());
        }
        return error;
    }

    std::unique_ptr<System> make() const {
        std::vector<std::unique_ptr<Subsystem>> boxes;
        for (int s = 0; s < 2; ++s) {
            const auto f = [this, s](double t, const VectorXd& x, const VectorXd& u) -> VectorXd {
                VectorXd whole = VectorXd::Zero(all);
                whole.segment(s * states, states) = x;
                whole.segment((1 - s) * states, u.size()) = u;
                return rates(t, whole).segment(s * states, states);
            };
            test::BlackBoxOptions options;
            options.seen = seen_;
            options.output_sizes = sizes_.segment(s * states, seen_);
            options.input_sizes = sizes_.segment((1 - s) * states, seen_);
            options.noise = pair_.noise;
            options.seed = seed_ + static_cast<unsigned>(s);
            if (pair_.internal_steps > 0.0) options.internal_step = h_ / pair_.internal_steps;
            boxes.push_back(std::make_unique<BlackBox>(
                s == 0 ? "left" : "right", f, start_.segment(s * states, states), options));
        }
        std::vector<Link> links;
        for (int i = 0; i < seen_; ++i) {
            links.push_back({.output = i, .input = seen_ + i});
            links.push_back({.output = seen_ + i, .input = i});
        }
        auto system = std::make_unique<System>(std::move(boxes), links);
        for (int s = 0; s < 2; ++s) system->read_outputs(s);
        return system;
    }

private:
    static BlackBox& box(System& system, int s) { return dynamic_cast<BlackBox&>(system.at(s)); }
    static void jump(System& system, VectorXd& exact, long state) {
        box(system, static_cast<int>(state / states)).jump(state % states, 1.0);
        exact[state] += 1.0;
        for (int s = 0; s < 2; ++s) system.read_outputs(s);
    }

    /// States that are not shown do not act on the other subsystem.
    VectorXd rates(double t, const VectorXd& x) const {
        MatrixXd matrix = matrix_;
        if (pair_.hides_states)
            for (const auto& [row, column] : {std::pair{0, states}, std::pair{states, 0}})
                matrix.block(row, column + seen_, states, states - seen_).setZero();
        if (pair_.changes && t > 60.0 * h_) matrix *= 1.5;
        VectorXd dx = matrix * x;
        dx.array() +=
            pair_.force * (frequencies_.array() * t).sin() - pair_.cubic * x.array().cube();
        return dx;
    }
    VectorXd move_on(VectorXd x, double t) const {
        const auto f = [this](double time, const VectorXd& y, const VectorXd&) {
            return rates(time, y);
        };
        for (int i = 0; i < 8; ++i) x = BlackBox::integrated(f, t + h_ / 8 * i, x, {}, h_ / 8);
        return x;
    }

    Pair pair_;
    unsigned seed_;
    int seen_ = states;
    double h_ = 0.0;
    MatrixXd matrix_;
    VectorXd start_, frequencies_, sizes_;
};

constexpr unsigned first_seed = 3001, systems = 30;

/// Errors with identified models divided by those with slopes.
struct Ratios {
    double median = 0.0, largest = 0.0;
};
Ratios ratios(const Pair& pair, PredictedForm form = PredictedForm::mean) {
    std::vector<double> all;
    for (unsigned seed = first_seed; seed < first_seed + systems; ++seed) {
        const RandomPair one(pair, seed);
        all.push_back(one.error_of(predictor(InterfaceSource::identified, form)) /
                      one.error_of(predictor(InterfaceSource::slopes, form)));
    }
    std::ranges::sort(all);
    return {all[systems / 2], all.back()};
}
/// The same of `terminal`, against held inputs, which it comes to with slopes.
Ratios ratios_of_terminal(const Pair& pair) {
    std::vector<double> all;
    for (unsigned seed = first_seed; seed < first_seed + systems; ++seed) {
        const RandomPair one(pair, seed);
        all.push_back(
            one.error_of(pre_step(InterfaceSource::identified, PreStepInputs::terminal)) /
            one.error_of(std::make_unique<coupling::Explicit>(coupling::ExplicitOptions{})));
    }
    std::ranges::sort(all);
    return {all[systems / 2], all.back()};
}

void expect_below(const Ratios& found, double median, double largest, const char* what) {
    EXPECT_LT(found.median, median) << what;
    EXPECT_LT(found.largest, largest) << what;
}

/// One more step in which a model is used that does not hold any more costs that much, at most.
constexpr double margin = 1.3;

TEST(IdentifiedInterface, is_much_better_than_slopes_where_subsystems_are_linear) {
    // The error of a mean value, and that of the first steps, are left.
    expect_below(ratios({}), 0.2, 0.6, "linear");
    expect_below(ratios({.has_odd_sizes = true}), 0.25, 1.05, "sizes of 1e-6 to 1e6");
    expect_below(ratios({.internal_steps = 2.0}), 0.2, 0.6, "two internal steps");
    expect_below(ratios({.changes = true}), 0.6, 1.0, "coefficients that jump");
}

TEST(IdentifiedInterface, is_better_than_slopes_where_subsystems_bend) {
    expect_below(ratios({.cubic = 0.3}), 0.5, 1.05, "slightly");
    expect_below(ratios({.cubic = 3.0}), 1.0, 1.05, "strongly");
    expect_below(ratios({.force = 1.0}), 0.9, 1.05, "with time");
}

TEST(IdentifiedInterface, is_not_worse_than_slopes_where_steps_tell_little) {
    expect_below(ratios({.noise = 1e-6}), 0.2, 1.05, "noise 1e-6");
    expect_below(ratios({.noise = 1e-4, .has_odd_sizes = true}), 0.4, margin, "noise 1e-4");
    expect_below(ratios({.noise = 1e-3}), 1.01, margin, "noise 1e-3");
    expect_below(ratios({.jumps = true}), 1.0, margin, "jumps");
    expect_below(ratios({.cubic = 0.3, .force = 1.0, .noise = 1e-6, .jumps = true}), 1.01, margin,
                 "all of it");
}

/// A model of too few states errs in any phase, and where motions grow by themselves, so does what
/// it did once. Measured here: 2.2 at most; 4.5 at most and in 95 of 100 below 1.2 in 1600 systems.
TEST(IdentifiedInterface, is_hardly_worse_than_slopes_where_states_are_not_seen) {
    expect_below(ratios({.hides_states = true}), 1.01, 3.0, "states that are not seen");
    expect_below(ratios({.noise = 1e-4, .hides_states = true}), 1.01, 3.0, "and noise");
    expect_below(ratios({.force = 1.0, .hides_states = true}), 1.01, margin, "and time");
    expect_below(ratios({.cubic = 1.0, .hides_states = true}), 1.01, margin, "and bends");
}

TEST(IdentifiedInterface, leads_subsystems_better_than_held_inputs) {
    expect_below(ratios_of_terminal({}), 0.02, 0.1, "linear");
    expect_below(ratios_of_terminal({.cubic = 3.0}), 0.2, 1.0, "bent");
    expect_below(ratios_of_terminal({.noise = 1e-3}), 0.1, 0.3, "noise");
    expect_below(ratios_of_terminal({.jumps = true}), 0.2, 1.0, "jumps");
    expect_below(ratios_of_terminal({.hides_states = true}), 0.2, 1.0, "states not seen");
}

/// A pendulum and a mass of which nothing but outputs is seen, over 1 s, as FMUs of that kind.
double error_of_pendulum(std::unique_ptr<Coupling> coupling, double h, const std::string& kind) {
    test::Scenario scenario = test::pendulum_oscillator(false);
    scenario.watches = false;
    scenario.kind = kind;
    scenario.hides = test::Shown{.goes_back = false};
    scenario.solver.relative_tolerance = 1e-9;
    test::CoupledRun run(scenario, std::move(coupling));
    const long steps = std::lround(1.0 / h);
    return test::largest_error(test::sample(run, h, steps),
                               test::pendulum_oscillator_exactly(h, steps));
}

/// Motions soon are near one mode, which does not tell what a single input does. Inverting what was
/// learnt of that led to 0.14, 0.89 and 647 with these steps. Where it is least certain, at 10 ms,
/// 0.43 times the error of held inputs is left.
TEST(IdentifiedInterface, leads_plain_fmus_with_motions_that_tell_little) {
    struct Held {
        double h, error;
    };
    for (const Held held : {Held{1e-3, 0.159}, {5e-3, 0.484}, {10e-3, 0.640}}) {
        for (const PreStepInputs inputs : {PreStepInputs::terminal, PreStepInputs::variational,
                                           PreStepInputs::variational_linear}) {
            const double error =
                error_of_pendulum(pre_step(InterfaceSource::identified, inputs), held.h, "fmi2_cs");
            EXPECT_LT(error, 0.5 * held.error) << held.h << ' ' << int(inputs);
        }
        for (const PredictedForm form : {PredictedForm::mean, PredictedForm::linear})
            EXPECT_LT(
                error_of_pendulum(predictor(InterfaceSource::identified, form), held.h, "fmi2_cs"),
                1.01 *
                    error_of_pendulum(predictor(InterfaceSource::slopes, form), held.h, "fmi2_cs"))
                << held.h;
    }
}

TEST(IdentifiedInterface, says_where_it_is_not_used) {
    const auto warnings = [](const Pair& pair) {
        const auto coupling = predictor(InterfaceSource::identified, PredictedForm::mean);
        const RandomPair random(pair, 1);
        random.error_of(*coupling);
        return coupling->report(*random.make()).warnings;
    };
    EXPECT_TRUE(warnings({}).empty());
    const auto sentences = warnings({.noise = 0.1});
    ASSERT_EQ(sentences.size(), 2U);
    EXPECT_TRUE(sentences[0].starts_with("'left': the model identified from its steps was used in"))
        << sentences[0];
}

}  // namespace
}  // namespace tandem
