#pragma once

#include <cstddef>

namespace tandem::numerics {

/// Ports and states are counted in int, containers in size_t.
inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace tandem::numerics
