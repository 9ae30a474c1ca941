#include "ode/event_finder.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tandem::ode {
namespace {

/// Where an indicator that is zero at the begin shows its side: far enough for the interpolation's
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
    for (auto* work : {&z_low_, &z_high_, &z_}) work->resize(n);
    changes_.assign(n, 0);
}

void EventFinder::start(std::span<const double> z) { accept(z); }

void EventFinder::accept(std::span<const double> z) {
    std::ranges::copy(z, z_low_.begin());
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
    if (!any_changed(z_high_)) {
        // An indicator that touches zero from below keeps its side.
        std::ranges::copy(z_high_, z_low_.begin());
        return Finding::nothing;
    }
    return close_in(trace);
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
        const double size = std::max(std::abs(low_), std::abs(high_));
        if (width <= std::max(time_resolution * size, spacing_)) break;
        double t = trial % 4 == 0 ? low_ + width / 2.0 : first_crossing(weight);
        const double edge = std::min(std::max(margin * width, spacing_), width / 2.0);
        t = std::clamp(t, low_ + edge, high_ - edge);
        t = (origin_ + t) - origin_;
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
