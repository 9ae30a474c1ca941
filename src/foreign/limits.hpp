#pragma once

#include <cstdint>

namespace tandem::foreign {

/// As of our own system files.
inline constexpr std::uint64_t largest_file = std::uint64_t{64} << 20U;

}  // namespace tandem::foreign
