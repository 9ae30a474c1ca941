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
/// thread was in, hooks, exit code 1. SIGINT, SIGTERM, SIGHUP: the first one sets
/// interrupt_requested(), a second one runs the hooks and ends the process at once.
void install_signal_handlers();
bool interrupt_requested() noexcept;

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
/// call.
struct ForeignCallView {
    std::uint64_t count = 0;
    const char* instance = nullptr;  ///< null: not inside a foreign call
    const char* function = nullptr;
};
ForeignCallView foreign_call_of_main_thread() noexcept;

}  // namespace tandem
