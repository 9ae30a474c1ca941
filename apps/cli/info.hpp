#pragma once

#include <string>
#include <vector>

#include "fmi/import/fmu.hpp"

namespace tandem::cli {

/// The platforms the FMU has binaries for: the names of its folders below binaries/.
std::vector<std::string> platforms_of(const fmi::Fmu& fmu);

/// The files of its folder sources.
std::vector<std::string> sources_of(const fmi::Fmu& fmu);

/// The whole description as JSON.
std::string info_as_json(const fmi::Fmu& fmu);

/// The description as tables for people; long lists are cut unless `all`.
std::string info_as_text(const fmi::Fmu& fmu, bool all);

}  // namespace tandem::cli
