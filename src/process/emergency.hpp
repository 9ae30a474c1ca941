#pragma once

#include <string_view>

#include "process/foreign_call.hpp"

namespace tandem {

/// Something to do when the process is about to die: flush a file, remove a folder. It may run in
/// a signal handler, so only async-signal-safe calls are allowed; and in the parent process that
/// supervises this one after its death, so `context` lies in a SharedBlock. Safe to create and
/// destroy from any thread.
class EmergencyHook {
public:
    using Action = void (*)(void* context) noexcept;
    enum class Order { newest_first, last };
    EmergencyHook(Action action, void* context, Order order = Order::newest_first);
    ~EmergencyHook();
    EmergencyHook(const EmergencyHook&) = delete;
    EmergencyHook& operator=(const EmergencyHook&) = delete;

private:
    struct Slot* slot_;
};

/// Runs all hooks, each at most once. Async-signal-safe.
void run_emergency_hooks() noexcept;

/// SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT: one sentence on stderr that names the foreign call the
/// thread was in, hooks, exit code 1; likewise if exit() or quick_exit() is called inside a foreign
/// call. SIGINT, SIGTERM, SIGHUP: hooks, exit code 128 + signal; but while a GracefulInterrupt
/// lives the first one only sets interrupt_requested(). A process that an FMU forks is left alone.
void install_signal_handlers();
bool handlers_are_installed() noexcept;

/// Held by code that asks interrupt_requested() again and again and ends when told so.
class GracefulInterrupt {
public:
    GracefulInterrupt() noexcept;
    ~GracefulInterrupt();
    GracefulInterrupt(const GracefulInterrupt&) = delete;
    GracefulInterrupt& operator=(const GracefulInterrupt&) = delete;
};

/// Around calls of FMUs that are known for what they try: the hint, a literal, for an FMU that
/// crashes in one of them.
class CrashHint {
public:
    explicit CrashHint(const char* hint) noexcept;
    ~CrashHint();
    CrashHint(const CrashHint&) = delete;
    CrashHint& operator=(const CrashHint&) = delete;
};

/// Asking answers the request.
bool interrupt_requested() noexcept;
/// What the watchdog sees of it, without answering.
enum class Interrupt { none, unanswered, answered };
Interrupt interrupt_state() noexcept;

/// How the process ends, for hooks that write it down and for the supervising parent.
struct ProcessEnd {
    bool is_announced = false;  ///< nothing is left to be said
    bool is_interrupt = false;
    const char* sentence = "";
};
ProcessEnd process_end() noexcept;
/// The process is about to end in order, or with a sentence that has been printed already.
void announce_end(std::string_view sentence = {}, bool is_interrupt = false) noexcept;

/// Runs the hooks and ends the process. When another thread is already about it, waits for that.
[[noreturn]] void end_process(int code) noexcept;
/// The FMU ended a thread of ours in a call: says so, and ends the process with exit code 1.
[[noreturn]] void end_after_lost_thread() noexcept;

/// Hooks, calls and end in memory that a parent sees. Before the fork, before any hook.
void share_emergency_with_children();
/// In the child: the parent forwards signals to it, and what it sends is not a second one.
void expect_forwarded_signals() noexcept;

/// Set in a process that an FMU forked.
extern std::atomic<bool> is_forked_copy;
/// The FMU forked and returned in the copy, too: the copy says so and ends, without hooks.
[[noreturn]] void end_forked_copy(const char* instance, const char* function) noexcept;

}  // namespace tandem
