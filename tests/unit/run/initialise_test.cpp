#include "run/initialise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tandem/error.hpp"

namespace tandem::run {
namespace {

/// y = g(u) for real scalars; the inputs are its only variables.
class Algebraic final : public Subsystem, private Variables {
public:
    using Function = std::function<double(std::span<const double> u)>;

    Algebraic(std::string name, std::vector<double> start, Function function)
        : name_(std::move(name)), inputs_(std::move(start)), function_(std::move(function)) {
        interface_.outputs = {{.name = "y", .unit = ""}};
        for (std::size_t i = 0; i < inputs_.size(); ++i) {
            const std::string input = "u" + std::to_string(i);
            interface_.inputs.push_back({.name = input, .unit = ""});
            interface_.feed_through.push_back({0, static_cast<int>(i)});
            list_.emplace_back();
            list_.back().name = input;
        }
    }

    const std::string& name() const override { return name_; }
    const Interface& interface() const override { return interface_; }
    Variables& variables() override { return *this; }
    void enter_initialisation(const Experiment&) override {}
    void exit_initialisation() override {}
    void finish() override {}
    void set_inputs(const InputCourse& course) override {
        inputs_.assign(course.values.begin(), course.values.end());
        ++evaluations;
    }
    StepResult step(Interval interval) override { return {Outcome::complete, interval.end}; }
    void get_outputs(std::span<double> outputs) override { outputs[0] = function_(inputs_); }

    int evaluations = 0;

private:
    const std::vector<VariableInfo>& list() const override { return list_; }
    VariableGroup group(std::span<const std::size_t> variables) const override {
        return {ValueType::float64, {variables.begin(), variables.end()}, {}, variables.size()};
    }
    void read(const VariableGroup& group, Values& values) override {
        for (std::size_t i = 0; i < group.size; ++i) values.reals[i] = inputs_[group.variables[i]];
    }
    void write(const VariableGroup&, const Values&) override {}

    std::string name_;
    std::vector<double> inputs_;
    Function function_;
    Interface interface_;
    std::vector<VariableInfo> list_;
};

System system_of(std::vector<std::unique_ptr<Algebraic>> subsystems, std::vector<Link> links) {
    std::vector<std::unique_ptr<Subsystem>> owned;
    for (auto& subsystem : subsystems) owned.push_back(std::move(subsystem));
    return {std::move(owned), std::move(links)};
}

std::unique_ptr<Algebraic> block(std::string name, std::vector<double> start,
                                 Algebraic::Function function) {
    return std::make_unique<Algebraic>(std::move(name), std::move(start), std::move(function));
}

TEST(Initialise, an_algebraic_loop_is_solved) {
    // y_a = 9 - u_a and y_b = u_b / 2 in a loop: y_a = 6, y_b = 3.
    std::vector<std::unique_ptr<Algebraic>> blocks;
    blocks.push_back(block("a", {0.0}, [](auto u) { return 9.0 - u[0]; }));
    blocks.push_back(block("b", {0.0}, [](auto u) { return u[0] / 2.0; }));
    System system = system_of(std::move(blocks), {{0, 1}, {1, 0}});
    const InitialiseReport report = initialise(system, {});
    EXPECT_EQ(report.loops, 1);
    EXPECT_NEAR(system.outputs()[0], 6.0, 1e-10);
    EXPECT_NEAR(system.outputs()[1], 3.0, 1e-10);
    EXPECT_NEAR(system.inputs()[0], 3.0, 1e-10);
}

TEST(Initialise, a_chain_listed_backwards_is_consistent_after_one_pass) {
    std::vector<std::unique_ptr<Algebraic>> blocks;
    for (int i = 0; i < 5; ++i)
        blocks.push_back(block("s" + std::to_string(i),
                               i == 4 ? std::vector<double>{} : std::vector{0.0},
                               [i](auto u) { return i == 4 ? 1.0 : u[0] + 1.0; }));
    const Algebraic& sink = *blocks[0];
    System system = system_of(std::move(blocks), {{1, 0}, {2, 1}, {3, 2}, {4, 3}});
    const InitialiseReport report = initialise(system, {});
    EXPECT_EQ(report.loops, 0);
    EXPECT_EQ(system.outputs()[0], 5.0);
    EXPECT_EQ(sink.evaluations, 1);  // in its turn, when all inputs are known
}

TEST(Initialise, inputs_that_nothing_feeds_keep_their_start_values) {
    std::vector<std::unique_ptr<Algebraic>> blocks;
    blocks.push_back(block("a", {7.0}, [](auto u) { return 2.0 * u[0]; }));
    System system = system_of(std::move(blocks), {});
    initialise(system, {});
    EXPECT_EQ(system.inputs()[0], 7.0);
    EXPECT_EQ(system.outputs()[0], 14.0);
}

TEST(Initialise, two_independent_loops_are_solved_as_two) {
    std::vector<std::unique_ptr<Algebraic>> blocks;
    for (int i = 0; i < 2; ++i)
        blocks.push_back(
            block("s" + std::to_string(i), {0.5}, [](auto u) { return std::cos(u[0]); }));
    System system = system_of(std::move(blocks), {{0, 0}, {1, 1}});
    const InitialiseReport report = initialise(system, {});
    EXPECT_EQ(report.loops, 2);
    EXPECT_EQ(report.largest_loop, 1);
    EXPECT_NEAR(system.outputs()[1], 0.7390851332151607, 1e-10);  // the fixed point of cos
}

TEST(Initialise, a_loop_without_solution_is_named) {
    std::vector<std::unique_ptr<Algebraic>> blocks;
    blocks.push_back(block("pump", {0.0}, [](auto u) { return u[0] * u[0] + 1.0; }));
    System system = system_of(std::move(blocks), {{0, 0}});
    try {
        initialise(system, {});
        FAIL() << "u = u^2 + 1 has no real solution";
    } catch (const NumericsError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("pump.u0"));
    }
}

}  // namespace
}  // namespace tandem::run
