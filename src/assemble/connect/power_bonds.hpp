#pragma once

#include <vector>

#include "core/member.hpp"
#include "core/system.hpp"
#include "description/flatten.hpp"
#include "record/run_record.hpp"
#include "stepsize/step_control.hpp"

namespace tandem::assemble {

/// The links that bonds have become; bonds inside a group are none any more. `connections` are
/// those that the bonds count.
std::vector<stepsize::PowerBond> power_bonds(const std::vector<description::FlatBond>& bonds,
                                             const std::vector<ConnectionRecord>& connections,
                                             const std::vector<Member>& members,
                                             const System& system);

}  // namespace tandem::assemble
