#pragma once

#include <optional>
#include <string>

#include "core/system.hpp"

namespace tandem::run {

/// An output that was not the same after a step was repeated.
struct ReplayDifference {
    std::string output;
    double first = 0.0;
    double second = 0.0;

    /// "subsystem 'pump' says that it can go back, but ..."
    std::string sentence(const std::string& subsystem) const;
};

/// Lets subsystem s, which says that it can go back, do the step twice with the inputs that it has,
/// and brings it back to where it is. Nothing if both gave the same, or if it does not do the step.
std::optional<ReplayDifference> replay_difference(System& system, int s, Interval interval);

/// By how much the outputs of subsystem s, which can go back, differ after one step and after two
/// halves of it, with the inputs that it has: what its own solver errs, by nominal and size.
/// Afterwards it is where it was. Nothing if it does not do the steps.
std::optional<double> own_error(System& system, int s, Interval interval);

}  // namespace tandem::run
