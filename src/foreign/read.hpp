#pragma once

#include <filesystem>

#include "foreign/models.hpp"
#include "foreign/system.hpp"

namespace tandem::foreign {

struct Source {
    std::filesystem::path file;    ///< or the folder that holds it
    std::filesystem::path config;  ///< maestro: the co-simulation configuration; may be empty
};

/// The system that a file of another tool describes, made to fit its FMUs: OspSystemStructure.xml
/// of the Open Simulation Platform, .msim of MasterSim, the multi-model of maestro in JSON. Throws
/// InputError for anything else.
System read_system(const Source& source, const ModelReader& reader);

}  // namespace tandem::foreign
