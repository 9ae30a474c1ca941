// What a macro step of the stabilised couplings costs beside the steps of the subsystems.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "coupling/explicit.hpp"
#include "coupling/input_prediction.hpp"
#include "coupling/linearisation.hpp"
#include "coupling/stabilised.hpp"
#include "support/linear_chain.hpp"
#include "support/stabilised_scenarios.hpp"

namespace tandem {
namespace {

using coupling::InputPrediction;
using coupling::Linearisation;
using coupling::Stabilised;
using coupling::StabilisedLaw;
using coupling::StabilisedOptions;
using testing::CoupledRun;
using testing::LinearSystem;

double seconds_of(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double least_seconds_of(const std::function<void()>& work, int repeats = 9) {
    double best = seconds_of(work);
    for (int i = 1; i < repeats; ++i) best = std::min(best, seconds_of(work));
    return best;
}

double seconds_of_prediction(const LinearSystem& linear, double h) {
    const auto system = linear.make(testing::wave(linear), 1e-8);
    Linearisation linearisation;
    linearisation.prepare(*system, {});
    InputPrediction prediction;
    prediction.prepare(*system, linearisation.network(), coupling::PredictedForm::linear);
    const auto work = [&] {
        EXPECT_TRUE(linearisation.begin_step(*system, {0.0, 1.0}));
        prediction.predict(*system, linearisation.network(), h);
    };
    work();
    return least_seconds_of(work);
}

// Twice the chain costs twice as much, and a little for caches; a dense matrix would cost eight
// times as much to factor and four times to multiply with. With a part that cools within a
// microsecond the network is stiff and solved with sparse factors.
TEST(StabilisedCost, grows_in_proportion_to_the_length_of_a_chain) {
    for (const double fast : {0.0, 1e6}) {
        const int masses = fast > 0.0 ? 4 : 5;
        const double half = seconds_of_prediction(testing::linear_chain(50, masses, fast), 0.01);
        const double whole = seconds_of_prediction(testing::linear_chain(100, masses, fast), 0.01);
        RecordProperty(fast > 0.0 ? "stiff_ms" : "ms", std::to_string(1e3 * whole));
        EXPECT_LT(whole, 2.8 * half) << fast;
    }
}

// Two hydraulic lines of two states: reading Jacobians and stepping are the subsystems' own work;
// all else must be below 5 us in each macro step.
TEST(StabilisedCost, is_below_5_us_for_two_subsystems_of_two_states) {
    CoupledRun run(testing::viel_hydraulic(), std::make_unique<Stabilised>(StabilisedOptions{}));
    for (int k = 0; k < 100; ++k) run.advance(200e-6);
    System& system = run.system();
    Linearisation linearisation;
    linearisation.prepare(system, {});
    InputPrediction prediction;
    prediction.prepare(system, linearisation.network(), coupling::PredictedForm::linear);
    LinearModel models[2];
    constexpr int repeats = 1000;
    const double all = least_seconds_of([&] {
        for (int i = 0; i < repeats; ++i) {
            EXPECT_TRUE(linearisation.begin_step(system, {run.time(), run.time() + 1.0}));
            prediction.predict(system, linearisation.network(), 200e-6);
        }
    });
    const double own = least_seconds_of([&] {
        for (int i = 0; i < repeats; ++i)
            for (int s = 0; s < 2; ++s) system.at(s).linearise(models[s], LinearParts::all);
    });
    EXPECT_LT((all - own) / repeats, 5e-6);
}

// All in one run, over 0.1 s: explicit 1 us : stabilised 50 us : predictor 200 us : one equation.
TEST(StabilisedCost, is_worth_its_long_steps) {
    constexpr double stop = 0.1;
    const auto seconds = [&](auto make_coupling, double h) {
        CoupledRun run(testing::viel_hydraulic(), make_coupling());
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
            testing::aggregated(testing::viel_hydraulic().solve(ode::Method::cvode_adams, 1e-5));
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
