#include "fmi/import/message_filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/log.hpp"

namespace tandem::fmi {
namespace {

/// Messages that differ in numbers only count as the same; so do long ones with the same start.
std::string without_numbers(std::string text) {
    constexpr std::size_t enough = 1000;
    text.resize(std::min(text.size(), enough));
    std::erase_if(text, [](char c) {
        return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == 'e';
    });
    return text;
}

}  // namespace

MessageFilter::~MessageFilter() {
    try {
        if (warnings_left_out_ > 0)
            log(LogLevel::warning,
                fmt::format("{}: {} further warnings, like these or beyond the first {}, were not "
                            "shown",
                            instance_, warnings_left_out_, most_warnings));
        if (lines_left_out_ > 0)
            log(LogLevel::info,
                fmt::format("{}: {} further messages were not shown; the limit is {} for each FMU",
                            instance_, lines_left_out_, most_lines));
    } catch (...) {  // there is no memory for it, and nobody to tell
    }
}

void MessageFilter::pass(Status status, const std::string& text) {
    const std::lock_guard lock(mutex_);
    const bool is_warning = status != Status::ok && status != Status::pending;
    if (is_warning && is_new(text)) {
        log(LogLevel::warning, instance_ + ": " + text);
    } else if (logs(LogLevel::info)) {
        if (lines_ < most_lines)
            ++lines_, log(LogLevel::info, instance_ + ": " + text);
        else
            ++lines_left_out_;
    } else if (is_warning) {
        ++warnings_left_out_;
    }
}

bool MessageFilter::is_new(const std::string& text) {
    return warnings_.size() < most_warnings && warnings_.insert(without_numbers(text)).second;
}

}  // namespace tandem::fmi
