#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdarg>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "fmi/import/message_filter.hpp"
#include "fmi/instance.hpp"

namespace tandem::fmi {

/// Where everything goes that an FMU sends by itself: log messages, "step finished", intermediate
/// points. FMUs call back with wrong environment pointers, from other threads, and with null
/// strings; none of these is trusted. No exception leaves a callback: it is kept and thrown when
/// the FMU has returned.
class MessageSink : public std::enable_shared_from_this<MessageSink> {
public:
    MessageSink(const ModelDescription& description, const InstanceOptions& options);

    void message(Status status, const char* category, std::string text);
    void step_finished(Status status);
    /// Returns true to ask for an early return.
    bool intermediate(const IntermediatePoint& point) noexcept;

    /// Waits until the FMU says that its step is finished, at most that long.
    std::optional<Status> wait_for_step(std::chrono::microseconds limit);
    void forget_step() {
        if (is_finished_.load(std::memory_order_acquire)) forget_finished_step();
    }
    /// While muted, messages are dropped: for questions an FMU may refuse.
    void mute(bool muted) { muted_ = muted; }
    /// The last few messages, oldest first.
    std::vector<std::string> recent() const;
    void keep(std::exception_ptr exception);
    /// Throws what a callback threw.
    void rethrow() {
        if (has_exception_.load(std::memory_order_acquire)) rethrow_kept();
    }

    /// Replaces `#r12#` by the name of the variable and `##` by `#` (FMI 1.0 and 2.0).
    std::string with_names(const std::string& text) const;
    const std::string& name() const { return name_; }

private:
    void forget_finished_step();
    void rethrow_kept();

    const ModelDescription& description_;
    const std::string name_;
    const decltype(InstanceOptions::on_message) on_message_;
    const decltype(InstanceOptions::on_intermediate) on_intermediate_;
    MessageFilter filter_;  // for what nobody else takes
    std::atomic<bool> muted_ = false;
    std::atomic<bool> is_finished_ = false;    // there is a step_status_
    std::atomic<bool> has_exception_ = false;  // there is an exception_
    mutable std::mutex mutex_;
    std::condition_variable finished_;
    std::optional<Status> step_status_;
    std::deque<std::string> recent_;
    std::exception_ptr exception_;
};

/// Makes a sink findable by a pointer an FMU may pass to a callback, while it lives.
class Registration {
public:
    Registration(const void* key, std::shared_ptr<MessageSink> sink);
    ~Registration();
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;

private:
    const void* key_;
};

/// The sink a callback belongs to: registered under `key`, else that of the call this thread is in,
/// else the one with that instance name, else the only one. Null if there is none.
std::shared_ptr<MessageSink> find_sink(const void* key, const char* instance_name);

/// What a callback does. FMUs cannot take exceptions; a message that cannot be delivered is lost.
template <class Action>
void contained(const Action& action) noexcept {
    try {
        action();
    } catch (...) {
    }
}

/// A message that came through a logger; goes to Tandem's log if nobody is found to take it.
void deliver(const void* key, const char* instance_name, Status status, const char* category,
             std::string text);
/// The text of a printf-like message.
std::string formatted(const char* format, std::va_list arguments);

}  // namespace tandem::fmi
