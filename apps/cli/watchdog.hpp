#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

#include "base/emergency.hpp"

namespace tandem::cli {

/// Watches how long the FMU stays inside one call. After ten seconds it says so once. With a
/// time-out it ends the process when the call takes longer: one sentence, results flushed, exit
/// code 1. After an interrupt it ends the process likewise, with exit code 130, when the FMU stays
/// in one call for two seconds more or nobody answers the interrupt for five.
class Watchdog {
public:
    explicit Watchdog(std::optional<double> timeout);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

private:
    using Clock = std::chrono::steady_clock;
    void watch();
    void look();
    void look_after_interrupt(const ForeignCallView& call, Clock::time_point now);

    std::optional<double> timeout_;
    std::uint64_t count_ = 0;
    Clock::time_point since_ = Clock::now();
    bool said_slow_ = false;
    std::optional<Clock::time_point> interrupted_;
    bool said_interrupt_ = false;
    bool stop_ = false;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::thread thread_;
};

}  // namespace tandem::cli
