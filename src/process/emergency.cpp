#include "process/emergency.hpp"

#include <execinfo.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>

#include "process/emergency_state.hpp"
#include "process/standard_streams.hpp"

namespace tandem {

std::atomic<bool> handlers_installed{false};
std::atomic<bool> is_forked_copy{false};

namespace {

constinit EmergencyState own_state;

std::mutex growth_mutex;
std::atomic<int> graceful{0};
std::atomic<bool> interrupted{false};
std::atomic<bool> answered{false};
std::atomic<pid_t> ending_thread{0};

// A signal to the process group comes from the supervising parent once more.
constexpr double forwarded_within = 0.2;
std::atomic<bool> has_supervisor{false};
std::atomic<double> first_interrupt{0.0};

double seconds_now() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The armed slot that is next in turn, now marked as running; null when none is left.
Slot* take_next() noexcept {
    for (;;) {
        Slot* next = nullptr;
        for (SlotBlock* block = &emergency_state->first; block != nullptr;
             block = block->next.load())
            for (Slot& slot : block->slots) {
                if (slot.state.load(std::memory_order_acquire) != SlotState::armed) continue;
                if (next == nullptr || slot.sequence.load() > next->sequence.load()) next = &slot;
            }
        if (next == nullptr) return nullptr;
        SlotState expected = SlotState::armed;
        if (next->state.compare_exchange_strong(expected, SlotState::running)) return next;
    }
}

/// A free slot, now marked as filling.
Slot& take_free() {
    SlotBlock* block = &emergency_state->first;
    for (;;) {
        for (Slot& slot : block->slots) {
            SlotState expected = SlotState::free;
            if (slot.state.compare_exchange_strong(expected, SlotState::filling)) return slot;
        }
        const std::lock_guard lock(growth_mutex);
        if (block->next.load() == nullptr)
            block->next.store(new (shared_memory(sizeof(SlotBlock))) SlotBlock);
        block = block->next.load();
    }
}

const char* name_of(int signal) noexcept {
    switch (signal) {
        case SIGSEGV: return "segmentation fault";
        case SIGBUS: return "bus error";
        case SIGFPE: return "arithmetic error";
        case SIGILL: return "illegal instruction";
        default: return "abort";
    }
}

constexpr const char* usual_hint =
    "the fault is inside the FMU; ask its maker, or run with --log-fmi to see the calls before it";
std::atomic<const char*> fault_hint{usual_hint};

constexpr const char* done_hint =
    "everything was complete and written before; ask the maker of the FMU or library";

/// Says it and remembers it for the record of the run.
void tell(const Sentence& sentence, const char* hint) noexcept { tell_end(sentence.text(), hint); }

const void* crash_address(const void* context) noexcept {
    const auto* frame = static_cast<const ucontext_t*>(context);
    return reinterpret_cast<const void*>(frame->uc_mcontext.gregs[REG_RIP]);
}

void report_crash(int signal, const void* context) noexcept {
    Sentence sentence;
    const bool is_ours = current_call != nullptr;
    const char* code = name_of_code(crash_address(context));
    const ForeignCallView call = any_foreign_call();
    const ForeignCallView last = last_foreign_call();
    if (is_ours && current_call->instance.load() != nullptr) {
        sentence << current_call->instance.load() << ": the FMU crashed in "
                 << current_call->function.load() << " (" << name_of(signal) << ")";
        tell(sentence, fault_hint.load());
    } else if (code != nullptr) {
        sentence << code << ": crashed (" << name_of(signal) << ")";
        if (!is_ours) sentence << " in a thread of its own";
        if (call.instance != nullptr)
            sentence << " while " << call.instance << " was in " << call.function;
        tell(sentence, fault_hint.load());
    } else if (!is_ours && call.instance != nullptr) {
        sentence << call.instance << ": crashed (" << name_of(signal)
                 << ") in a thread beside the call of " << call.function;
        tell(sentence,
             "threads that an FMU starts are its own; the FMU in the call, or another "
             "that has threads, is at fault");
    } else if (last.instance != nullptr) {
        sentence << "crashed (" << name_of(signal) << ") after " << last.function << " of "
                 << last.instance;
        tell(sentence,
             "an FMU may have damaged memory that is not its own: run each FMU alone, or all under "
             "valgrind, to find out which; if none did, please report it");
    } else {
        sentence << "crashed (" << name_of(signal) << ")";
        tell(sentence, "this is a bug in Tandem; please report it with the command line");
    }
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

void on_crash(int signal, siginfo_t*, void* context) {
    if (is_forked_copy.load()) _exit(128 + signal);
    switch (begin_ending()) {
        case Ending::mine: break;
        case Ending::begun_by_me: _exit(1);  // a hook crashed
        case Ending::of_another_thread: wait_for_the_end();
    }
    report_crash(signal, context);
    run_emergency_hooks();
    _exit(1);
}

void on_interrupt(int signal, siginfo_t*, void*) {
    if (is_forked_copy.load()) _exit(128 + signal);
    if (graceful.load() > 0 && !interrupted.exchange(true)) {
        first_interrupt.store(seconds_now());
        return;
    }
    if (ending_thread.load() == gettid()) return;  // the hooks are running, below this handler
    if (has_supervisor.load() && seconds_now() - first_interrupt.load() < forwarded_within) return;
    announce_end("interrupted", true);
    end_process(128 + signal);
}

/// Of native models evaluations are not marked as calls, but their code is on the stack. Null:
/// none.
const char* code_on_the_stack() {
    std::array<void*, 64> frames{};
    const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
    for (int k = 0; k < count; ++k)
        if (const char* name = name_of_code(frames[static_cast<std::size_t>(k)])) return name;
    return nullptr;
}

/// exit() and quick_exit(): in order, unless foreign code calls it.
void on_exit() {
    if (is_forked_copy.load() || emergency_state->is_announced.load()) return;
    const ForeignCallView call = any_foreign_call();
    const char* code = call.instance == nullptr ? code_on_the_stack() : nullptr;
    if ((call.instance == nullptr && code == nullptr) || begin_ending() != Ending::mine) return;
    Sentence sentence;
    if (code != nullptr)
        sentence << code << ": its code ended the process";
    else
        sentence << call.instance << ": the FMU ended the process in " << call.function;
    tell(sentence, fault_hint.load());
    run_emergency_hooks();
    _exit(1);
}

void handle(int signal, void (*handler)(int, siginfo_t*, void*), int flags) {
    struct sigaction action {};
    action.sa_sigaction = handler;
    action.sa_flags = flags | SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
}

}  // namespace

constinit EmergencyState* emergency_state = &own_state;

void Sentence::write_to_stderr() const noexcept {
    const ssize_t written = write(STDERR_FILENO, buffer_.data(), size_);
    static_cast<void>(written);  // nowhere left to complain
}

EmergencyHook::EmergencyHook(Action action, void* context, Order order) : slot_(&take_free()) {
    slot_->action = action;
    slot_->context = context;
    slot_->sequence.store(order == Order::last ? 0 : emergency_state->next_sequence.fetch_add(1));
    slot_->state.store(SlotState::armed, std::memory_order_release);
}

EmergencyHook::~EmergencyHook() {
    SlotState expected = SlotState::armed;
    if (slot_->state.compare_exchange_strong(expected, SlotState::free)) return;
    // Another thread may be running this hook right now: its context must live until it is done.
    while (slot_->state.load(std::memory_order_acquire) == SlotState::running) sched_yield();
    slot_->state.store(SlotState::free);
}

void run_emergency_hooks() noexcept {
    while (Slot* slot = take_next()) {
        slot->action(slot->context);
        slot->state.store(SlotState::done, std::memory_order_release);
    }
}

void run_emergency_hooks_of_child() noexcept {
    for (SlotBlock* block = &emergency_state->first; block != nullptr; block = block->next.load())
        for (Slot& slot : block->slots) {
            SlotState expected = SlotState::done;  // not those that it died in
            slot.state.compare_exchange_strong(expected, SlotState::armed);
        }
    run_emergency_hooks();
}

ProcessEnd process_end() noexcept {
    const EmergencyState& state = *emergency_state;
    return {state.is_announced.load(), state.is_interrupt.load(), state.sentence.data()};
}

void announce_end(std::string_view sentence, bool is_interrupt) noexcept {
    EmergencyState& state = *emergency_state;
    const std::size_t length = std::min(sentence.size(), state.sentence.size() - 1);
    if (length > 0) std::memcpy(state.sentence.data(), sentence.data(), length);
    state.sentence[length] = '\0';
    state.is_interrupt.store(is_interrupt);
    state.is_announced.store(true);
}

void tell_end(std::string_view sentence, const char* hint) noexcept {
    announce_end(sentence);
    if (work_is_done()) hint = done_hint;
    if (restore_standard_stream(STDERR_FILENO) == StreamState::lost) {
        leave_words_to_parent(hint);
        return;
    }
    Sentence all;
    all << "tandem: " << emergency_state->sentence.data() << "\n  hint: " << hint << "\n";
    all.write_to_stderr();
}

void leave_words_to_parent(const char* hint) noexcept { emergency_state->unsaid_hint.store(hint); }

void end_process(int code) noexcept {
    if (begin_ending() == Ending::of_another_thread) wait_for_the_end();
    emergency_state->is_announced.store(true);
    run_emergency_hooks();
    _exit(code);
}

void end_after_lost_thread() noexcept {
    if (begin_ending() == Ending::of_another_thread) wait_for_the_end();
    const ForeignCallView call = last_foreign_call();
    Sentence sentence;
    sentence << call.instance << ": the FMU ended the process or its thread in " << call.function;
    tell(sentence, "exit and pthread_exit are not for FMUs; ask its maker");
    end_process(1);
}

void end_forked_copy(const char* instance, const char* function) noexcept {
    Sentence sentence;
    sentence << "warning: " << instance << ": " << function
             << " forked the process and returned twice\n"
                "  hint: the copy is ended, the run goes on; ask the FMU's maker\n";
    sentence.write_to_stderr();
    _exit(0);
}

void share_emergency_with_children() {
    share_memory_with_children();
    emergency_state = new (shared_memory(sizeof(EmergencyState))) EmergencyState;
}

void expect_forwarded_signals() noexcept { has_supervisor.store(true); }

CrashHint::CrashHint(const char* hint) noexcept { fault_hint.store(hint); }

CrashHint::~CrashHint() { fault_hint.store(usual_hint); }

GracefulInterrupt::GracefulInterrupt() noexcept { graceful.fetch_add(1); }

GracefulInterrupt::~GracefulInterrupt() { graceful.fetch_sub(1); }

void install_signal_handlers() {
    static std::once_flag once;
    std::call_once(once, [] {
        std::atexit(on_exit);
        std::at_quick_exit(on_exit);
        pthread_atfork(nullptr, nullptr, [] { is_forked_copy.store(true); });
    });
    handlers_installed.store(true);
    make_this_thread_known();
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) handle(signal, on_crash, 0);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal, on_interrupt, SA_RESTART);
}

bool handlers_are_installed() noexcept { return handlers_installed.load(); }

bool interrupt_requested() noexcept {
    if (!interrupted.load()) return false;
    answered.store(true);
    return true;
}

Interrupt interrupt_state() noexcept {
    if (!interrupted.load()) return Interrupt::none;
    return answered.load() ? Interrupt::answered : Interrupt::unanswered;
}

}  // namespace tandem
