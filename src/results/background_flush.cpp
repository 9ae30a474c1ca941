#include "results/background_flush.hpp"

#include <pthread.h>

#include <csignal>
#include <utility>

namespace tandem::results {
namespace {

/// Signals are for the threads of the run: a thread inherits the mask of its creator.
class AllSignalsBlocked {
public:
    AllSignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    AllSignalsBlocked(const AllSignalsBlocked&) = delete;
    AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

private:
    sigset_t before_;
};

}  // namespace

BackgroundFlush::BackgroundFlush(std::unique_ptr<ResultWriter> writer,
                                 std::chrono::milliseconds interval)
    : writer_(std::move(writer)), interval_(interval) {
    const AllSignalsBlocked blocked;
    thread_ = std::thread([this] { run(); });
}

BackgroundFlush::~BackgroundFlush() { stop(); }

void BackgroundFlush::begin(const std::vector<ResultColumn>& columns) {
    const std::lock_guard lock(mutex_);
    writer_->begin(columns);
}

void BackgroundFlush::write(const ResultRow& row) {
    const std::lock_guard lock(mutex_);
    report_failure();
    writer_->write(row);
    has_unflushed_rows_ = true;
}

void BackgroundFlush::flush() {
    const std::lock_guard lock(mutex_);
    report_failure();
    writer_->flush();
    has_unflushed_rows_ = false;
}

void BackgroundFlush::close() {
    stop();
    report_failure();
    writer_->close();
}

void BackgroundFlush::report_failure() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void BackgroundFlush::stop() {
    {
        const std::lock_guard lock(mutex_);
        is_stopping_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
}

void BackgroundFlush::run() {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, interval_, [this] { return is_stopping_; })) {
        if (!has_unflushed_rows_) continue;
        has_unflushed_rows_ = false;
        try {
            writer_->flush();
        } catch (...) {
            failure_ = std::current_exception();
        }
    }
}

}  // namespace tandem::results
