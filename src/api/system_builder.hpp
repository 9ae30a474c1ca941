#pragma once

#include <map>
#include <string>

#include "description/description.hpp"
#include "tandem/simulation.hpp"

namespace tandem {

/// "name=value" of each.
std::vector<std::string> option_texts(
    const std::vector<std::pair<std::string, std::string>>& options);

struct SystemBuilder::Parts {
    description::SystemDescription description;
    std::map<std::string, kit::ModelClass> models;
    Diagnostics findings;
    std::vector<std::string> coupling_options;  ///< name=value

    /// Reads the sections of a system file, which `place` gave.
    void read(description::Setting root, const description::Place& place);
};

}  // namespace tandem
