#pragma once

namespace tandem {

/// Beside the class Subsystem: one that knows the time of its next time event.
class TimedEvents {
public:
    virtual ~TimedEvents() = default;
    /// Infinity: none is known.
    virtual double next_event() const = 0;
};

}  // namespace tandem
