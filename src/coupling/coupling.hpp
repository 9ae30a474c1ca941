#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "core/system.hpp"
#include "record/run_record.hpp"

namespace tandem::coupling {

/// Subsystems that a coupling solves together, and what that took.
struct IterationStatistics {
    std::vector<int> members;
    std::vector<Statistic> statistics;
};

/// What is done for a subsystem in another way than the method's, because it cannot do what that
/// takes: one clause, without its name.
struct Fallback {
    int subsystem = 0;
    std::string text;
};

/// A coupling algorithm: it moves a whole System over one macro step.
class Coupling {
public:
    virtual ~Coupling() = default;

    /// What subsystem s must be able to do, by its number; empty: nothing of any. The run refuses
    /// to start otherwise.
    virtual std::vector<Capabilities> needs(const System& /*system*/) const { return {}; }
    /// False: links and functions between different subsystems are not followed. Each steps at its
    /// own pace, and nothing but System::delayed_flows() may be between them.
    virtual bool follows_links() const { return true; }
    /// True: algebraic loops between subsystems are solved in each step. False: their values are
    /// passed on with the delay of a step.
    virtual bool solves_loops(const System& /*system*/) const { return false; }
    /// Before prepare(): how long macro steps will be at most, as far as that is known.
    virtual void expect_steps(double /*longest*/) {}
    /// Sizes all work arrays; outputs() hold the initial values. advance() must not allocate.
    virtual void prepare(System& system) = 0;
    /// On entry outputs() and inputs() hold the values at interval.begin; on success outputs()
    /// hold those at interval.end. Otherwise the subsystems may have reached different times: the
    /// run restores all that and retries.
    /// A repeated interval, or a shorter one with the same start, replaces the rejected one.
    virtual StepResult advance(System& system, Interval interval) = 0;
    /// The past is no guide to the future any more: something jumped at the current time.
    virtual void reset_history() {}
    /// The last step has ended right before a state event. Inputs go on from what outputs are now:
    /// where corrections of earlier errors jump back, the event happens again.
    virtual void expect_event() {}
    /// The error over a fixed time goes down with this power of the step. After prepare().
    virtual int order() const { return 1; }
    /// How many times larger the error of a step is than that of its two halves. After prepare().
    virtual double half_step_error_ratio() const { return std::exp2(order()); }
    /// True if a step may not converge although every subsystem does its part. After prepare().
    virtual bool iterates() const { return false; }
    /// Why the last step did not converge, in words.
    virtual std::string failure_reason() const { return {}; }
    /// What happened in the steps so far that makes results doubtful: a sentence each.
    virtual std::vector<std::string> warnings() const { return {}; }
    virtual std::vector<IterationStatistics> iteration_statistics() const { return {}; }
    /// After prepare().
    virtual std::vector<Fallback> fallbacks(const System& /*system*/) const { return {}; }
};

}  // namespace tandem::coupling
