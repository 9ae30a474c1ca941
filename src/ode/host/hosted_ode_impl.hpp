#pragma once

#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "core/kinked.hpp"
#include "ode/block_jacobian.hpp"
#include "ode/host/coursed_problem.hpp"
#include "ode/host/event_density.hpp"
#include "ode/host/held_course.hpp"
#include "ode/host/hosted_ode.hpp"

namespace tandem::ode {

/// Where a hosted ODE is, apart from states, inputs and what the model itself remembers.
struct Moment {
    double t = 0.0;
    double next_event = std::numeric_limits<double>::infinity();
    double initial_step = 0.0;     ///< for the next restart
    double interval_length = 1.0;  ///< of the last step, the scale of time
    EventDensity events;
};

/// A point to return to: the host's part of it.
struct SavedPoint {
    Moment now;
    std::vector<double> x, u_reached;
    HeldCourse course;
};

/// A line through the present in times, states and inputs.
struct OutputLine {
    double step = 0.0;   ///< in time
    double part = 0.0;   ///< of states and inputs, by size
    double phase = 0.0;  ///< of their directions
};

struct HostedOde::Impl {
    enum class Phase { created, initialising, event_mode, continuous };

    Impl(std::unique_ptr<OdeModel> the_model, HostedOdeOptions the_options);

    // hosted_ode.cpp
    void describe();
    void take_start_inputs();
    void set_up();
    std::size_t model_states() const { return x.size() - law_nominals.size(); }
    /// The states of the model; those of a law follow them in x.
    std::span<double> own_states() { return std::span(x).first(model_states()); }
    LawPoint point(double t, std::span<const double> states) const {
        return problem->point(t, states);
    }
    void evaluate_inputs() { course.evaluate(point(now.t, x), u); }
    void expect_law(std::span<const double> nominals_of_law);
    void make_own_solver();
    void limit_steps() const;
    void synchronise();
    void outputs_at_point(std::span<double> y);
    StepResult step(Interval interval);
    bool advance(double end);
    double end_of(Interval interval) const;
    double next_stop(double end) const;
    SolverResult solve(double stop);
    void start_sizes();
    void note_sizes();
    void request_restart(double initial_step);
    [[noreturn]] void fail(const std::string& problem, const std::string& hint) const;
    [[noreturn]] void solver_failed() const;

    // hosted_ode_events.cpp
    bool follow_new_course();
    bool inputs_jumped() const;
    bool indicators_changed_with_inputs(bool jumped);
    bool handle_event(EventNotice notice);
    void begin_external_event();
    void handle_external_event();
    void enter_event_mode();
    void update_until_converged();
    void take_nominals();
    void finish_event();
    void remember_right_side();
    bool right_side_differs();
    void notify(EventNotice notice, bool after);
    void count(const EventNotice& notice);
    void watch_for_chattering(const EventNotice& notice);
    std::string indicator_list() const;

    // hosted_ode_trace.cpp
    void begin_trace();
    void begin_traced_step();
    void trace_solution();
    void drop_last_row();
    bool state_inside(double t);
    void trace_row(double t, std::span<const double> states);

    // hosted_ode_state.cpp
    Moment moment_to_keep() const;

    // hosted_ode_derivatives.cpp
    bool output_derivatives(std::span<double> dy);
    double difference_in_time(double wanted) const;
    bool add_slopes_in_time(std::span<double> dy);
    bool feed_through_times(std::span<const double> d_u, std::span<double> d_y);
    bool linearise(LinearModel& linear, LinearParts parts);
    bool slopes_in_time(LinearModel& linear);
    bool outputs_on_line(const OutputLine& line, double distance, std::span<double> values);
    bool are_outputs_affine_along(const OutputLine& line);

    std::unique_ptr<OdeModel> model;
    const Kinked* kinked = nullptr;  ///< the model, if it is
    HostedOdeOptions options;
    Interface interface;
    Phase phase = Phase::created;

    Moment now;
    std::vector<double> x, u;       ///< x: of the model, then of a law
    std::vector<double> u_reached;  ///< inputs where the last step ended
    HeldCourse course;
    std::optional<BlockJacobian> blocks;
    std::optional<CoursedProblem> problem;
    std::unique_ptr<Solver> solver;
    Interval last_interval;
    long steps_before = 0;  ///< of the solver, before that interval
    bool restart = true;
    bool terminate = false;
    bool course_given = false;                              ///< set_inputs() was called
    bool states_changed = false, nominals_changed = false;  ///< by the event being handled
    Statistics statistics;
    std::array<SavedPoint, state_slot_count> slots;

    std::optional<double> end_of_run;
    std::vector<double> nominals, input_nominals, law_nominals;
    std::vector<double> first_sizes, largest_sizes;  ///< magnitudes of the states of the model
    /// f at the event and where the internal step ends, before the event; for comparing.
    std::vector<double> f_here, f_ahead, f_trial, x_ahead;
    bool right_side_known = false;
    OutputTrace trace;
    bool keeps_trace = false;
    double t_from = 0.0;  ///< where the internal step began that is traced
    std::vector<double> x_from, f_from, f_to;
    std::vector<double> z, z_trial, y, y_trial, x_trial, u_trial;
};

}  // namespace tandem::ode
