#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "support/scratch_file.hpp"
#include "tandem/simulation.hpp"

namespace tandem {
namespace {

using ::testing::HasSubstr;
using Rows = std::vector<std::vector<double>>;

Rows read_rows(const std::string& path) {
    Rows rows;
    std::ifstream file(path);
    std::string line, cell;
    std::getline(file, line);
    while (std::getline(file, line)) {
        rows.emplace_back();
        std::istringstream cells(line);
        while (std::getline(cells, cell, ',')) rows.back().push_back(std::stod(cell));
    }
    return rows;
}

class Ball : public Model {
public:
    State h{*this, "h", 1.0, {.output = true}};
    State v{*this, "v", 0.0, {.output = true}};
    Ball() { has_indicators(1); }
    void indicators(std::span<double> z) override { z[0] = h; }
    void derivatives() override {
        h.der = v;
        v.der = -9.81;
    }
    void event() override {
        if (h <= 0.0 && v < 0.0) {
            h = 0.0;
            v = -0.8 * v;
        }
    }
};

/// x' = u
class Follower : public Model {
public:
    Input<double> u{*this, "u", 0.0};
    State x{*this, "x", 0.0, {.output = true}};
    void derivatives() override { x.der = u; }
};

TEST(SystemSteps, end_at_an_event_for_all_and_both_sides_are_recorded) {
    const test::ScratchFile results(".csv");
    SystemBuilder builder;
    builder.add<Ball>("ball", {.tolerance = 1e-9}).add<Follower>("follower", {.tolerance = 1e-9});
    builder.connect("ball.v", "follower.u").experiment(0.1, 1.0).coupling("jacobi");
    Simulation simulation(builder);
    simulation.record(results.path(), {"ball.h", "ball.v", "follower.x"});
    simulation.run();
    const Rows rows = read_rows(results.path());
    const double bounce = std::sqrt(2.0 / 9.81);
    ASSERT_EQ(rows.size(), 13U);  // 11 grid points and two sides of one event
    const auto& left = rows[5];
    const auto& right = rows[6];
    // The tolerance of the solver.
    EXPECT_NEAR(left[0], bounce, 1e-7);
    EXPECT_EQ(left[0], right[0]);
    EXPECT_NEAR(left[2], -9.81 * bounce, 1e-6);
    EXPECT_NEAR(right[2], 0.8 * 9.81 * bounce, 1e-6);
    // The velocity is held over each step. The one that begins at the event has the right one.
    const double grid = 0.1 * 5;
    EXPECT_NEAR(rows[7][3] - right[3], right[2] * (grid - bounce), 1e-6);
}

/// Rows of two balls that bounce at different times within one step, and of what follows the first.
Rows two_balls(const std::vector<std::string>& names, const std::string& order) {
    const test::ScratchFile results(".csv");
    SystemBuilder builder;
    for (const std::string& name : names) {
        if (name == "follower")
            builder.add<Follower>(name);
        else
            builder.add<Ball>(name);
    }
    builder.connect("a.v", "follower.u").experiment(0.1, 0.6);
    builder.coupling("jacobi", {{"order", order}});
    Simulation simulation(builder);
    simulation.set("b.h", 1.1);
    simulation.record(results.path(), {"a.v", "b.v", "follower.x"});
    simulation.run();
    // Columns in the order a, b, follower, whatever the listing.
    std::ifstream file(results.path());
    std::string header;
    std::getline(file, header);
    std::vector<std::string> columns;
    std::istringstream cells(header);
    for (std::string cell; std::getline(cells, cell, ',');) columns.push_back(cell);
    Rows rows = read_rows(results.path());
    for (auto& row : rows) {
        std::vector<double> sorted;
        for (const char* name : {"time", "a.v", "b.v", "follower.x"})
            sorted.push_back(
                row[static_cast<std::size_t>(std::ranges::find(columns, name) - columns.begin())]);
        row = sorted;
    }
    return rows;
}

TEST(SystemSteps, with_two_events_end_at_each_whatever_the_listing) {
    for (const std::string order : {"0", "1", "2"}) {
        const Rows rows = two_balls({"a", "b", "follower"}, order);
        ASSERT_EQ(rows.size(), 11U) << order;  // 7 grid points and two sides of two events
        EXPECT_NEAR(rows[5][0], std::sqrt(2.0 / 9.81), 1e-5);
        EXPECT_LT(rows[5][1], 0.0);
        EXPECT_GT(rows[6][1], 0.0);
        EXPECT_LT(rows[6][2], 0.0) << "b has not bounced yet";
        EXPECT_NEAR(rows[7][0], std::sqrt(2.2 / 9.81), 1e-5);
        EXPECT_LT(rows[7][2], 0.0);
        EXPECT_GT(rows[8][2], 0.0);
        EXPECT_EQ(two_balls({"b", "a", "follower"}, order), rows) << order;
        EXPECT_EQ(two_balls({"follower", "b", "a"}, order), rows) << order;
    }
}

/// Asks for the end of the run at 0.25.
class Quitter : public Model {
public:
    State x{*this, "x", 0.0, {.output = true}};
    Quitter() { has_indicators(1); }
    void derivatives() override { x.der = 1.0; }
    void indicators(std::span<double> z) override { z[0] = 0.25 - x; }
    void event() override {
        if (x >= 0.25) end_simulation("enough");
    }
};

TEST(SystemSteps, end_where_a_subsystem_ends_the_run_with_a_row_of_all_at_one_time) {
    const test::ScratchFile results(".csv");
    SystemBuilder builder;
    builder.add<Follower>("first").add<Quitter>("quitter").add<Follower>("last");
    builder.connect("quitter.x", "first.u").connect("quitter.x", "last.u").experiment(0.1, 1.0);
    Simulation simulation(builder);
    simulation.set_coupling("jacobi");
    simulation.record(results.path(), {"*.x"});
    simulation.run();
    const Rows rows = read_rows(results.path());
    ASSERT_EQ(rows.size(), 4U);  // 0, 0.1, 0.2 and just before 0.25
    EXPECT_NEAR(rows.back()[0], 0.25, 1e-6);
    EXPECT_NEAR(rows.back()[2], 0.25, 1e-6);
    EXPECT_EQ(rows.back()[1], rows.back()[3]);
}

TEST(SystemSteps, of_aggregated_models_end_where_one_ends_the_run) {
    const test::ScratchFile results(".csv");
    SystemBuilder builder;
    builder.add<Follower>("first").add<Quitter>("quitter");
    builder.connect("quitter.x", "first.u").experiment(0.1, 1.0);
    Simulation simulation(builder);
    simulation.record(results.path(), {"*.x"});
    simulation.run();
    const Rows rows = read_rows(results.path());
    ASSERT_EQ(rows.size(), 5U);  // 0, 0.1, 0.2 and the two sides of the end
    EXPECT_NEAR(rows.back()[0], 0.25, 1e-6);
    EXPECT_NEAR(rows.back()[1], 0.03125, 1e-6);  // t^2 / 2: nothing is held over a step
    EXPECT_NEAR(rows.back()[2], 0.25, 1e-6);
}

TEST(SystemSteps, of_aggregated_models_show_both_sides_of_an_event_where_it_happens) {
    const test::ScratchFile results(".csv");
    SystemBuilder builder;
    builder.add<Ball>("ball").add<Follower>("follower");
    builder.connect("ball.v", "follower.u").experiment(0.1, 1.0);
    Simulation simulation(builder);
    simulation.set_tolerance(1e-9);
    simulation.record(results.path(), {"ball.h", "ball.v", "follower.x"});
    simulation.run();
    const Rows rows = read_rows(results.path());
    const double bounce = std::sqrt(2.0 / 9.81);
    ASSERT_EQ(rows.size(), 13U);  // 11 grid points and two sides of one event
    // The tolerance of the solver, over the steps.
    EXPECT_NEAR(rows[5][0], bounce, 1e-7);
    EXPECT_EQ(rows[5][0], rows[6][0]);
    EXPECT_NEAR(rows[5][2], -9.81 * bounce, 1e-6);
    EXPECT_NEAR(rows[6][2], 0.8 * 9.81 * bounce, 1e-6);
    for (const auto& row : rows) EXPECT_NEAR(row[3], row[1] - 1.0, 1e-7) << row[0];
}

/// Refuses long steps.
class Picky : public Model {
public:
    Parameter<double> longest{*this, "longest", 0.03};
    Output<double> steps{*this, "steps", 0.0};
    Output<double> length{*this, "length", 0.0};
    void step(double, double h) override {
        if (h > longest) discard("too long");
        steps = steps + 1.0;
        length = length + h;
    }
};

SystemBuilder picky_system() {
    SystemBuilder builder;
    builder.add<Picky>("picky").add<Follower>("follower");
    builder.connect("picky.steps", "follower.u").experiment(0.1, 1.0);
    return builder;
}

TEST(SystemSteps, that_are_rejected_are_repeated_shorter) {
    const test::ScratchFile results(".csv");
    Simulation simulation(picky_system());
    simulation.record(results.path(), {"picky.*"});
    simulation.run();
    // 0.1, 0.05 and 0.025 are tried; then 0.075 in halves, and so on: all steps that succeed are
    // at most 0.03 long, and together they are the whole.
    EXPECT_NEAR(simulation.get("picky.length"), 1.0, 1e-12);
    EXPECT_GE(simulation.get("picky.steps"), 40.0);
    EXPECT_EQ(read_rows(results.path()).size(), 11U);
}

TEST(SystemSteps, that_are_rejected_one_by_one_need_saved_states) {
    Simulation plain(picky_system());
    plain.initialise();
    try {
        plain.step();
        FAIL() << "the step was not rejected";
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), HasSubstr("rejected by 'picky'"));
        EXPECT_THAT(error.what(), HasSubstr("save_before_steps()"));
    }
    Simulation saving(picky_system());
    saving.save_before_steps();
    saving.initialise();
    EXPECT_TRUE(saving.step());
    EXPECT_EQ(saving.time(), 0.1);
    EXPECT_NEAR(saving.get("picky.length"), 0.1, 1e-15);
}

TEST(SystemSteps, that_are_rejected_end_the_run_where_somebody_cannot_go_back) {
    const test::ScratchFile results(".csv");
    SystemBuilder builder = picky_system();
    builder.add("stubborn", std::string(TANDEM_FMU_DIR) + "/VanDerPol_fmi1_cs.fmu");
    try {
        Simulation simulation(builder);
        simulation.record(results.path(), {"picky.steps"});
        simulation.run();
        FAIL() << "the run did not fail";
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), HasSubstr("'stubborn' cannot go back"));
        EXPECT_THAT(error.what(), HasSubstr("smaller step"));
    }
    EXPECT_EQ(read_rows(results.path()).size(), 1U);
}

}  // namespace
}  // namespace tandem
