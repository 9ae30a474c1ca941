#pragma once

#include <atomic>
#include <cstdint>

namespace tandem {

/// Something to do when the process is about to die of a signal: flush a file, remove a folder.
/// Runs inside a signal handler, so only async-signal-safe calls are allowed. Safe to create and
/// destroy from any thread.
class EmergencyHook {
public:
    using Action = void (*)(void* context) noexcept;
    EmergencyHook(Action action, void* context);
    ~EmergencyHook();
    EmergencyHook(const EmergencyHook&) = delete;
    EmergencyHook& operator=(const EmergencyHook&) = delete;

private:
    int slot_;
};

/// Runs all hooks, newest first, each at most once. Async-signal-safe.
void run_emergency_hooks() noexcept;

/// SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT: one sentence on stderr that names the foreign call the
/// thread was in, hooks, exit code 1. SIGINT, SIGTERM, SIGHUP: hooks, exit code 128 + signal; but
/// while a GracefulInterrupt lives the first one only sets interrupt_requested().
void install_signal_handlers();

/// Held by code that asks interrupt_requested() again and again and ends when told so.
class GracefulInterrupt {
public:
    GracefulInterrupt() noexcept;
    ~GracefulInterrupt();
    GracefulInterrupt(const GracefulInterrupt&) = delete;
    GracefulInterrupt& operator=(const GracefulInterrupt&) = delete;
};

/// Asking answers the request.
bool interrupt_requested() noexcept;
/// What the watchdog sees of it, without answering.
enum class Interrupt { none, unanswered, answered };
Interrupt interrupt_state() noexcept;

/// Runs the hooks and ends the process. When another thread is already about it, waits for that.
[[noreturn]] void end_process(int code) noexcept;

/// Marks that this thread is inside a function of an FMU. Both strings must outlive the call. Calls
/// may nest (an FMU calls back, the callback calls the FMU).
class ForeignCall {
public:
    ForeignCall(const char* instance, const char* function) noexcept;
    ~ForeignCall();
    ForeignCall(const ForeignCall&) = delete;
    ForeignCall& operator=(const ForeignCall&) = delete;

private:
    const char* outer_instance_;
    const char* outer_function_;
};

/// What the watchdog sees of the thread that installed the signal handlers: `count` grows with each
/// call that is not inside another.
struct ForeignCallView {
    std::uint64_t count = 0;
    const char* instance = nullptr;  ///< null: not inside a foreign call
    const char* function = nullptr;
};
ForeignCallView foreign_call_of_main_thread() noexcept;

}  // namespace tandem
