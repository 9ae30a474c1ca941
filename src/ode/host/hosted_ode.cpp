#include "ode/host/hosted_ode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/times.hpp"
#include "ode/host/hosted_ode_impl.hpp"
#include "tandem/error.hpp"

namespace tandem::ode {
namespace {

constexpr int input_derivative_orders = 3;
constexpr double rounding_of_ends = 8.0 * std::numeric_limits<double>::epsilon();
/// In spacings of times, where more would matter to a step.
constexpr double roundings_of_late_ends = 2.0;

std::vector<FeedThrough> feed_through_of(const OdeShape& shape) {
    std::vector<FeedThrough> result;
    if (shape.d.entries) {
        for (const auto& [row, column] : *shape.d.entries) result.push_back({row, column});
        return result;
    }
    for (int i = 0; i < static_cast<int>(shape.outputs.size()); ++i)
        for (int j = 0; j < static_cast<int>(shape.inputs.size()); ++j) result.push_back({i, j});
    return result;
}

}  // namespace

HostedOde::Impl::Impl(std::unique_ptr<OdeModel> the_model, HostedOdeOptions the_options)
    : model(std::move(the_model)), options(std::move(the_options)) {
    expects(model != nullptr, "a hosted ODE has a model");
    // limit_steps() is to speak first.
    options.solver.max_steps = std::max(options.solver.max_steps, options.max_steps + 1);
    kinked = dynamic_cast<const Kinked*>(model.get());
    describe();
}

void HostedOde::Impl::describe() {
    const OdeShape& shape = model->shape();
    interface.inputs = shape.inputs;
    interface.outputs = shape.outputs;
    interface.feed_through = feed_through_of(shape);
    interface.may_stop_inside = shape.has_events;
    interface.capabilities = {.rollback = shape.can_save,
                              .serialise = shape.can_serialise,
                              .jacobians = true,
                              .linear_model = true,
                              .laws = true,
                              .law_states = true,
                              .law_outputs = true,
                              .traces = true,
                              .dense_traces = true,
                              .variable_step = true,
                              .input_derivatives = input_derivative_orders,
                              .output_derivatives = 1};
    u.resize(shape.inputs.size());
    if (course.numbers().values.size() != u.size()) {
        course = HeldCourse(u.size(), input_derivative_orders);
        std::ranges::fill(u, 0.0);
    }
}

/// Inputs that nobody sets keep the model's own start values.
void HostedOde::Impl::take_start_inputs() {
    if (course_given) return;
    model->get_start_inputs(u);
    course.set({u}, now.t);
}

/// Everything that later steps need, so that they allocate nothing.
void HostedOde::Impl::set_up() {
    const OdeShape& shape = model->shape();
    law_nominals.clear();
    for (auto* work : {&x, &f_here, &f_ahead, &f_trial, &x_ahead, &x_trial, &nominals})
        work->assign(shape.states.size(), 0.0);
    for (auto* work : {&y, &y_trial}) work->assign(shape.outputs.size(), 0.0);
    for (auto* work : {&z, &z_trial}) work->assign(static_cast<std::size_t>(shape.indicators), 0.0);
    u_trial.assign(u.size(), 0.0);
    u_reached = u;
    input_nominals.clear();
    for (const Port& input : shape.inputs) input_nominals.push_back(usable_nominal(input.nominal));
    for (SavedPoint& slot : slots)
        slot = {now, x, u_reached, HeldCourse(u.size(), input_derivative_orders)};
    blocks.emplace(*model);
    problem.emplace(*model, course, *blocks, 0);
    now.initial_step = options.first_step;
    make_own_solver();
}

void HostedOde::Impl::make_own_solver() {
    SolverOptions own = options.solver;
    own.absolute_tolerances = model->shape().absolute_tolerances;
    solver = make_solver(own, *problem);
    steps_before = 0;
}

void HostedOde::Impl::expect_law(std::span<const double> nominals_of_law) {
    const std::size_t size = model_states() + nominals_of_law.size();
    law_nominals.assign(nominals_of_law.begin(), nominals_of_law.end());
    for (auto* work : {&x, &f_here, &f_ahead, &f_trial, &x_ahead, &x_trial, &nominals})
        work->resize(size);
    for (SavedPoint& slot : slots) slot.x.resize(size);
    problem.emplace(*model, course, *blocks, law_nominals.size());
    make_own_solver();
    take_nominals();
    request_restart(0.0);
}

/// The model's point is moved by solver and Jacobians; this sets it to where the host is.
void HostedOde::Impl::synchronise() {
    if (!model->set_point({now.t, own_states(), u}))
        fail("the model cannot be evaluated where the last step ended" +
                 (model->failure_reason().empty() ? "" : ": " + model->failure_reason()),
             "look at the model's equations near this time, or tighten the tolerance");
}

void HostedOde::Impl::outputs_at_point(std::span<double> values) {
    if (!model->outputs(values))
        fail("the outputs cannot be evaluated", "look at the model's equations near this time");
}

void HostedOde::Impl::fail(const std::string& text, const std::string& hint) const {
    throw NumericsError(sentence(fmt::format("{}: at t = {}", model->name(), now.t), text, hint));
}

void HostedOde::Impl::solver_failed() const {
    if (solver->failure() == events_accumulate)
        fail(fmt::format("the events of {} accumulate (Zeno behaviour)", indicator_list()),
             "give the model a state of rest");
    const std::string failure_reason = problem->failure_reason();
    fail(fmt::format("the solver {} cannot go on: {}{}{}", to_string(options.solver.method),
                     solver->failure(), failure_reason.empty() ? "" : "; ", failure_reason),
         "look at the model near this time; a smaller max_step, another tolerance or another "
         "solver may help");
}

/// The first wish decides: nothing has been integrated between it and a second one.
void HostedOde::Impl::request_restart(double initial_step) {
    if (restart) return;
    restart = true;
    now.initial_step = initial_step;
}

SolverResult HostedOde::Impl::solve(double stop) {
    if (restart) {
        solver->suggest_initial_step(now.initial_step);
        solver->restart(now.t, x, nominals);
        restart = false;
    }
    const SolverResult result = solver->step(stop, x);
    if (result.reason == SolverResult::Reason::failed) solver_failed();
    limit_steps();
    note_sizes();
    return result;
}

void HostedOde::Impl::start_sizes() {
    largest_sizes.assign(model_states(), 0.0);
    note_sizes();
    first_sizes = largest_sizes;
}

void HostedOde::Impl::note_sizes() {
    for (std::size_t i = 0; i < largest_sizes.size(); ++i)
        largest_sizes[i] = std::max(largest_sizes[i], std::abs(x[i]));
}

void HostedOde::Impl::limit_steps() const {
    if (options.max_steps == 0 || x.empty()) return;
    if (solver->statistics().steps - steps_before <= options.max_steps) return;
    fail(fmt::format("the solver {} needs more than max_steps = {} internal steps for the "
                     "communication step from {} to {}",
                     to_string(options.solver.method), options.max_steps, last_interval.begin,
                     last_interval.end),
         "allow more with max_steps, loosen the tolerance, or look at what the model does near "
         "this time");
}

/// One internal step and the event at its end, if there is one: then true.
bool HostedOde::Impl::advance(double end) {
    EventNotice notice;
    if (now.next_event > now.t) {
        if (keeps_trace) begin_traced_step();
        const SolverResult reached = solve(next_stop(end));
        now.t = reached.t;
        notice.state_event = reached.reason == SolverResult::Reason::root;
        evaluate_inputs();
        if (keeps_trace) trace_solution();
        if (model->shape().needs_completed_step) {
            synchronise();
            const CompletedStep completed = model->completed_step();
            notice.step_event = completed.enter_event_mode;
            terminate = terminate || completed.terminate;
        }
    }
    notice.time_event = now.next_event <= now.t;
    const bool event = notice.time_event || notice.state_event || notice.step_event;
    return event && handle_event(notice);
}

StepResult HostedOde::Impl::step(Interval interval) {
    expects(phase == Phase::continuous, "a hosted ODE is initialised before it steps");
    expects(std::abs(interval.begin - now.t) <= 1e-9 * std::max(1.0, std::abs(now.t)),
            "an interval begins at the time last reached");
    if (interval.length() > 0.0) now.interval_length = interval.length();
    last_interval = interval;
    steps_before = solver->statistics().steps;
    now.events.begin_step(interval);
    problem->clear_failure();
    if (model->has_waiting_writes()) handle_external_event();
    bool event = follow_new_course();
    while (!terminate && now.t < end_of(interval) && !(event && options.stop_at_events))
        event = advance(end_of(interval));
    synchronise();
    u_reached = u;
    if (terminate) return {Outcome::terminated, now.t};
    if (now.t < interval.end) return {Outcome::early_return, now.t};
    return {Outcome::complete, interval.end};
}

/// Grids of time are computed in one order, times of events in another: an event a rounding error
/// behind the end belongs to the interval.
double HostedOde::Impl::end_of(Interval interval) const {
    const double rounding =
        is_late(interval.end, interval.length())
            ? roundings_of_late_ends * spacing_of_times(interval.end)
            : rounding_of_ends * std::max(interval.length(), std::abs(interval.end));
    const bool is_near = now.next_event > interval.end && now.next_event <= interval.end + rounding;
    return is_near ? now.next_event : interval.end;
}

/// A solver steps neither over events nor over kinks of what is known as a function of time.
double HostedOde::Impl::next_stop(double end) const {
    double stop = std::min(end, now.next_event);
    if (kinked != nullptr) stop = std::min(stop, kinked->next_kink(now.t));
    if (const auto* law = dynamic_cast<const Kinked*>(course.law()))
        stop = std::min(stop, law->next_kink(now.t));
    return stop;
}

HostedOde::HostedOde(std::unique_ptr<OdeModel> model, HostedOdeOptions options)
    : impl_(std::make_unique<Impl>(std::move(model), std::move(options))) {
    facets_ = facets_of(this);
}
HostedOde::~HostedOde() = default;

const std::string& HostedOde::name() const { return impl_->model->name(); }
const Interface& HostedOde::interface() const { return impl_->interface; }
Variables& HostedOde::variables() { return impl_->model->variables(); }
OdeModel& HostedOde::model() { return *impl_->model; }
const OdeModel& HostedOde::model() const { return *impl_->model; }
std::unique_ptr<OdeModel> HostedOde::release_model() { return std::move(impl_->model); }
double HostedOde::time() const { return impl_->now.t; }
std::span<const double> HostedOde::states() const { return impl_->own_states(); }
std::span<const double> HostedOde::inputs() const { return impl_->u; }
void HostedOde::get_inputs(std::span<double> inputs) {
    std::ranges::copy(impl_->u, inputs.begin());
}
StepResult HostedOde::step(Interval interval) { return impl_->step(interval); }
void HostedOde::expect_law(std::span<const double> nominals) { impl_->expect_law(nominals); }

void HostedOde::select_ports(const PortSelection& selection) {
    impl_->model->select_ports(selection);
    impl_->describe();
}

void HostedOde::set_scales(const Scales& scales) {
    auto* scaled = dynamic_cast<Scaled*>(impl_->model.get());
    expects(scaled != nullptr, "a model that is given scales takes them");
    scaled->set_scales(scales);
    impl_->describe();
}

void HostedOde::enter_initialisation(const Experiment& experiment) {
    impl_->now = {};
    impl_->now.t = experiment.start;
    impl_->end_of_run = experiment.stop;
    impl_->model->enter_initialisation(experiment);
    impl_->phase = Impl::Phase::initialising;
    impl_->describe();
    impl_->take_start_inputs();
}

void HostedOde::exit_initialisation() {
    Impl& host = *impl_;
    host.take_start_inputs();
    host.model->exit_initialisation();
    host.describe();
    host.set_up();
    host.phase = Impl::Phase::event_mode;
    host.states_changed = host.nominals_changed = true;
    host.update_until_converged();
    host.start_sizes();
    host.restart = true;
}

void HostedOde::finish() { impl_->model->finish(); }

void HostedOde::set_inputs(const InputCourse& course) {
    Impl& host = *impl_;
    host.course.set(course, host.now.t);
    host.course_given = true;
    if (course.law != nullptr && course.law->state_count() > 0) {
        expects(course.law->state_count() <= std::ssize(host.law_nominals),
                "a law with states is announced before it is given");
        course.law->start(std::span(host.x).subspan(host.model_states()));
        host.request_restart(host.solver->step_hint());
    }
    std::ranges::copy(course.values, host.u.begin());
    if (host.phase == Impl::Phase::continuous)
        host.evaluate_inputs();
    else if (host.phase != Impl::Phase::created)
        host.model->set_inputs(host.u);
}

void HostedOde::get_outputs(std::span<double> outputs) {
    if (impl_->phase == Impl::Phase::continuous) impl_->synchronise();
    impl_->outputs_at_point(outputs);
}

bool HostedOde::evaluate_with(std::span<const double> inputs) {
    Impl& host = *impl_;
    if (host.phase != Impl::Phase::continuous || std::ranges::equal(inputs, host.u)) return false;
    if (host.model->set_point({host.now.t, host.own_states(), inputs})) return true;
    host.synchronise();
    return false;
}

void HostedOde::read_reevaluated(std::span<double> outputs) { impl_->outputs_at_point(outputs); }
void HostedOde::evaluate_as_before() { impl_->synchronise(); }

HostedOde::Statistics HostedOde::statistics() const {
    Statistics result = impl_->statistics;
    if (impl_->solver) result.solver = impl_->solver->statistics();
    return result;
}

std::vector<HostedOde::StateSize> HostedOde::state_sizes() const {
    const SolverOptions& solver = impl_->options.solver;
    if (has_fixed_steps(solver.method)) return {};
    const std::vector<double>& given = impl_->model->shape().absolute_tolerances;
    std::vector<StateSize> sizes;
    for (std::size_t i = 0; i < impl_->largest_sizes.size(); ++i) {
        const double nominal = impl_->nominals[i];
        const double own =
            i < given.size() && given[i] > 0.0 ? given[i] : solver.absolute_tolerance;
        sizes.push_back({impl_->first_sizes[i], impl_->largest_sizes[i],
                         own > 0.0 ? own : solver.relative_tolerance * nominal,
                         own > 0.0 || nominal != 1.0});
    }
    return sizes;
}

}  // namespace tandem::ode
