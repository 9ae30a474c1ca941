// Where steps end because of events.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/listed.hpp"
#include "core/times.hpp"
#include "run/system_stepper.hpp"

namespace tandem::run {
namespace {

/// A step that is cut at an event goes on behind it by this part: repeated, by a solver that starts
/// afresh, the event may be found a little later.
constexpr double behind_event = 1e-8;
/// Where inputs depend on outputs at the end of the step, it ends that many of these parts before
/// the event, and a short one goes over it: the values behind it do not act on what is before.
constexpr double steps_before_event = 4.0;
/// After so many of these cuts an event at the end of the step comes with that end.
constexpr int most_cuts_before_event = 8;
/// An event that moves away with the inputs is expected in so many of these parts.
constexpr int most_steps_waited = 8;
/// So many times in a row a step is cut at an event that only an iteration has met, or that is at
/// its start.
constexpr int most_cuts = 50;
/// A prediction that does not begin at the values of outputs is tried anew over this part of it: it
/// is off by the second power of its length.
constexpr double part_of_prediction = 1.0 / 16.0;
/// Near an event at which an iteration does not converge, this part of the step is done without.
constexpr double explicit_part = 1e-3;
/// By so many spacings of times events may be found later: four of them are more than what models
/// take for the rounding of the times of events.
constexpr double roundings_of_event = 5.0;

/// A step over an event that is short enough for inputs to stand still: values behind the event do
/// not act on it.
StepResult step_with_held_inputs(System& system, Interval interval) {
    for (int s = 0; s < system.size(); ++s)
        if (const StepResult result = system.step(s, interval, {system.inputs_of(s)}); !result)
            return result;
    return {Outcome::complete, interval.end};
}

/// A step without iteration: the outputs at its end follow from held inputs, and inputs go there on
/// straight lines; where a subsystem takes none, they are at the end from the start on, as in the
/// steps of an iteration. `inputs`: those at the start; `slopes`: work.
/// Starts from the saved state, and leaves an error of third order, of second order without lines.
StepResult step_on_lines(System& system, Interval interval, std::span<const double> inputs,
                         std::span<double> slopes) {
    StepResult result = step_with_held_inputs(system, interval);
    if (!result) return result;
    system.route(interval.end);
    for (std::size_t i = 0; i < slopes.size(); ++i)
        slopes[i] = (system.inputs()[i] - inputs[i]) / interval.length();
    system.restore(StateSlot::step_begin);
    for (int s = 0; s < system.size() && result; ++s) {
        const auto ends = system.inputs_of(s);
        const auto first = static_cast<std::size_t>(system.input_begin(s));
        const bool takes = system.at(s).interface().capabilities.input_derivatives > 0;
        result = system.step(s, interval,
                             takes ? InputCourse{inputs.subspan(first, ends.size()),
                                                 slopes.subspan(first, ends.size()), 1}
                                   : InputCourse{ends});
    }
    system.route(interval.end);
    return result ? StepResult{Outcome::complete, interval.end} : result;
}

}  // namespace

StepResult SystemStepper::advance(Interval interval) {
    ++report.advances;
    if (is_explicit_) return step_on_lines(system_, interval, inputs_at_begin_, slopes_);
    if (goes_over_event(interval)) return step_over_event(interval);
    return assembly_.coupling->advance(system_, interval);
}

/// Inputs stand still, but for subsystems that have events at the same instant: what one of them
/// shows behind its event comes before that of the next one.
StepResult SystemStepper::step_over_event(Interval interval) {
    system_.route(interval.begin);
    if (instant_->batches().empty()) return step_with_held_inputs(system_, interval);
    for (int s = 0; s < system_.size(); ++s) {
        if (is_in_order(s)) continue;
        const StepResult result = system_.step(s, interval, {system_.inputs_of(s)});
        if (!result) return result;
    }
    bool is_first = true;
    for (const std::vector<int>& batch : instant_->batches()) {
        for (const int s : batch) {
            if (is_first) continue;
            system_.route_to(s, interval.begin);
            system_.exchange_discrete_inputs(s);
        }
        is_first = false;
        for (const int s : batch) {
            const StepResult result = system_.step(s, interval, {system_.inputs_of(s)});
            if (!result) return result;
        }
    }
    return {Outcome::complete, interval.end};
}

/// An equation of several models may be on both sides of a subsystem although no model is.
void SystemStepper::warn_of_events_both_ways(double t) {
    const std::span<const int> both = instant_->both_ways();
    const auto is_group = [this](int s) { return s < std::ssize(assembly_.groups); };
    if (std::ranges::none_of(both, is_group)) return;
    if (std::exchange(warned_of_events_both_ways_, true)) return;
    std::vector<std::string> names;
    for (const int s : both) names.push_back(fmt::format("'{}'", system_.at(s).name()));
    options_.warn(
        {Severity::warning, fmt::format("coupling '{}'", assembly_.coupling_record.method),
         fmt::format("{} have events at the same instant, the first at t = {:.9g}, and feed "
                     "each other: each sees the values of the other from before it",
                     listed(names), t),
         "if no model of the equation depends on itself through the others, use clusters = "
         "\"cycles\" or the coupling iterative"});
}

bool SystemStepper::is_in_order(int s) const {
    return std::ranges::any_of(instant_->batches(), [s](const std::vector<int>& batch) {
        return std::ranges::find(batch, s) != batch.end();
    });
}

/// True if, of the subsystems that `meets` says, one sees the event of another one.
template <class Meets>
bool SystemStepper::order_instant(Meets meets) {
    std::ranges::transform(noted_, acts_.begin(), meets);
    return instant_->find(acts_);
}

/// From the left limits at the end of a step to the right ones, with a row of each.
void SystemStepper::pass_event(double t) {
    ++report.events;
    warn_of_events_both_ways(t);
    const bool is_here = report.reached - t <= shortest_step();
    const bool records = meets_events() && is_here && recorder_ != nullptr;
    const bool has_left_row = t - begin_ <= event_margin();  // that of the step before
    if (records && has_left_row) recorder_->forget_left_sides();
    const double row_time = std::min(t, report.reached);  // an event may be a rounding error behind
    if (records && !has_left_row) recorder_->record_left_side(row_time);
    meet_discontinuity(report.reached);
    if (records) recorder_->record_event(row_time);
    if (recorder_ != nullptr) recorder_->forget_left_sides();
    if (options_.on_event) options_.on_event(t);
}

/// Goes back, if somebody met an event inside the step, to end it at the first one. True if the
/// step is to be repeated.
bool SystemStepper::cut_at_event(Interval& attempt) {
    if (step_over_event_at_begin(attempt)) return true;
    const std::optional<double> event = first_event();
    if (!saves_ || !event) return false;
    const double latest = *event + event_margin();
    const bool is_ordered =
        order_instant([&](const Noted& noted) { return noted.first && *noted.first <= latest; });
    // With predicted inputs the event may be none with the values that outputs come to: the step
    // ends before it, and a new prediction from there finds it where it is.
    const std::optional<EventCut> cut = cut_for(*event, attempt, is_ordered || predicts_);
    if (!cut) return false;
    repeat_until(cut->end, attempt);
    is_cut_ = true;
    ends_before_event_ = ends_before_state_event_ = cut->is_before;
    if (cut->is_before) ++cuts_before_event_;
    return true;
}

/// Where the step ends for an event at that time; none if it ends there already, or before the
/// event, which came all the same.
std::optional<SystemStepper::EventCut> SystemStepper::cut_for(double event, Interval attempt,
                                                              bool must_be_before) const {
    const double margin = event_margin();
    const double before = event - steps_before_event * margin;
    const bool stops_before = (looks_ahead_ || must_be_before) && before - attempt.begin > margin &&
                              !has_no_place(event, attempt);
    const double end = stops_before ? before : event + margin;
    if (!stops_before && attempt.end - end <= shortest_step()) return {};
    if (end >= attempt.end) return {};
    return EventCut{end, stops_before};
}

/// A step event comes wherever the step ends: there is no end before it.
bool SystemStepper::has_no_place(double event, Interval attempt) const {
    return cuts_before_event_ >= most_cuts_before_event && attempt.end - event <= event_margin();
}

/// Time events are known beforehand: the step ends there, and nobody needs to go back.
void SystemStepper::end_at_known_event(Interval& attempt) {
    if (!can_stop_anywhere_ || is_alone_) return;
    const double event = next_known_event();
    if (event > attempt.end + event_margin()) return;
    const bool is_ordered = order_known_events(event + event_margin());
    if (event - attempt.begin > event_margin()) {
        const std::optional<EventCut> cut = cut_for(event, attempt, is_ordered);
        if (!cut) return;
        attempt.end = cut->end;
        is_cut_ = true;
        ends_before_event_ = cut->is_before;
    } else if (!expects_event_ && attempt.length() > longest_over_event()) {
        attempt.end = attempt.begin + 2.0 * event_margin();
        is_cut_ = true;
        expect_event_at_begin();
    }
}

double SystemStepper::next_known_event() const {
    double next = std::numeric_limits<double>::infinity();
    for (const Timed& timed : timed_) next = std::min(next, timed.events->next_event());
    return next;
}

/// As order_instant(), of those whose next time event is not behind `latest`.
bool SystemStepper::order_known_events(double latest) {
    std::ranges::fill(acts_, 0);
    for (const Timed& timed : timed_)
        acts_[static_cast<std::size_t>(timed.subsystem)] = timed.events->next_event() <= latest;
    return instant_->find(acts_);
}

/// An event that does not end the step: the others see it late, or even before it happens.
void SystemStepper::warn_of_event_inside(double t) {
    const auto first =
        std::ranges::find_if(noted_, [&](const Noted& noted) { return noted.first == t; });
    const int source = static_cast<int>(first - noted_.begin());
    if (!feeds_others_[static_cast<std::size_t>(source)]) return;
    if (std::exchange(warned_of_event_inside_, true)) return;
    options_.warn(
        {Severity::warning, fmt::format("coupling '{}'", assembly_.coupling_record.method),
         fmt::format("steps are not cut at events, because '{}' cannot go back: what jumps in '{}' "
                     "at t = {:.9g} {}",
                     stuck_one(), system_.at(source).name(), t,
                     looks_ahead_
                         ? "acts on the whole step"
                         : fmt::format("acts on others up to {:.3g} s late", last_length_)),
         "use a kind of this subsystem that can go back, or a smaller step"});
}

/// An event found a rounding error behind the last communication point: a short step with the
/// inputs of that point goes over it, so that it acts on all others from now on and not from the
/// end of the step. True if the step is to be repeated.
bool SystemStepper::step_over_event_at_begin(Interval& attempt) {
    if (!saves_ || expects_event_ || cuts_ >= most_cuts) return false;
    if (attempt.length() <= longest_over_event()) return false;
    if (std::ranges::none_of(noted_, &Noted::at_begin)) return false;
    ++cuts_;
    // A shorter prediction begins nearer to the values of outputs.
    if (is_unconfirmed_) {
        repeat_until(attempt.begin + part_of_prediction * attempt.length(), attempt);
        return true;
    }
    order_instant([](const Noted& noted) { return noted.at_begin; });
    const auto caused = std::ranges::find_if(noted_, &Noted::by_inputs);
    if (caused != noted_.end()) caused_by_inputs_ = static_cast<int>(caused - noted_.begin());
    repeat_until(attempt.begin + 2.0 * event_margin(), attempt);
    expect_event_at_begin();
    return true;
}

/// An iteration does not converge where its values jump: goes back to end the step before the first
/// event that was met on the way, or to go on without iteration, if that is time_tolerance. True if
/// the step is to be repeated.
bool SystemStepper::cut_at_glimpsed_event(Interval& attempt) {
    if (!saves_ || !glimpsed_ || is_explicit_) return false;
    const double part = explicit_part * options_.step;
    if (cuts_ >= most_cuts && attempt.length() > part) return false;
    const bool is_near = *glimpsed_ - attempt.begin <= part;
    const double end = is_near ? attempt.begin + part : *glimpsed_ - 0.5 * part;
    ++cuts_;
    repeat_until(std::min(end, attempt.end), attempt);
    is_explicit_ = is_near;
    return true;
}

/// The inputs are those that the outputs at the start of the step give.
void SystemStepper::expect_event_at_begin() {
    expects_event_ = true;
    keep_left_sides(begin_);
    for (int s = 0; s < system_.size(); ++s) system_.route_to(s, begin_);
}

/// Of a step that goes over an event with held inputs.
double SystemStepper::longest_over_event() const {
    return (steps_before_event + 3.0) * event_margin();
}

bool SystemStepper::goes_over_event(Interval interval) const {
    return expects_event_ && interval.length() <= longest_over_event();
}

/// Inputs that are held over a step change at its end by an error that is of first order.
void SystemStepper::count_late_event(double length_before) {
    if (control_ == nullptr || !caused_by_inputs_ || assembly_.coupling->traits().order > 1) return;
    LateEvents& late = report.late_events;
    if (++late.count == 1) {
        late.time = begin_;
        late.subsystem = system_.at(*caused_by_inputs_).name();
    }
    late.longest = std::max(late.longest, length_before);
}

double SystemStepper::event_margin() const {
    return std::max(behind_event * options_.step, roundings_of_event * spacing_of_times(begin_));
}

/// After a step that was cut: whether its event is still to come.
void SystemStepper::expect_event(bool passed_one) {
    steps_waited_ = ends_before_event_ ? 0 : steps_waited_ + 1;
    // An event at the start that is none with the inputs there comes from inputs of the end, or
    // from a prediction that does not begin there.
    const bool is_none = caused_by_inputs_ && !passed_one;
    if (is_none && !predicts_) cuts_ = most_cuts;
    is_unconfirmed_ = predicts_ && is_none;
    const bool waits = looks_ahead_ || ends_before_event_ || expects_event_;
    const int most_waited = predicts_ ? 0 : most_steps_waited;
    expects_event_ = waits && is_cut_ && !passed_one && steps_waited_ <= most_waited;
    if (expects_event_) keep_left_sides(report.reached);
}

/// An event at the very begin would happen again and again if the step ended there; it stays
/// inside.
void SystemStepper::note_event(std::span<const std::size_t> members, double t, bool after) {
    if (at_instant_) return;
    const std::lock_guard lock(noting_);
    if (only_looks_) return;
    glimpsed_ = std::min(glimpsed_.value_or(t), t);
    Noted& noted = noted_[place_of(members.front())];
    if (saves_ && !expects_event_ && t - begin_ <= event_margin()) {
        noted.at_begin = true;
        noted.by_inputs = t == begin_ && !begins_with_jump_;
        return;
    }
    if (is_alone_ && after)
        record_inside(std::min(t, first_end_));
    else if (is_alone_)
        keep_inside(std::min(t, first_end_));
    else if (meets_events() && !after && recorder_ != nullptr)
        for (const std::size_t member : members) recorder_->keep_left_side(member);
    if (!is_alone_) noted.first = std::min(noted.first.value_or(t), t);
}

}  // namespace tandem::run
