#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "foreign/models.hpp"
#include "foreign/system.hpp"

namespace tandem::foreign {

/// A project of MasterSim (.msim) as its lines say it.
struct MasterSimProject {
    struct Entry {
        std::string value;
        Place place;
    };
    struct Simulator {
        std::int64_t cycle = 0;
        std::string name, path;
        Place place;
    };
    /// input = offset + factor * output
    struct Edge {
        Port from, to;
        double offset = 0.0, factor = 1.0;
        Place place;
    };
    struct Parameter {
        Port variable;
        std::string value;
        Place place;
    };

    std::map<std::string, Entry, std::less<>> options;  ///< tStart, MasterMode ...
    std::vector<Simulator> simulators;
    std::vector<Edge> edges;
    std::vector<Parameter> parameters;
};

/// Throws InputError, with the line, for what is not a project.
MasterSimProject parse_master_sim(std::string_view text, const std::string& place);

System read_master_sim(const std::filesystem::path& file, Models& models);

}  // namespace tandem::foreign
