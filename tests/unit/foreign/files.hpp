#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "files/temporary_folder.hpp"
#include "foreign/read.hpp"
#include "foreign/write.hpp"

namespace tandem::foreign {

/// A folder of files for one test, and FMUs that are nothing but a description.
class Files {
public:
    void write(const std::string& name, const std::string& text) const {
        const std::filesystem::path path = folder_.path() / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << text;
    }
    std::filesystem::path operator/(const std::string& name) const { return folder_.path() / name; }

    /// An FMU of that model name with outputs y, y2, inputs u, u2 and parameters of every type.
    void add_model(const std::string& file, const std::string& model) {
        write(file, "");
        ModelFacts facts;
        facts.name = model;
        for (const char* name : {"y", "y2"}) {
            facts.variables[name].is_output = true;
            facts.variables[name].why_not_settable = "is calculated by the FMU";
        }
        for (const char* name : {"u", "u2"}) facts.variables[name].is_input = true;
        facts.variables["k"] = {};
        facts.variables["n"].type = ValueType::int32;
        facts.variables["on"].type = ValueType::boolean;
        facts.variables["label"].type = ValueType::string;
        models_[(folder_.path() / file).string()] = facts;
    }
    ModelFacts& model(const std::string& file) { return models_[(folder_.path() / file).string()]; }

    System read(const std::string& name, const std::string& config = {}) const {
        const auto reader = [this](const std::filesystem::path& path) {
            const auto found = models_.find(path.string());
            if (found == models_.end()) throw InputError(path.string(), "is not there");
            return found->second;
        };
        return read_system({folder_.path() / name, config.empty() ? "" : folder_.path() / config},
                           reader);
    }
    /// The system file without the path of the folder in it.
    std::string text(const std::string& name, const std::string& config = {}) const {
        return plain(system_file_text(read(name, config), folder_.path()));
    }
    /// The sentence with which a file is refused.
    std::string refusal(const std::string& name) const {
        try {
            read(name);
        } catch (const InputError& error) {
            return plain(error.what());
        }
        return "not refused";
    }
    std::string notes(const System& system) const {
        std::string all;
        for (const Diagnostic& note : system.notes)
            all += sentence(note.place, note.problem, note.hint) + "\n";
        return plain(all);
    }

private:
    std::string plain(std::string text) const {
        const std::string prefix = folder_.path().string() + "/";
        for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
            text.erase(at, prefix.size());
        return text;
    }

    TemporaryFolder folder_;
    std::map<std::string, ModelFacts> models_;
};

}  // namespace tandem::foreign
