#include "analysis/linear_model_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "files/mat_format.hpp"
#include "files/output_error.hpp"
#include "files/whole_file.hpp"
#include "tandem/error.hpp"

namespace tandem::analysis {
namespace {

using Json = nlohmann::ordered_json;

Json variables_json(const std::vector<LinearVariable>& variables) {
    Json list = Json::array();
    for (const LinearVariable& variable : variables)
        list.push_back(
            {{"name", variable.name}, {"unit", variable.unit}, {"value", variable.value}});
    return list;
}

/// As a list of rows.
Json matrix_json(const std::vector<double>& matrix, std::size_t rows, std::size_t columns) {
    Json list = Json::array();
    for (std::size_t i = 0; i < rows; ++i) {
        Json row = Json::array();
        for (std::size_t j = 0; j < columns; ++j) row.push_back(matrix[j * rows + i]);
        list.push_back(std::move(row));
    }
    return list;
}

/// One line for each row of a matrix and each variable.
std::string lines_of(const Json& json) {
    std::vector<std::string> parts;
    for (const auto& [key, value] : json.items()) {
        std::vector<std::string> rows;
        if (value.is_array())
            for (const Json& row : value) rows.push_back(row.dump());
        parts.push_back(fmt::format(
            " \"{}\": {}", key,
            rows.empty() ? value.dump() : fmt::format("[\n  {}\n ]", fmt::join(rows, ",\n  "))));
    }
    return fmt::format("{{\n{}\n}}\n", fmt::join(parts, ",\n"));
}

std::string json_of(const LinearModel& model, const std::vector<Mode>& modes) {
    const std::size_t states = model.states.size(), inputs = model.inputs.size(),
                      outputs = model.outputs.size();
    Json json;
    json["name"] = model.name;
    json["time"] = model.t;
    json["states"] = variables_json(model.states);
    for (std::size_t i = 0; i < states; ++i) json["states"][i]["derivative"] = model.derivatives[i];
    json["inputs"] = variables_json(model.inputs);
    json["outputs"] = variables_json(model.outputs);
    json["A"] = matrix_json(model.a, states, states);
    json["B"] = matrix_json(model.b, states, inputs);
    json["C"] = matrix_json(model.c, outputs, states);
    json["D"] = matrix_json(model.d, outputs, inputs);
    for (const Mode& mode : modes)
        json["eigenvalues"].push_back({{"real", mode.eigenvalue.real()},
                                       {"imaginary", mode.eigenvalue.imag()},
                                       {"frequency", mode.frequency},
                                       {"damping", mode.damping},
                                       {"time_constant", mode.time_constant}});
    return lines_of(json);
}

void append_variables(MatFormat& out, const std::string& noun, const std::string& letter,
                      const std::vector<LinearVariable>& variables) {
    std::vector<std::string> names, units;
    std::vector<double> values;
    for (const LinearVariable& variable : variables) {
        names.push_back(variable.name);
        units.push_back(variable.unit);
        values.push_back(variable.value);
    }
    out.text_rows(noun + "s", names);
    out.text_rows(noun + "_units", units);
    out.numbers(letter, values.size(), 1, values);
}

std::string mat_of(const LinearModel& model, const std::vector<Mode>& modes) {
    const std::size_t states = model.states.size(), inputs = model.inputs.size(),
                      outputs = model.outputs.size();
    MatFormat out;
    out.numbers("A", states, states, model.a);
    out.numbers("B", states, inputs, model.b);
    out.numbers("C", outputs, states, model.c);
    out.numbers("D", outputs, inputs, model.d);
    out.numbers("t", 1, 1, std::vector{model.t});
    append_variables(out, "state", "x", model.states);
    out.numbers("dx", states, 1, model.derivatives);
    append_variables(out, "input", "u", model.inputs);
    append_variables(out, "output", "y", model.outputs);
    if (modes.empty()) return out.bytes();
    std::vector<double> parts;
    for (const Mode& mode : modes) parts.push_back(mode.eigenvalue.real());
    for (const Mode& mode : modes) parts.push_back(mode.eigenvalue.imag());
    out.complex_numbers("eigenvalues", modes.size(), parts);
    return out.bytes();
}

[[noreturn]] void refuse(const std::string& path) {
    throw InputError(path, fmt::format("cannot be written: {}", std::strerror(errno)),
                     "choose another file with --output");
}

}  // namespace

void check_linear_model_path(const std::string& path) {
    const std::filesystem::path file(path);
    if (file.extension() != ".mat" && file.extension() != ".json")
        throw InputError(path,
                         file.extension().empty()
                             ? "a linear model needs a file name with an extension"
                             : fmt::format("a linear model cannot be written as '{}'",
                                           file.extension().string()),
                         "use .mat (MATLAB, Octave, Python) or .json");
    const bool exists = ::access(path.c_str(), F_OK) == 0;
    if (exists && std::filesystem::is_directory(file)) {
        errno = EISDIR;
        refuse(path);
    }
    const std::string folder = file.has_parent_path() ? file.parent_path().string() : ".";
    if (::access(exists ? path.c_str() : folder.c_str(), W_OK) != 0) refuse(path);
}

void write_linear_model(const LinearModel& model, const std::vector<Mode>& modes,
                        const std::string& path) {
    check_linear_model_path(path);
    const std::string bytes = std::filesystem::path(path).extension() == ".mat"
                                  ? mat_of(model, modes)
                                  : json_of(model, modes);
    try {
        write_whole_file(path, "choose another file with --output", bytes);
    } catch (const InputError& error) {
        throw OutputError(error.what());  // the path itself was in order
    }
}

}  // namespace tandem::analysis
