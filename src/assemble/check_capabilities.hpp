#pragma once

#include <string>
#include <vector>

#include "tandem/error.hpp"
#include "tandem/extend/subsystem.hpp"

namespace tandem::assemble {

/// What a subsystem can do and is to do, and where it is described.
struct Ability {
    std::string subsystem;
    std::string place;
    Capabilities can;
    Capabilities needed;
};

/// Every subsystem that cannot do what `whose`, like "coupling 'iterative'", needs of it becomes an
/// error.
void check_capabilities(const std::vector<Ability>& abilities, const std::string& whose,
                        const std::string& hint, Diagnostics& findings);

}  // namespace tandem::assemble
