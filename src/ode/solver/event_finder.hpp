#pragma once

#include <span>
#include <vector>

namespace tandem::ode {

/// Indicators along the solution inside one internal step.
class IndicatorTrace {
public:
    virtual ~IndicatorTrace() = default;
    /// False: they cannot be evaluated there.
    [[nodiscard]] virtual bool indicators_at(double t, std::span<double> z) = 0;
};

/// Finds the first change of an indicator between z > 0 and z <= 0.
///
/// An indicator that is exactly zero where the search starts (typically: reset by an event) has the
/// side it moves to, so that leaving zero is not a change; one that stays zero counts as z <= 0.
class EventFinder {
public:
    enum class Finding { nothing, root, failed };

    explicit EventFinder(int indicators);

    /// Times given here are differences to an origin: roots are sums origin + t that are no longer
    /// rounded, `spacing` apart. 0, 0: they are times themselves.
    void set_origin(double origin, double spacing) {
        origin_ = origin;
        spacing_ = spacing;
    }

    /// Starts anew with the indicators at the start of the next search.
    void start(std::span<const double> z);
    /// Some indicator was exactly zero there.
    bool is_undecided() const;
    /// Indicators a moment later: they decide the sides of those that were zero.
    void decide(std::span<const double> z);
    /// Searches [begin, end]. Changes are looked for at the end, and in between where an indicator
    /// may have turned around beyond zero, as far as its last values and one in the middle show.
    Finding search(double begin, double end, IndicatorTrace& trace);
    /// The time of the root: just behind it, so that the indicators there have changed; those that
    /// go below zero are below it there, for models that ask for z < 0 in their events.
    double root() const { return high_; }
    /// Per indicator: +1 it became positive, -1 it ceased to be, 0 it did not change.
    std::span<const int> changes() const { return changes_; }

private:
    enum class Side { undecided, positive, not_positive };

    bool decide_along(double begin, double end, IndicatorTrace& trace);
    bool may_turn(std::size_t i) const;
    bool any_may_turn() const;
    Finding look_between(IndicatorTrace& trace);
    Finding look_for_valley(std::size_t i, double middle, IndicatorTrace& trace);
    void go_on_from_end(double begin);
    double rounded(double t) const { return (origin_ + t) - origin_; }
    bool is_resolved(double width) const;
    bool changed(std::size_t i, double z) const;
    bool any_beyond(std::span<const double> z) const;
    bool any_changed(std::span<const double> z) const;
    bool any_crossed(std::span<const double> z) const;
    double first_crossing(double weight) const;
    Finding close_in(IndicatorTrace& trace);
    void accept(std::span<const double> z);

    double origin_ = 0.0, spacing_ = 0.0;
    double low_ = 0.0, high_ = 0.0;
    std::vector<Side> sides_;
    std::vector<double> z_low_, z_high_, z_, z_middle_;
    std::vector<double> z_before_;  ///< at the beginning of the search before this one ...
    double before_ = 0.0;           ///< ... which was there
    bool has_before_ = false;
    std::vector<int> changes_;
};

}  // namespace tandem::ode
