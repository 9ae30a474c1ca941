#include "base/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

#include "base/visible.hpp"

namespace tandem {
namespace {

spdlog::level::level_enum spdlog_level(LogLevel level) {
    switch (level) {
        case LogLevel::debug: return spdlog::level::debug;
        case LogLevel::info: return spdlog::level::info;
        case LogLevel::warning: return spdlog::level::warn;
        case LogLevel::error: return spdlog::level::err;
        case LogLevel::off: break;
    }
    return spdlog::level::off;
}

spdlog::logger& logger() {
    static const std::unique_ptr<spdlog::logger> instance = [] {
        auto made = std::make_unique<spdlog::logger>(
            "tandem", std::make_shared<spdlog::sinks::stderr_sink_mt>());
        made->set_pattern("%l: %v");
        made->set_level(spdlog::level::warn);
        return made;
    }();
    return *instance;
}

}  // namespace

void set_log_level(LogLevel level) { logger().set_level(spdlog_level(level)); }

bool logs(LogLevel level) { return logger().should_log(spdlog_level(level)); }

void log(LogLevel level, std::string_view text) {
    if (!logs(level)) return;
    const std::string shown = visible(text);
    logger().log(spdlog_level(level), spdlog::string_view_t(shown.data(), shown.size()));
}

}  // namespace tandem
