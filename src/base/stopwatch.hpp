#pragma once

#include <chrono>

namespace tandem {

/// Seconds of a clock that never goes back.
inline double wall_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// Adds the time of its life to a total.
class Stopwatch {
public:
    explicit Stopwatch(double& total) : total_(total), begin_(wall_seconds()) {}
    ~Stopwatch() { total_ += wall_seconds() - begin_; }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

private:
    double& total_;
    double begin_;
};

}  // namespace tandem
