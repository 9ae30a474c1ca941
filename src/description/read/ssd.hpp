#pragma once

#include <filesystem>
#include <string>

#include "description/description.hpp"
#include "description/read/read_context.hpp"

namespace tandem::description {

/// A system structure description of SSP 1.0 or 2.0; `shown` is how messages call the file.
/// Throws InputError if it is not XML.
SystemDescription read_ssd(const std::filesystem::path& file, const std::string& shown,
                           ReadContext& context);

}  // namespace tandem::description
