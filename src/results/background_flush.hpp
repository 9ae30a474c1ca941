#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "tandem/extend/result_writer.hpp"

namespace tandem::results {

/// Flushes another writer from a thread of its own, so that a row gets old in memory neither when
/// the next step takes hours nor when it never comes back.
class BackgroundFlush final : public ResultWriter {
public:
    explicit BackgroundFlush(std::unique_ptr<ResultWriter> writer,
                             std::chrono::milliseconds interval = std::chrono::milliseconds(250));
    ~BackgroundFlush() override;
    BackgroundFlush(const BackgroundFlush&) = delete;
    BackgroundFlush& operator=(const BackgroundFlush&) = delete;

    void begin(const std::vector<ResultColumn>& columns) override;
    /// These report what went wrong in the background, too.
    void write(const ResultRow& row) override;
    void flush() override;
    void close() override;
    const std::atomic<std::uint64_t>& rows_in_file() const override {
        return writer_->rows_in_file();
    }

private:
    void run();
    void stop();
    void report_failure();

    std::unique_ptr<ResultWriter> writer_;
    std::chrono::milliseconds interval_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::exception_ptr failure_;
    bool has_unflushed_rows_ = false;
    bool is_stopping_ = false;
    std::thread thread_;
};

}  // namespace tandem::results
