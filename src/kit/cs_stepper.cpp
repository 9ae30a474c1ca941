#include "kit/cs_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "kit/elements.hpp"
#include "ode/block_jacobian.hpp"

namespace tandem::kit {
namespace {

double polynomial(double value, std::span<const double> derivatives, double s) {
    double power = 1.0;
    for (std::size_t k = 0; k < derivatives.size(); ++k) {
        power *= s / static_cast<double>(k + 1);
        value += derivatives[k] * power;
    }
    return value;
}

}  // namespace

ode::SolverOptions default_solver(const ModelInfo& info) {
    ode::SolverOptions options;
    options.method = ode::method_from(info.solver);
    options.relative_tolerance = info.tolerance;
    options.fixed_step = info.fixed_step > 0.0 ? info.fixed_step : 0.01 * info.step_size;
    return options;
}

CsStepper::CsStepper(Engine& engine, const ode::SolverOptions& options)
    : engine_(engine), options_(options), law_(engine) {
    seed_.assign(engine_.state_count(), 0.0);
    const std::vector<Record>& records = engine_.records();
    for (std::size_t i = 0; i < records.size(); ++i) {
        if (records[i].role != Role::derivative) continue;
        state_slots_.push_back({*records[i].state, 0, records[i].size});
        derivative_slots_.push_back({i, 0, records[i].size});
    }
    for (std::size_t i = 0; i < records.size(); ++i) {
        if (records[i].role != Role::input || records[i].type != Type::float64) continue;
        for (std::size_t k = 0; k < records[i].size; ++k) {
            input_slots_.push_back({i, k, 1});
            if (records[i].attributes.discrete) discrete_slots_.push_back({i, k, 1});
        }
    }
    for (auto* values : {&given_, &slopes_, &now_, &before_}) values->resize(input_slots_.size());
    z_.resize(engine_.indicator_count());
    make_room();
}

void CsStepper::make_room() {
    for (auto* values : {&x_, &accepted_, &nominals_, &trial_, &trial_rates_})
        values->resize(engine_.state_count() + law_.room());
    solver_ = ode::make_solver(options_, *this);
}

/// The first wish decides: nothing has been integrated between it and a second one.
void CsStepper::request_restart(double initial_step) {
    if (restart_) return;
    restart_ = true;
    initial_step_ = initial_step;
}

double CsStepper::forget_history() {
    request_restart(solver_->step_hint());
    return initial_step_;
}

void CsStepper::expect_law(const ExpectedLaw& expected) {
    forget_history();
    law_.expect(expected);
    make_room();
}

void CsStepper::follow_law(const fmi::InputLaw* law) {
    forget_history();
    law_.follow(law, x_);
}

void CsStepper::set_input_derivative(const Slot& input, int order, double value) {
    if (!course_is_new_) courses_.clear();
    course_is_new_ = true;
    forget_history();
    auto course = std::ranges::find_if(courses_, [&](const Course& c) {
        return c.input.record == input.record && c.input.first == input.first;
    });
    if (course == courses_.end()) course = courses_.insert(course, {input, {}, 0.0});
    const auto size = static_cast<std::size_t>(order);
    if (course->derivatives.size() < size) course->derivatives.resize(size, 0.0);
    course->derivatives[size - 1] = value;
}

void CsStepper::input_rates(std::vector<Slot>& inputs, std::vector<double>& rates) const {
    const double s = engine_.time() - course_begin_;
    for (const Course& course : courses_) {
        inputs.push_back(course.input);
        const std::span<const double> d = course.derivatives;
        rates.push_back(polynomial(d[0], d.subspan(1), s));
    }
}

void CsStepper::read_inputs(std::vector<double>& values) const {
    for (std::size_t i = 0; i < input_slots_.size(); ++i)
        values[i] = read_real(engine_.records()[input_slots_[i].record], input_slots_[i].first);
}

// Between intermediate points the inputs go on along the line through the last two samples, once
// the line before had about the same slope; after a jump they are held, and the solver restarts.
void CsStepper::extrapolate(double t) {
    courses_.clear();
    course_begin_ = t;
    for (std::size_t i = 0; i < now_.size(); ++i) {
        const double slope = (now_[i] - given_[i]) / (t - given_time_);
        const double last = std::exchange(slopes_[i], slope);
        const double scale = std::max(std::abs(slope), std::abs(last));
        const bool on_a_line = std::abs(slope - last) <= 0.1 * scale;
        if (on_a_line && slope != 0.0) courses_.push_back({input_slots_[i], {slope}, now_[i]});
        // The line before led here, up to its curvature: no jump.
        if (std::abs(now_[i] - before_[i]) > 0.1 * std::abs(now_[i] - given_[i])) forget_history();
    }
}

// The importer gave nothing here: what it gave last holds.
void CsStepper::hold() {
    if (courses_.empty()) return;
    courses_.clear();
    for (std::size_t i = 0; i < input_slots_.size(); ++i)
        write_real(engine_.records()[input_slots_[i].record], input_slots_[i].first, given_[i]);
    std::fill(slopes_.begin(), slopes_.end(), 0.0);
    engine_.touch();
    forget_history();
}

bool CsStepper::sample(const StepHooks& hooks, double t) {
    read_inputs(before_);
    inputs_set_ = false;
    const bool stop = hooks.after_internal_step(t);
    inputs_differ_ = false;
    if (!std::exchange(inputs_set_, false)) {
        if (samples_) hold();
        return stop;
    }
    read_inputs(now_);
    if (t > given_time_) extrapolate(t);
    given_ = now_;
    given_time_ = t;
    samples_ = true;
    return stop;
}

/// The inputs set before a step are those given at the end of the last one, up to rounding.
bool CsStepper::as_sampled(double t) {
    if (!samples_) return !inputs_differ_;
    read_inputs(now_);
    for (std::size_t i = 0; i < now_.size(); ++i)
        if (std::abs(now_[i] - given_[i]) > 1e-10 * std::max(1.0, std::abs(given_[i])))
            return false;
    return t == given_time_;
}

void CsStepper::begin_course(double t) {
    if (inputs_set_ && !as_sampled(t)) forget_history();
    inputs_set_ = inputs_differ_ = false;
    if (samples_ && !restart_ && !course_is_new_) return;
    samples_ = false;
    std::fill(slopes_.begin(), slopes_.end(), 0.0);
    read_inputs(given_);
    given_time_ = t;
    if (!course_is_new_) courses_.clear();
    course_is_new_ = false;
    course_begin_ = t;
    for (Course& course : courses_)
        course.value = read_real(engine_.records()[course.input.record], course.input.first);
}

void CsStepper::apply_course(double t) {
    for (const Course& course : courses_)
        write_real(engine_.records()[course.input.record], course.input.first,
                   polynomial(course.value, course.derivatives, t - course_begin_ + remainder()));
}

void CsStepper::set_point(double t, std::span<const double> x) {
    apply_course(t);
    law_.apply(t, x);
    engine_.set_time(t);
    engine_.set_states(of_model(x));
    if (hooks_ != nullptr && hooks_->at_evaluation) hooks_->at_evaluation(t);
}

/// Also where a law does not want to be evaluated again: then the inputs stay as they are.
void CsStepper::roll_back(double t, std::span<const double> x) {
    std::ranges::copy(x, x_.begin());
    engine_.set_time(t);
    engine_.set_states(of_model(x));
    apply_course(t);
    try {
        law_.apply(t, x);
    } catch (const Discard&) {
    }
}

bool CsStepper::derivatives(double t, std::span<const double> x, std::span<double> dx) {
    try {
        set_point(t, x);
        engine_.get_derivatives(dx.first(engine_.state_count()));
        law_.add_rates(t, x, dx);
        return are_finite(t, dx);
    } catch (const Discard&) {
        return false;
    }
}

/// A solver that is given anything else may never come to an end.
bool CsStepper::are_finite(double t, std::span<const double> dx) {
    const auto bad = std::ranges::find_if_not(dx, [](double rate) { return std::isfinite(rate); });
    if (bad == dx.end()) return true;
    not_finite_ = {t, static_cast<std::size_t>(bad - dx.begin())};
    return false;
}

/// What went wrong with the last evaluation, as the end of a message.
std::string CsStepper::failure_reason() const {
    if (!not_finite_) return {};
    std::size_t state = not_finite_->state;
    std::string name = "an input law";
    for (const Slot& slot : state_slots_) {
        if (state < slot.count) {
            name = "'" + engine_.records()[slot.record].name + "'";
            break;
        }
        state -= slot.count;
    }
    return "; the derivative of state " + name +
           " was not a finite number at t = " + std::to_string(not_finite_->t);
}

bool CsStepper::indicators(double t, std::span<const double> x, std::span<double> z) {
    try {
        set_point(t, x);
        engine_.get_indicators(z);
        return true;
    } catch (const Discard&) {
        return false;
    }
}

bool CsStepper::jacobian(double t, std::span<const double> x, std::span<const double> dx,
                         std::span<double> matrix) {
    if (law_ || law_.room() > 0) return total_jacobian(t, x, dx, matrix);
    try {
        set_point(t, x);
        const std::size_t n = x.size();
        for (std::size_t k = 0; k < n; ++k) {
            seed_[k] = 1.0;
            engine_.directional_derivative(derivative_slots_, state_slots_, seed_,
                                           matrix.subspan(k * n, n));
            seed_[k] = 0.0;
        }
        return true;
    } catch (const Discard&) {
        std::fill(seed_.begin(), seed_.end(), 0.0);
        return false;
    }
}

/// A law may tie any state to any other: differences of the whole, column by column.
bool CsStepper::total_jacobian(double t, std::span<const double> x, std::span<const double> dx,
                               std::span<double> matrix) {
    std::ranges::copy(x, trial_.begin());
    for (std::size_t j = 0; j < x.size(); ++j) {
        trial_[j] = x[j] + ode::difference_increment(x[j], nominals_[j]);
        const double increment = trial_[j] - x[j];
        if (!derivatives(t, trial_, trial_rates_)) return false;
        for (std::size_t i = 0; i < x.size(); ++i)
            matrix[j * x.size() + i] = (trial_rates_[i] - dx[i]) / increment;
        trial_[j] = x[j];
    }
    return true;
}

void CsStepper::restart_if_needed() {
    if (!restart_) return;
    const std::size_t n = engine_.state_count();
    engine_.get_states(std::span(x_).first(n));
    engine_.get_nominals(std::span(nominals_).first(n));
    std::ranges::transform(law_.own_nominals(), nominals_.begin() + static_cast<std::ptrdiff_t>(n),
                           ode::usable_nominal);
    solver_->suggest_initial_step(initial_step_);
    solver_->restart(engine_.time(), x_, nominals_);
    restart_ = false;
}

bool CsStepper::time_event_due() const { return engine_.time_event_has_come(); }

// A failed step leaves the model where the last good one ended.
ode::SolverResult CsStepper::internal_step(double end) {
    const double begin = engine_.time();
    accepted_ = x_;
    not_finite_.reset();
    engine_.get_states(std::span(accepted_).first(engine_.state_count()));
    try {
        restart_if_needed();
        const double stop = std::max(begin, std::min(end, engine_.next_event_time()));
        const ode::SolverResult result = solver_->step(stop, x_);
        if (solver_->failure() == ode::events_accumulate)
            refuse_events("its events accumulate (Zeno behaviour)");
        if (result.reason == ode::SolverResult::Reason::failed)
            throw Discard("the solver cannot go on at t = " + std::to_string(result.t) + ": " +
                          solver_->failure() + failure_reason());
        set_point(result.t, x_);
        return result;
    } catch (...) {
        request_restart(0.0);
        roll_back(begin, accepted_);
        throw;
    }
}

/// After an internal step; true to stop.
bool CsStepper::tell(const StepHooks& hooks, double t) {
    if (!hooks.after_internal_step) return false;
    return hooks.at_evaluation ? hooks.after_internal_step(t) : sample(hooks, t);
}

Advance CsStepper::advance(double end, const StepHooks& hooks) {
    begin_course(engine_.time());
    hooks_ = &hooks;
    try {
        const Advance result = go_on(end, hooks);
        hooks_ = nullptr;
        keep_reached();
        // Inputs that were given inside did not jump.
        if (hooks.at_evaluation) inputs_set_ = inputs_differ_ = false;
        return result;
    } catch (...) {
        hooks_ = nullptr;
        throw;
    }
}

Advance CsStepper::go_on(double end, const StepHooks& hooks) {
    int steps = 0;
    events_.begin_step({engine_.time(), end});
    bool begins_with_event = this->begins_with_event();
    while (true) {
        bool event = std::exchange(begins_with_event, false) || time_event_due();
        if (!event && engine_.time() >= end) return {end};
        if (!event) {
            // The solver counts, too, but from its last restart.
            if (++steps > options_.max_steps)
                throw Discard("more than " + std::to_string(options_.max_steps) +
                              " internal steps before t = " + std::to_string(engine_.time()));
            const ode::SolverResult result = internal_step(end);
            event = engine_.completed_step() || time_event_due() ||
                    result.reason == ode::SolverResult::Reason::root;
            if (engine_.terminate_requested()) return {.reached = result.t, .terminate = true};
        }
        const double t = engine_.time();
        if (event) watch_for_chattering();
        if (event && hooks.leave_events) return {.reached = t, .event = true};
        if (event) {
            steps = 0;
            if (!handle_event()) return {.reached = t, .terminate = true};
        }
        if (tell(hooks, t) && t < end) return {.reached = t, .stopped = true};
    }
}

}  // namespace tandem::kit
