#pragma once

#include <string>
#include <vector>

#include "tandem/extend/system.hpp"

namespace tandem {

/// Where a subsystem of the file is now: alone in the System, or a member of a group.
struct Member {
    std::string name;
    Variables* variables = nullptr;
    int place = 0;       ///< the subsystem of the System
    std::string prefix;  ///< of its ports there; empty if it is alone
};

/// Those of a system in which each subsystem is alone.
std::vector<Member> members_alone(System& system);

}  // namespace tandem
