#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/scales.hpp"
#include "fmi/import/fmu.hpp"
#include "ode/ode_model.hpp"
#include "subsystem/fmu_clocks.hpp"
#include "subsystem/fmu_output_rows.hpp"
#include "subsystem/fmu_ports.hpp"
#include "subsystem/fmu_states.hpp"

namespace tandem::subsystem {

/// A Model Exchange FMU of any version as an ordinary differential equation. Values written to
/// discrete variables while time goes on wait for an event, as FMI demands.
class FmuOde final : public ode::OdeModel, public Scaled {
public:
    FmuOde(const std::shared_ptr<fmi::Fmu>& fmu, const fmi::InstanceOptions& options);
    ~FmuOde() override;

    const std::string& name() const override { return instance_->name(); }
    const ode::OdeShape& shape() const override { return shape_; }
    Variables& variables() override { return *variables_; }

    void select_ports(const PortSelection& selection) override;
    void set_scales(const Scales& scales) override;
    void enter_initialisation(const Experiment& experiment) override;
    void exit_initialisation() override;
    void finish() override;

    void get_start_inputs(std::span<double> u) override { inputs_->get(u); }
    void set_inputs(std::span<const double> u) override { inputs_->set(u); }
    void get_states(std::span<double> x) override { instance_->get_continuous_states(x); }
    void get_nominals(std::span<double> nominals) override {
        instance_->get_nominals(nominals);
        replace(given_nominals_, nominals);
    }

    bool set_point(const ode::OdePoint& point) override;
    bool derivatives(std::span<double> dx) override;
    bool outputs(std::span<double> y) override;
    bool indicators(std::span<double> z) override;
    int prepare_inputs(std::span<const int> inputs) override { return inputs_->prepare(inputs); }
    int prepare_outputs(std::span<const int> outputs) override {
        return outputs_->prepare(outputs);
    }
    bool set_states(double t, std::span<const double> x) override;
    void set_prepared(int inputs, std::span<const double> u) override { inputs_->set(inputs, u); }
    std::span<double* const> places_of(int inputs) override { return inputs_->places(inputs); }
    void inputs_written(int inputs) override { inputs_->set_from_places(inputs); }
    bool get_prepared(int outputs, std::span<double> y) override {
        return evaluate_anew() && outputs_->get(outputs, y);
    }
    bool jacobian_times(std::span<const double> d_x, std::span<const double> d_u,
                        std::span<double> d_dx, std::span<double> d_y) override;

    std::string failure_reason() const override;

    ode::CompletedStep completed_step() override;
    bool has_waiting_writes() const override { return !now_.waiting.empty(); }
    void enter_event_mode() override;
    ode::EventUpdate update_discrete() override;
    void enter_continuous_mode() override;

    void save(StateSlot slot) override;
    void restore(StateSlot slot) override;
    void serialise(std::vector<std::byte>& bytes) override;
    void deserialise(std::span<const std::byte> bytes) override;

    fmi::ModelExchange& instance() { return *instance_; }

private:
    enum class Phase { instantiated, initialisation, event, continuous, finished };
    struct Own {
        double t = 0.0;
        Phase phase = Phase::instantiated;
        std::vector<FmuClocks::Tick> ticks;
        std::vector<std::pair<VariableGroup, Values>> waiting;  ///< written, for the next event
    };

    bool evaluate_anew();
    bool difference_times(std::span<double> d_dx, std::span<double> d_y);
    bool add_difference(std::size_t column);
    bool evaluate_at_point(std::span<double> results);
    void build_shape();
    void name_states();
    void build_patterns();
    void prepare_jacobian();
    void append_waiting(std::vector<std::byte>& bytes) const;
    void take_waiting(std::span<const std::byte>& bytes);
    ode::Pattern pattern(const std::vector<fmi::Unknown>& rows, bool of_states, bool by_states);
    FmuPorts::Range columns(std::size_t variable, bool states) const;

    std::unique_ptr<fmi::ModelExchange> instance_;
    std::unique_ptr<FmuVariables> variables_;
    std::optional<PortSelection> selection_;
    Scales scales_;
    std::vector<double> given_nominals_;  ///< of the states; 0: as the FMU says
    std::unique_ptr<FmuPorts> inputs_, outputs_;
    std::unique_ptr<FmuStates> states_;
    std::unique_ptr<FmuClocks> clocks_;
    std::vector<OutputRow> rows_;  ///< of outputs_->variables()
    ode::OdeShape shape_;
    std::vector<fmi::ValueReference> state_references_;
    std::vector<FmuPorts::Range> state_ranges_;  ///< of each row of the model structure
    std::vector<std::size_t> state_variables_;   ///< the variable of each such row
    Own now_;
    Own saved_[state_slot_count];
    const bool keeps_old_values_;   ///< perhaps, of what derivatives do not need
    bool has_derivatives_ = false;  ///< and nothing else, of the point that was set last
    std::vector<double> states_set_;
    std::optional<std::size_t> bad_state_;  ///< whose derivative is no finite number

    std::vector<fmi::ValueReference> knowns_, unknowns_;
    OutputDerivatives output_derivatives_;
    std::vector<double> seed_, sensitivity_;
    bool gives_derivatives_ = true;               ///< directional ones, as far as it was asked
    std::vector<double> point_;                   ///< (x, u), for differences
    std::vector<double> base_, moved_, product_;  ///< (dx, y): there, beside it, and the result
};

}  // namespace tandem::subsystem
