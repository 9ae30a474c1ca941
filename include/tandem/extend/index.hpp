#pragma once

#include <cstddef>

namespace tandem {

/// Ports, states and subsystems are counted in int, containers in size_t.
constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

}  // namespace tandem
