#pragma once

#include <vector>

#include "core/variables.hpp"
#include "fmi/description/model_description.hpp"

namespace tandem::subsystem {

/// The variables of an FMU as its description has them; FMI 3.0 aliases come after them as
/// variables of their own.
std::vector<VariableInfo> variable_infos(const fmi::ModelDescription& description);

}  // namespace tandem::subsystem
