#pragma once

#include <string>

#include "description/read/read_context.hpp"

namespace tandem::description {

/// Unpacks a package and reads its SystemStructure.ssd, or the description that the fragment names.
/// Throws InputError if the package cannot be opened.
SystemDescription read_package(const SourceFile& source, const std::string& shown,
                               ReadContext& context);

}  // namespace tandem::description
