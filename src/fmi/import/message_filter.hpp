#pragma once

#include <cstddef>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "fmi/instance.hpp"

namespace tandem::fmi {

/// Puts what an FMU says into the log, without drowning the user. Warnings and errors, also those
/// of calls that succeed, are shown once each, ten of them at most; of other messages, if the log
/// wants them, a thousand. How many were left out is said at the end. Safe from any thread.
class MessageFilter {
public:
    explicit MessageFilter(std::string instance) : instance_(std::move(instance)) {}
    ~MessageFilter();
    MessageFilter(const MessageFilter&) = delete;
    MessageFilter& operator=(const MessageFilter&) = delete;

    void pass(Status status, const std::string& text);

private:
    bool is_new(const std::string& text);

    static constexpr std::size_t most_warnings = 10;
    static constexpr std::size_t most_lines = 1000;
    const std::string instance_;
    std::mutex mutex_;
    std::set<std::string> warnings_;  ///< shown, without their numbers
    std::size_t lines_ = 0;           ///< shown besides
    std::size_t warnings_left_out_ = 0, lines_left_out_ = 0;
};

}  // namespace tandem::fmi
