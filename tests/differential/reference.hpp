#pragma once

#include <vector>

#include "differential/random_system.hpp"

namespace tandem::test {

/// The exact course of a random system, as one equation: outputs (two of each piece) at the times
/// k * spacing, on the right side of events; and what happened on the way.
struct Reference {
    std::vector<std::vector<double>> rows;
    std::vector<double> ranges;  ///< of each output
    std::vector<double> events;  ///< their times
    bool solvable = true;        ///< every algebraic loop had one solution of moderate size
};

/// Dormand-Prince steps with a local error of 1e-12 between events that are located by bisection;
/// algebraic loops by Newton's method. Shares no code with Tandem.
Reference reference_solution(const RandomSystem& system, double spacing);

}  // namespace tandem::test
