#pragma once

#include <string>

#include "core/system.hpp"

namespace tandem::coupling {

/// A coupling algorithm: it moves a whole System over one macro step.
class Coupling {
public:
    virtual ~Coupling() = default;

    /// What every subsystem must be able to do. The run refuses to start otherwise.
    virtual Capabilities needs() const { return {}; }
    /// Sizes all work arrays; outputs() hold the initial values. advance() must not allocate.
    virtual void prepare(System& system) = 0;
    /// On entry outputs() hold the values at interval.begin; on success, at interval.end.
    /// Otherwise the subsystems may have reached different times: the run restores and retries.
    /// A repeated interval, or a shorter one with the same begin, replaces the rejected one.
    virtual StepResult advance(System& system, Interval interval) = 0;
    /// The past is no guide to the future any more: something jumped at the current time.
    virtual void forget() {}
    /// Why the last step did not converge, in words.
    virtual std::string trouble() const { return {}; }
};

}  // namespace tandem::coupling
