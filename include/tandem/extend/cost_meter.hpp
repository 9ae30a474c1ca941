#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "tandem/extend/index.hpp"

namespace tandem {

/// What the steps of each subsystem take. Reading the clock costs more than a cheap step, so the
/// run measures a sample of its steps only.
class CostMeter {
public:
    struct Cost {
        long steps = 0;
        long timed = 0;        ///< of them
        double seconds = 0.0;  ///< of those
    };

    explicit CostMeter(std::size_t subsystems) : costs_(subsystems) {}
    /// While on, the time of each step is added up.
    void measure(bool on) { measures_ = on; }
    const Cost& of(int s) const { return costs_[index(s)]; }

    /// Does a step of subsystem s.
    template <class Step>
    auto count(int s, Step&& step) {
        Cost& cost = costs_[index(s)];
        ++cost.steps;
        if (!measures_) return step();
        using Clock = std::chrono::steady_clock;
        const Clock::time_point begin = Clock::now();
        const auto result = step();
        ++cost.timed;
        cost.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
        return result;
    }

private:
    bool measures_ = false;
    std::vector<Cost> costs_;
};

}  // namespace tandem
