#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/reevaluated.hpp"
#include "core/scales.hpp"
#include "core/timed_events.hpp"
#include "fmi/import/fmu.hpp"
#include "ode/host/event_density.hpp"
#include "ode/host/held_course.hpp"
#include "subsystem/fmu_clocks.hpp"
#include "subsystem/fmu_law.hpp"
#include "subsystem/fmu_linear_model.hpp"
#include "subsystem/fmu_ports.hpp"
#include "subsystem/fmu_states.hpp"
#include "tandem/extend/subsystem.hpp"

namespace tandem::subsystem {

struct CsFmuOptions {
    fmi::InstanceOptions instance;
    int max_event_iterations = 100;
    /// More events than this at (nearly) one time make no progress: NumericsError.
    int max_events_per_instant = 1000;
    /// For recording: called before and after an event inside step(); variables can be read inside.
    std::function<void(double t, bool after)> on_event;
};

/// A Co-Simulation FMU as a subsystem. In FMI 3.0 it uses event mode where the FMU has it: events
/// inside an interval are handled there. Laws and input polynomials go to the FMU by the extension
/// of docs/fmi_law_extension.md where it has that; otherwise polynomials are given by input
/// derivatives, or at intermediate points in FMI 3.0, where laws without states of their own go
/// as well if the FMU shows its states, or its outputs there.
class CsFmu final : public Subsystem,
                    public Rollback,
                    public Tracer,
                    public LawHost,
                    public Linearisable,
                    public Reevaluated,
                    public Scaled,
                    public TimedEvents {
public:
    CsFmu(const std::shared_ptr<fmi::Fmu>& fmu, CsFmuOptions options);
    ~CsFmu() override;

    const std::string& name() const override { return instance_->name(); }
    const Interface& interface() const override { return interface_; }
    Variables& variables() override { return *variables_; }

    void select_ports(const PortSelection& selection) override;
    void set_scales(const Scales& scales) override;
    void enter_initialisation(const Experiment& experiment) override;
    void exit_initialisation() override;
    void finish() override;
    void set_inputs(const InputCourse& course) override;
    StepResult step(Interval interval) override;
    StepResult exchange_step(const InputCourse& course, Interval interval,
                             std::span<double> outputs) override;
    void get_inputs(std::span<double> inputs) override;
    bool evaluate_with(std::span<const double> inputs) override;
    void read_reevaluated(std::span<double> outputs) override;
    void evaluate_as_before() override;
    void get_outputs(std::span<double> outputs) override;
    bool get_output_derivatives(int order, std::span<double> derivatives) override;
    /// Rows at the intermediate points of the FMU, and on both sides of its events.
    void keep_trace(bool on) override;
    const OutputTrace& trace() const override { return trace_; }
    void save(StateSlot slot) override;
    void restore(StateSlot slot) override;
    void release(StateSlot slot) override { states_->release(slot); }
    void serialise(std::vector<std::byte>& bytes) override;
    void deserialise(std::span<const std::byte> bytes) override;
    void jacobian_times(std::span<const double> d_inputs, std::span<double> d_outputs) override;
    void linearise(LinearModel& model, LinearParts parts) override;
    void expect_law(std::span<const double> nominals) override;

    double next_event() const override { return now_.next_event; }

    fmi::CoSimulation& instance() { return *instance_; }

private:
    enum class Phase { instantiated, initialisation, step, event, finished };
    /// What belongs to the saved state besides the FMU's own.
    struct Own {
        double t = 0.0;
        double next_event = 0.0;
        int order_set = 0;  ///< of the input polynomial the FMU was given last by calls
        ode::HeldCourse course = ode::HeldCourse(0);
        bool law_is_set = false;  ///< the FMU follows the course by the extension
        bool has_stepped = false;
        bool inputs_are_new = false;  ///< set since the last step
        ode::EventDensity events;
        std::vector<FmuClocks::Tick> ticks;
    };

    /// Outputs at intermediate points, with the inputs that were set last.
    struct InsideOutputs final : LawOutputs {
        void read(const LawPoint& point, std::span<const double> inputs,
                  std::span<double> outputs) const override;
        std::vector<double> values;
    };

    void instantiate(fmi::Fmu& fmu);
    void build_interface();
    bool shows_outputs_only() const;
    bool gives_outputs_inside() const;
    void find_feed_through();
    bool inputs_are_continuous() const;
    int highest_order_of_inputs() const;
    bool takes_derivatives() const;
    void prepare_derivatives();
    bool at_intermediate_point(const fmi::IntermediatePoint& point);
    bool needs_law(const InputCourse& course) const;
    void follow_law();
    void drop_law();
    void set_inputs_inside(const fmi::IntermediatePoint& point);
    void read_inside();
    void begin_trace();
    void trace_row(double t);
    void set_input_derivatives(const InputCourse& course);
    bool send_slopes();
    void drop_slopes();
    void hold_inputs_of(double t);
    void expect_old_slopes();
    void check_finite(std::span<const double> outputs) const;
    bool read_inputs_before();
    template <class Question>
    bool stays_the_same(const Question& question);
    bool directional_times(std::span<const double> d_inputs, std::span<double> d_outputs);
    void continue_as_restored();
    void difference_times(std::span<const double> d_inputs, std::span<double> d_outputs);
    void begin_event();
    void finish_event();
    void update_discrete();
    StepResult step_to_event(Interval interval);
    StepResult handle_event(double reached);
    void watch_for_chattering();
    bool event_is_due(const fmi::DoStepResult& result) const;

    CsFmuOptions options_;
    bool has_points_ = false;             ///< the FMU tells of its intermediate points
    bool follows_course_inside_ = false;  ///< through these
    bool takes_laws_ = false;             ///< by the extension
    bool law_is_expected_ = false;
    bool is_of_kit_ = false;          ///< and knows slopes of outputs before the first step
    bool tells_slopes_ = true;        ///< of outputs, as far as it was asked
    bool takes_slopes_ = true;        ///< of inputs, likewise
    bool took_slopes_ = false;        ///< of inputs, once
    bool gives_derivatives_ = true;   ///< directional ones, likewise
    bool shows_inputs_ = true;        ///< likewise
    bool queries_are_tried_ = false;  ///< for directional derivatives: they move nothing
    std::unique_ptr<fmi::CoSimulation> instance_;
    std::unique_ptr<FmuVariables> variables_;
    std::optional<PortSelection> selection_;
    Scales scales_;
    std::unique_ptr<FmuPorts> inputs_, outputs_;
    std::unique_ptr<FmuStates> states_;
    std::unique_ptr<FmuClocks> clocks_;
    std::unique_ptr<FmuLinearModel> linear_model_;  ///< null if the FMU gives none
    Interface interface_;
    bool steps_plainly_ = false;  ///< without events and conversions, held inputs
    fmi::StepExchange exchange_;
    Phase phase_ = Phase::instantiated;
    Own now_;
    Own saved_[state_slot_count];
    FmuLaw law_{now_.course};

    std::vector<fmi::ValueReference> derivative_references_;
    std::vector<int> derivative_orders_;
    std::vector<double> derivative_values_;
    std::vector<double> inside_values_, inside_states_;
    std::vector<double> inputs_before_;  ///< those that it is evaluated with
    std::vector<double> outputs_before_, outputs_moved_;
    InsideOutputs inside_outputs_;
    bool keeps_trace_ = false;
    OutputTrace trace_;
    std::vector<int> output_orders_;
};

}  // namespace tandem::subsystem
