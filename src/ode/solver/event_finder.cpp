#include "ode/solver/event_finder.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "numerics/valley.hpp"

namespace tandem::ode {
namespace {

/// Where an indicator that is zero at the start shows its side: far enough for the interpolation's
/// rounding errors (also relative to time), early enough for the next root.
constexpr double probe_fraction = 1e-6;
constexpr double shortest_probe = 1e-12;
/// Width of the final bracket relative to time, some 100 units in the last place.
constexpr double time_resolution = 2e-14;
/// No trial closer to an end of the bracket than this part of it: keeps rounding errors at a zero
/// end from looking like a root, and makes both ends move.
constexpr double margin = 0.01;
constexpr int max_trials = 200;

}  // namespace

EventFinder::EventFinder(int indicators) {
    const auto n = static_cast<std::size_t>(indicators);
    sides_.assign(n, Side::undecided);
    for (auto* work : {&z_low_, &z_high_, &z_, &z_middle_, &z_before_}) work->resize(n);
    changes_.assign(n, 0);
}

void EventFinder::start(std::span<const double> z) { accept(z); }

void EventFinder::accept(std::span<const double> z) {
    std::ranges::copy(z, z_low_.begin());
    has_before_ = false;
    for (std::size_t i = 0; i < sides_.size(); ++i)
        sides_[i] = z[i] == 0.0  ? Side::undecided
                    : z[i] > 0.0 ? Side::positive
                                 : Side::not_positive;
}

bool EventFinder::is_undecided() const {
    return std::ranges::find(sides_, Side::undecided) != sides_.end();
}

void EventFinder::decide(std::span<const double> z) {
    for (std::size_t i = 0; i < sides_.size(); ++i)
        if (sides_[i] == Side::undecided && z[i] != 0.0)
            sides_[i] = z[i] > 0.0 ? Side::positive : Side::not_positive;
}

bool EventFinder::decide_along(double begin, double end, IndicatorTrace& trace) {
    if (!is_undecided()) return true;
    const double distance = std::max(
        {probe_fraction * (end - begin), shortest_probe * std::abs(begin), 2.0 * spacing_});
    if (!trace.indicators_at(std::min(begin + distance, end), z_)) return false;
    decide(z_);
    std::ranges::replace(sides_, Side::undecided, Side::not_positive);
    return true;
}

bool EventFinder::changed(std::size_t i, double z) const {
    return (z > 0.0) != (sides_[i] == Side::positive);
}

bool EventFinder::any_changed(std::span<const double> z) const {
    for (std::size_t i = 0; i < z.size(); ++i)
        if (changed(i, z[i])) return true;
    return false;
}

/// The same, but one that is below zero at the end of the bracket has not crossed where it is zero.
bool EventFinder::any_crossed(std::span<const double> z) const {
    for (std::size_t i = 0; i < z.size(); ++i)
        if (changed(i, z[i]) && (z[i] != 0.0 || z_high_[i] >= 0.0)) return true;
    return false;
}

EventFinder::Finding EventFinder::search(double begin, double end, IndicatorTrace& trace) {
    low_ = begin;
    high_ = end;
    if (!decide_along(begin, end, trace)) return Finding::failed;
    if (!trace.indicators_at(end, z_high_)) return Finding::failed;
    const Finding between = look_between(trace);
    if (between == Finding::failed) return between;
    if (between == Finding::root || any_changed(z_high_)) return close_in(trace);
    go_on_from_end(begin);
    return Finding::nothing;
}

/// An indicator that touches zero from below keeps its side.
void EventFinder::go_on_from_end(double begin) {
    z_before_.swap(z_low_);
    std::ranges::copy(z_high_, z_low_.begin());
    before_ = begin;
    has_before_ = true;
}

/// Whether the bracket can be divided any further.
bool EventFinder::is_resolved(double width) const {
    const double size = std::max(std::abs(low_), std::abs(high_));
    return width <= std::max(time_resolution * size, spacing_);
}

/// A parabola that turns around in this step comes closer to zero than at both ends by at most a
/// quarter of the step times its mean slope in this step or in the one before.
bool EventFinder::may_turn(std::size_t i) const {
    if (changed(i, z_high_[i])) return false;
    const double width = high_ - low_;
    const double way_before = std::abs(z_low_[i] - z_before_[i]) * width / (low_ - before_);
    const double way = std::max(std::abs(z_high_[i] - z_low_[i]), has_before_ ? way_before : 0.0);
    const double distance = std::min(std::abs(z_low_[i]), std::abs(z_high_[i]));
    return has_before_ ? distance < way : z_high_[i] != z_low_[i] || distance > 0.0;
}

bool EventFinder::any_may_turn() const {
    for (std::size_t i = 0; i < sides_.size(); ++i)
        if (may_turn(i)) return true;
    return false;
}

/// Beyond zero, so not where one only touches it.
bool EventFinder::any_beyond(std::span<const double> z) const {
    for (std::size_t i = 0; i < z.size(); ++i)
        if (changed(i, z[i]) && z[i] != 0.0) return true;
    return false;
}

/// Looks for indicators that were on the other side of zero in between, though not at the end. A
/// root: the end of the bracket, and what they are there, are moved to such a time.
EventFinder::Finding EventFinder::look_between(IndicatorTrace& trace) {
    const double middle = rounded(low_ + 0.5 * (high_ - low_));
    if (is_resolved(margin * (high_ - low_)) || !(middle > low_ && middle < high_) ||
        !any_may_turn())
        return Finding::nothing;
    if (!trace.indicators_at(middle, z_middle_)) return Finding::failed;
    if (any_beyond(z_middle_)) {
        high_ = middle;
        z_high_.swap(z_middle_);
        return Finding::root;
    }
    for (std::size_t i = 0; i < sides_.size(); ++i) {
        if (!may_turn(i)) continue;
        const Finding finding = look_for_valley(i, middle, trace);
        if (finding != Finding::nothing) return finding;
    }
    return Finding::nothing;
}

EventFinder::Finding EventFinder::look_for_valley(std::size_t i, double middle,
                                                  IndicatorTrace& trace) {
    const double sign = sides_[i] == Side::positive ? 1.0 : -1.0;
    numerics::Valley valley({numerics::Valley::Sample{low_, sign * z_low_[i]},
                             {middle, sign * z_middle_[i]},
                             {high_, sign * z_high_[i]}});
    while (const std::optional<double> next = valley.next()) {
        const double t = rounded(*next);
        if (!(t > low_ && t < high_)) break;
        if (!trace.indicators_at(t, z_)) return Finding::failed;
        if (any_beyond(z_)) {
            high_ = t;
            z_high_.swap(z_);
            return Finding::root;
        }
        valley.add({t, sign * z_[i]});
    }
    return Finding::nothing;
}

/// The earliest secant estimate of the indicators that changed:
///   c = high - (high - low) * z_high / (z_high - weight * z_low)
double EventFinder::first_crossing(double weight) const {
    double crossing = high_;
    for (std::size_t i = 0; i < sides_.size(); ++i) {
        if (!changed(i, z_high_[i])) continue;
        const double difference = z_high_[i] - weight * z_low_[i];
        if (difference == 0.0) continue;
        crossing = std::min(crossing, high_ - (high_ - low_) * z_high_[i] / difference);
    }
    return crossing;
}

/// The Illinois variant of regula falsi: when the same end moves twice, the value at the other is
/// weighted down (here: the ratio of both), so that the secant lands on the other side of the root.
/// A bisection now and then bounds the number of trials.
EventFinder::Finding EventFinder::close_in(IndicatorTrace& trace) {
    double weight = 1.0;
    int last_moved = 0;
    for (int trial = 1; trial <= max_trials; ++trial) {
        const double width = high_ - low_;
        if (is_resolved(width)) break;
        double t = trial % 4 == 0 ? low_ + width / 2.0 : first_crossing(weight);
        const double edge = std::min(std::max(margin * width, spacing_), width / 2.0);
        t = std::clamp(t, low_ + edge, high_ - edge);
        t = rounded(t);
        if (!(t > low_ && t < high_)) break;
        if (!trace.indicators_at(t, z_)) return Finding::failed;
        const int moved = any_crossed(z_) ? +1 : -1;
        if (moved > 0) {
            high_ = t;
            z_high_.swap(z_);
        } else {
            low_ = t;
            z_low_.swap(z_);
        }
        weight = moved != last_moved ? 1.0 : moved > 0 ? weight / 2.0 : weight * 2.0;
        last_moved = moved;
    }
    for (std::size_t i = 0; i < sides_.size(); ++i)
        changes_[i] = !changed(i, z_high_[i]) ? 0 : z_high_[i] > 0.0 ? +1 : -1;
    accept(z_high_);
    return Finding::root;
}

}  // namespace tandem::ode
