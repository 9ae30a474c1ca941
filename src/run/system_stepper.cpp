#include "run/system_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run/initialise.hpp"

namespace tandem::run {
namespace {

constexpr double shortest_share = 1e-6;  // of the step, when a rejected one is repeated in halves
constexpr long steps_per_sample = 32;    // of which one is timed
/// Part of the step by which a step that is cut at an event goes on behind it: repeated, the event
/// may be found a rounding error later.
constexpr double behind_event = 1e-10;

}  // namespace

SystemStepper::SystemStepper(Assembly& assembly, const StepperOptions& options, Recorder* recorder)
    : assembly_(assembly), system_(*assembly.system), options_(options), recorder_(recorder) {
    bool may_stop = options_.retry == Retry::always;
    for (int s = 0; s < system_.size(); ++s)
        may_stop = may_stop || system_.at(s).interface().may_stop_inside;
    saves_ = may_stop && all_can_go_back();
}

bool SystemStepper::all_can_go_back() const {
    for (int s = 0; s < system_.size(); ++s) {
        const Capabilities& can = system_.at(s).interface().capabilities;
        if (!can.rollback || !can.variable_step) return false;
    }
    return true;
}

void SystemStepper::initialise() {
    report.reached = options_.start;
    run::initialise(system_, {options_.start, options_.stop, options_.tolerance},
                    assembly_.typed_links.get());
    assembly_.coupling->prepare(system_);
}

bool SystemStepper::advance_to(double target) {
    while (report.reached < target) {
        const std::optional<double> next = next_jump(report.reached);
        const bool jumps = next && *next <= target;
        const double end = jumps ? *next : target;
        while (report.reached < end)
            if (!step({report.reached, end})) return false;
        if (jumps) jump(end < target);
    }
    return true;
}

/// One step of the coupling, shortened until it can be done.
bool SystemStepper::step(Interval attempt) {
    if (!assembly_.typed_links->empty() && assembly_.typed_links->exchange())
        assembly_.coupling->forget();
    if (saves_) {
        system_.save(StateSlot::step_begin);
        stop_at_events(true);
    }
    last_event_.reset();
    for (;;) {
        system_.measure(report.steps % steps_per_sample == 0);
        const StepResult result = assembly_.coupling->advance(system_, attempt);
        switch (result.outcome) {
            case Outcome::complete: accept(attempt.end); return true;
            case Outcome::terminated:
                report.end = End::terminated;
                report.reached = result.reached;
                return false;
            default: shorten(result, attempt);
        }
    }
}

void SystemStepper::accept(double end) {
    ++report.steps;
    report.reached = end;
    if (!last_event_) return;
    ++report.events;
    assembly_.coupling->forget();
    if (saves_ && recorder_ != nullptr) recorder_->record_event(*last_event_);
}

/// Goes back, to try as far as the event, as far as the subsystem came, or half as far.
void SystemStepper::shorten(StepResult result, Interval& attempt) {
    const bool early = result.outcome == Outcome::early_return && result.reached > attempt.begin;
    const bool event = stops_at_events_ && result.outcome == Outcome::early_return;
    double end = early ? result.reached : attempt.begin + 0.5 * attempt.length();
    if (event)
        end = std::min(
            attempt.end,
            result.reached + behind_event * std::max(options_.step, std::abs(attempt.end)));
    const bool too_short = !event && end - attempt.begin < shortest_share * options_.step;
    if (!saves_ || too_short) give_up(result, attempt);
    if (!event) ++report.retried;
    stop_at_events(false);
    last_event_.reset();
    if (recorder_ != nullptr) recorder_->forget_left_sides();
    system_.restore(StateSlot::step_begin);
    for (int s = 0; s < system_.size(); ++s) system_.read_outputs(s);
    attempt.end = end;
}

void SystemStepper::give_up(StepResult result, Interval attempt) const {
    const std::string what = fmt::format(
        "the step from {} to {} was {} by '{}'", attempt.begin, attempt.end,
        result.outcome == Outcome::early_return ? fmt::format("ended at {}", result.reached)
                                                : "rejected",
        system_.at(system_.last_stopped()).name());
    if (saves_)
        throw NumericsError(
            what +
            ", however short it was made\n  hint: look at the inputs and parameters of the "
            "system at this time");
    if (all_can_go_back())
        throw StepRejected(what +
                           ", and no state had been saved before it\n  hint: run with "
                           "--retry (in C++: save_before_steps())");
    throw NumericsError(what + ", and not all subsystems can go back\n  hint: try a smaller step");
}

void SystemStepper::stop_at_events(bool stop) {
    if (stops_at_events_ == stop) return;
    for (int s = 0; s < system_.size(); ++s) system_.at(s).stop_at_events(stop);
    stops_at_events_ = stop;
}

void SystemStepper::note_event(std::size_t subsystem, double t, bool after) {
    last_event_ = t;
    if (saves_ && !after && recorder_ != nullptr) recorder_->keep_left_side(subsystem);
}

std::optional<double> SystemStepper::next_jump(double t) const {
    std::optional<double> next;
    for (const std::size_t s : assembly_.tables) {
        const auto jump = assembly_.parts[s].table->next_jump(t);
        if (jump && (!next || *jump < *next)) next = jump;
    }
    return next;
}

/// The tables jump now: what they said up to here is recorded, and if no grid point follows at
/// once, also what they say from here on.
void SystemStepper::jump(bool between_grid_points) {
    ++report.input_jumps;
    if (recorder_ != nullptr) recorder_->record_event(report.reached);
    for (const std::size_t s : assembly_.tables) {
        assembly_.parts[s].table->pass_jump();
        system_.read_outputs(static_cast<int>(s));
    }
    assembly_.coupling->forget();
    if (between_grid_points && recorder_ != nullptr) recorder_->record_event(report.reached);
}

}  // namespace tandem::run
