#pragma once

#include <string_view>

namespace tandem {

enum class LogLevel { debug, info, warning, error, off };

/// Messages below this level are dropped. The default is `warning`.
void set_log_level(LogLevel level);
bool logs(LogLevel level);

/// One line on stderr: "warning: text". Safe from any thread.
void log(LogLevel level, std::string_view text);

}  // namespace tandem
