#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "process/emergency.hpp"

namespace tandem {

enum class SlotState { free, filling, armed, running, done };

struct Slot {
    std::atomic<SlotState> state{SlotState::free};
    std::atomic<std::uint64_t> sequence{0};
    EmergencyHook::Action action = nullptr;
    void* context = nullptr;
};

/// Blocks are never moved or freed: a signal handler can neither lock nor follow memory that
/// somebody moves.
struct SlotBlock {
    std::array<Slot, 256> slots;
    std::atomic<SlotBlock*> next{nullptr};
};

/// Everything that a supervising parent needs to know of the process.
struct EmergencyState {
    static constexpr int not_yet = -1;
    SlotBlock first;
    std::atomic<std::uint64_t> next_sequence{1};
    std::array<CallRecord, most_watched_threads> calls;
    std::atomic<bool> is_announced{false};
    std::atomic<bool> is_interrupt{false};
    std::atomic<int> code{not_yet};  ///< with which it ends in order, once the work is done
    std::array<char, 1024> sentence{};
    /// Not null: the sentence could not be printed, and this is a literal.
    std::atomic<const char*> unsaid_hint{nullptr};
};
/// In static memory, or in shared memory once there is some.
extern constinit EmergencyState* emergency_state;

/// Text put together without allocation, written with one call.
class Sentence {
public:
    Sentence& operator<<(const char* text) noexcept {
        if (text == nullptr) text = "?";
        const std::size_t length = strnlen(text, buffer_.size() - size_);
        std::memcpy(buffer_.data() + size_, text, length);
        size_ += length;
        return *this;
    }
    std::string_view text() const noexcept { return {buffer_.data(), size_}; }
    void write_to_stderr() const noexcept;

private:
    std::array<char, 1000> buffer_{};
    std::size_t size_ = 0;
};

/// The work of the process is done and on disk: what happens now is about the process itself.
inline bool work_is_done() noexcept {
    return emergency_state->code.load() != EmergencyState::not_yet;
}

/// Says how the process ends, on standard error or, if an FMU took that, through the supervising
/// parent. `hint` is a literal.
void tell_end(std::string_view sentence, const char* hint) noexcept;
/// Standard error is lost: the parent says what was announced. `hint` is a literal.
void leave_words_to_parent(const char* hint) noexcept;

/// Has signal handlers that need a stack of their own in each thread.
extern std::atomic<bool> handlers_installed;

/// In the parent of a process that is dead: all hooks, also those that it could run itself. They
/// find what was left to do.
void run_emergency_hooks_of_child() noexcept;

}  // namespace tandem
