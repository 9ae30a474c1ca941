#pragma once

#include <functional>
#include <memory>

#include "core/typed_links.hpp"
#include "tandem/extend/graph.hpp"
#include "tandem/extend/system.hpp"

namespace tandem::run {

struct InitialiseReport {
    int loops = 0;          ///< algebraic loops between subsystems
    int largest_loop = 0;   ///< inputs in the largest
    double residual = 0.0;  ///< the largest |u - L y| / max(nominal, |u|) that is left
};

/// Initialises all subsystems with consistent values: afterwards outputs() hold y(start) and
/// inputs() = L y(start). Inputs that nothing feeds are read from the subsystems first.
///
/// Values of `typed_links` are carried over too.
/// The variables are ordered by links and feed-through; each loop among them is solved alone, by
/// Newton's method. Throws NumericsError naming the variables of a loop that
/// has no solution, and for values that never converge.
/// `on_consistent` is called when all values are, and the subsystems still are in initialisation.
InitialiseReport initialise(System& system, const Experiment& experiment,
                            TypedLinks* typed_links = nullptr,
                            const std::function<void()>& on_consistent = {});

/// Outputs and inputs that agree at a communication point, behind a discontinuity.
class FeedThroughSolver {
public:
    /// After the initialisation.
    explicit FeedThroughSolver(System& system);
    ~FeedThroughSolver();
    /// Evaluates all subsystems where they are: inputs() = L outputs(), and outputs() with these
    /// inputs, algebraic loops included. Throws NumericsError for a loop without a solution.
    void solve(double t);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace tandem::run
