#pragma once

#include <limits>

namespace tandem::ode {

/// Shortens steps of fixed length where events follow each other only because of that length: by
/// Euler's method a ball gains speed in each flight, and bounces on for ever where the exact ball
/// has come to rest after infinitely many bounces.
///
/// Where many events in a row follow each other within few steps, shorter steps are tried. If the
/// events then come closer together, the steps stay short, and become shorter still; otherwise the
/// events are resolved, and steps have their full length again.
class StepRefinement {
public:
    /// A root at t, with steps that are `step` long unless they are refined.
    void event(double t, double step);
    /// The longest step from t; infinity: as the method has it.
    double longest(double t, double step);
    bool is_active() const { return part_ < 1.0; }

private:
    void compare(double distance);

    double part_ = 1.0;  ///< of the full length
    double last_ = -std::numeric_limits<double>::infinity();
    int events_ = 0;       ///< in a row
    double sum_ = 0.0;     ///< of the last distances between them
    double before_ = 0.0;  ///< mean distance with steps that were longer
    double resolved_ = std::numeric_limits<double>::infinity();  ///< does not depend on the step
};

}  // namespace tandem::ode
