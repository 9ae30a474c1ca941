#pragma once

#include <memory>

#include "assemble/load/table_source.hpp"
#include "core/kinked.hpp"
#include "ode/ode_model.hpp"

namespace tandem::assemble {

/// A table as a model without states: it can be asked at any time, and its jumps are time events.
class TableOde final : public ode::OdeModel, public Kinked {
public:
    /// `tolerance`: the relative one of the solver.
    TableOde(std::unique_ptr<TableSource> table, double tolerance);

    const std::string& name() const override { return table_->name(); }
    const ode::OdeShape& shape() const override { return shape_; }
    Variables& variables() override { return table_->variables(); }
    void enter_initialisation(const Experiment& experiment) override;
    void exit_initialisation() override {}
    void finish() override {}
    void set_inputs(std::span<const double>) override {}
    void get_states(std::span<double>) override {}
    void get_nominals(std::span<double>) override {}
    bool set_point(const ode::OdePoint& point) override;
    bool derivatives(std::span<double>) override { return true; }
    bool outputs(std::span<double> y) override;
    bool indicators(std::span<double>) override { return true; }
    bool jacobian_times(std::span<const double> d_x, std::span<const double> d_u,
                        std::span<double> d_dx, std::span<double> d_y) override;
    double next_kink(double t) const override { return table_->next_kink(t); }
    void enter_event_mode() override {}
    ode::EventUpdate update_discrete() override;
    void enter_continuous_mode() override {}
    void save(StateSlot slot) override { saved_[static_cast<int>(slot)] = now_; }
    void restore(StateSlot slot) override;
    void serialise(std::vector<std::byte>& bytes) override;
    void deserialise(std::span<const std::byte> bytes) override;

    TableSource& table() { return *table_; }

private:
    struct Moment {
        double t = 0.0;
        double next_jump = 0.0;  ///< infinity: none
    };
    void show();

    std::unique_ptr<TableSource> table_;
    double tolerance_;
    ode::OdeShape shape_;
    Moment now_;
    Moment saved_[state_slot_count];
};

}  // namespace tandem::assemble
