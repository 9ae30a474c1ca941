#include "fmi/import/messages.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/log.hpp"
#include "process/emergency.hpp"

namespace tandem::fmi {
namespace {

constexpr std::size_t recent_limit = 5;
constexpr std::size_t text_limit = 64 * 1024;

struct Registry {
    std::mutex mutex;
    std::unordered_map<const void*, std::shared_ptr<MessageSink>> sinks;
};

Registry& registry() {
    static Registry instance;
    return instance;
}

LogLevel level_of(Status status) {
    switch (status) {
        case Status::ok:
        case Status::pending: return LogLevel::info;
        case Status::warning:
        case Status::discard: return LogLevel::warning;
        default: return LogLevel::error;
    }
}

bool matches(char letter, ValueType type) {
    switch (letter) {
        case 'r': return type == ValueType::float64;
        case 'i': return type == ValueType::int32 || type == ValueType::enumeration;
        case 'b': return type == ValueType::boolean;
        case 's': return type == ValueType::string;
        default: return false;
    }
}

const Variable* variable_of(const ModelDescription& description, char letter,
                            ValueReference reference) {
    for (const Variable& variable : description.variables)
        if (variable.reference == reference && matches(letter, variable.type)) return &variable;
    return nullptr;
}

/// Whether a format has `%n`, which would write through a pointer the FMU may not have passed;
/// flags, width, precision and length may stand between.
bool writes(std::string_view format) {
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%') continue;
        i = format.find_first_not_of("-+ #0123456789'*$.hlLqjzt", i + 1);
        if (i == std::string_view::npos) return false;
        if (format[i] == 'n') return true;
    }
    return false;
}

/// Lines after the first are set apart, so that none of them looks like a message of Tandem.
std::string indented(const std::string& text) {
    std::string result;
    for (const char c : text) {
        result += c;
        if (c == '\n') result += "    ";
    }
    return result;
}

}  // namespace

std::string_view to_string(Status status) {
    switch (status) {
        case Status::ok: return "OK";
        case Status::warning: return "Warning";
        case Status::discard: return "Discard";
        case Status::error: return "Error";
        case Status::fatal: return "Fatal";
        case Status::pending: return "Pending";
    }
    return "unknown";
}

MessageSink::MessageSink(const ModelDescription& description, const InstanceOptions& options)
    : description_(description),
      name_(options.name),
      on_message_(options.on_message),
      on_intermediate_(options.on_intermediate),
      filter_(options.name) {}

void MessageSink::message(Status status, const char* category, std::string text) {
    if (muted_) return;
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
    if (description_.version != Version::v3) text = with_names(text);
    const std::string category_text = category ? category : "";
    {
        const std::lock_guard lock(mutex_);
        if (recent_.size() == recent_limit) recent_.pop_front();
        recent_.push_back(indented(text));
    }
    try {
        if (on_message_)
            on_message_(status, category_text, text);
        else
            filter_.pass(status, indented(text));
    } catch (...) {
        keep(std::current_exception());
    }
}

void MessageSink::step_finished(Status status) {
    {
        const std::lock_guard lock(mutex_);
        step_status_ = status;
        is_finished_ = true;
    }
    finished_.notify_all();
}

bool MessageSink::intermediate(const IntermediatePoint& point) noexcept {
    try {
        return on_intermediate_ && on_intermediate_(point);
    } catch (...) {
        keep(std::current_exception());
        return true;
    }
}

std::optional<Status> MessageSink::wait_for_step(std::chrono::microseconds limit) {
    std::unique_lock lock(mutex_);
    finished_.wait_for(lock, limit, [&] { return step_status_.has_value(); });
    return step_status_;
}

void MessageSink::forget_finished_step() {
    const std::lock_guard lock(mutex_);
    is_finished_ = false;
    step_status_.reset();
}

std::vector<std::string> MessageSink::recent() const {
    const std::lock_guard lock(mutex_);
    return {recent_.begin(), recent_.end()};
}

void MessageSink::keep(std::exception_ptr exception) {
    const std::lock_guard lock(mutex_);
    if (!exception_) exception_ = std::move(exception);
    has_exception_ = true;
}

void MessageSink::rethrow_kept() {
    std::exception_ptr exception;
    {
        const std::lock_guard lock(mutex_);
        exception = std::exchange(exception_, nullptr);
        has_exception_ = false;
    }
    if (exception) std::rethrow_exception(exception);
}

std::string MessageSink::with_names(const std::string& text) const {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::size_t end = text[i] == '#' ? text.find('#', i + 1) : std::string::npos;
        if (end == std::string::npos) {
            result += text[i];
            continue;
        }
        if (end == i + 1) {
            result += '#';
            i = end;
            continue;
        }
        const std::string digits = text.substr(i + 2, end - i - 2);
        const bool number = !digits.empty() && digits.size() <= 10 &&
                            digits.find_first_not_of("0123456789") == std::string::npos;
        const Variable* variable =
            number ? variable_of(description_, text[i + 1],
                                 static_cast<ValueReference>(std::stoull(digits)))
                   : nullptr;
        if (variable) {
            result += variable->name;
            i = end;
        } else {
            result += '#';
        }
    }
    return result;
}

Registration::Registration(const void* key, std::shared_ptr<MessageSink> sink) : key_(key) {
    const std::lock_guard lock(registry().mutex);
    registry().sinks.insert_or_assign(key, std::move(sink));
}

Registration::~Registration() {
    const std::lock_guard lock(registry().mutex);
    registry().sinks.erase(key_);
}

std::shared_ptr<MessageSink> find_sink(const void* key, const char* instance_name) {
    {
        const std::lock_guard lock(registry().mutex);
        const auto& sinks = registry().sinks;
        if (const auto found = sinks.find(key); found != sinks.end()) return found->second;
    }
    if (auto* current = static_cast<MessageSink*>(foreign_call_owner()))
        return current->shared_from_this();
    const std::lock_guard lock(registry().mutex);
    const auto& sinks = registry().sinks;
    if (instance_name)
        for (const auto& [other, sink] : sinks)
            if (sink->name() == instance_name) return sink;
    return sinks.size() == 1 ? sinks.begin()->second : nullptr;
}

void deliver(const void* key, const char* instance_name, Status status, const char* category,
             std::string text) {
    if (const auto sink = find_sink(key, instance_name)) {
        sink->message(status, category, std::move(text));
        return;
    }
    log(level_of(status), std::string(instance_name ? instance_name : "an FMU") + ": " + text);
}

std::string formatted(const char* format, std::va_list arguments) {
    if (!format) return {};
    const std::string_view view(format);
    if (view.find('%') == std::string_view::npos || writes(view)) return std::string(view);
    std::va_list copy;
    va_copy(copy, arguments);
    const int length = std::vsnprintf(nullptr, 0, format, copy);
    va_end(copy);
    if (length < 0) return std::string(view);
    std::string text(std::min<std::size_t>(static_cast<std::size_t>(length), text_limit) + 1, '\0');
    std::vsnprintf(text.data(), text.size(), format, arguments);
    text.pop_back();
    return text;
}

}  // namespace tandem::fmi
