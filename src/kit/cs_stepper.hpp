#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/rounded_time.hpp"
#include "kit/engine.hpp"
#include "kit/law_course.hpp"
#include "ode/host/event_density.hpp"
#include "ode/solver/solver.hpp"

namespace tandem::kit {

/// The solver the model asks for in its ModelInfo.
ode::SolverOptions default_solver(const ModelInfo& info);

/// What an importer may do while a step is under way.
struct StepHooks {
    /// Events are left to the importer: advance() stops at them without handling them.
    bool leave_events = false;
    /// Called after every internal step. Returns true to stop there. Afterwards inputs may have
    /// changed (Engine::touch was called).
    std::function<bool(double t)> after_internal_step;
    /// Called wherever the model is evaluated, with time and states set; gives the inputs there.
    /// Without it they follow a line through what they are after internal steps.
    std::function<void(double t)> at_evaluation;
};

struct Advance {
    double reached = 0.0;
    bool event = false;      ///< with leave_events: an event waits at `reached`
    bool terminate = false;  ///< the model wants to end
    bool stopped = false;    ///< the hook asked to stop at `reached`
};

/// The solver inside a Co-Simulation FMU: integrates the model of an engine, handles its events,
/// and lets the inputs follow polynomials and laws.
class CsStepper final : public ode::OdeProblem, public RoundedTime {
public:
    CsStepper(Engine& engine, const ode::SolverOptions& options);

    /// The event iteration after initialisation; ready for advance().
    void start();
    /// Throws Discard if the solver cannot go on.
    Advance advance(double end, const StepHooks& hooks);
    /// States or parameters were changed: the solver forgets its history.
    void invalidate() { request_restart(0.0); }
    /// A discrete input has changed: the next advance() begins with an event.
    void request_event() { begins_with_event_ = true; }
    /// The importer did the event iteration, with everything that was set before it.
    void event_handled();
    /// The solver forgets its history, so that a new one that was told `begin_with` what this
    /// returns goes on the same.
    double forget_history();
    void begin_with(double initial_step) { initial_step_ = initial_step; }
    /// Where the last step ended: what changes from there to the start of the next one is an event.
    struct Reached {
        std::vector<char> signs;       ///< of each indicator: 1 if it was positive; empty: unknown
        std::vector<double> discrete;  ///< real inputs that change at events only
        bool event_is_due = false;
    };
    Reached reached() const;
    void go_on_from(Reached reached);
    /// Real inputs were set, perhaps to other values, perhaps smoothly: see sample().
    void inputs_set(bool differ) {
        inputs_set_ = true;
        inputs_differ_ = inputs_differ_ || differ;
    }
    /// The event iteration: after it the model is ready to go on. Returns false if it wants to end.
    bool handle_event();

    /// Derivative `order` (from 1) of an input: u(t) = u0 + sum of d_k (t - begin)^k / k!, where u0
    /// is its value when the next advance() begins. Holds for that step.
    void set_input_derivative(const Slot& input, int order, double value);
    /// Laws to come are about this; whatever was followed is dropped.
    void expect_law(const ExpectedLaw& expected);
    /// From now on the inputs follow a law; null: they are held.
    void follow_law(const fmi::InputLaw* law);
    /// Derivative 1 of each input of the course at the time reached.
    void input_rates(std::vector<Slot>& inputs, std::vector<double>& rates) const;

private:
    struct Course {
        Slot input;
        std::vector<double> derivatives;
        double value = 0.0;
    };
    int size() const override { return static_cast<int>(x_.size()); }
    int indicator_count() const override { return static_cast<int>(engine_.indicator_count()); }
    bool derivatives(double t, std::span<const double> x, std::span<double> dx) override;
    bool indicators(double t, std::span<const double> x, std::span<double> z) override;
    bool jacobian(double t, std::span<const double> x, std::span<const double> dx,
                  std::span<double> matrix) override;
    bool total_jacobian(double t, std::span<const double> x, std::span<const double> dx,
                        std::span<double> matrix);
    std::span<const double> of_model(std::span<const double> x) const {
        return x.first(engine_.state_count());
    }
    void set_point(double t, std::span<const double> x);
    void roll_back(double t, std::span<const double> x);
    void make_room();
    void request_restart(double initial_step);
    void begin_course(double t);
    void keep_reached();
    bool are_finite(double t, std::span<const double> dx);
    std::string failure_reason() const;
    bool begins_with_event();
    bool discrete_inputs_changed() const;
    bool signs_changed();
    Advance go_on(double end, const StepHooks& hooks);
    bool tell(const StepHooks& hooks, double t);
    bool sample(const StepHooks& hooks, double t);
    void extrapolate(double t);
    void hold();
    bool as_sampled(double t);
    void read_inputs(std::vector<double>& values) const;
    void apply_course(double t);
    void restart_if_needed();
    ode::SolverResult internal_step(double end);
    bool time_event_due() const;
    void watch_for_chattering();
    [[noreturn]] void refuse_events(const std::string& why) const;

    Engine& engine_;
    ode::SolverOptions options_;
    std::unique_ptr<ode::Solver> solver_;
    std::vector<Slot> state_slots_, derivative_slots_;
    LawCourse law_;
    const StepHooks* hooks_ = nullptr;             ///< of the step under way
    std::vector<double> x_, accepted_, nominals_;  ///< of the model, then of a law
    std::vector<double> seed_, trial_, trial_rates_;
    std::vector<Course> courses_;
    bool course_is_new_ = false;
    /// Inputs given at intermediate points: values, their time, and the slopes between the last
    /// two.
    std::vector<Slot> input_slots_;
    std::vector<double> given_, slopes_, now_, before_;
    double given_time_ = 0.0;
    bool samples_ = false;
    bool inputs_set_ = false, inputs_differ_ = false;
    double course_begin_ = 0.0;
    bool restart_ = true;
    double initial_step_ = 0.0;  ///< for the next restart; 0: the solver's own guess
    ode::EventDensity events_;
    std::vector<Slot> discrete_slots_;
    std::vector<double> z_;
    Reached reached_;
    bool begins_with_event_ = false;
    struct NotFinite {
        double t = 0.0;
        std::size_t state = 0;
    };
    std::optional<NotFinite> not_finite_;  ///< a derivative, in the internal step under way
};

}  // namespace tandem::kit
