#pragma once

#include <optional>
#include <string>

#include "run/simulation.hpp"

namespace tandem::run {

/// Finds out, from the steps of a step control, that the run is going to take very long because
/// they have become short.
class CrawlWatch {
public:
    struct Pace {
        double length = 0.0;   ///< of the last steps, the mean
        double steps = 0.0;    ///< left to the end of the run, at that length
        double seconds = 0.0;  ///< that they will take
        std::string reason;    ///< empty: the error estimate of the step control
    };

    CrawlWatch(double stop, double step) : stop_(stop), step_(step) {}
    /// After each step; nothing while there is nothing to say.
    std::optional<Pace> after_step(const RunReport& report);

private:
    struct Begin {
        double t = 0.0, wall = 0.0;
        long steps = 0, events = 0, retried = 0;
    };
    static Begin begin_at(const RunReport& report, double wall);

    double stop_, step_;
    std::optional<Begin> window_;
};

}  // namespace tandem::run
