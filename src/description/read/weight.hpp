#pragma once

#include <cstddef>

#include "description/description.hpp"

namespace tandem::description {

/// About how many bytes of memory one use of what a system itself holds takes when the system is
/// made flat: its connectors, connections, values, expressions. Without subsystems and nested
/// systems, which are counted one by one.
std::size_t weight_of(const NestedSystem& system);
/// Likewise of a subsystem.
std::size_t weight_of(const SubsystemDescription& subsystem);

}  // namespace tandem::description
