#include "foreign/read.hpp"

#include <fmt/format.h>

#include "foreign/maestro.hpp"
#include "foreign/master_sim.hpp"
#include "foreign/osp.hpp"

namespace tandem::foreign {
namespace {

namespace fs = std::filesystem;

System read_file_of_tool(const fs::path& file, const fs::path& config, Models& models) {
    const std::string ending = file.extension().string();
    if (!config.empty() && ending != ".json")
        throw InputError(config.string(), "only multi-models of maestro have a configuration",
                         "leave --config out");
    if (ending == ".xml") return read_osp(file, models);
    if (ending == ".msim") return read_master_sim(file, models);
    if (ending == ".json") return read_maestro(file, config);
    const bool is_ours =
        ending == ".toml" || ending == ".ssp" || ending == ".ssd" || ending == ".fmu";
    throw InputError(file.string(), "is no system of another tool",
                     is_ours ? "Tandem reads it as it is: tandem run, tandem check"
                             : "give an OspSystemStructure.xml, a .msim of MasterSim, or a "
                               "multi-model of maestro (.json)");
}

}  // namespace

System read_system(const Source& source, const ModelReader& reader) {
    std::error_code failed;
    fs::path file = source.file;
    if (fs::is_directory(file, failed)) {
        file /= "OspSystemStructure.xml";
        if (!fs::is_regular_file(file, failed))
            throw InputError(source.file.string(), "is a folder without OspSystemStructure.xml",
                             "give the file of the system");
    }
    Models models(reader);
    System system = read_file_of_tool(file, source.config, models);
    fit_to_models(system, models);
    return system;
}

}  // namespace tandem::foreign
