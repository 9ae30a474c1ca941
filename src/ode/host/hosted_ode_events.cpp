#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ode/host/hosted_ode_impl.hpp"
#include "tandem/error.hpp"

namespace tandem::ode {
namespace {

/// A difference of inputs below this part of the tolerance is not a jump.
constexpr double jump_fraction = 1e-2;

}  // namespace

/// Between two intervals the inputs may jump: the solver then restarts, and an indicator that
/// changes its sign with them is an event. True if there was one.
bool HostedOde::Impl::follow_new_course() {
    evaluate_inputs();
    if (keeps_trace) begin_trace();
    const bool jumped = inputs_jumped();
    if (jumped) request_restart(solver->step_hint());
    // A solver that goes on knows the signs of the indicators; one that restarts begins with those
    // of the new inputs, which may differ by a rounding error from the old ones.
    if (!restart || !indicators_changed_with_inputs(jumped)) return false;
    EventNotice notice;
    notice.state_event = true;
    return handle_event(notice);
}

bool HostedOde::Impl::inputs_jumped() const {
    const double limit = jump_fraction * options.solver.relative_tolerance;
    for (std::size_t i = 0; i < u.size(); ++i) {
        const double size = std::max(std::abs(u[i]), input_nominals[i]);
        if (!(std::abs(u[i] - u_reached[i]) <= limit * size)) return true;
    }
    return false;
}

/// An indicator that was exactly zero has no side to leave by a rounding error.
bool HostedOde::Impl::indicators_changed_with_inputs(bool jumped) {
    if (z.empty() || std::ranges::equal(u, u_reached)) return false;
    if (!model->set_point({now.t, own_states(), u_reached}) || !model->indicators(z)) return false;
    synchronise();
    if (!model->indicators(z_trial)) return false;
    for (std::size_t i = 0; i < z.size(); ++i)
        if ((z[i] > 0.0) != (z_trial[i] > 0.0) && (jumped || z[i] != 0.0) &&
            !std::ranges::binary_search(problem->kink_indicators(), static_cast<int>(i)))
            return true;
    return false;
}

/// The event at the time reached, with the notices on both sides of it.
bool HostedOde::Impl::handle_event(EventNotice notice) {
    notice.t = now.t;
    count(notice);
    watch_for_chattering(notice);
    remember_right_side();
    synchronise();
    notify(notice, false);
    enter_event_mode();
    update_until_converged();
    finish_event();
    notify(notice, true);
    if (keeps_trace) trace_row(now.t, x);
    return true;
}

void HostedOde::Impl::enter_event_mode() {
    states_changed = nominals_changed = false;
    model->enter_event_mode();
    phase = Phase::event_mode;
}

/// Event iteration, then continuous mode at the values it led to.
void HostedOde::Impl::update_until_converged() {
    EventUpdate update;
    int iterations = 0;
    do {
        if (++iterations > options.max_event_iterations)
            fail(fmt::format("the event iteration did not converge within {} updates{}{}",
                             options.max_event_iterations,
                             model->failure_reason().empty() ? "" : "; ", model->failure_reason()),
                 "look for conditions that switch each other back and forth");
        update = model->update_discrete();
        states_changed = states_changed || update.states_changed;
        nominals_changed = nominals_changed || update.nominals_changed;
        terminate = terminate || update.terminate;
    } while (update.again && !terminate);
    now.next_event = update.next_event_time.value_or(std::numeric_limits<double>::infinity());
    model->enter_continuous_mode();
    phase = Phase::continuous;
    if (states_changed) model->get_states(own_states());
    if (nominals_changed) take_nominals();
    evaluate_inputs();
    synchronise();
}

void HostedOde::Impl::take_nominals() {
    const auto of_model = std::span(nominals).first(model_states());
    model->get_nominals(of_model);
    std::ranges::copy(law_nominals, nominals.begin() + std::ssize(of_model));
    std::ranges::transform(nominals, nominals.begin(), usable_nominal);
    blocks->set_state_nominals(of_model);
    problem->set_state_nominals(nominals);
}

/// The solver keeps its history unless the event changed what it integrates.
void HostedOde::Impl::finish_event() {
    if (states_changed || nominals_changed || x.empty() || right_side_differs())
        request_restart(0.0);
    else if (!restart)
        solver->look_again();
    synchronise();
}

/// The derivatives before the event, here and at the end of the internal step that is still open.
void HostedOde::Impl::remember_right_side() {
    right_side_known = false;
    if (restart || x.empty()) return;
    const double ahead = solver->internal_time();
    right_side_known = problem->derivatives(now.t, x, f_here) &&
                       solver->interpolate(ahead, x_ahead) &&
                       problem->derivatives(ahead, x_ahead, f_ahead);
}

bool HostedOde::Impl::right_side_differs() {
    if (!right_side_known) return true;
    if (!problem->derivatives(now.t, x, f_trial) || f_trial != f_here) return true;
    return !problem->derivatives(solver->internal_time(), x_ahead, f_trial) || f_trial != f_ahead;
}

void HostedOde::Impl::notify(EventNotice notice, bool after) {
    if (!options.on_event) return;
    notice.after = after;
    options.on_event(notice);
    synchronise();
}

void HostedOde::Impl::count(const EventNotice& notice) {
    statistics.state_events += notice.state_event ? 1 : 0;
    statistics.time_events += notice.time_event ? 1 : 0;
    statistics.step_events += notice.step_event ? 1 : 0;
}

void HostedOde::Impl::watch_for_chattering(const EventNotice& notice) {
    if (now.events.admits(now.t, options.max_events_per_instant)) return;
    fail(fmt::format("more than {} events at (nearly) this time{}", options.max_events_per_instant,
                     notice.state_event ? ", the last one from " + indicator_list() : ""),
         "the model chatters, or its events accumulate (Zeno behaviour): give its switching "
         "conditions a hysteresis, or the model a state of rest");
}

std::string HostedOde::Impl::indicator_list() const {
    std::string list;
    const auto roots = solver->roots();
    for (std::size_t i = 0; i < roots.size(); ++i)
        if (roots[i] != 0)
            list += (list.empty() ? "" : ", ") + model->indicator_name(static_cast<int>(i));
    return list.empty() ? "an input that jumped" : list;
}

void HostedOde::Impl::begin_external_event() {
    expects(phase == Phase::continuous, "an external event begins in continuous mode");
    synchronise();
    enter_event_mode();
}

void HostedOde::Impl::handle_external_event() {
    evaluate_inputs();
    if (phase == Phase::continuous) begin_external_event();
    model->set_inputs(u);
    update_until_converged();
    request_restart(0.0);
    u_reached = u;
}

double HostedOde::next_event() const { return impl_->now.next_event; }
void HostedOde::begin_external_event() { impl_->begin_external_event(); }
void HostedOde::handle_external_event() { impl_->handle_external_event(); }

}  // namespace tandem::ode
