#include "tandem/simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "support/scratch_file.hpp"

namespace tandem {
namespace {

using ::testing::HasSubstr;

const std::string fmus = std::string(TANDEM_FMU_DIR) + "/";

/// x' = -x + u
class Lag : public Model {
public:
    Parameter<double> rate{*this, "rate", 1.0};
    Input<double> u{*this, "u", 0.0};
    State x{*this, "x", 0.0, {.output = true}};
    void derivatives() override { x.der = rate * (u - x); }
};

template <class Action>
std::string complaint(Action action) {
    try {
        action();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "no complaint";
}

/// TwoKinds (support/fmus/lazy_fmi2.cpp) offers both kinds; as "steps_only" it cannot be
/// initialised as Model Exchange.
SystemBuilder two_kinds(const SubsystemOptions& options) {
    SystemBuilder builder;
    builder.add("steps_only", TANDEM_ODD_FMUS "/TwoKinds.fmu", options)
        .add("b", TANDEM_ODD_FMUS "/TwoKinds.fmu", options)
        .connect("steps_only.y", "b.u")
        .connect("b.y", "steps_only.u")
        .experiment(0.1);
    return builder;
}

TEST(Simulation, begins_again_where_the_kind_that_was_chosen_for_an_fmu_cannot_be_initialised) {
    const auto x_of = [](Simulation& simulation) {
        simulation.set("b.c", -3.0);
        simulation.initialise();
        simulation.advance_to(1.0);
        return simulation.get("b.x");
    };
    Simulation chosen(two_kinds({})), given(two_kinds({.kind = "cs"}));
    EXPECT_EQ(x_of(chosen), x_of(given));
    EXPECT_THAT(chosen.warnings(), ::testing::Contains(HasSubstr("say kind = \"cs\"")));
}

// HidesTyped (support/fmus/hides_typed_fmi2.cpp): y grows by h i in each step with b.
TEST(Simulation, keeps_the_values_of_integers_and_booleans_that_an_fmu_does_not_let_be_read) {
    SystemBuilder builder;
    builder.add("f", TANDEM_ODD_FMUS "/HidesTyped.fmu").experiment(0.5);
    Simulation simulation(builder);
    simulation.set("f.i", 2.0);
    simulation.initialise();
    simulation.step();
    EXPECT_EQ(simulation.get("f.i"), 2.0);
    EXPECT_EQ(simulation.get("f.b"), 1.0);
    simulation.set("f.b", 0.0);
    simulation.step();
    EXPECT_EQ(simulation.get("f.i_out"), 2.0);
    EXPECT_EQ(simulation.get("f.b"), 0.0);
    simulation.set("f.b", 1.0);
    simulation.set("f.i", 6.0);
    simulation.step();
    EXPECT_EQ(simulation.get("f.i"), 6.0);
    EXPECT_NEAR(simulation.get("f.y"), 0.5 * 2.0 + 0.5 * 6.0, 1e-12);
}

TEST(Simulation, steps_a_class_of_the_program_with_an_input_set_from_outside) {
    SystemBuilder builder;
    builder.add<Lag>("lag", {.tolerance = 1e-10}).experiment(0.1);
    Simulation simulation(builder);
    simulation.set("lag.rate", 2.0);
    simulation.initialise();
    simulation.set("lag.u", 3.0);
    for (int k = 0; k < 10; ++k) EXPECT_TRUE(simulation.step());
    EXPECT_EQ(simulation.time(), 1.0);
    // The tolerance of the solver, with a margin for its sum over the steps.
    EXPECT_NEAR(simulation.get("lag.x"), 3.0 * (1.0 - std::exp(-2.0)), 1e-8);
    simulation.finish();
}

TEST(Simulation, advances_to_any_time_and_comes_back_to_the_grid) {
    SystemBuilder builder;
    builder.add<Lag>("lag").experiment(0.1);
    Simulation simulation(builder);
    simulation.initialise();
    simulation.advance_to(0.25);
    EXPECT_EQ(simulation.time(), 0.25);
    simulation.step();
    EXPECT_EQ(simulation.time(), 0.1 * 3);
    simulation.advance_to(0.3);
    EXPECT_EQ(simulation.time(), 0.1 * 3);
    simulation.finish();
}

TEST(Simulation, couples_through_gains_and_functions) {
    SystemBuilder builder;
    builder.add<Lag>("a").add<Lag>("b").add<Lag>("c").experiment(0.01, 20.0);
    builder.connect({}, "a.u", [](double, std::span<const double>) { return 1.0; });
    builder.connect("a.x", "b.u", 2.0, 1.0);
    builder.connect({"a.x", "b.x"}, "c.u",
                    [](double, std::span<const double> y) { return y[0] * y[1]; });
    Simulation simulation(builder);
    simulation.run();
    EXPECT_EQ(simulation.time(), 20.0);
    // At rest: a = 1, b = 2 a + 1 = 3, c = a b = 3; what is left is 20^2/2 exp(-20) = 4e-7 at most.
    EXPECT_NEAR(simulation.get("a.x"), 1.0, 1e-5);
    EXPECT_NEAR(simulation.get("b.x"), 3.0, 1e-5);
    EXPECT_NEAR(simulation.get("c.x"), 3.0, 1e-5);
}

TEST(Simulation, gives_the_same_on_several_threads) {
    SystemBuilder builder;
    builder.add<Lag>("a").add<Lag>("b", {.shares = "something"}).experiment(0.01, 1.0);
    builder.connect("a.x", "b.u", 2.0, 1.0).connect("b.x", "a.u").coupling("jacobi");
    const auto result = [&](int threads) {
        Simulation simulation(builder);
        simulation.set_threads(threads);
        simulation.run();
        return simulation.get("a.x");
    };
    EXPECT_EQ(result(1), result(2));
    Simulation simulation(builder);
    EXPECT_THAT(complaint([&] { simulation.set_threads(-1); }), HasSubstr("between 0 and 1024"));
}

TEST(Simulation, runs_a_file_with_changes_and_records) {
    const test::ScratchFile results(".csv"), table(".csv"), system(".toml");
    std::ofstream(table.path()) << "time,y\n0,0\n1,2\n";
    std::ofstream(system.path()) << "[experiment]\nstop = 10\n[subsystems.source]\nsource = \""
                                 << table.path() << "\"\n";
    Simulation simulation(system.path());
    simulation.set_stop(0.5);
    simulation.set_step(0.25);
    simulation.set_coupling("gauss_seidel", {{"order", "1"}});
    simulation.record(results.path(), {"source.y"});
    simulation.run();
    std::ifstream file(results.path());
    std::string line;
    std::getline(file, line);
    EXPECT_EQ(line, "time,source.y");
    int rows = 0;
    while (std::getline(file, line)) ++rows;
    EXPECT_EQ(rows, 3);
}

TEST(Simulation, sets_a_state_at_given_times) {
    SystemBuilder builder;
    builder.add<Lag>("lag").experiment(0.1, 1.0).coupling("aggregate");
    builder.connect({}, "lag.u", [](double, std::span<const double>) { return 1.0; });
    builder.add_event(
        {.signals = {"lag.x"},
         .times = {0.25, 0.9},
         .actions = {{"lag.x", [](double t, std::span<const double> y) { return y[0] - t; }}}});
    Simulation simulation(builder);
    simulation.set_tolerance(1e-10);
    simulation.initialise();
    const auto after = [](double x, double t) { return 1.0 - (1.0 - x) * std::exp(-t); };
    // A hundred times the tolerance.
    simulation.advance_to(0.8);
    const double second = after(0.0, 0.25) - 0.25;
    EXPECT_NEAR(simulation.get("lag.x"), after(second, 0.55), 1e-8);
    simulation.advance_to(1.0);
    EXPECT_NEAR(simulation.get("lag.x"), after(after(second, 0.65) - 0.9, 0.1), 1e-8);
    simulation.finish();
}

TEST(Simulation, resets_a_state_where_an_event_of_its_own_happens) {
    SystemBuilder builder;
    builder.add<Lag>("lag").experiment(0.1, 1.0).coupling("aggregate");
    builder.connect({}, "lag.u", [](double, std::span<const double>) { return 1.0; });
    builder.add_event(
        {.signals = {"lag.x"},
         .indicator = [](double, std::span<const double> y) { return y[0] - 0.5; },
         .direction = Direction::rising,
         .actions = {{"lag.x", [](double, std::span<const double>) { return 0.0; }}}});
    Simulation simulation(builder);
    simulation.set_tolerance(1e-10);
    simulation.run();
    // It needs log(2) to one half, and starts there again; a hundred times the tolerance.
    EXPECT_NEAR(simulation.get("lag.x"), 1.0 - std::exp(-(1.0 - std::log(2.0))), 1e-8);
}

TEST(Simulation, refuses_an_event_with_all_its_mistakes) {
    SystemBuilder builder;
    const auto zero = [](double, std::span<const double>) { return 0.0; };
    builder.add<Lag>("lag").experiment(0.1, 1.0);
    builder.add_event({.name = "never", .actions = {{"lag.x", zero}}});
    builder.add_event({.name = "idle", .times = {2.0, 1.0}});
    builder.add_event(
        {.name = "both", .indicator = zero, .times = {1.0}, .actions = {{"lag.x", {}}}});
    builder.add_event(
        {.name = "lost", .signals = {"lga.x"}, .indicator = zero, .actions = {{"log.x", zero}}});
    const std::string text = complaint([&] { Simulation(builder).initialise(); });
    EXPECT_THAT(text, HasSubstr("add_event(\"never\"): event: has neither an indicator nor"));
    EXPECT_THAT(text, HasSubstr("add_event(\"idle\"): event: the times must ascend"));
    EXPECT_THAT(text, HasSubstr("add_event(\"idle\"): event: does nothing"));
    EXPECT_THAT(text, HasSubstr("add_event(\"both\"): event: has both"));
    EXPECT_THAT(text, HasSubstr("the action on 'lag.x' has no expression"));
    EXPECT_THAT(text, HasSubstr("add_event(\"lost\"): event: there is no 'lga.x'"));
    EXPECT_THAT(text, HasSubstr("add_event(\"lost\"): event: there is no 'log.x'"));
}

TEST(Simulation, sets_and_reads_values_of_all_types) {
    SystemBuilder builder;
    builder.add("through", fmus + "Feedthrough_fmi3.fmu", {.kind = "cs"}).experiment(0.1);
    Simulation simulation(builder);
    simulation.set("through.string_in", "before");
    simulation.initialise();
    EXPECT_EQ(simulation.get_text("through.string_out"), "before");
    simulation.set("through.string_in", "after");
    simulation.set("through.int32_in", 7.0);
    simulation.set("through.float64_in", 2.5);
    simulation.set("through.boolean_in", 1.0);
    simulation.step();
    EXPECT_EQ(simulation.get_text("through.string_out"), "after");
    EXPECT_EQ(simulation.get("through.int32_out"), 7.0);
    EXPECT_EQ(simulation.get("through.float64_out"), 2.5);
    EXPECT_EQ(simulation.get("through.boolean_out"), 1.0);
    EXPECT_THAT(complaint([&] { simulation.set("through.int32_in", 0.5); }),
                HasSubstr("not a whole number"));
    EXPECT_THAT(complaint([&] { simulation.get("through.string_out"); }), HasSubstr("get_text"));
}

TEST(Simulation, names_everything_that_is_wrong_at_once) {
    SystemBuilder builder;
    builder.add<Lag>("a").add("b", "nowhere.fmu").add("c", "what.txt", {.kind = "both"});
    builder.connect("a.y", "a.u").experiment(0.1);
    const std::string text = complaint([&] { Simulation(builder).initialise(); });
    EXPECT_THAT(text, HasSubstr("'what.txt' is no kind of model"));
    EXPECT_THAT(text, HasSubstr("there is no kind 'both'"));
    SystemBuilder second;
    second.add<Lag>("a").add("b", "nowhere.fmu").connect("a.y", "a.u").experiment(0.1);
    const std::string more = complaint([&] { Simulation(second).initialise(); });
    EXPECT_THAT(more, HasSubstr("nowhere.fmu"));
    EXPECT_THAT(more, HasSubstr("connect(\"a.y\", \"a.u\")"));
}

TEST(Simulation, says_what_to_do_when_calls_come_too_early_or_too_late) {
    SystemBuilder builder;
    builder.add<Lag>("a").add<Lag>("b").connect("a.x", "b.u").experiment(0.1);
    Simulation simulation(builder);
    EXPECT_THAT(complaint([&] { simulation.step(); }), HasSubstr("call initialise() first"));
    simulation.initialise();
    EXPECT_THAT(complaint([&] { simulation.set_step(1.0); }), HasSubstr("before initialise()"));
    EXPECT_THAT(complaint([&] { simulation.set("b.u", 1.0); }), HasSubstr("a connection feeds"));
    EXPECT_THAT(complaint([&] { simulation.get("b.y"); }), HasSubstr("did you mean"));
}

TEST(Simulation, needs_no_stop_time_whatever_the_step) {
    for (const double step : {0.009, 0.1, 1.0 / 3.0, 0.0007, 3e-9, 12.5}) {
        SystemBuilder builder;
        builder.add<Lag>("lag").experiment(step);
        Simulation simulation(builder);
        simulation.initialise();
        EXPECT_TRUE(simulation.step());
        EXPECT_EQ(simulation.time(), step);
    }
}

TEST(Simulation, ends_at_the_stop_time_and_says_so) {
    SystemBuilder builder;
    builder.add<Lag>("lag").experiment(0.1, 0.2);
    Simulation simulation(builder);
    simulation.initialise();
    EXPECT_THAT(complaint([&] { simulation.initialise(); }), HasSubstr("has begun already"));
    simulation.step();
    simulation.step();
    EXPECT_THAT(complaint([&] { simulation.step(); }), HasSubstr("the stop time 0.2 is reached"));
    EXPECT_THAT(complaint([&] { simulation.advance_to(5.0); }), HasSubstr("is reached"));
    simulation.finish();
    EXPECT_EQ(simulation.time(), 0.2);
    EXPECT_THAT(complaint([&] { simulation.step(); }), HasSubstr("the run is finished"));
}

TEST(Simulation, takes_values_after_it_was_looked_at) {
    SystemBuilder builder;
    builder.add<Lag>("lag").experiment(0.1);
    Simulation simulation(builder);
    EXPECT_EQ(simulation.variables().size(), 5U);  // time, rate, u, x, der(x)
    EXPECT_TRUE(simulation.warnings().size() == 1U);
    EXPECT_EQ(simulation.get("lag.rate"), 1.0);
    simulation.set("lag.rate", "2.5");
    simulation.set("lag.u", 7.0);
    EXPECT_EQ(simulation.get("lag.rate"), 2.5);
    simulation.initialise();
    simulation.step();
    EXPECT_NEAR(simulation.get("lag.x"), 7.0 * (1.0 - std::exp(-0.25)), 1e-4);
}

/// Of x' = -x from 1e-9 after two seconds, relative.
double error_of_small_decay(const SubsystemOptions& options) {
    SystemBuilder builder;
    builder.add<Lag>("lag", options).experiment(2.0);
    Simulation simulation(builder);
    simulation.set("lag.x", 1e-9);
    simulation.initialise();
    simulation.step();
    return std::abs(simulation.get("lag.x") / (1e-9 * std::exp(-2.0)) - 1.0);
}

// The same promises as those of system files, see tests/system/scales_test.cpp.
TEST(SystemBuilder, takes_sizes_of_variables_and_settings_of_solvers) {
    EXPECT_GT(error_of_small_decay({}), 1e-3);
    EXPECT_LT(error_of_small_decay({.nominals = {{"x", 1e-9}}}), 1e-4);
    EXPECT_LT(error_of_small_decay({.absolute_tolerance = 1e-15}), 1e-4);
    EXPECT_LT(error_of_small_decay({.absolute_tolerances = {{"x", 1e-15}}}), 1e-4);
    const auto refusal = [](const SubsystemOptions& options) {
        return complaint([&] { error_of_small_decay(options); });
    };
    // 200 steps of 0.01 for one communication step.
    EXPECT_EQ(refusal({.solver = "rk4", .step = 0.01, .max_steps = 200}), "no complaint");
    EXPECT_THAT(refusal({.solver = "rk4", .step = 0.01, .max_steps = 199}),
                HasSubstr("more than max_steps = 199 internal steps"));
    EXPECT_THAT(refusal({.max_order = 6}),
                HasSubstr("add(\"lag\"): max_order = 6 is above the highest order 5"));
    EXPECT_THAT(refusal({.first_step = -1.0}), HasSubstr("'first_step' must be greater than 0"));
    EXPECT_THAT(refusal({.tolerance = 0.0}), HasSubstr("'tolerance' must be greater than 0"));
    EXPECT_THAT(refusal({.nominals = {{"z", 1.0}}}), HasSubstr("has no variable 'z'"));
    EXPECT_THAT(refusal({.absolute_tolerance = 1.0, .absolute_tolerances = {{"x", 1.0}}}),
                HasSubstr("both absolute_tolerance and absolute_tolerances"));
}

TEST(SystemBuilder, copies_are_systems_of_their_own) {
    SystemBuilder one;
    one.add<Lag>("a").experiment(0.1);
    SystemBuilder two = one;
    two.add<Lag>("b");
    EXPECT_EQ(Simulation(one).variables().size() * 2, Simulation(two).variables().size());
}

}  // namespace
}  // namespace tandem
