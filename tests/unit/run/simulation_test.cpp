#include "run/simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tandem/error.hpp"

namespace tandem::run {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// dx = u, y = x: an integrator with an input held, with a slope, or as a law; it can be told to
/// answer a step in other ways. Variables: u (input), x (output), gear (integer input).
class Integrator final : public Subsystem,
                         public Rollback,

                         public Linearisable,
                         private Variables {
public:
    explicit Integrator(Capabilities capabilities) {
        facets_ = facets_of(this);
        interface_.inputs.push_back({"u", "", 1.0});
        interface_.outputs.push_back({"x", "", 1.0});
        interface_.capabilities = capabilities;
        VariableInfo u{
            .name = "u", .unit = {}, .description = {}, .is_input = true, .is_continuous = true};
        VariableInfo x{.name = "x", .unit = {}, .description = {}, .is_output = true};
        VariableInfo gear{.name = "gear",
                          .unit = {},
                          .description = {},
                          .type = ValueType::int32,
                          .is_input = true};
        list_ = {u, x, gear};
    }

    const std::string& name() const override { return name_; }
    const Interface& interface() const override { return interface_; }
    Variables& variables() override { return *this; }
    void enter_initialisation(const Experiment& experiment) override { t_ = experiment.start; }
    void exit_initialisation() override {}
    void finish() override { finished = true; }
    void set_inputs(const InputCourse& course) override {
        u_ = course.values[0];
        slope_ = course.order > 0 ? course.derivatives[0] : 0.0;
        law_ = course.law;
        begin_ = t_;
    }
    StepResult step(Interval interval) override {
        intervals.push_back(interval);
        if (respond) {
            const StepResult result = respond(interval);
            if (result.outcome != Outcome::complete) {
                if (result.outcome != Outcome::rejected) integrate(result.reached);
                return result;
            }
        }
        integrate(interval.end);
        return {Outcome::complete, interval.end};
    }
    void get_outputs(std::span<double> outputs) override { outputs[0] = x_; }
    void save(StateSlot) override { saved_ = {x_, t_}; }
    void restore(StateSlot) override { std::tie(x_, t_) = saved_; }

    std::vector<Interval> intervals;
    std::function<StepResult(Interval)> respond;
    bool finished = false;

private:
    const std::vector<VariableInfo>& list() const override { return list_; }
    VariableGroup group(std::span<const std::size_t> variables) const override {
        return {
            list_[variables[0]].type, {variables.begin(), variables.end()}, {}, variables.size()};
    }
    void read(const VariableGroup& group, Values& values) override {
        for (std::size_t i = 0; i < group.variables.size(); ++i) {
            if (group.variables[i] == 0) values.reals[i] = input(t_);
            if (group.variables[i] == 1) values.reals[i] = x_;
            if (group.variables[i] == 2) values.integers[i] = gear_;
        }
    }
    void write(const VariableGroup&, const Values& values) override { gear_ = values.integers[0]; }

    double input(double t) const {
        double u = u_ + slope_ * (t - begin_);
        if (law_ != nullptr) law_->evaluate({t, {}}, std::span(&u, 1));
        return u;
    }
    /// The trapezoidal rule: exact for inputs linear over the interval.
    void integrate(double end) {
        x_ += 0.5 * (input(t_) + input(end)) * (end - t_);
        t_ = end;
    }

    std::string name_ = "integrator";
    Interface interface_;
    std::vector<VariableInfo> list_;
    double t_ = 0.0, x_ = 0.0, u_ = 0.0, slope_ = 0.0, begin_ = 0.0;
    const Law* law_ = nullptr;
    std::int64_t gear_ = 0;
    std::pair<double, double> saved_;
};

class SimulationTest : public testing::Test {
protected:
    SimulationTest() {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        path_ = std::filesystem::temp_directory_path() /
                (std::string(test->name()) + "_" + std::to_string(getpid()) + ".csv");
        options.grid = TimeGrid(0.0, 1.0, 0.25);
    }
    ~SimulationTest() override { std::filesystem::remove(path_); }

    RunReport run(Integrator& integrator, const std::string& table = {}) {
        std::optional<assemble::InputTable> inputs;
        if (!table.empty()) {
            inputs.emplace(CsvReader(table, "in.csv"), integrator.variables().list(),
                           assemble::EnumerationLookup{});
            inputs->align(options.grid);
        }
        CsvWriter writer(path_.string());
        results::Recorder recorder(integrator.variables(), {0, 1, 2}, writer);
        recorder.write_header(false);
        Simulation simulation(integrator, inputs ? &*inputs : nullptr, recorder, options);
        RunReport report;
        try {
            report = simulation.run();
        } catch (...) {
            keep_rows(writer);
            throw;
        }
        keep_rows(writer);
        return report;
    }

    /// What was written, without the header.
    void keep_rows(CsvWriter& writer) {
        writer.close();
        const std::string text = read_text_file(path_.string());
        rows = text.substr(text.find('\n') + 1);
    }

    SimulationOptions options;
    std::string rows;

private:
    std::filesystem::path path_;
};

constexpr Capabilities plain{.variable_step = true};
constexpr Capabilities with_rollback{.rollback = true, .variable_step = true};

TEST_F(SimulationTest, records_every_grid_point) {
    Integrator integrator(plain);
    const RunReport report = run(integrator);
    EXPECT_EQ(rows, "0,0,0,0\n0.25,0,0,0\n0.5,0,0,0\n0.75,0,0,0\n1,0,0,0\n");
    EXPECT_EQ(report.steps, 4);
    EXPECT_EQ(report.end, End::complete);
    EXPECT_TRUE(integrator.finished);
}

TEST_F(SimulationTest, inputs_are_held_where_a_subsystem_takes_no_slopes) {
    Integrator integrator(plain);
    run(integrator, "time,u\n0,0\n1,4\n");
    EXPECT_EQ(rows, "0,0,0,0\n0.25,1,0,0\n0.5,2,0.25,0\n0.75,3,0.75,0\n1,4,1.5,0\n");
}

TEST_F(SimulationTest, slopes_and_laws_integrate_a_ramp_exactly) {
    for (const Capabilities able : {Capabilities{.variable_step = true, .input_derivatives = 1},
                                    Capabilities{.laws = true, .variable_step = true}}) {
        Integrator integrator(able);
        run(integrator, "time,u\n0,0\n1,4\n");
        EXPECT_EQ(rows, "0,0,0,0\n0.25,1,0.125,0\n0.5,2,0.5,0\n0.75,3,1.125,0\n1,4,2,0\n");
    }
}

TEST_F(SimulationTest, jumps_are_hit_and_both_sides_recorded) {
    for (const bool laws : {false, true}) {
        Integrator integrator({.laws = laws, .variable_step = true});
        int handled = 0;
        options.handle_jump = [&handled] { ++handled; };
        const RunReport report = run(integrator, "time,u,gear\n0,1,1\n0.6,1,1\n0.6,3,2\n1,3,2\n");
        EXPECT_THAT(rows, HasSubstr("\n0.5,1,0.5,1\n0.6,1,0.6,1\n0.6,3,0.6,2\n0.75,3,"));
        EXPECT_EQ(report.input_jumps, 1);
        EXPECT_EQ(handled, 1);
    }
}

TEST_F(SimulationTest, a_jump_at_a_grid_point_needs_no_extra_step) {
    Integrator integrator(plain);
    const RunReport report = run(integrator, "time,gear\n0,1\n0.5,2\n");
    EXPECT_EQ(report.steps, 4);
    EXPECT_EQ(rows, "0,0,0,1\n0.25,0,0,1\n0.5,0,0,1\n0.5,0,0,2\n0.75,0,0,2\n1,0,0,2\n");
}

TEST_F(SimulationTest, without_variable_steps_jumps_wait_for_the_next_point) {
    Integrator integrator({});
    run(integrator, "time,gear\n0,1\n0.6,2\n");
    EXPECT_EQ(integrator.intervals.size(), 4U);
    EXPECT_EQ(rows, "0,0,0,1\n0.25,0,0,1\n0.5,0,0,1\n0.75,0,0,2\n1,0,0,2\n");
}

TEST_F(SimulationTest, a_discarded_step_is_repeated_in_halves) {
    Integrator integrator(with_rollback);
    integrator.respond = [](Interval interval) -> StepResult {
        if (interval.length() > 0.1) return {Outcome::rejected, interval.begin};
        return {Outcome::complete, interval.end};
    };
    options.retry_discarded = true;
    options.grid = TimeGrid(0.0, 0.25, 0.25);
    const RunReport report = run(integrator, "time,u\n0,1\n");
    EXPECT_GT(report.retried, 0);
    EXPECT_EQ(rows, "0,1,0,0\n0.25,1,0.25,0\n");
}

TEST_F(SimulationTest, a_discarded_step_without_rollback_ends_the_run_with_a_reason_and_its_rows) {
    Integrator integrator(plain);
    integrator.respond = [](Interval interval) -> StepResult {
        if (interval.end > 0.6) return {Outcome::rejected, interval.begin};
        return {Outcome::complete, interval.end};
    };
    options.retry_discarded = true;
    try {
        run(integrator);
        FAIL() << "the run went on";
    } catch (const NumericsError& error) {
        EXPECT_THAT(error.what(), HasSubstr("the step from 0.5 to 0.75 was discarded"));
        EXPECT_THAT(error.what(), HasSubstr("cannot go back"));
    }
    EXPECT_EQ(rows, "0,0,0,0\n0.25,0,0,0\n0.5,0,0,0\n");
}

TEST_F(SimulationTest, a_step_that_never_works_is_given_up) {
    Integrator integrator(with_rollback);
    integrator.respond = [](Interval interval) {
        return StepResult{Outcome::rejected, interval.begin};
    };
    options.retry_discarded = true;
    EXPECT_THROW(run(integrator), NumericsError);
    EXPECT_LT(integrator.intervals.size(), 50U);
}

TEST_F(SimulationTest, after_an_early_return_the_run_goes_on_from_there) {
    Integrator integrator(plain);
    integrator.respond = [](Interval interval) -> StepResult {
        if (interval.begin < 0.3 && interval.end > 0.3) return {Outcome::early_return, 0.3};
        return {Outcome::complete, interval.end};
    };
    const RunReport report = run(integrator);
    EXPECT_EQ(report.early_returns, 1);
    EXPECT_EQ(integrator.intervals[2].begin, 0.3);
    EXPECT_EQ(integrator.intervals[2].end, 0.5);
    EXPECT_THAT(rows, HasSubstr("\n0.25,0,0,0\n0.3,0,0,0\n0.5,0,0,0\n"));
}

TEST_F(SimulationTest, early_returns_without_progress_end_the_run) {
    Integrator integrator(plain);
    integrator.respond = [](Interval interval) {
        return StepResult{Outcome::early_return, interval.begin};
    };
    EXPECT_THROW(run(integrator), NumericsError);
}

TEST_F(SimulationTest, a_subsystem_may_end_the_run) {
    Integrator integrator(plain);
    integrator.respond = [](Interval interval) -> StepResult {
        if (interval.end > 0.6) return {Outcome::terminated, 0.6};
        return {Outcome::complete, interval.end};
    };
    const RunReport report = run(integrator);
    EXPECT_EQ(report.end, End::terminated);
    EXPECT_EQ(report.reached, 0.6);
    EXPECT_THAT(rows, HasSubstr("\n0.5,0,0,0\n0.6,0,0,0\n"));
    EXPECT_TRUE(integrator.finished);
}

TEST_F(SimulationTest, an_interrupt_keeps_the_rows) {
    Integrator integrator(plain);
    options.go_on = [](double t) { return t < 0.5; };
    const RunReport report = run(integrator);
    EXPECT_EQ(report.end, End::interrupted);
    EXPECT_EQ(rows, "0,0,0,0\n0.25,0,0,0\n0.5,0,0,0\n");
    EXPECT_TRUE(integrator.finished);
}

}  // namespace
}  // namespace tandem::run
