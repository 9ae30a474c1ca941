#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "run/system_stepper.hpp"

namespace tandem::run {
namespace {

/// Exchanges of values at one instant, until nothing changes any more.
constexpr int most_rounds = 100;
/// Solutions of algebraic loops change by rounding errors from one round to the next.
constexpr double rounding = 1e-12;

bool are_equal(std::span<const double> values, std::span<const double> others) {
    return std::ranges::equal(values, others, [](double a, double b) {
        return a == b || std::abs(a - b) <= rounding * std::max(std::abs(a), std::abs(b));
    });
}

}  // namespace

bool SystemStepper::exchange_typed() {
    return !assembly_.typed_links->empty() && assembly_.typed_links->exchange();
}

/// Something has jumped at t, which all have reached: an event iteration without a communication
/// step. What jumped goes through all feed-through and algebraic loops, the events that follow from
/// it happen now, and so on until nothing changes.
void SystemStepper::meet_discontinuity(double t) {
    reset_history();
    bool typed_values_changed = true;
    std::ranges::copy(system_.inputs(), inputs_reached_.begin());
    for (int round = 1; round <= most_rounds; ++round) {
        feed_through_->solve(t);
        const bool changed = react_to_jumps(t, typed_values_changed);
        typed_values_changed = exchange_typed();
        if (!changed && !typed_values_changed) return;
    }
    throw NumericsError(fmt::format(
        "at t = {:.9g} events of subsystems cause each other without an end\n  hint: look for "
        "conditions in different subsystems that switch each other back and forth",
        t));
}

/// Those that have events, and those that keep what was written for the next step. True if outputs
/// changed by that.
bool SystemStepper::react_to_jumps(double t, bool typed_values_changed) {
    bool changed = false;
    for (int s = 0; s < system_.size(); ++s) {
        const Interface& interface = system_.at(s).interface();
        if (!interface.may_stop_inside && !interface.capabilities.laws) continue;
        const auto inputs = system_.inputs_of(s);
        const auto reached =
            std::span(inputs_reached_)
                .subspan(static_cast<std::size_t>(system_.input_begin(s)), inputs.size());
        if (!typed_values_changed && are_equal(inputs, reached)) continue;
        std::ranges::copy(inputs, reached.begin());
        changed = react(s, t) || changed;
    }
    return changed;
}

/// A step of no length: the subsystem handles the events that its inputs cause.
bool SystemStepper::react(int s, double t) {
    const auto outputs = system_.outputs_of(s);
    const auto before =
        std::span(outputs_reached_)
            .subspan(static_cast<std::size_t>(system_.output_begin(s)), outputs.size());
    std::ranges::copy(outputs, before.begin());
    at_instant_ = true;
    system_.at(s).step({t, t});  // an end of the run is met again
    at_instant_ = false;
    system_.read_outputs(s);
    return !are_equal(outputs, before);
}

std::size_t SystemStepper::place_of(std::size_t member) const {
    return static_cast<std::size_t>(assembly_.members[member].place);
}

std::optional<double> SystemStepper::first_event() const {
    std::optional<double> first;
    for (const Noted& noted : noted_)
        if (noted.first) first = std::min(first.value_or(*noted.first), *noted.first);
    return first;
}

void SystemStepper::forget_events() { noted_.assign(noted_.size(), {}); }

/// Subsystem s repeats its step: what it met before does not count.
void SystemStepper::forget_events_of(int s) {
    const std::lock_guard lock(noting_);
    noted_[static_cast<std::size_t>(s)] = {};
    if (recorder_ == nullptr || expects_event_) return;
    for (std::size_t member = 0; member < assembly_.members.size(); ++member)
        if (assembly_.members[member].place == s) recorder_->forget_left_side(member);
}

/// Before an event of which nobody knows yet what it acts on, at time t, which all have reached.
void SystemStepper::keep_left_sides(double t) {
    if (recorder_ != nullptr) recorder_->keep_left_sides(t);
}

void SystemStepper::keep_inside(double t) {
    if (recorder_ == nullptr) return;
    system_.read_outputs(0);
    recorder_->keep_left_sides(t);
}

/// Nobody else is affected: the rows are written while the step goes on.
void SystemStepper::record_inside(double t) {
    ++report.events;
    if (options_.on_event) options_.on_event(t);
    if (recorder_ == nullptr) return;
    system_.read_outputs(0);
    recorder_->record_event(t);
    recorder_->forget_left_sides();
}

}  // namespace tandem::run
