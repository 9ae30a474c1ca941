#include "watchdog.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "process/emergency_state.hpp"
#include "process/process_guard.hpp"
#include "process/standard_streams.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace tandem::cli {
namespace {

constexpr auto look_interval = std::chrono::milliseconds(20);
constexpr unsigned looks_per_check = 5;
constexpr double slow_seconds = 10.0;
constexpr double note_after_interrupt = 1.0;
constexpr double call_after_interrupt = 2.0;
constexpr double answer_after_interrupt = 5.0;

double seconds_between(std::chrono::steady_clock::time_point a,
                       std::chrono::steady_clock::time_point b) {
    return std::chrono::duration<double>(b - a).count();
}

[[noreturn]] void end_with(const std::string& sentence, const char* hint, int code) {
    announce_end(sentence, code == interrupted);
    if (restore_standard_stream(STDERR_FILENO) == StreamState::lost)
        leave_words_to_parent(hint);
    else
        say("{} {}\n  hint: {}\n", Style(stderr).bad("error:"), sentence, hint);
    end_process(code);
}

[[noreturn]] void give_up(const ForeignCallView& call, double timeout) {
    end_with(fmt::format("{}: {} has not returned for {} s", call.instance, call.function, timeout),
             "the FMU hangs or is slow; --call-timeout sets how long to wait", run_failed);
}

[[noreturn]] void end_interrupted(const ForeignCallView& call) {
    end_with(fmt::format("{}: interrupted while {} did not return", call.instance, call.function),
             "the results so far are kept", interrupted);
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
    const Clock::time_point now = Clock::now();
    if (++looks_ % looks_per_check == 0 && process_checks_due.load() <= 0)
        process_checks_due.store(1);
    look_after_interrupt(now);
    for (int thread = 0; thread < most_watched_threads; ++thread)
        look_at(foreign_call_of_thread(thread), threads_[static_cast<std::size_t>(thread)], now);
}

void Watchdog::look_at(const ForeignCallView& call, Seen& seen, Clock::time_point now) {
    if (call.instance == nullptr || call.count != seen.count) {
        seen = {call.count, now};
        return;
    }
    end_if_interrupted(call, seen, now);
    const double elapsed = seconds_between(seen.since, now);
    if (timeout_ && elapsed >= *timeout_) give_up(call, *timeout_);
    if (!said_slow_ && elapsed >= slow_seconds) {
        said_slow_ = true;
        say("{} {}: {} has not returned for {} s\n", Style(stderr).doubtful("note:"), call.instance,
            call.function, slow_seconds);
    }
}

void Watchdog::look_after_interrupt(Clock::time_point now) {
    const Interrupt interrupt = interrupt_state();
    if (interrupt == Interrupt::none) return;
    if (!interrupted_) interrupted_ = now;
    if (interrupt == Interrupt::unanswered &&
        seconds_between(*interrupted_, now) >= answer_after_interrupt)
        kill(getpid(), SIGINT);  // the second one acts at once, in a thread that may be writing
}

void Watchdog::end_if_interrupted(const ForeignCallView& call, const Seen& seen,
                                  Clock::time_point now) {
    if (!interrupted_) return;
    const double waited = seconds_between(std::max(seen.since, *interrupted_), now);
    if (waited >= call_after_interrupt) end_interrupted(call);
    if (said_interrupt_ || waited < note_after_interrupt) return;
    said_interrupt_ = true;
    say("{} waiting for {} of {} to return; interrupt again to end at once\n",
        Style(stderr).doubtful("note:"), call.function, call.instance);
}

}  // namespace tandem::cli
