#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foreign/models.hpp"
#include "foreign/system.hpp"

namespace tandem::foreign {

/// OspSystemStructure.xml as it is written.
struct OspStructure {
    struct Simulator {
        std::string name, source;
        std::optional<double> step_size;
        std::vector<Setting> initial_values;
        Place place;
    };
    struct Function {
        enum class Kind { linear, sum, vector_sum };
        Kind kind = Kind::linear;
        std::string name;
        double factor = 1.0, offset = 0.0;
        std::int64_t inputs = 1, dimension = 1;
        Place place;
    };
    /// A variable or group of a simulator, or a signal of a function.
    struct End {
        bool is_function = false;
        std::string owner, name;
    };
    struct Connection {
        bool is_group = false;
        End first, second;
        std::string bond;
        Place place;
    };

    std::optional<double> start, end;
    double base_step = 0.1;
    std::string algorithm = "fixedStep";
    Place algorithm_place;
    std::map<std::string, double> ecco;  ///< EccoConfiguration
    std::vector<Simulator> simulators;
    std::vector<Function> functions;
    std::vector<Connection> connections;
    Diagnostics ignored;  ///< elements that are not known
};

/// A group of OspModelDescription.xml: variables, and groups inside it, in their order.
struct OspGroup {
    std::string name;
    std::vector<std::string> variables;
    std::vector<OspGroup> groups;
};

/// Throw InputError with the line.
OspStructure parse_osp_structure(std::string_view text, const std::string& place);
std::vector<OspGroup> parse_osp_groups(std::string_view text, const std::string& place);

System read_osp(const std::filesystem::path& file, Models& models);

}  // namespace tandem::foreign
