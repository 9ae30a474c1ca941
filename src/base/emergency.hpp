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

/// The foreign call a thread is in. Other threads read it.
struct CallRecord {
    std::atomic<const char*> instance{nullptr};
    std::atomic<const char*> function{nullptr};
    std::atomic<std::uint64_t> count{0};
    void* owner = nullptr;
    bool is_known = false;  ///< it has a signal stack, and the watchdog sees it
};
extern constinit thread_local CallRecord current_call;
extern std::atomic<bool> handlers_installed;
void make_this_thread_known();

/// Marks that this thread is inside a function of an FMU. Both strings must outlive the call. Calls
/// may nest (an FMU calls back, the callback calls the FMU). Made so often that it is inline.
class ForeignCall {
public:
    /// `owner` is whatever a callback of this call wants to find: foreign_call_owner().
    [[gnu::always_inline]] inline ForeignCall(const char* instance, const char* function,
                                              void* owner = nullptr) noexcept
        : outer_instance_(current_call.instance.load(std::memory_order_relaxed)),
          outer_function_(current_call.function.load(std::memory_order_relaxed)),
          outer_owner_(current_call.owner) {
        if (!current_call.is_known && handlers_installed.load(std::memory_order_relaxed))
            make_this_thread_known();
        const std::uint64_t count = current_call.count.load(std::memory_order_relaxed);
        current_call.count.store(outer_instance_ == nullptr ? count + 1 : count,
                                 std::memory_order_relaxed);
        current_call.owner = owner;
        current_call.function.store(function, std::memory_order_relaxed);
        current_call.instance.store(instance, std::memory_order_relaxed);
    }
    [[gnu::always_inline]] inline ~ForeignCall() {
        current_call.instance.store(outer_instance_, std::memory_order_relaxed);
        current_call.function.store(outer_function_, std::memory_order_relaxed);
        current_call.owner = outer_owner_;
    }
    ForeignCall(const ForeignCall&) = delete;
    ForeignCall& operator=(const ForeignCall&) = delete;

private:
    const char* outer_instance_;
    const char* outer_function_;
    void* outer_owner_;
};

/// Of the call this thread is in; null outside of one.
inline void* foreign_call_owner() noexcept { return current_call.owner; }

/// What the watchdog sees of a thread: `count` grows with each call that is not inside another.
struct ForeignCallView {
    std::uint64_t count = 0;
    const char* instance = nullptr;  ///< null: not inside a foreign call
    const char* function = nullptr;
};
/// How many threads can be looked at; further ones are not seen.
inline constexpr int most_watched_threads = 256;
/// Of the thread with that number, from 0; the first is the one that installed the signal handlers.
/// A number that is free again may go to a new thread.
ForeignCallView foreign_call_of_thread(int thread);

}  // namespace tandem
