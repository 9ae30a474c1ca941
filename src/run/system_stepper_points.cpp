#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/times.hpp"
#include "run/system_stepper.hpp"

namespace tandem::run {
namespace {

/// Times that were computed in different ways and differ by less than this part of the step, or so
/// many spacings, are one.
constexpr double rounding_of_times = 1e-9, roundings = 2.0;

}  // namespace

bool SystemStepper::is_one_point(double t, double other) const {
    const double rounding = roundings * spacing_of_times(std::min(std::abs(t), std::abs(other)));
    return std::abs(t - other) <= std::max(rounding_of_times * options_.step, rounding);
}

void SystemStepper::start_points() {
    assembly_.switches->set_end(options_.stop.value_or(std::numeric_limits<double>::max()));
    assembly_.switches->update_timed(options_.start);
    switched_until_ = options_.start;
    for (const assemble::PlacedTable& placed : assembly_.tables)
        if (placed.place >= 0) placed.table->find_breaks(options_.step);
    can_stop_anywhere_ = true;
    for (int s = 0; s < system_.size(); ++s) {
        can_stop_anywhere_ =
            can_stop_anywhere_ && system_.at(s).interface().capabilities.variable_step;
        const auto* events = dynamic_cast<const TimedEvents*>(&system_.at(s));
        if (events != nullptr && system_.at(s).interface().may_stop_inside)
            timed_.push_back({s, events});
    }
}

/// Where a relation of time alone in a function changes.
double SystemStepper::next_switch() const {
    return assembly_.switches->has_timed() ? assembly_.switches->next_switch(switched_until_)
                                           : std::numeric_limits<double>::infinity();
}

/// Where min, max or abs of time alone in a function have a kink, behind the time reached.
double SystemStepper::next_kink(double t) const {
    const double kink = assembly_.switches->next_kink(t);
    return is_one_point(kink, t) ? assembly_.switches->next_kink(kink) : kink;
}

/// A communication point inside the interval where a table bends or a function of time has a kink,
/// or the end, and whether slopes of signals end there. Where a subsystem asks for equal steps all
/// is sampled as it is, with a warning.
double SystemStepper::next_point(Interval interval) {
    double point = interval.end;
    const double kink = next_kink(interval.begin);
    double broken = kink;
    for (const assemble::PlacedTable& placed : assembly_.tables) {
        if (placed.place < 0) continue;
        point = placed.table->next_bend({interval.begin, point}).value_or(point);
        broken = std::min(broken, placed.table->next_break(interval.begin));
    }
    const bool breaks_at_end = is_one_point(broken, interval.end);
    if (!breaks_at_end) point = std::min(point, broken);
    slopes_end_ = breaks_at_end || point < interval.end;
    if (point == interval.end) return point;
    if (can_stop_anywhere_) return point;
    slopes_end_ = breaks_at_end;
    warn_of_bends(interval.begin, point == kink);
    return interval.end;
}

void SystemStepper::warn_of_bends(double t, bool of_function) {
    bool& has_warned = of_function ? warned_of_kinks_ : warned_of_bends_;
    if (std::exchange(has_warned, true)) return;
    options_.warn(
        {Severity::warning, "",
         fmt::format("{} change faster than the communication step, from t = {:.9g} on they are "
                     "sampled at communication points alone",
                     of_function ? "functions of time with min, max or abs" : "tables", t),
         of_function ? "choose a smaller step, or one that divides the times of their kinks"
                     : "choose a smaller step"});
}

bool SystemStepper::has_switched() const {
    const double at = next_switch();
    return at <= report.reached || is_one_point(at, report.reached);
}

/// Relations of time alone take their outcomes behind the time reached. A subsystem that asks for
/// equal steps may have stepped over the change.
void SystemStepper::pass_switches() {
    const double at = next_switch();
    if (!is_one_point(at, report.reached) && !std::exchange(warned_of_switches_, true))
        options_.warn(
            {Severity::warning, "",
             fmt::format("a relation in an expression changes at t = {:.9g} inside a "
                         "communication step, which a subsystem that asks for equal steps cannot "
                         "end there; it takes effect at t = {:.9g}",
                         at, report.reached),
             "choose a step that divides this time"});
    switched_until_ = std::max(at, report.reached);
    assembly_.switches->update_timed(switched_until_);
    reset_history();
}

}  // namespace tandem::run
