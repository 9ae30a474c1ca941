#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/system.hpp"
#include "core/typed_links.hpp"

namespace tandem::run {

/// What feeds what, by positions among all ports of all subsystems.
struct PortLinks {
    std::vector<Link> links;
    std::vector<FunctionLink> functions;
    std::vector<TypedLink> typed;
};

enum class FreeInputs { drop, keep };

/// Tells each subsystem which of its ports are connected, and renumbers the links accordingly.
/// Inputs that nothing feeds are kept for somebody who sets them, or dropped.
void select_connected_ports(std::span<const std::unique_ptr<Subsystem>> subsystems,
                            FreeInputs free_inputs, PortLinks& connected);

}  // namespace tandem::run
