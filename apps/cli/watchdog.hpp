#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "process/emergency.hpp"

namespace tandem::cli {

/// Watches how long FMUs stay inside one call, on any thread. After ten seconds it says so once.
/// With a time-out it ends the process when the call takes longer: one sentence, results flushed,
/// exit code 1. After an interrupt it ends the process likewise, with exit code 130, when the FMU
/// stays in one call for two seconds more or nobody answers the interrupt for five. Ten times a
/// second it asks for a check of what FMUs may have changed.
class Watchdog {
public:
    explicit Watchdog(std::optional<double> timeout);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

private:
    using Clock = std::chrono::steady_clock;
    void watch();
    /// The call a thread was in when it was last looked at, and since when.
    struct Seen {
        std::uint64_t count = 0;
        Clock::time_point since = Clock::now();
    };
    void look();
    void look_at(const ForeignCallView& call, Seen& seen, Clock::time_point now);
    void look_after_interrupt(Clock::time_point now);
    void end_if_interrupted(const ForeignCallView& call, const Seen& seen, Clock::time_point now);

    std::optional<double> timeout_;
    std::vector<Seen> threads_ = std::vector<Seen>(most_watched_threads);
    unsigned looks_ = 0;
    bool said_slow_ = false;
    std::optional<Clock::time_point> interrupted_;
    bool said_interrupt_ = false;
    bool stop_ = false;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::thread thread_;
};

}  // namespace tandem::cli
