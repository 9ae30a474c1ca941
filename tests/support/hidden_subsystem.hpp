#pragma once

#include <memory>
#include <string>
#include <utility>

#include "tandem/extend/subsystem.hpp"

namespace tandem::test {

/// What a HiddenSubsystem can do, if what is inside can.
struct Shown {
    bool goes_back = true;
    bool tells_slopes = false;
};

/// A subsystem that does not let its inside be seen: it gives no linear model and takes no laws.
class HiddenSubsystem final : public Subsystem, public Rollback, public Linearisable {
public:
    explicit HiddenSubsystem(std::unique_ptr<Subsystem> inner, Shown shown = {})
        : inner_(std::move(inner)), shown_(shown) {
        facets_ = facets_of(this);
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
    bool get_output_derivatives(int order, std::span<double> derivatives) override {
        return inner_->get_output_derivatives(order, derivatives);
    }
    void save(StateSlot slot) override { inner_->save(slot); }
    void restore(StateSlot slot) override { inner_->restore(slot); }
    void release(StateSlot slot) override { inner_->release(slot); }

private:
    void describe() {
        interface_ = inner_->interface();
        const Capabilities can = interface_.capabilities;
        interface_.capabilities = {};
        interface_.capabilities.rollback = can.rollback && shown_.goes_back;
        interface_.capabilities.variable_step = can.variable_step;
        interface_.capabilities.input_derivatives = can.input_derivatives;
        if (shown_.tells_slopes)
            interface_.capabilities.output_derivatives = can.output_derivatives;
    }

    std::unique_ptr<Subsystem> inner_;
    Shown shown_;
    Interface interface_;
    long steps_ = 0;
};

}  // namespace tandem::test
