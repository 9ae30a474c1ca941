// Handles, results in memory, observers, and what a builder has besides subsystems.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tandem/simulation.hpp"

namespace tandem {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// x' = rate (u - x)
class Lag : public Model {
public:
    Parameter<double> rate{*this, "rate", 1.0};
    Input<double> u{*this, "u", 0.0, {.unit = "m/s"}};
    State x{*this, "x", 1.0, {.unit = "m/s", .output = true}};
    void derivatives() override { x.der = rate * (u - x); }
};

/// Changes its direction at 0.
class Bouncer : public Model {
public:
    State h{*this, "h", 1.0, {.output = true}};
    Discrete<double> v{*this, "v", -1.0};
    Bouncer() { has_indicators(1); }
    void indicators(std::span<double> z) override { z[0] = v < 0.0 ? h : 1.0; }
    void derivatives() override { h.der = v; }
    void event() override {
        if (h <= 0.0) v = 1.0;
    }
};

SystemBuilder two_lags() {
    SystemBuilder builder("lags");
    builder.add<Lag>("a").add<Lag>("b").connect("a.x", "b.u").experiment(0.25, 1.0);
    return builder;
}

TEST(Handles, read_and_write_what_names_do) {
    Simulation simulation(two_lags());
    simulation.initialise();
    const Handle u = simulation.handle("a.u"), x = simulation.handle("b.x");
    EXPECT_EQ(simulation.get(x), 1.0);
    simulation.set(u, 3.0);
    EXPECT_EQ(simulation.get("a.u"), 3.0);
    simulation.step();
    EXPECT_EQ(simulation.get(x), simulation.get("b.x"));
    EXPECT_THROW(simulation.set(simulation.handle("b.u"), 1.0), InputError);
    EXPECT_THROW(simulation.handle("b.nothing"), InputError);
}

TEST(Handles, exist_only_in_a_run) {
    Simulation simulation(two_lags());
    EXPECT_THROW(simulation.handle("a.u"), InputError);
}

TEST(Simulation, keeps_results_in_memory) {
    Simulation simulation(two_lags());
    simulation.keep();
    simulation.run();
    const Results& results = simulation.results();
    EXPECT_THAT(results.time, ElementsAre(0.0, 0.25, 0.5, 0.75, 1.0));
    EXPECT_THAT(results.series, SizeIs(2));
    EXPECT_EQ(results.series[0].unit, "m/s");
    EXPECT_NEAR(results["a.x"].back(), std::exp(-1.0), 1e-5);
    EXPECT_NEAR(results["b.x"].back(), 2.0 * std::exp(-1.0), 1e-5);
    EXPECT_THROW(results["a.y"], InputError);
}

TEST(Simulation, tells_observers_of_steps_and_events) {
    SystemBuilder builder("ball");
    builder.add<Bouncer>("ball").experiment(0.25, 2.0);
    Simulation simulation(builder);
    std::vector<double> steps, events;
    simulation.on_step([&](double t) {
        steps.push_back(t);
        return t < 1.5;
    });
    simulation.on_event([&](double t) { events.push_back(t); });
    simulation.keep();
    simulation.run();
    EXPECT_THAT(steps, ElementsAre(0.25, 0.5, 0.75, 1.0, 1.25, 1.5));
    ASSERT_THAT(events, SizeIs(1));
    EXPECT_NEAR(events[0], 1.0, 1e-9);
    EXPECT_EQ(simulation.events(), 1);
    EXPECT_NEAR(simulation.results()["ball.h"].back(), 0.5, 1e-8);
}

TEST(Simulation, tells_what_a_variable_is_and_the_record_of_the_run) {
    Simulation simulation(two_lags());
    const VariableInfo info = simulation.info("a.u");
    EXPECT_EQ(info.name, "a.u");
    EXPECT_EQ(info.unit, "m/s");
    EXPECT_TRUE(info.is_input);
    simulation.run();
    const auto record = nlohmann::json::parse(simulation.record_json());
    EXPECT_EQ(record["subsystems"].size(), 2U);
    EXPECT_EQ(record["experiment"]["stop"], 1.0);
}

TEST(SystemBuilder, reads_a_line_a_bond_and_a_unit_as_a_file_does) {
    const std::string fmus = std::string(TANDEM_FMU_DIR) + "/";
    SystemBuilder builder("rod");
    builder.add("a", fmus + "TlmLeft_fmi2.fmu").add("b", fmus + "TlmRight_fmi2.fmu");
    builder.add_line({.name = "rod",
                      .domain = "mechanical",
                      .first = {.ports = {{"flow", "a.v3"}, {"effort", "a.F3"}}},
                      .second = {.ports = {{"flow", "b.v1"}, {"effort", "b.F1"}}},
                      .values = {{"delay", 1e-3}, {"impedance", 10.0}}});
    builder.experiment(1e-4, 0.01);
    Simulation simulation(builder);
    simulation.run();
    const auto record = nlohmann::json::parse(simulation.record_json());
    EXPECT_EQ(record["lines"].size(), 1U);
    EXPECT_EQ(record["lines"][0]["name"], "rod");

    const auto complaint = [](SystemBuilder& wrong) {
        try {
            Simulation(wrong).initialise();
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    SystemBuilder wrong = two_lags();
    wrong.add_line({.name = "rod", .values = {{"dealy", 1.0}}});
    EXPECT_THAT(complaint(wrong), ::testing::AllOf(HasSubstr("add_line(\"rod\")"),
                                                   HasSubstr("did you mean 'delay'")));
    SystemBuilder unit = two_lags();
    unit.add_unit({.name = "furlong/fortnight", .exponents = {{"m", 1}, {"q", -1}}});
    EXPECT_THAT(complaint(unit), HasSubstr("add_unit(\"furlong/fortnight\")"));
    SystemBuilder plugin = two_lags();
    plugin.add_plugin("/no/such/libmine.so");
    EXPECT_THAT(complaint(plugin), HasSubstr("there is no plug-in '/no/such/libmine.so'"));
}

TEST(SystemBuilder, bonds_are_watched_by_a_step_control) {
    SystemBuilder builder("bonded");
    builder.add<Lag>("a").add<Lag>("b").connect("a.x", "b.u").connect("b.x", "a.u");
    builder.add_bond({.name = "both", .effort = "a.x -> b.u", .flow = "b.x -> a.u"});
    builder.experiment(0.1, 1.0).coupling("jacobi");
    Simulation simulation(builder);
    simulation.set_step_control("power_residual", {{"tolerance", "1e-4"}});
    simulation.run();
    EXPECT_EQ(simulation.time(), 1.0);
}

}  // namespace
}  // namespace tandem
