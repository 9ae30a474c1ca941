#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/no_variables.hpp"
#include "tandem/extend/subsystem.hpp"

namespace tandem::test {

/// What subsystems of tests have in common: a name, ports, and nothing to do but steps.
class StubSubsystem : public Subsystem {
public:
    StubSubsystem(std::string name, std::size_t inputs, std::size_t outputs,
                  Capabilities capabilities)
        : name_(std::move(name)) {
        interface_.inputs.resize(inputs);
        interface_.outputs.resize(outputs);
        interface_.capabilities = capabilities;
    }
    const std::string& name() const final { return name_; }
    const Interface& interface() const final { return interface_; }
    Variables& variables() final { return variables_; }
    void enter_initialisation(const Experiment&) override {}
    void exit_initialisation() override {}
    void finish() override {}

protected:
    Interface interface_;

private:
    std::string name_;
    NoVariables variables_;
};

/// Records the courses it gets, and answers each step with `outputs(end, inputs at the start)`.
class MockSubsystem final : public StubSubsystem, public Tracer, public Linearisable {
public:
    struct Course {
        Interval interval;
        std::vector<double> values, derivatives;
    };
    using Response = std::function<double(double t, const std::vector<double>& inputs)>;

    MockSubsystem(std::string name, int inputs, Response response, Capabilities capabilities = {})
        : StubSubsystem(std::move(name), static_cast<std::size_t>(inputs), 1, capabilities),
          response_(std::move(response)) {
        facets_ = facets_of(this);
        next_.values.resize(static_cast<std::size_t>(inputs));
    }

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
    bool get_output_derivatives(int, std::span<double> derivatives) override {
        derivatives[0] = slope;
        return true;
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

    Response response_;
    Course next_;
    double output_ = 0.0;
    bool keeps_trace_ = false;
    OutputTrace trace_;
};

}  // namespace tandem::test
