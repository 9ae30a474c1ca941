#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "run/fmu_run.hpp"
#include "support/model_kinds.hpp"
#include "support/system_file.hpp"

namespace tandem {
namespace {

using test::Columns;
using test::subsystem_text;
using test::SystemFile;

struct Row {
    double t, u;
};

/// The name of the column is that of the input.
std::string csv(const std::vector<Row>& rows) {
    std::string text = "time,u\n";
    for (const Row& row : rows) text += fmt::format("{:.17g},{:.17g}\n", row.t, row.u);
    return text;
}

/// By trapezia, which is exact.
double integral(const std::vector<Row>& rows) {
    double sum = 0.0;
    for (std::size_t k = 1; k < rows.size(); ++k)
        sum += 0.5 * (rows[k].u + rows[k - 1].u) * (rows[k].t - rows[k - 1].t);
    return sum;
}

/// 1 ms, with an area of 0.5, in a run of 10 s.
std::vector<Row> pulse() {
    return {{0.0, 0.0}, {3.0, 0.0}, {3.0005, 1000.0}, {3.001, 0.0}, {10.0, 0.0}};
}

/// Long quiet stretches, and rows of any distance between them.
std::vector<Row> random_rows(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> part(0.0, 1.0);
    std::vector<Row> rows{{0.0, 0.0}};
    while (rows.back().t < 10.0) {
        const double distance = std::pow(10.0, -3.0 * part(random));
        const bool is_quiet = part(random) < 0.3;
        rows.push_back({std::min(rows.back().t + distance, 10.0),
                        is_quiet ? rows.back().u : 2.0 * part(random) - 1.0});
    }
    return rows;
}

std::string integrator(const std::string& kind, const std::string& coupling) {
    return "connections = [\"table.u -> a.u\"]\n[experiment]\nstop = 10\nstep = 1\n"
           "tolerance = 1e-8\n[coupling]\n" +
           coupling + "\n" + subsystem_text("a", "LinearOde", kind, "a = 0") +
           "[subsystems.table]\nsource = \"table.csv\"\n";
}

class TablesInEquations : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

/// Every method of second order is exact for straight lines. Euler's misses half of what u changes
/// by over each of its steps, here of 1 ms at most.
TEST_P(TablesInEquations, are_integrated_exactly_from_row_to_row) {
    const auto& [kind, solver] = GetParam();
    const bool is_euler = std::string(solver) == "euler";
    for (unsigned seed = 0; seed < 4; ++seed) {
        const std::vector<Row> rows = seed == 0 ? pulse() : random_rows(seed);
        SystemFile file(integrator(kind, fmt::format("method = \"aggregate\"\nsolver = \"{}\"\n{}",
                                                     solver, is_euler ? "step = 1e-3\n" : "")));
        file.add("table.csv", csv(rows));
        double change = 0.0;
        for (std::size_t k = 1; k < rows.size(); ++k) change += std::abs(rows[k].u - rows[k - 1].u);
        EXPECT_NEAR(file.run().at("a.y").back(), integral(rows), is_euler ? 5e-4 * change : 2e-7)
            << seed;
        EXPECT_EQ(file.report.events, 0) << "nothing jumps";
    }
}

/// The same as inputs of one FMU, by a law.
TEST_P(TablesInEquations, also_as_inputs_of_one_model) {
    const auto& [kind, solver] = GetParam();
    if (std::string(kind) == "native") GTEST_SKIP() << "is no FMU";
    const bool is_euler = std::string(solver) == "euler";
    const SystemFile folder("");
    folder.add("table.csv", csv(pulse()));
    run::FmuRunOptions options;
    options.fmu = test::file_of("LinearOde", kind);
    options.kind = "me";
    options.solver = solver;
    if (is_euler) options.solver_step = 1e-4;
    options.stop = 10.0;
    options.step = 1.0;
    options.tolerance = 1e-8;
    options.input = folder.in_folder("table.csv");
    options.set = {"a=0"};
    options.outputs = {folder.in_folder("out.csv")};
    run::FmuRun(options).perform();
    const Columns columns = test::numbers_of(test::read_text_columns(options.outputs.front()));
    EXPECT_NEAR(columns.at("y").back(), 0.5, is_euler ? 5e-5 * 2000.0 : 1e-7);
    EXPECT_EQ(columns.at("time").size(), 11U) << "kinks are no events";
}

INSTANTIATE_TEST_SUITE_P(
    All, TablesInEquations,
    ::testing::Combine(::testing::Values("native", "fmi1_me", "fmi2_me", "fmi3_me"),
                       ::testing::Values("cvode", "cvode_adams", "dopri5", "rk4", "euler")));

class SampledTables : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

/// The pulse has rows at which the coupling stops. Held over the steps between its rows it has its
/// area by the rule of trapezia; linear inputs are exact there.
TEST_P(SampledTables, do_not_lose_a_pulse_between_communication_points) {
    const auto& [kind, method] = GetParam();
    SystemFile file(integrator(kind, fmt::format("method = \"{}\"", method)) +
                    subsystem_text("other", "Oscillator", kind));
    file.add("table.csv", csv(pulse()));
    EXPECT_NEAR(file.run().at("a.y").back(), 0.5, 1e-6);
    EXPECT_EQ(file.report.steps, 12) << "and two rows, the first is a grid point";
}

INSTANTIATE_TEST_SUITE_P(
    All, SampledTables,
    ::testing::Combine(::testing::Values("native", "fmi1_cs", "fmi2_cs", "fmi3_cs", "fmi2_me"),
                       ::testing::Values("jacobi", "gauss_seidel", "iterative")));

class InputsOfOneFmu : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(CoSimulation, InputsOfOneFmu,
                         ::testing::Values("fmi1_cs", "fmi2_cs", "fmi3_cs"));

TEST_P(InputsOfOneFmu, are_told_at_the_rows_of_a_pulse) {
    const SystemFile folder("");
    folder.add("table.csv", csv(pulse()));
    run::FmuRunOptions options;
    options.fmu = test::file_of("LinearOde", GetParam());
    options.kind = "cs";
    options.stop = 10.0;
    options.step = 1.0;
    options.input = folder.in_folder("table.csv");
    options.set = {"a=0"};
    options.outputs = {folder.in_folder("out.csv")};
    run::FmuRun(options).perform();
    const Columns columns = test::numbers_of(test::read_text_columns(options.outputs.front()));
    EXPECT_NEAR(columns.at("y").back(), 0.5, 1e-6);
}

/// How often the right-hand side is evaluated with sin(t) as a table of so many rows.
long evaluations(int rows, const std::string& solver) {
    std::vector<Row> sine;
    const double stop = 20.0 * std::numbers::pi;
    for (int k = 0; k <= rows; ++k) sine.push_back({stop * k / rows, std::sin(stop * k / rows)});
    const SystemFile folder("");
    folder.add("table.csv", csv(sine));
    run::FmuRunOptions options;
    options.fmu = test::file_of("LinearOde", "fmi2_me");
    options.kind = "me";
    options.solver = solver;
    options.stop = stop;
    options.step = stop / 100.0;
    options.tolerance = 1e-6;
    options.input = folder.in_folder("table.csv");
    options.outputs = {folder.in_folder("out.csv")};
    run::FmuRun run(options);
    run.perform();
    return run.solver_statistics()->solver.derivative_calls;
}

/// Ten periods. A hundred rows a period are kinks that matter; of two or ten thousand no single one
/// does, and what remains are the curves between stops, about as many as the solver has steps.
TEST(TablesOfManyRows, cost_what_their_curve_costs) {
    for (const char* solver : {"cvode", "dopri5"}) {
        const long many = evaluations(100000, solver);
        EXPECT_LT(many, evaluations(1000, solver)) << solver;
        EXPECT_LT(many, 1.2 * static_cast<double>(evaluations(20000, solver))) << solver;
    }
}

}  // namespace
}  // namespace tandem
