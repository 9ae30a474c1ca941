#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tandem/extend/solver.hpp"

namespace tandem::ode {

struct SolverResult {
    enum class Reason { step, stop, root, failed } reason = Reason::step;
    double t = 0.0;
};

inline constexpr std::string_view events_accumulate = "its events accumulate (Zeno behaviour)";

/// One integration method on one OdeProblem.
class Solver {
public:
    virtual ~Solver() = default;
    /// (Re)starts at (t, x), forgetting all history. Must come before the first step.
    virtual void restart(double t, std::span<const double> x, std::span<const double> nominals) = 0;
    /// One internal step (from a root on: the rest of it), never beyond `stop`; ends exactly at
    /// `stop` when it gets there, and at the first root of an indicator otherwise (just behind it,
    /// so that the sign has changed).
    virtual SolverResult step(double stop, std::span<double> x) = 0;
    /// x at a time inside the last internal step (dense output). False: not to be had there.
    [[nodiscard]] virtual bool interpolate(double t, std::span<double> x) = 0;
    /// Indicators may have jumped (an event that left the derivatives alone): no root from that.
    virtual void look_again() = 0;
    /// The step size to begin with after the next restart; 0: the solver's own guess.
    virtual void suggest_initial_step(double h) = 0;
    virtual double last_step() const = 0;
    /// A good step size to begin with if the solver were restarted now; 0: its own guess.
    virtual double step_hint() const = 0;
    /// Where the last internal step ends. Behind a root this lies ahead; the next step() without a
    /// restart goes on inside that same internal step.
    virtual double internal_time() const = 0;
    /// Why the last step failed, in words. Or `events_accumulate`: an indicator in roots() turned
    /// back before it came to zero again, from where the last event has sent it there.
    virtual const std::string& failure() const = 0;
    virtual const SolverStatistics& statistics() const = 0;
    /// Which indicators changed sign at the last root: -1, 0, +1 each.
    virtual std::span<const int> roots() const = 0;
};

std::unique_ptr<Solver> make_solver(const SolverOptions& options, OdeProblem& problem);

}  // namespace tandem::ode
