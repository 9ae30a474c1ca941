#pragma once

#include <atomic>
#include <cstdint>

#include "process/shared_memory.hpp"

namespace tandem {

/// The foreign call a thread is in, and the last one it made. Other threads read it, and so does a
/// parent process that supervises this one: strings are literals or lie in a SharedBlock.
struct alignas(64) CallRecord {
    std::atomic<const char*> instance{nullptr};  ///< null: not inside a foreign call
    std::atomic<const char*> function{nullptr};
    std::atomic<const char*> last_instance{nullptr};
    std::atomic<const char*> last_function{nullptr};
    std::atomic<std::uint64_t> count{0};
    void* owner = nullptr;
    std::atomic<bool> is_used{false};
};
/// Null until the thread makes its first foreign call.
extern constinit thread_local CallRecord* current_call;
/// Makes the watchdog see this thread, and gives it a stack for signal handlers if there are any.
CallRecord& make_this_thread_known();

/// Marks that this thread is inside a function of an FMU. Calls may nest (an FMU calls back, the
/// callback calls the FMU). Made so often that it is inline.
class ForeignCall {
public:
    /// `owner` is whatever a callback of this call wants to find: foreign_call_owner().
    [[gnu::always_inline]] inline ForeignCall(const char* instance, const char* function,
                                              void* owner = nullptr)
        : record_(current_call != nullptr ? *current_call : make_this_thread_known()),
          outer_instance_(record_.instance.load(std::memory_order_relaxed)),
          outer_function_(record_.function.load(std::memory_order_relaxed)),
          outer_owner_(record_.owner) {
        const std::uint64_t count = record_.count.load(std::memory_order_relaxed);
        record_.count.store(outer_instance_ == nullptr ? count + 1 : count,
                            std::memory_order_relaxed);
        record_.owner = owner;
        record_.function.store(function, std::memory_order_relaxed);
        record_.instance.store(instance, std::memory_order_relaxed);
        record_.last_function.store(function, std::memory_order_relaxed);
        record_.last_instance.store(instance, std::memory_order_relaxed);
    }
    [[gnu::always_inline]] inline ~ForeignCall() {
        record_.instance.store(outer_instance_, std::memory_order_relaxed);
        record_.function.store(outer_function_, std::memory_order_relaxed);
        record_.owner = outer_owner_;
    }
    ForeignCall(const ForeignCall&) = delete;
    ForeignCall& operator=(const ForeignCall&) = delete;

private:
    CallRecord& record_;
    const char* outer_instance_;
    const char* outer_function_;
    void* outer_owner_;
};

/// Of the call this thread is in; null outside of one.
inline void* foreign_call_owner() noexcept {
    return current_call != nullptr ? current_call->owner : nullptr;
}

/// What can be seen of a thread: `count` grows with each call that is not inside another.
struct ForeignCallView {
    std::uint64_t count = 0;
    const char* instance = nullptr;  ///< null: not inside a foreign call
    const char* function = nullptr;
};
/// How many threads can be looked at; further ones are not seen.
inline constexpr int most_watched_threads = 256;
/// Of the thread with that number, from 0; the first is the one that installed the signal handlers.
/// A number that is free again may go to a new thread.
ForeignCallView foreign_call_of_thread(int thread) noexcept;
/// A call that some thread is in. Async-signal-safe, like the next.
ForeignCallView any_foreign_call() noexcept;
/// The last call that this thread made, or else the first thread.
ForeignCallView last_foreign_call() noexcept;

/// Remembers where the code of an FMU lies, to tell whose code crashed in a thread that the FMU
/// started. Code is found by the address of any function in it.
class ForeignCode {
public:
    ForeignCode(const void* function, const char* name);
    ~ForeignCode();
    ForeignCode(const ForeignCode&) = delete;
    ForeignCode& operator=(const ForeignCode&) = delete;

private:
    struct Range* range_;
};
/// The name of the FMU with code at that address, or null. Async-signal-safe.
const char* name_of_code(const void* address) noexcept;

}  // namespace tandem
