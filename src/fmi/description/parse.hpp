#pragma once

#include <string>
#include <string_view>

#include "fmi/description/model_description.hpp"
#include "tandem/error.hpp"

namespace tandem::fmi {

/// Reads modelDescription.xml of FMI 1.0, 2.0 or 3.0. `place` names the file in messages.
/// Throws InputError for what makes the FMU unusable; appends everything else, with line numbers,
/// to `findings` (semantic slips of real FMUs are warnings).
ModelDescription parse_model_description(std::string_view xml, const std::string& place,
                                         Diagnostics& findings);

}  // namespace tandem::fmi
