#include "exec/team.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "tandem/extend/index.hpp"

#ifdef __SANITIZE_THREAD__
/// oneTBB is not instrumented: a task in memory that it uses again looks like a race with the last.
extern "C" const char* __tsan_default_suppressions() {
    return "race:tbb::detail::d1::enqueue_task\n";
}
#endif

namespace tandem::exec {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto patience = std::chrono::microseconds(300);  // of a helper without work
// Of the caller without work: then it lets others run, then it sleeps.
constexpr auto calm = std::chrono::microseconds(100);
constexpr auto impatience = std::chrono::milliseconds(2);
constexpr int pauses_per_look = 32;  // at the clock

/// What was done before a helper was called for is visible to it. oneTBB sees to that, too, but the
/// thread sanitizer cannot look into it.
std::atomic<unsigned> calls{0};

/// Passes a moment, and says how long it has been altogether.
class Moment {
public:
    Clock::duration pass() {
        __builtin_ia32_pause();
        if (++count_ % pauses_per_look == 0) passed_ = Clock::now() - begin_;
        return passed_;
    }

private:
    Clock::time_point begin_ = Clock::now();
    Clock::duration passed_{};
    int count_ = 0;
};

/// Subsystems get as much stack as on the thread of the run.
std::size_t stack_size() {
    constexpr std::size_t least = std::size_t{8} << 20U, most = std::size_t{64} << 20U;
    rlimit limit{};
    getrlimit(RLIMIT_STACK, &limit);
    return std::clamp<std::size_t>(limit.rlim_cur, least, most);
}

}  // namespace

class Team::Threads {
public:
    explicit Threads(int helpers) : arena_(helpers, 0) {
        const int usual = tbb::info::default_concurrency();
        if (helpers + 1 > usual)
            more_.emplace(tbb::global_control::max_allowed_parallelism, index(helpers + 1));
    }
    template <class Body>
    void start(Body body) {
        arena_.enqueue(std::move(body));
    }

private:
    tbb::global_control stack_{tbb::global_control::thread_stack_size, stack_size()};
    std::optional<tbb::global_control> more_;
    tbb::task_arena arena_;
};

Team::Team(int threads) : threads_(threads), pool_(std::make_unique<Threads>(threads - 1)) {}

Team::~Team() {
    stop_.store(true);
    while (helpers_.load(std::memory_order_acquire) > 0) sched_yield();
}

void Team::reserve(int most_tasks) {
    const std::lock_guard lock(mutex_);
    ready_.reserve(std::max(ready_.capacity(), index(most_tasks)));
    waiting_for_.resize(std::max(waiting_for_.size(), index(most_tasks)));
}

int Team::run(const TaskGraph& graph, std::span<const double> priorities, TaskBody body) {
    begin(graph, priorities, body);
    summon(available_.load(std::memory_order_relaxed) - 1);
    while (unfinished_.load(std::memory_order_acquire) > 0) {
        const int task = take();
        if (task == nothing)
            wait();
        else
            work(task);
    }
    const std::lock_guard lock(mutex_);
    if (exception_) std::rethrow_exception(std::exchange(exception_, nullptr));
    return failed_ < graph.size() ? failed_ : Executor::all_done;
}

void Team::begin(const TaskGraph& graph, std::span<const double> priorities, const TaskBody& body) {
    const std::lock_guard lock(mutex_);
    graph_ = &graph;
    body_ = &body;
    priorities_ = priorities;
    failed_ = graph.size();
    unfinished_.store(graph.size(), std::memory_order_relaxed);
    for (int task = 0; task < graph.size(); ++task) {
        waiting_for_[index(task)] = graph.predecessors(task);
        if (graph.predecessors(task) == 0) push(task);
    }
    available_.store(static_cast<int>(ready_.size()), std::memory_order_release);
}

void Team::push(int task) {
    ready_.push_back(task);
    std::ranges::push_heap(ready_, {}, [&](int i) { return std::pair(priorities_[index(i)], -i); });
}

int Team::pop() {
    if (ready_.empty()) return nothing;
    std::ranges::pop_heap(ready_, {}, [&](int i) { return std::pair(priorities_[index(i)], -i); });
    const int task = ready_.back();
    ready_.pop_back();
    return task;
}

int Team::take() {
    return available_.load(std::memory_order_acquire) == 0 ? nothing : next_after(nothing);
}

/// A task, and whatever there is to do after it.
void Team::work(int task) {
    while (task != nothing) {
        try {
            if (!(*body_)(task)) note_failure(task, nullptr);
        } catch (...) {
            note_failure(task, std::current_exception());
        }
        task = next_after(task);
    }
}

/// Tasks with higher numbers are not begun any more. One with a lower number may fail yet, and then
/// counts instead.
void Team::note_failure(int task, std::exception_ptr exception) {
    const std::lock_guard lock(mutex_);
    if (task > failed_) return;
    failed_ = task;
    exception_ = std::move(exception);
}

/// Marks that one as finished and takes another.
int Team::next_after(int task) {
    int waiting = 0;
    bool is_end = false;
    {
        const std::lock_guard lock(mutex_);
        int finished = 0;
        do {
            if (task != nothing) {
                ++finished;
                for (const int next : graph_->successors(task))
                    if (--waiting_for_[index(next)] == 0) push(next);
            }
            task = pop();
        } while (task > failed_);
        waiting = static_cast<int>(ready_.size());
        available_.store(waiting, std::memory_order_release);
        is_end =
            finished > 0 && unfinished_.fetch_sub(finished, std::memory_order_release) == finished;
    }
    if (waiting > 0 || is_end) {
        changes_.fetch_add(1, std::memory_order_release);
        changes_.notify_one();
    }
    summon(waiting);
    return task;
}

/// Until there is something to do or nothing left.
void Team::wait() {
    Moment moment;
    for (;;) {
        const unsigned seen = changes_.load(std::memory_order_acquire);
        if (available_.load(std::memory_order_acquire) > 0) return;
        if (unfinished_.load(std::memory_order_acquire) == 0) return;
        const Clock::duration passed = moment.pass();
        if (passed > impatience)
            changes_.wait(seen, std::memory_order_acquire);
        else if (passed > calm)
            sched_yield();
    }
}

void Team::help() {
    calls.load(std::memory_order_acquire);
    Moment moment;
    while (!stop_.load(std::memory_order_relaxed)) {
        const int task = take();
        if (task != nothing) {
            work(task);
            moment = {};
        } else if (moment.pass() > patience) {
            break;
        }
    }
    helpers_.fetch_sub(1, std::memory_order_release);
}

void Team::summon(int wanted) {
    for (; wanted > 0; --wanted) {
        int helpers = helpers_.load(std::memory_order_relaxed);
        if (helpers >= threads_ - 1) return;
        if (!helpers_.compare_exchange_strong(helpers, helpers + 1)) continue;
        calls.fetch_add(1, std::memory_order_release);
        // The pointer itself comes through oneTBB, which the thread sanitizer cannot look into.
        pool_->start([this]() __attribute__((no_sanitize_thread)) { help(); });
    }
}

}  // namespace tandem::exec
