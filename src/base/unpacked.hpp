#pragma once

#include <filesystem>
#include <string>

namespace tandem {

/// A temporary folder holds what was unpacked from `source`, as messages call it: a package, an
/// FMU.
void note_unpacked(const std::filesystem::path& folder, const std::string& source);

/// The text with the names of the sources in place of the folders, also of folders that are gone.
std::string without_temporary_folders(std::string text);

}  // namespace tandem
