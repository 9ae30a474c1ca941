#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "files/temporary_folder.hpp"
#include "files/zip.hpp"
#include "support/program.hpp"
#include "support/zip_surgery.hpp"

namespace tandem::test {

/// A folder in which the program runs as a process of its own, with run.json and said.txt; its
/// temporary folders go into it, too.
class ProgramFolder {
public:
    ProgramFolder() { std::filesystem::create_directory(folder_.path() / "tmp"); }

    pid_t start(const std::vector<std::string>& arguments) const {
        setenv("TMPDIR", "tmp", 1);
        const pid_t child = test::start_tandem(folder_.path(), arguments);
        unsetenv("TMPDIR");
        return child;
    }

    std::filesystem::path operator/(const std::string& name) const { return folder_.path() / name; }
    std::string said() const { return read_bytes(folder_.path() / "said.txt"); }
    nlohmann::json record() const {
        return nlohmann::json::parse(read_bytes(folder_.path() / "run.json"));
    }
    std::vector<std::string> temporary_folders() const {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "tmp"))
            names.push_back(entry.path().filename());
        return names;
    }

private:
    TemporaryFolder folder_;
};

/// An FMU of FMI 2.0 around a library of tests/support/fmus, for Co-Simulation with one output.
inline void write_small_fmu(const std::filesystem::path& file, const std::string& identifier,
                            const std::string& library) {
    const std::string description = fmt::format(
        R"xml(<?xml version="1.0"?>
<fmiModelDescription fmiVersion="2.0" modelName="{0}" guid="{0}" numberOfEventIndicators="0">
  <CoSimulation modelIdentifier="{0}" canHandleVariableCommunicationStepSize="true"/>
  <ModelVariables>
    <ScalarVariable name="y" valueReference="1" causality="output"><Real/></ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs><Unknown index="1"/></Outputs></ModelStructure>
</fmiModelDescription>)xml",
        identifier);
    write_zip(file, {{"modelDescription.xml", description, {}},
                     {"binaries/linux64/" + identifier + ".so",
                      read_bytes(TANDEM_ODD_FMUS "/" + library + ".so"),
                      {}}});
}

}  // namespace tandem::test
