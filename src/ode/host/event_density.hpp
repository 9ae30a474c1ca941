#pragma once

#include <cstdint>
#include <limits>

#include "tandem/extend/interval.hpp"

namespace tandem::ode {

/// Notices events that do not end: chattering, and events that accumulate (Zeno behaviour).
class EventDensity {
public:
    /// A communication step, or the rest of one behind an event. Going back in time forgets events.
    void begin_step(Interval step);
    /// An event at t. False: more than `most` of them have followed each other in no time.
    bool admits(double t, std::int64_t most);

private:
    double step_ = 1.0;  ///< its length
    double last_ = -std::numeric_limits<double>::infinity();
    std::int64_t events_ = 0;
};

}  // namespace tandem::ode
