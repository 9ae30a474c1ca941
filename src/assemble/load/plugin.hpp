#pragma once

#include <filesystem>
#include <string>

namespace tandem::assemble {

/// Loads a plug-in, once, and adds its rows to the registries; it stays until the process ends.
/// InputError at `place` if it is none, was built for another version, or adds a name that is
/// taken.
void load_plugin(const std::filesystem::path& path, const std::string& place);

}  // namespace tandem::assemble
