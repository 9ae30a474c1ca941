#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "ode/kink_indicators.hpp"
#include "ode/solver/solver.hpp"
#include "tandem/extend/interval.hpp"

namespace tandem::ode {

/// Tells indicators of kinks from those of events, and kinks that matter from those that do not.
class KinkTest {
public:
    explicit KinkTest(const OdeProblem& problem)
        : is_kink_(static_cast<std::size_t>(problem.indicator_count())) {
        for (const int kink : kink_indicators_of(problem))
            is_kink_[static_cast<std::size_t>(kink)] = 1;
        const auto n = static_cast<std::size_t>(problem.size());
        for (auto* work : {&before_, &here_, &behind_}) work->resize(n);
    }

    bool any() const { return std::ranges::find(is_kink_, 1) != is_kink_.end(); }
    bool is_kink(std::size_t indicator) const { return is_kink_[indicator] != 0; }
    /// Whether an indicator of a kink, or of an event, is among the changes at a root.
    bool any_kink(std::span<const int> changes) const { return any(changes, 1); }
    bool any_event(std::span<const int> changes) const { return any(changes, 0); }

    /// Whether another step of this length over the kink at t could err by a part of the tolerance:
    ///   d h^2 / 2,   d = (f(t + s) - 2 f(t) + f(t - s)) / s,
    /// where d is the jump of df/dt. `derivatives(t, dx)` gives f along the solution inside the
    /// step, `tolerance(i)` the admitted error of state i. Where f cannot be told, it matters.
    template <class Derivatives, class Tolerance>
    bool matters(double t, Interval step, Derivatives derivatives, Tolerance tolerance) {
        const double h = step.length(), s = probe * h;
        if (!(t - s > step.begin && t + s < step.end && s > 0.0)) return true;
        if (!derivatives(t - s, before_) || !derivatives(t, here_) || !derivatives(t + s, behind_))
            return true;
        for (std::size_t i = 0; i < here_.size(); ++i) {
            const double jump = std::abs(behind_[i] - 2.0 * here_[i] + before_[i]) / s;
            if (!(jump * h * h / 2.0 <= part_of_tolerance * tolerance(i))) return true;
        }
        return false;
    }

private:
    /// Distance of the derivatives beside the kink, as part of the step.
    static constexpr double probe = 1e-6;
    static constexpr double part_of_tolerance = 0.1;

    bool any(std::span<const int> changes, char kinks) const {
        for (std::size_t i = 0; i < is_kink_.size(); ++i)
            if (changes[i] != 0 && is_kink_[i] == kinks) return true;
        return false;
    }

    std::vector<char> is_kink_;                   ///< per indicator
    std::vector<double> before_, here_, behind_;  ///< derivatives
};

}  // namespace tandem::ode
