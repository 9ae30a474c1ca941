#include "process/foreign_call.hpp"

#include <link.h>
#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "process/emergency_state.hpp"

namespace tandem {

constinit thread_local CallRecord* current_call = nullptr;

/// In a list that only grows; a range whose name is null is free.
struct Range {
    std::atomic<const char*> name{nullptr};
    std::uintptr_t begin = 0, end = 0;
    SharedBlock text;
    Range* next = nullptr;
};

namespace {

std::atomic<Range*> ranges{nullptr};
std::mutex ranges_mutex;

/// Of threads that make calls while they are being destroyed.
CallRecord record_of_the_end;

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

/// A thread's record: one that others see, as long as there are some.
class ThreadRecord {
public:
    ThreadRecord() {
        for (CallRecord& record : emergency_state->calls) {
            bool expected = false;
            if (!record.is_used.compare_exchange_strong(expected, true)) continue;
            record_ = &record;
            break;
        }
        if (handlers_installed.load()) stack_.emplace();
        current_call = record_;
    }
    ~ThreadRecord() {
        if (is_forked_copy.load()) return;  // the record is that of the thread it was copied from
        // exit() destroys what belongs to its thread first.
        if (record_->instance.load() != nullptr && handlers_installed.load())
            end_after_lost_thread();
        record_->is_used.store(false);
        current_call = &record_of_the_end;
    }
    ThreadRecord(const ThreadRecord&) = delete;
    ThreadRecord& operator=(const ThreadRecord&) = delete;

private:
    std::optional<SignalStack> stack_;
    CallRecord own_;
    CallRecord* record_ = &own_;
};

/// Where the segments of the object that holds `address` begin and end.
struct Search {
    std::uintptr_t address = 0, begin = 0, end = 0;
};

int look_at_object(dl_phdr_info* object, std::size_t, void* context) {
    auto& search = *static_cast<Search*>(context);
    std::uintptr_t begin = UINTPTR_MAX, end = 0;
    for (int k = 0; k < object->dlpi_phnum; ++k) {
        const auto& segment = object->dlpi_phdr[k];
        if (segment.p_type != PT_LOAD) continue;
        begin = std::min<std::uintptr_t>(begin, object->dlpi_addr + segment.p_vaddr);
        end = std::max<std::uintptr_t>(end, object->dlpi_addr + segment.p_vaddr + segment.p_memsz);
    }
    if (search.address < begin || search.address >= end) return 0;
    search.begin = begin;
    search.end = end;
    return 1;
}

/// Needs ranges_mutex.
Range* free_range() {
    for (Range* range = ranges.load(); range != nullptr; range = range->next)
        if (range->name.load() == nullptr) return range;
    auto* range = new Range;  // threads may crash as long as the process lives
    range->next = ranges.load();
    ranges.store(range);
    return range;
}

}  // namespace

CallRecord& make_this_thread_known() {
    thread_local const ThreadRecord record;
    return *current_call;
}

ForeignCallView foreign_call_of_thread(int thread) noexcept {
    const CallRecord& call = emergency_state->calls[static_cast<std::size_t>(thread)];
    if (!call.is_used.load()) return {};
    return {call.count.load(std::memory_order_relaxed),
            call.instance.load(std::memory_order_relaxed),
            call.function.load(std::memory_order_relaxed)};
}

ForeignCallView any_foreign_call() noexcept {
    for (int thread = 0; thread < most_watched_threads; ++thread)
        if (const ForeignCallView call = foreign_call_of_thread(thread); call.instance != nullptr)
            return call;
    return {};
}

ForeignCallView last_foreign_call() noexcept {
    const CallRecord* own = current_call;
    if (own == nullptr || own->last_instance.load() == nullptr) own = &emergency_state->calls[0];
    return {own->count.load(), own->last_instance.load(), own->last_function.load()};
}

ForeignCode::ForeignCode(const void* function, const char* name) : range_(nullptr) {
    Search search{reinterpret_cast<std::uintptr_t>(function)};
    if (dl_iterate_phdr(look_at_object, &search) == 0) return;
    const std::lock_guard lock(ranges_mutex);
    range_ = free_range();
    range_->begin = search.begin;
    range_->end = search.end;
    range_->text = SharedBlock(name);
    range_->name.store(range_->text.data());
}

ForeignCode::~ForeignCode() {
    if (range_ == nullptr) return;
    const std::lock_guard lock(ranges_mutex);
    range_->name.store(nullptr);
}

const char* name_of_code(const void* address) noexcept {
    const auto wanted = reinterpret_cast<std::uintptr_t>(address);
    for (const Range* range = ranges.load(); range != nullptr; range = range->next)
        if (wanted >= range->begin && wanted < range->end)
            if (const char* name = range->name.load()) return name;
    return nullptr;
}

}  // namespace tandem
