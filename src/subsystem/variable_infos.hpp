#pragma once

#include <vector>

#include "fmi/description/model_description.hpp"
#include "tandem/extend/variables.hpp"

namespace tandem::subsystem {

/// The variables of an FMU as its description has them; FMI 3.0 aliases come after them as
/// variables of their own.
std::vector<VariableInfo> variable_infos(const fmi::ModelDescription& description);

}  // namespace tandem::subsystem
