#pragma once

#include <filesystem>
#include <string>

#include "foreign/system.hpp"

namespace tandem::foreign {

/// The system as the text of a system file in `folder`, with a comment for each part and the notes
/// at its head.
std::string system_file_text(const System& system, const std::filesystem::path& folder);

}  // namespace tandem::foreign
