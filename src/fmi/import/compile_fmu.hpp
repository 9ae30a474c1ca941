#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fmi/import/fmu.hpp"

namespace tandem::fmi {

/// Writes a copy of the FMU whose libraries for this platform are made of its sources. Returns the
/// names of these files in it. Throws InputError if it has no sources, or if they do not compile.
std::vector<std::string> compile_fmu(const Fmu& fmu, const std::filesystem::path& output);

}  // namespace tandem::fmi
