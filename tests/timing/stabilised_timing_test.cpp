// What a macro step of the stabilised couplings costs beside the steps of the subsystems.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <vector>

#include "coupling/explicit/explicit.hpp"
#include "coupling/network/input_prediction.hpp"
#include "coupling/network/linearisation.hpp"
#include "coupling/network/pre_step.hpp"
#include "support/linear_chain.hpp"
#include "support/stabilised_options.hpp"
#include "support/stabilised_scenarios.hpp"

namespace tandem {
namespace {

using coupling::InputPrediction;
using coupling::Linearisation;
using coupling::NeighbourForm;
using coupling::PreStep;
using coupling::PreStepError;
using coupling::PreStepOptions;
using coupling::Stabilised;
using coupling::StabilisedLaw;
using coupling::StabilisedOptions;
using test::CoupledRun;
using test::LinearSystem;

/// Of this thread alone: whatever else the machine does meanwhile does not count.
double cpu_seconds() {
    timespec now{};
    EXPECT_EQ(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now), 0);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of(const std::function<void()>& work) {
    const double begin = cpu_seconds();
    work();
    return cpu_seconds() - begin;
}

/// Reads the linear model of a chain and predicts a step with it, again and again.
class ChainPrediction {
public:
    explicit ChainPrediction(const LinearSystem& linear)
        : system_(linear.make(test::wave(linear), 1e-8)) {
        linearisation_.prepare(*system_, {});
        prediction_.prepare(*system_, linearisation_.network(), coupling::PredictedForm::linear);
        predict();
    }
    void measure() {
        least_ = std::min(least_, seconds_of([&] { predict(); }));
    }
    double least_seconds() const { return least_; }

private:
    void predict() {
        linearisation_.begin_step(*system_, {0.0, 1.0});
        prediction_.predict(*system_, linearisation_.network(), 0.01);
    }

    std::unique_ptr<System> system_;
    Linearisation linearisation_;
    InputPrediction prediction_;
    double least_ = 1e9;
};

// Twice the chain costs twice as much, and a little for caches; a dense matrix would cost eight
// times as much to factor and four times to multiply with. With a part that cools within a
// microsecond the network is stiff and solved with sparse factors.
TEST(StabilisedCost, grows_in_proportion_to_the_length_of_a_chain) {
    for (const double fast : {0.0, 1e6}) {
        std::vector<ChainPrediction> chains;
        for (const int parts : {50, 100, 200})
            chains.emplace_back(test::linear_chain(parts, fast > 0.0 ? 4 : 5, fast));
        for (int round = 0; round < 40; ++round)
            for (ChainPrediction& chain : chains) chain.measure();
        const double first = chains[0].least_seconds(), second = chains[1].least_seconds(),
                     third = chains[2].least_seconds();
        std::printf("50, 100, 200 subsystems%s: %.3f, %.3f, %.3f ms\n", fast > 0.0 ? ", stiff" : "",
                    1e3 * first, 1e3 * second, 1e3 * third);
        EXPECT_LT(second, 2.4 * first) << fast;
        EXPECT_LT(third, 2.4 * second) << fast;
    }
}

test::Scenario lines_at_rest() {
    test::Scenario scenario = test::viel_hydraulic();
    scenario.set("s1", "Q1", 14.056652).set("s1", "p1", 99.930128);
    scenario.set("s2", "Q2", 12.028022).set("s2", "p2", 99.870340).set("s2", "t_step", 1e9);
    return scenario;
}

/// What a macro step of two hydraulic lines of two states takes beyond their own work. They are at
/// rest, where held inputs keep them; their own work is to take inputs, to give the linear model,
/// to take inputs again and to step, with constants instead of laws: laws are the coupling's work.
double overhead_of(std::unique_ptr<coupling::Coupling> coupling) {
    constexpr double h = 50e-6;
    CoupledRun run(lines_at_rest(), std::move(coupling));
    for (int k = 0; k < 200; ++k) run.advance(h);
    System& system = run.system();
    long done = run.steps();
    const auto seconds_of_step = [&](const std::function<void(Interval)>& step) {
        constexpr int steps = 100;
        const double seconds = seconds_of([&] {
            for (int k = 0; k < steps; ++k, ++done)
                step({h * static_cast<double>(done), h * static_cast<double>(done + 1)});
        });
        return seconds / steps;
    };
    LinearModel models[2];
    const auto coupled = [&](Interval interval) {
        EXPECT_TRUE(run.coupling().advance(system, interval));
    };
    const auto alone = [&](Interval interval) {
        for (int s = 0; s < 2; ++s) {
            const InputCourse held{.values = system.inputs_of(s)};
            system.at(s).set_inputs(held);
            system.at(s).linearise(models[s], LinearParts::all);
            EXPECT_TRUE(system.at(s).exchange_step(held, interval, system.outputs_of(s)));
        }
    };
    double all = 1e9, own = 1e9;
    for (int round = 0; round < 200; ++round) {
        all = std::min(all, seconds_of_step(coupled));
        own = std::min(own, seconds_of_step(alone));
    }
    std::printf("a step %.2f us, the subsystems' own %.2f us, beyond %.2f us: ", 1e6 * all,
                1e6 * own, 1e6 * (all - own));
    return all - own;
}

TEST(StabilisedCost, is_below_5_us_for_two_subsystems_of_two_states) {
    using test::implicit;
    const auto expect_below = [](const char* name, std::unique_ptr<coupling::Coupling> coupling,
                                 double limit = 5e-6) {
        const double overhead = overhead_of(std::move(coupling));
        std::printf("%s\n", name);
        EXPECT_LT(overhead, limit) << name;
    };
    const auto expect_stabilised_below = [&](const char* name, const StabilisedOptions& options) {
        expect_below(name, std::make_unique<Stabilised>(options));
    };
    expect_stabilised_below("predictor", {});
    for (const double theta : {test::backward_euler, test::trapezoidal}) {
        expect_stabilised_below("linear_implicit, deriv",
                                implicit(NeighbourForm::derivative, theta));
        expect_stabilised_below("linear_implicit, frozen", implicit(NeighbourForm::frozen, theta));
        expect_stabilised_below("linear_implicit, value", implicit(NeighbourForm::value, theta));
    }
    expect_stabilised_below("lti", test::lti());
    PreStepOptions without_estimate;
    without_estimate.error = PreStepError::off;
    expect_below("pre_step without an estimate", std::make_unique<PreStep>(without_estimate));
    // The error is followed over the eight and more pieces of traces, which has its price.
    expect_below("pre_step with it", std::make_unique<PreStep>(PreStepOptions{}), 10e-6);
}

// All in one run, over 0.1 s: explicit 1 us : stabilised 50 us : predictor 200 us : one equation.
TEST(StabilisedCost, is_worth_its_long_steps) {
    constexpr double stop = 0.1;
    const auto seconds = [&](auto make_coupling, double h) {
        CoupledRun run(test::viel_hydraulic(), make_coupling());
        const long steps = std::lround(stop / h);
        return seconds_of([&] {
            for (long k = 0; k < steps; ++k) run.advance(h);
        });
    };
    const auto stabilised = [](StabilisedLaw law) {
        return [law] {
            StabilisedOptions options;
            options.law = law;
            return std::make_unique<Stabilised>(options);
        };
    };
    const auto held = [] {
        return std::make_unique<coupling::Explicit>(coupling::ExplicitOptions{});
    };
    double explicitly = 1e9, implicitly = 1e9, predicted = 1e9, as_one = 1e9;
    for (int repeat = 0; repeat < 5; ++repeat) {
        if (repeat < 2) explicitly = std::min(explicitly, seconds(held, 1e-6));
        implicitly = std::min(implicitly, seconds(stabilised(StabilisedLaw::neighbours), 50e-6));
        predicted = std::min(predicted, seconds(stabilised(StabilisedLaw::none), 200e-6));
        const auto whole =
            test::aggregated(test::viel_hydraulic().solve(ode::Method::cvode_adams, 1e-5));
        as_one = std::min(as_one, seconds_of([&] { whole->step({0.0, stop}); }));
    }
    std::printf(
        "explicit 1 us %.4f s, linear_implicit 50 us %.4f s, predictor 200 us %.4f s, one "
        "equation %.4f s\n",
        explicitly, implicitly, predicted, as_one);
    EXPECT_GT(explicitly, 8.0 * implicitly);
    EXPECT_LT(predicted, 2.0 * as_one);
}

}  // namespace
}  // namespace tandem
