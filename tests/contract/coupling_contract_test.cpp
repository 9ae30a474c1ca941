#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "coupling/catalog/catalog.hpp"
#include "exec/thread_executor.hpp"
#include "support/allocation_counter.hpp"
#include "support/coupled_run.hpp"

namespace tandem::coupling {
namespace {

using test::CoupledRun;
using test::Samples;
using test::Scenario;

/// A row of the catalogue with one of its options at one of its values, all others as they are.
struct Row {
    std::string method;
    std::vector<std::string> options;
};

std::string name_of(const Row& row) {
    std::string name = row.method;
    for (const std::string& option : row.options) name += "_" + option;
    std::ranges::replace_if(
        name, [](char c) { return !std::isalnum(c); }, '_');
    return name;
}

/// Options that need another one.
std::vector<std::string> with_needs(const std::string& option) {
    static const std::map<std::string, std::string> needs = {
        {"slopes=output_derivatives", "order=1"}};
    const auto found = needs.find(option);
    return found == needs.end() ? std::vector{option} : std::vector{option, found->second};
}

std::vector<Row> rows() {
    std::vector<Row> rows;
    for (const CouplingRow& entry : couplings().rows()) {
        rows.push_back({entry.name, {}});
        for (const OptionInfo& option : entry.options)
            for (const std::string& value : option.choices)
                if (value != option.value)
                    rows.push_back({entry.name, with_needs(option.name + "=" + value)});
    }
    return rows;
}

/// Three masses in a row, all different, of which the first is not at rest.
Scenario masses() {
    Scenario scenario;
    scenario.parts = {{"left", "Oscillator", {{"x", 0.1}, {"m", 1.0}}},
                      {"middle", "Oscillator", {{"m", 2.0}, {"k_link", 15.0}}},
                      {"right", "Oscillator", {{"m", 0.7}, {"k", 30.0}}}};
    for (const std::string value : {"x", "v"})
        for (const auto& [a, b] : {std::pair{"left", "middle"}, std::pair{"middle", "right"}}) {
            scenario.connections.push_back(
                {fmt::format("{}.{}", a, value), fmt::format("{}.{}_left", b, value)});
            scenario.connections.push_back(
                {fmt::format("{}.{}", b, value), fmt::format("{}.{}_right", a, value)});
        }
    return scenario.solve(ode::Method::rk4, 1e-3);
}

/// That of `left` in masses(), where somebody has to give one.
GivenJacobian given_jacobian() {
    return {"left",
            {{"x", "v", 1.0, ""},
             {"v", "x", -50.0, ""},
             {"v", "v", -0.25, ""},
             {"v", "x_right", 20.0, ""},
             {"v", "v_right", 0.1, ""}}};
}

std::unique_ptr<Coupling> make(const Row& row, const Scenario& scenario) {
    Choice choice{.method = row.method, .options = {}, .place = "", .subsystems = {}, .ratios = {}};
    for (const std::string& option : row.options) {
        choice.options.push_back(parse_option(option, ""));
        if (option == "interface=given") choice.jacobians.push_back(given_jacobian());
    }
    for (const test::ScenarioPart& part : scenario.parts) choice.subsystems.push_back(part.name);
    Diagnostics findings;
    auto coupling = make_coupling(choice, findings);
    for (const Diagnostic& finding : findings) ADD_FAILURE() << finding.problem;
    return coupling;
}

bool follows_links(const Coupling& coupling) {
    return coupling.needs(System({}, {})).follows_links;
}

/// Where links are not followed there are none.
CoupledRun run_of(const Row& row, Scenario scenario = masses(),
                  std::unique_ptr<Executor> executor = nullptr) {
    auto coupling = make(row, scenario);
    if (!follows_links(*coupling)) scenario.connections.clear();
    return {scenario, std::move(coupling), std::move(executor)};
}

class EveryCoupling : public ::testing::TestWithParam<Row> {
protected:
    static constexpr double h = 0.02;
    static constexpr long steps = 60;
};
INSTANTIATE_TEST_SUITE_P(Catalog, EveryCoupling, ::testing::ValuesIn(rows()),
                         [](const auto& row) { return name_of(row.param); });

/// Those that pass values on.
class EveryLinkedCoupling : public EveryCoupling {};

std::vector<Row> linked_rows() {
    std::vector<Row> linked = rows();
    std::erase_if(linked, [](const Row& row) { return !follows_links(*make(row, masses())); });
    return linked;
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryLinkedCoupling, ::testing::ValuesIn(linked_rows()),
                         [](const auto& row) { return name_of(row.param); });

TEST_P(EveryCoupling, does_not_allocate_in_advance) {
    CoupledRun run = run_of(GetParam());
    constexpr long warm_up = 20;
    long allocating = 0;
    for (long k = 0; k < steps; ++k) {
        const long before = test::allocations();
        run.advance(h);
        if (k >= warm_up && test::allocations() != before) ++allocating;
    }
    EXPECT_EQ(allocating, 0);
}

void roll_back(System& system, const std::vector<double>& inputs) {
    system.restore(StateSlot::step_begin);
    std::ranges::copy(inputs, system.inputs().begin());
    for (int s = 0; s < system.size(); ++s) system.read_outputs(s);
}

/// A step that goes on may use what solvers know of the past; all that begin by going back agree.
TEST_P(EveryCoupling, repeats_steps_bit_for_bit) {
    CoupledRun once = run_of(GetParam()), again = run_of(GetParam());
    const Samples expected = test::sample(once, h, steps);
    System& system = again.system();
    for (long k = 0; k < steps; ++k) {
        const double begin = h * static_cast<double>(k), end = h * static_cast<double>(k + 1);
        const std::vector<double> inputs(system.inputs().begin(), system.inputs().end());
        system.save(StateSlot::step_begin);
        std::vector<Eigen::VectorXd> repeated;
        for (const double last : {end, end, 0.5 * (begin + end), end}) {
            ASSERT_TRUE(again.coupling().advance(system, {begin, last}));
            repeated.push_back(again.outputs());
            if (repeated.size() < 4) roll_back(system, inputs);
        }
        ASSERT_EQ(repeated[1], repeated[3]) << "step " << k;
        // A step control repeats in halves, and rejects these as well.
        roll_back(system, inputs);
        ASSERT_TRUE(again.coupling().advance(system, {begin, 0.5 * (begin + end)}));
        ASSERT_TRUE(again.coupling().advance(system, {0.5 * (begin + end), end}));
        roll_back(system, inputs);
        ASSERT_TRUE(again.coupling().advance(system, {begin, end}));
        ASSERT_EQ(repeated[1], again.outputs()) << "step " << k;
        ASSERT_LT((repeated[3] - expected.col(k + 1)).norm(), 1e-8) << "step " << k;
    }
}

TEST_P(EveryCoupling, has_the_same_bits_on_threads) {
    CoupledRun serial = run_of(GetParam());
    CoupledRun parallel =
        run_of(GetParam(), masses(), exec::make_thread_executor(2, exec::Use::always));
    EXPECT_EQ(test::sample(parallel, h, steps), test::sample(serial, h, steps));
}

/// The sequence of gauss_seidel inside a cycle is that of the file unless it is told; inside an
/// aggregate it cannot be told.
class EveryUnlistedCoupling : public EveryCoupling {};

std::vector<Row> unlisted_rows() {
    std::vector<Row> unlisted = linked_rows();
    std::erase_if(unlisted, [](const Row& row) {
        return std::ranges::find(row.options, "outer=gauss_seidel") != row.options.end();
    });
    for (Row& row : unlisted)
        if (row.method == "gauss_seidel") row.options.push_back("sequence=middle,left,right");
    return unlisted;
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryUnlistedCoupling, ::testing::ValuesIn(unlisted_rows()),
                         [](const auto& row) { return name_of(row.param); });

TEST_P(EveryUnlistedCoupling, does_not_depend_on_the_order_of_subsystems) {
    Scenario reversed = masses();
    std::ranges::reverse(reversed.parts);
    CoupledRun forward = run_of(GetParam());
    CoupledRun backward = run_of(GetParam(), reversed);
    for (long k = 0; k < steps; ++k) {
        forward.advance(h);
        backward.advance(h);
    }
    for (const std::string output : {"left.x", "left.v", "middle.x", "right.v"}) {
        EXPECT_NEAR(forward.output(output), backward.output(output), 1e-9) << output;
    }
}

TEST_P(EveryLinkedCoupling, reaches_its_order) {
    const double end = 1.2;
    const auto error_of = [&](double step) {
        const long count = std::lround(end / step);
        CoupledRun run = run_of(GetParam());
        auto whole = test::aggregated(masses().solve(ode::Method::dopri5, 1e-12));
        return test::largest_error(test::sample(run, step, count),
                                   test::sample(*whole, step, count));
    };
    // Solvers inside err by that much: smaller errors are none of the coupling.
    constexpr double exact = 1e-9;
    const double error = error_of(0.01);
    if (error < exact) return;
    const int declared = run_of(GetParam()).order();
    EXPECT_GT(test::observed_order(error_of, 0.01), declared - 0.3)
        << "declared " << declared << ", error " << error;
}

}  // namespace
}  // namespace tandem::coupling
