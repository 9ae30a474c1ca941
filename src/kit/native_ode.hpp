#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/scales.hpp"
#include "kit/engine.hpp"
#include "kit/native_variables.hpp"
#include "ode/ode_model.hpp"

namespace tandem::kit {

/// A model of the kit as an ordinary differential equation, in this process and without an FMU.
class NativeOde final : public ode::OdeModel, public Scaled {
public:
    /// `model_class` must outlive it.
    NativeOde(const ModelClass& model_class, std::string name, EngineOptions options = {});
    ~NativeOde() override;

    const std::string& name() const override { return name_; }
    const ode::OdeShape& shape() const override { return shape_; }
    Variables& variables() override { return variables_; }

    void select_ports(const PortSelection& selection) override;
    void set_scales(const Scales& scales) override;
    void enter_initialisation(const Experiment& experiment) override;
    void exit_initialisation() override;
    void finish() override {}

    void set_inputs(std::span<const double> u) override { set_ports(engine_, inputs_, u); }
    void get_start_inputs(std::span<double> u) override { get_ports(engine_, inputs_, u); }
    void get_states(std::span<double> x) override { engine_.get_states(x); }
    void get_nominals(std::span<double> nominals) override {
        engine_.get_nominals(nominals);
        replace(given_nominals_, nominals);
    }

    bool set_point(const ode::OdePoint& point) override;
    bool derivatives(std::span<double> dx) override;
    bool outputs(std::span<double> y) override;
    bool indicators(std::span<double> z) override;
    int prepare_inputs(std::span<const int> inputs) override;
    int prepare_outputs(std::span<const int> outputs) override;
    bool set_states(double t, std::span<const double> x) override;
    void set_prepared(int inputs, std::span<const double> u) override;
    std::span<double* const> places_of(int inputs) override;
    void inputs_written(int inputs) override;
    bool get_prepared(int outputs, std::span<double> y) override;
    bool jacobian_times(std::span<const double> d_x, std::span<const double> d_u,
                        std::span<double> d_dx, std::span<double> d_y) override;

    ode::CompletedStep completed_step() override;
    bool has_waiting_writes() const override { return variables_.discrete_written; }
    void enter_event_mode() override {}
    ode::EventUpdate update_discrete() override;
    void enter_continuous_mode() override {}

    void save(StateSlot slot) override;
    void restore(StateSlot slot) override;
    void serialise(std::vector<std::byte>& bytes) override;
    void deserialise(std::span<const std::byte> bytes) override;

    Engine& engine() { return engine_; }
    /// Whether a parameter may change while the model runs.
    bool is_tunable(const std::string& parameter);

private:
    void build_shape();
    ode::Pattern pattern(std::span<const Slot> rows, std::span<const Slot> columns);
    template <class Body>
    bool evaluate(const char* function, Body body);

    NativeName name_;
    std::optional<ForeignCall> freeing_;  // from the destructor on, until the model is gone
    Engine engine_;
    NativeVariables variables_;
    std::optional<PortSelection> selection_;
    Scales scales_;
    std::vector<double> given_nominals_;  ///< of the states; 0: as the model says
    NativePorts inputs_, outputs_, states_;
    std::vector<SomePorts> some_inputs_, some_outputs_;
    std::vector<Slot> knowns_, unknowns_;
    std::vector<double> seed_, sensitivity_;
    ode::OdeShape shape_;
    std::vector<std::byte> saved_[state_slot_count];
};

}  // namespace tandem::kit
