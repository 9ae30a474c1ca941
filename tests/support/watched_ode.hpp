#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ode/ode_model.hpp"

namespace tandem::test {

/// The outputs where a step of a solver ended.
struct MicroNode {
    double t = 0.0;
    std::vector<double> y;
};

/// A model that writes down its outputs after every step of the solver. Steps that are repeated
/// replace what was there.
class WatchedOde final : public ode::OdeModel {
public:
    /// `nodes` must outlive it.
    WatchedOde(std::unique_ptr<ode::OdeModel> model, std::vector<MicroNode>& nodes)
        : model_(std::move(model)), nodes_(nodes) {
        describe();
    }

    ode::CompletedStep completed_step() override {
        while (!nodes_.empty() && nodes_.back().t >= t_) nodes_.pop_back();
        nodes_.push_back({t_, std::vector<double>(shape_.outputs.size())});
        if (!model_->outputs(nodes_.back().y)) nodes_.pop_back();
        return asks_for_steps_ ? model_->completed_step() : ode::CompletedStep{};
    }
    bool set_point(const ode::OdePoint& point) override {
        t_ = point.t;
        return model_->set_point(point);
    }

    const std::string& name() const override { return model_->name(); }
    const ode::OdeShape& shape() const override { return shape_; }
    Variables& variables() override { return model_->variables(); }
    void select_ports(const PortSelection& selection) override {
        model_->select_ports(selection);
        describe();
    }
    void enter_initialisation(const Experiment& experiment) override {
        model_->enter_initialisation(experiment);
        describe();
    }
    void exit_initialisation() override {
        model_->exit_initialisation();
        describe();
    }
    void finish() override { model_->finish(); }
    void get_start_inputs(std::span<double> u) override { model_->get_start_inputs(u); }
    void set_inputs(std::span<const double> u) override { model_->set_inputs(u); }
    void get_states(std::span<double> x) override { model_->get_states(x); }
    void get_nominals(std::span<double> nominals) override { model_->get_nominals(nominals); }
    bool derivatives(std::span<double> dx) override { return model_->derivatives(dx); }
    bool outputs(std::span<double> y) override { return model_->outputs(y); }
    bool indicators(std::span<double> z) override { return model_->indicators(z); }
    bool jacobian_times(std::span<const double> d_x, std::span<const double> d_u,
                        std::span<double> d_dx, std::span<double> d_y) override {
        return model_->jacobian_times(d_x, d_u, d_dx, d_y);
    }
    bool jacobian_entries(ode::JacobianBlock block, std::span<double> entries) override {
        return model_->jacobian_entries(block, entries);
    }
    std::string indicator_name(int i) const override { return model_->indicator_name(i); }
    std::string failure_reason() const override { return model_->failure_reason(); }
    bool has_waiting_writes() const override { return model_->has_waiting_writes(); }
    void enter_event_mode() override { model_->enter_event_mode(); }
    ode::EventUpdate update_discrete() override { return model_->update_discrete(); }
    void enter_continuous_mode() override { model_->enter_continuous_mode(); }
    void save(StateSlot slot) override { model_->save(slot); }
    void restore(StateSlot slot) override { model_->restore(slot); }
    void serialise(std::vector<std::byte>& bytes) override { model_->serialise(bytes); }
    void deserialise(std::span<const std::byte> bytes) override { model_->deserialise(bytes); }

private:
    void describe() {
        shape_ = model_->shape();
        asks_for_steps_ = shape_.needs_completed_step;
        shape_.needs_completed_step = true;
    }

    std::unique_ptr<ode::OdeModel> model_;
    std::vector<MicroNode>& nodes_;
    ode::OdeShape shape_;
    bool asks_for_steps_ = false;
    double t_ = 0.0;
};

}  // namespace tandem::test
