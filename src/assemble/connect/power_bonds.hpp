#pragma once

#include <vector>

#include "core/member.hpp"
#include "description/flatten.hpp"
#include "record/run_record.hpp"
#include "tandem/extend/step_control.hpp"
#include "tandem/extend/system.hpp"

namespace tandem::assemble {

/// The links that bonds have become; bonds inside a group are none any more. `connections` are
/// those that the bonds count.
std::vector<stepsize::PowerBond> power_bonds(const std::vector<description::FlatBond>& bonds,
                                             const std::vector<ConnectionRecord>& connections,
                                             const std::vector<Member>& members,
                                             const System& system);

}  // namespace tandem::assemble
