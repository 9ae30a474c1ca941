#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/subsystem.hpp"

namespace tandem::testing {

/// A subsystem that does not let its inside be seen: it gives no linear model and takes no laws,
/// and on request cannot go back either.
class HiddenSubsystem final : public Subsystem {
public:
    enum class Back { yes, no };

    explicit HiddenSubsystem(std::unique_ptr<Subsystem> inner, Back back = Back::yes)
        : inner_(std::move(inner)), back_(back) {
        describe();
    }

    Subsystem& inner() { return *inner_; }
    long steps() const { return steps_; }

    const std::string& name() const override { return inner_->name(); }
    const Interface& interface() const override { return interface_; }
    Variables& variables() override { return inner_->variables(); }
    void select_ports(const PortSelection& selection) override {
        inner_->select_ports(selection);
        describe();
    }
    void enter_initialisation(const Experiment& experiment) override {
        inner_->enter_initialisation(experiment);
    }
    void exit_initialisation() override { inner_->exit_initialisation(); }
    void finish() override { inner_->finish(); }
    void set_inputs(const InputCourse& course) override { inner_->set_inputs(course); }
    StepResult step(Interval interval) override {
        ++steps_;
        return inner_->step(interval);
    }
    void get_outputs(std::span<double> outputs) override { inner_->get_outputs(outputs); }
    void save(StateSlot slot) override { inner_->save(slot); }
    void restore(StateSlot slot) override { inner_->restore(slot); }

private:
    void describe() {
        interface_ = inner_->interface();
        const Capabilities can = interface_.capabilities;
        interface_.capabilities = {};
        interface_.capabilities.rollback = can.rollback && back_ == Back::yes;
        interface_.capabilities.variable_step = can.variable_step;
        interface_.capabilities.input_derivatives = can.input_derivatives;
    }

    std::unique_ptr<Subsystem> inner_;
    Back back_;
    Interface interface_;
    long steps_ = 0;
};

}  // namespace tandem::testing
