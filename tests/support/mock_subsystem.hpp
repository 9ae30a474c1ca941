#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/subsystem.hpp"

namespace tandem::test {

/// A subsystem without variables, for tests of what stands above it.
class NoVariables final : public Variables {
public:
    const std::vector<VariableInfo>& list() const override { return list_; }
    VariableGroup group(std::span<const std::size_t>) const override { return {}; }
    void read(const VariableGroup&, Values&) override {}
    void write(const VariableGroup&, const Values&) override {}

private:
    std::vector<VariableInfo> list_;
};

/// Records the courses it gets, and answers each step with `outputs(end, inputs at the begin)`.
class MockSubsystem final : public Subsystem {
public:
    struct Course {
        Interval interval;
        std::vector<double> values, derivatives;
    };
    using Response = std::function<double(double t, const std::vector<double>& inputs)>;

    MockSubsystem(std::string name, int inputs, Response response, Capabilities capabilities = {})
        : name_(std::move(name)), response_(std::move(response)) {
        interface_.inputs.resize(static_cast<std::size_t>(inputs));
        interface_.outputs.resize(1);
        interface_.capabilities = capabilities;
        next_.values.resize(static_cast<std::size_t>(inputs));
    }

    const std::string& name() const override { return name_; }
    const Interface& interface() const override { return interface_; }
    Variables& variables() override { return variables_; }
    void enter_initialisation(const Experiment&) override {}
    void exit_initialisation() override {}
    void finish() override {}
    void set_inputs(const InputCourse& course) override {
        next_.values.assign(course.values.begin(), course.values.end());
        next_.derivatives.assign(course.derivatives.begin(), course.derivatives.end());
    }
    StepResult step(Interval interval) override {
        next_.interval = interval;
        courses.push_back(next_);
        output_ = response_(interval.end, next_.values);
        if (keeps_trace_) write_trace(interval);
        return {Outcome::complete, interval.end};
    }
    void get_outputs(std::span<double> outputs) override { outputs[0] = output_; }
    void get_output_derivatives(int, std::span<double> derivatives) override {
        derivatives[0] = slope;
    }

    void keep_trace(bool on) override { keeps_trace_ = on; }
    const OutputTrace& trace() const override { return trace_; }

    /// To be changed before it is used.
    Interface& ports() { return interface_; }

    std::vector<Course> courses;
    double slope = 0.0;
    int trace_parts = 4;  ///< of equal length in each step
    bool holds_between = false;

private:
    void write_trace(Interval interval) {
        trace_ = {};
        trace_.held = holds_between;
        for (int k = 0; k <= trace_parts; ++k) {
            const double t = interval.begin + interval.length() * k / trace_parts;
            trace_.times.push_back(t);
            trace_.values.push_back(response_(t, next_.values));
        }
    }

    std::string name_;
    Response response_;
    Interface interface_;
    NoVariables variables_;
    Course next_;
    double output_ = 0.0;
    bool keeps_trace_ = false;
    OutputTrace trace_;
};

}  // namespace tandem::test
