#pragma once

#include <filesystem>

#include "description/description.hpp"
#include "description/known_types.hpp"

namespace tandem::description {

/// Writes a package that any SSP tool opens: SystemStructure.ssd, and below resources/ the FMUs,
/// libraries, tables and parameter files. Files of nested systems become nested systems of the one
/// description; what SSP has no words for goes into vendor annotations. Throws InputError if a
/// source is missing or the package cannot be written.
/// `lookup` gives values and connectors of hand-written files the types of their variables.
void write_ssp(const SystemDescription& description, const std::filesystem::path& path,
               const VariableLookup& lookup = {});

}  // namespace tandem::description
