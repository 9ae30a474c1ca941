#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "core/subsystem.hpp"

namespace tandem::run {

/// What a subsystem can do, and where it is described.
struct Ability {
    std::string subsystem;
    std::string place;
    Capabilities can;
};

/// Every subsystem that cannot do what the coupling `method` needs becomes an error.
void check_capabilities(const Capabilities& needs, const std::string& method,
                        const std::vector<Ability>& abilities, Diagnostics& findings);

}  // namespace tandem::run
