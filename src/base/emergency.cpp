#include "base/emergency.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

namespace tandem {

constinit thread_local CallRecord current_call;
std::atomic<bool> handlers_installed{false};

namespace {

enum class SlotState { free, filling, armed, running, done };

struct Slot {
    std::atomic<SlotState> state{SlotState::free};
    std::atomic<std::uint64_t> sequence{0};
    EmergencyHook::Action action = nullptr;
    void* context = nullptr;
};

// Fixed size: a signal handler can neither lock nor follow memory that somebody moves.
std::array<Slot, 1024> slots;
std::atomic<std::uint64_t> next_sequence{1};

std::atomic<int> graceful{0};
std::atomic<bool> interrupted{false};
std::atomic<bool> answered{false};
std::atomic<pid_t> ending_thread{0};

/// The calls of all threads that have made one. Whoever looks at them holds the lock, so that none
/// goes away meanwhile. Never destroyed: threads may end later.
struct Watched {
    std::mutex mutex;
    std::array<CallRecord*, most_watched_threads> calls{};
};

Watched& watched() {
    static auto* const instance = new Watched;
    return *instance;
}

/// While it lives, the watchdog sees this thread.
class WatchedThread {
public:
    WatchedThread() {
        const std::lock_guard lock(watched().mutex);
        const auto free = std::ranges::find(watched().calls, nullptr);
        if (free != watched().calls.end()) *free = &current_call;
    }
    ~WatchedThread() {
        const std::lock_guard lock(watched().mutex);
        std::ranges::replace(watched().calls, &current_call, nullptr);
    }
    WatchedThread(const WatchedThread&) = delete;
    WatchedThread& operator=(const WatchedThread&) = delete;
};

/// The newest armed slot, now marked as running; null when none is left.
Slot* take_newest() noexcept {
    for (;;) {
        Slot* newest = nullptr;
        for (Slot& slot : slots) {
            if (slot.state.load(std::memory_order_acquire) != SlotState::armed) continue;
            if (newest == nullptr || slot.sequence.load() > newest->sequence.load()) newest = &slot;
        }
        if (newest == nullptr) return nullptr;
        SlotState expected = SlotState::armed;
        if (newest->state.compare_exchange_strong(expected, SlotState::running)) return newest;
    }
}

/// Gives a thread a stack of its own for signal handlers, so that an overflow of the ordinary
/// stack is reported like any other crash.
class SignalStack {
public:
    SignalStack() {
        memory_ = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory_ == MAP_FAILED) return;
        stack_t stack{};
        stack.ss_sp = memory_;
        stack.ss_size = size;
        installed_ = sigaltstack(&stack, &previous_) == 0;
    }
    ~SignalStack() {
        if (installed_) sigaltstack(&previous_, nullptr);
        if (memory_ != MAP_FAILED) munmap(memory_, size);
    }
    SignalStack(const SignalStack&) = delete;
    SignalStack& operator=(const SignalStack&) = delete;

private:
    static constexpr std::size_t size = 512 * 1024;
    void* memory_ = nullptr;
    stack_t previous_{};
    bool installed_ = false;
};

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
    void write_to_stderr() const noexcept {
        const ssize_t written = write(STDERR_FILENO, buffer_.data(), size_);
        static_cast<void>(written);  // nowhere left to complain
    }

private:
    std::array<char, 1024> buffer_{};
    std::size_t size_ = 0;
};

const char* name_of(int signal) noexcept {
    switch (signal) {
        case SIGSEGV: return "segmentation fault";
        case SIGBUS: return "bus error";
        case SIGFPE: return "arithmetic error";
        case SIGILL: return "illegal instruction";
        default: return "abort";
    }
}

void report_crash(int signal) noexcept {
    Sentence sentence;
    const char* instance = current_call.instance.load(std::memory_order_relaxed);
    if (instance != nullptr) {
        const char* function = current_call.function.load(std::memory_order_relaxed);
        sentence << "tandem: " << instance << ": the FMU crashed in " << function << " ("
                 << name_of(signal) << ")\n  hint: the fault is inside the FMU; ask its maker, or "
                 << "run with --log-fmi to see the calls before it\n";
    } else {
        sentence << "tandem: crashed (" << name_of(signal)
                 << ")\n  hint: this is a bug in Tandem; please report it with the command line\n";
    }
    sentence.write_to_stderr();
}

enum class Ending { mine, begun_by_me, of_another_thread };

Ending begin_ending() noexcept {
    pid_t owner = 0;
    if (ending_thread.compare_exchange_strong(owner, gettid())) return Ending::mine;
    return owner == gettid() ? Ending::begun_by_me : Ending::of_another_thread;
}

/// Leaving now would cut off the hooks that another thread is running.
[[noreturn]] void wait_for_the_end() noexcept {
    for (;;) pause();
}

void on_crash(int signal) {
    switch (begin_ending()) {
        case Ending::mine: break;
        case Ending::begun_by_me: _exit(1);  // a hook crashed
        case Ending::of_another_thread: wait_for_the_end();
    }
    report_crash(signal);
    run_emergency_hooks();
    _exit(1);
}

void on_interrupt(int signal) {
    if (graceful.load() > 0 && !interrupted.exchange(true)) return;
    if (ending_thread.load() == gettid()) return;  // the hooks are running, below this handler
    end_process(128 + signal);
}

void handle(int signal, void (*handler)(int), int flags) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
}

}  // namespace

EmergencyHook::EmergencyHook(Action action, void* context) : slot_(-1) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
        SlotState expected = SlotState::free;
        if (!slots[i].state.compare_exchange_strong(expected, SlotState::filling)) continue;
        slots[i].action = action;
        slots[i].context = context;
        slots[i].sequence.store(next_sequence.fetch_add(1));
        slots[i].state.store(SlotState::armed, std::memory_order_release);
        slot_ = static_cast<int>(i);
        return;
    }
}

EmergencyHook::~EmergencyHook() {
    if (slot_ < 0) return;
    Slot& slot = slots[static_cast<std::size_t>(slot_)];
    SlotState expected = SlotState::armed;
    if (slot.state.compare_exchange_strong(expected, SlotState::free)) return;
    // Another thread may be running this hook right now: its context must live until it is done.
    while (slot.state.load(std::memory_order_acquire) == SlotState::running) sched_yield();
    slot.state.store(SlotState::free);
}

void run_emergency_hooks() noexcept {
    while (Slot* slot = take_newest()) {
        slot->action(slot->context);
        slot->state.store(SlotState::done, std::memory_order_release);
    }
}

void end_process(int code) noexcept {
    if (begin_ending() == Ending::of_another_thread) wait_for_the_end();
    run_emergency_hooks();
    _exit(code);
}

void make_this_thread_known() {
    thread_local SignalStack stack;
    thread_local WatchedThread watched_thread;
    current_call.is_known = true;
}

GracefulInterrupt::GracefulInterrupt() noexcept { graceful.fetch_add(1); }

GracefulInterrupt::~GracefulInterrupt() { graceful.fetch_sub(1); }

void install_signal_handlers() {
    make_this_thread_known();
    handlers_installed.store(true);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
        handle(signal, on_crash, SA_ONSTACK);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        handle(signal, on_interrupt, SA_ONSTACK | SA_RESTART);
}

bool interrupt_requested() noexcept {
    if (!interrupted.load()) return false;
    answered.store(true);
    return true;
}

Interrupt interrupt_state() noexcept {
    if (!interrupted.load()) return Interrupt::none;
    return answered.load() ? Interrupt::answered : Interrupt::unanswered;
}

ForeignCallView foreign_call_of_thread(int thread) {
    const std::lock_guard lock(watched().mutex);
    const CallRecord* call = watched().calls[static_cast<std::size_t>(thread)];
    if (call == nullptr) return {};
    return {call->count.load(std::memory_order_relaxed),
            call->instance.load(std::memory_order_relaxed),
            call->function.load(std::memory_order_relaxed)};
}

}  // namespace tandem
