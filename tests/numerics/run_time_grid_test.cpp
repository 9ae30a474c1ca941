#include <gtest/gtest.h>

#include <regex>

#include "support/model_kinds.hpp"
#include "support/system_file.hpp"

namespace tandem {
namespace {

using test::Columns;
using test::SystemFile;

// A step of a table costs nothing.
TEST(TimeGridOfARun, ten_million_steps_end_exactly_at_the_right_time) {
    SystemFile file(
        "[experiment]\nstop = 10000.0\nstep = 1e-3\n[record]\ndecimation = 1000000\n"
        "[subsystems.table]\nsource = \"table.csv\"\n");
    file.add("table.csv", "time,y\n0,0\n100000,100000\n");
    const Columns columns = file.run();
    EXPECT_EQ(file.report.steps, 10'000'000);
    EXPECT_EQ(file.report.reached, 10000.0);
    ASSERT_EQ(columns.at("time").size(), 11U);
    for (std::size_t k = 0; k <= 10; ++k)
        EXPECT_EQ(columns.at("time")[k], 1000.0 * static_cast<double>(k));
    EXPECT_EQ(columns.at("table.y").back(), 10000.0);
}

struct Step {
    double begin, length;
};

/// The steps that the FMUs of a system were asked for.
std::vector<Step> steps_in(SystemFile& file, Columns* columns = nullptr) {
    run::SystemRunOptions options = file.options();
    std::vector<Step> steps;
    const std::regex call(R"(DoStep\((?:.*currentCommunicationPoint ?= ?)?([^,]+), *)"
                          R"((?:communicationStepSize ?= ?)?([^,]+),)");
    options.on_call = [&](const std::string&, const std::string& text) {
        std::smatch match;
        if (std::regex_search(text, match, call))
            steps.push_back({std::stod(match[1]), std::stod(match[2])});
    };
    const auto text = file.run_text(std::move(options));
    if (columns != nullptr) *columns = test::numbers_of(text);
    return steps;
}

std::vector<Step> steps_of(const std::string& kind, const std::string& experiment,
                           Columns& columns) {
    SystemFile file("[experiment]\n" + experiment +
                    test::subsystem_text("s", "LinearOde", kind, "x = 1"));
    return steps_in(file, &columns);
}

class StepsOfAnFmu : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, StepsOfAnFmu, ::testing::Values("fmi1_cs", "fmi2_cs", "fmi3_cs"),
                         [](const auto& kind) { return kind.param; });

TEST_P(StepsOfAnFmu, follow_each_other_and_the_last_is_shorter) {
    Columns columns;
    const auto steps = steps_of(GetParam(), "start = 0.2\nstop = 1.25\nstep = 0.1\n", columns);
    ASSERT_EQ(steps.size(), 11U);
    for (std::size_t k = 0; k < steps.size(); ++k) {
        EXPECT_EQ(steps[k].begin, 0.2 + static_cast<double>(k) * 0.1);
        // A difference of two times of the size 1: a few units in the last place.
        EXPECT_NEAR(steps[k].length, k == 10 ? 0.05 : 0.1, 1e-15);
    }
    EXPECT_EQ(columns.at("time").size(), 12U);
    EXPECT_EQ(columns.at("time").back(), 1.25);
}

TEST_P(StepsOfAnFmu, are_never_of_length_zero) {
    // 0.1 is no binary fraction: 3 * 0.1 > 0.3, and sums of it drift away.
    for (const char* stop : {"0.3", "0.7", "1.0", "2.9", "3.0000000001"}) {
        SCOPED_TRACE(stop);
        Columns columns;
        const auto steps =
            steps_of(GetParam(), std::string("step = 0.1\nstop = ") + stop + "\n", columns);
        const double end = std::stod(stop);
        EXPECT_EQ(steps.size(), static_cast<std::size_t>(end / 0.1 + 0.5));
        for (const Step& step : steps) EXPECT_NEAR(step.length, 0.1, 1e-9);
        EXPECT_EQ(columns.at("time").back(), end);
    }
}

// 3 * 0.1 is a little more than 0.3: without care the jump and the grid point would be two points.
TEST_P(StepsOfAnFmu, are_not_cut_by_a_jump_that_is_a_grid_point_but_for_rounding) {
    SystemFile file(
        "connections = [\"table.y -> s.u\"]\n[experiment]\nstop = 1\nstep = 0.1\n"
        "[subsystems.table]\nsource = \"table.csv\"\n" +
        test::subsystem_text("s", "LinearOde", GetParam(), "x = 1"));
    file.add("table.csv", "time,y\n0,1\n0.3,1\n0.3,2\n0.55,2\n0.55,3\n1,3\n");
    const std::vector<Step> steps = steps_in(file);
    ASSERT_EQ(steps.size(), 11U) << "ten, of which one is cut in two at 0.55";
    for (const Step& step : steps) EXPECT_GT(step.length, 0.04);
}

TEST(TimeGridOfARun, a_stop_at_the_start_is_one_row) {
    SystemFile file("[experiment]\nstop = 0.0\nstep = 0.1\n" +
                    test::subsystem_text("s", "LinearOde", "fmi2_cs", "x = 1"));
    const Columns columns = file.run();
    EXPECT_EQ(file.report.steps, 0);
    EXPECT_EQ(columns.at("s.y"), std::vector{1.0});
}

}  // namespace
}  // namespace tandem
