#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// True if `name` matches the glob `pattern`: * stands for any text, ? for one character. All other
/// characters, [] included (they are parts of names), stand for themselves.
bool matches(std::string_view pattern, std::string_view name);

/// The name most like `name`, or an empty text if none is similar.
std::string closest(std::string_view name, const std::vector<std::string>& candidates);

/// "did you mean 'x'?" or, when nothing is similar, `otherwise`.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates,
                         const std::string& otherwise);

}  // namespace tandem
