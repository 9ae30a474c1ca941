#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "description/flatten.hpp"
#include "description/read/read.hpp"
#include "files/temporary_folder.hpp"

namespace tandem::description {

/// A folder of files for one test.
class Files {
public:
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        const std::filesystem::path path = folder_.path() / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }
    std::filesystem::path operator/(const std::string& name) const { return folder_.path() / name; }

    /// All sentences of reading and flattening, without the path of the folder.
    std::string problems(const std::string& name, Severity severity = Severity::error) const {
        Diagnostics findings;
        const SystemDescription description = read_system(folder_.path() / name, findings);
        flatten(description, findings, {false});
        std::string text;
        for (const Diagnostic& finding : findings)
            if (finding.severity == severity)
                text += sentence(finding.place, finding.problem, finding.hint) + "\n";
        const std::string prefix = folder_.path().string() + "/";
        for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
            text.erase(at, prefix.size());
        return text;
    }

    /// Reads and flattens without looking for FMUs; throws if anything is wrong.
    FlatSystem flat(const std::string& name) const {
        Diagnostics findings;
        const SystemDescription description = read_system(folder_.path() / name, findings);
        FlatSystem system = flatten(description, findings, {false});
        throw_errors(findings);
        return system;
    }

private:
    TemporaryFolder folder_;
};

inline const FlatParameter* parameter(const FlatSystem& system, const std::string& subsystem,
                                      const std::string& variable) {
    const auto index = system.find(subsystem);
    if (!index) return nullptr;
    for (const FlatParameter& parameter : system.subsystems[*index].parameters)
        if (parameter.variable == variable) return &parameter;
    return nullptr;
}

inline double real_parameter(const FlatSystem& system, const std::string& subsystem,
                             const std::string& variable) {
    const FlatParameter* found = parameter(system, subsystem, variable);
    if (found == nullptr) return -1e300;
    return found->value.type == ValueType::float64
               ? found->value.values.reals.at(0)
               : static_cast<double>(found->value.values.integers.at(0));
}

inline std::vector<std::string> connection_texts(const FlatSystem& system) {
    std::vector<std::string> texts;
    for (const FlatConnection& connection : system.connections) texts.push_back(connection.text);
    return texts;
}

}  // namespace tandem::description
