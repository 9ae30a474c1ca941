#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/output_shape.hpp"
#include "core/reevaluated.hpp"
#include "core/scales.hpp"
#include "core/timed_events.hpp"
#include "ode/ode_model.hpp"
#include "ode/solver/solver.hpp"
#include "tandem/extend/subsystem.hpp"

namespace tandem::ode {

/// What happened at an event, for recording: called on both sides, before and after the update.
struct EventNotice {
    double t = 0.0;
    bool after = false;
    bool time_event = false, state_event = false, step_event = false;
};

struct HostedOdeOptions {
    SolverOptions solver;
    double first_step = 0.0;  ///< of the solver after initialisation; 0: its own guess
    int max_steps = 0;        ///< of the solver in one interval: NumericsError; 0: no limit
    int max_event_iterations = 100;
    /// More events than this at (nearly) one time is chattering: NumericsError.
    int max_events_per_instant = 1000;
    std::function<void(const EventNotice&)> on_event;  ///< outputs can be read inside
    bool stop_at_events = false;  ///< step() returns early_return after handling an event
};

/// An option that the solver's method does not have, or not with that value.
struct RefusedOption {
    std::string option;  ///< as users call it
    std::string problem, hint;
};
/// Looks at absolute_tolerance, max_order and first_step.
std::optional<RefusedOption> refused_option(const HostedOdeOptions& options);

/// An OdeModel with a solver: a Subsystem that can roll back, give Jacobians, and take polynomials
/// and laws as inputs.
///
/// Inputs: a course begins at the time reached when it is set and goes on until the next one is
/// set. One that continues the last keeps the solver's history; a jump restarts the solver, and is
/// a state event if an indicator changes its sign with it.
/// Discrete variables written between two steps take effect at the start of the next one.
/// Events at the end of an interval belong to it. After an event the solver restarts only if
/// states, nominals or derivatives changed.
/// Restoring and deserialising make the solver restart, so that every step repeated from there
/// repeats bit for bit; one that went on with the solver's history agrees within the tolerance. A
/// law is not serialised: set the course anew.
/// Throws NumericsError when the solver or an event iteration cannot go on.
class HostedOde final : public Subsystem,
                        public Rollback,
                        public Tracer,
                        public LawHost,
                        public Linearisable,

                        public Reevaluated,
                        public Scaled,
                        public OutputShape,
                        public TimedEvents {
public:
    HostedOde(std::unique_ptr<OdeModel> model, HostedOdeOptions options);
    ~HostedOde() override;

    const std::string& name() const override;
    const Interface& interface() const override;
    Variables& variables() override;
    void select_ports(const PortSelection& selection) override;
    void set_scales(const Scales& scales) override;
    void enter_initialisation(const Experiment& experiment) override;
    void exit_initialisation() override;
    void finish() override;
    void set_inputs(const InputCourse& course) override;
    StepResult step(Interval interval) override;
    bool evaluate_with(std::span<const double> inputs) override;
    void read_reevaluated(std::span<double> outputs) override;
    void evaluate_as_before() override;
    void get_outputs(std::span<double> outputs) override;
    /// Order 1: C f + D u' + dg/dt by one difference along the solution.
    bool get_output_derivatives(int order, std::span<double> derivatives) override;
    void save(StateSlot slot) override;
    void restore(StateSlot slot) override;
    void serialise(std::vector<std::byte>& bytes) override;
    void deserialise(std::span<const std::byte> bytes) override;
    void jacobian_times(std::span<const double> d_inputs, std::span<double> d_outputs) override;
    void linearise(LinearModel& model, LinearParts parts) override;
    bool has_affine_outputs(double step) override;
    double next_event() const override;
    void expect_law(std::span<const double> nominals) override;
    void get_inputs(std::span<double> inputs) override;
    /// Where the solver's steps are long, its dense output gives rows in between.
    void keep_trace(bool on) override;
    const OutputTrace& trace() const override;

    OdeModel& model();
    const OdeModel& model() const;
    /// Before initialisation: gives the model away; nothing else may be done with the host then.
    std::unique_ptr<OdeModel> release_model();
    double time() const;
    std::span<const double> states() const;
    /// At the time last reached.
    std::span<const double> inputs() const;
    /// A jump of an input that is not continuous (a discrete one): handled as an event now.
    /// begin_external_event() lets the model enter event mode, where discrete inputs may be
    /// written; without it handle_external_event() does that itself.
    void begin_external_event();
    void handle_external_event();
    struct Statistics {
        long state_events = 0, time_events = 0, step_events = 0;
        SolverStatistics solver;
    };
    Statistics statistics() const;
    /// Of a state of the model: how large it was, by the internal steps so far, and how the error
    /// control weighs it.
    struct StateSize {
        double first = 0.0, largest = 0.0;  ///< the magnitude behind the initialisation and of all
        double absolute_tolerance = 0.0;
        bool is_given = false;  ///< by somebody: the nominal value or the absolute tolerance
    };
    /// Empty if the method has no error control.
    std::vector<StateSize> state_sizes() const;
    /// A, B, C or D at the time last reached, column-major; exact or by coloured differences.
    using Block = JacobianBlock;
    void jacobian(Block block, std::span<double> matrix);
    /// How often the model was evaluated for Jacobians so far.
    long jacobian_evaluations() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace tandem::ode
