#include "base/duration.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tandem {

std::string duration_text(double seconds) {
    if (seconds < 60.0) return fmt::format("{:.0f} s", seconds);
    const auto whole = static_cast<long>(std::min(seconds, 3.6e12));
    if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
    return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

}  // namespace tandem
