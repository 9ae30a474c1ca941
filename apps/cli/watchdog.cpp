#include "watchdog.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>

#include "base/emergency.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace tandem::cli {
namespace {

constexpr auto look_interval = std::chrono::milliseconds(20);
constexpr double slow_seconds = 10.0;
constexpr double patience_after_interrupt = 1.0;

[[noreturn]] void give_up(const ForeignCallView& call, double timeout) {
    fmt::print(stderr,
               "{} {}: {} has not returned for {} s\n  hint: the FMU hangs or is slow; "
               "--call-timeout sets how long to wait\n",
               Style(stderr).bad("error:"), call.instance, call.function, timeout);
    std::fflush(stderr);
    run_emergency_hooks();
    _exit(run_failed);
}

}  // namespace

Watchdog::Watchdog(std::optional<double> timeout)
    : timeout_(timeout), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void Watchdog::watch() {
    // Signals are for the thread that runs the FMU.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, look_interval, [this] { return stop_; })) look();
}

void Watchdog::look() {
    const ForeignCallView call = foreign_call_of_main_thread();
    const Clock::time_point now = Clock::now();
    if (call.instance == nullptr || call.count != count_) {
        count_ = call.count;
        since_ = now;
        return;
    }
    const double elapsed = std::chrono::duration<double>(now - since_).count();
    if (timeout_ && elapsed >= *timeout_) give_up(call, *timeout_);
    if (!said_slow_ && elapsed >= slow_seconds) {
        said_slow_ = true;
        fmt::print(stderr, "{} {}: {} has not returned for {} s\n", Style(stderr).doubtful("note:"),
                   call.instance, call.function, slow_seconds);
    }
    if (!said_interrupt_ && interrupt_requested() && elapsed >= patience_after_interrupt) {
        said_interrupt_ = true;
        fmt::print(stderr, "{} waiting for {} of {} to return; interrupt again to end at once\n",
                   Style(stderr).doubtful("note:"), call.function, call.instance);
    }
}

}  // namespace tandem::cli
