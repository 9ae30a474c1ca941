#pragma once

#include <chrono>
#include <cstddef>

namespace tandem::cli {

/// A line on a terminal that tells how far a run is; silent anywhere else.
class Progress {
public:
    Progress(double start, double stop, bool wanted);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Cheap: draws at most ten times a second.
    void show(double t);
    void clear();

private:
    using Clock = std::chrono::steady_clock;
    double start_;
    double stop_;
    bool enabled_;
    bool drawn_ = false;
    Clock::time_point begin_ = Clock::now();
    Clock::time_point last_ = begin_;
};

}  // namespace tandem::cli
