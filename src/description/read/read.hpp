#pragma once

#include <filesystem>

#include "description/description.hpp"

namespace tandem::description {

/// Reads a system file (.toml), a system structure description (.ssd), a package (.ssp), or a
/// folder that holds a SystemStructure.ssd, with all files they refer to except FMUs, libraries and
/// tables. All problems become findings; the result holds what could be understood.
SystemDescription read_system(const std::filesystem::path& file, Diagnostics& findings);

/// The same, but throws InputErrors if there is any error; warnings are in the result's findings.
SystemDescription read_system(const std::filesystem::path& file);

/// True if read_system is the way to open this: judged by the ending, or the content of a folder.
bool is_system_file(const std::filesystem::path& file);

}  // namespace tandem::description
