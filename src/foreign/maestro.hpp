#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "foreign/json_text.hpp"
#include "foreign/system.hpp"

namespace tandem::foreign {

/// A multi-model of maestro with its co-simulation configuration as the files say it.
struct MaestroModel {
    /// "{key}.instance.variable"
    struct Name {
        std::string key, instance, variable;
    };
    struct Fmu {
        std::string key, path;
        Place place;
    };
    struct Connection {
        Name from, to;
        Place place;
    };
    struct Parameter {
        Name name;
        Setting value;
    };

    std::vector<Fmu> fmus;
    std::vector<Connection> connections;
    std::vector<Parameter> parameters;
    std::vector<Name> logged;
    std::optional<double> start, end, step;
    std::string algorithm = "fixed-step";
    Place algorithm_place;
    bool is_parallel = false, stabilises = false;
    double relative_tolerance = 0.01;
    Diagnostics notes;
};

/// `config` may be null; what it says comes before what the multi-model says. Throws InputError.
MaestroModel parse_maestro(const JsonText& model, const JsonText* config);

/// Without a configuration the one beside the multi-model is taken, if there is just one.
System read_maestro(const std::filesystem::path& file, const std::filesystem::path& config);

}  // namespace tandem::foreign
