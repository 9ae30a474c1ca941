#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files/temporary_folder.hpp"
#include "fmi/description/model_description.hpp"
#include "fmi/sources/build_plan.hpp"
#include "process/foreign_call.hpp"

namespace tandem::fmi {

/// The folder below binaries/ with the libraries for this platform.
const char* platform_folder(Version version);

/// The shared library of one kind of an FMU, loaded. Its symbols are visible to nobody else.
class Library {
public:
    /// Loads the binary of `kind` from the unpacked FMU in `folder`. `place` names the FMU in
    /// messages. Where there is none for this platform, but sources, it is compiled from these.
    /// Throws InputError if there is neither, if it cannot be compiled or loaded, or if it lacks a
    /// function without which no simulation is possible.
    Library(const std::filesystem::path& folder, const ModelDescription& description, Kind kind,
            const std::string& place);
    ~Library();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    const std::filesystem::path& path() const { return path_; }
    const std::string& place() const { return place_; }
    /// The address of an FMI function, e.g. "fmi2DoStep"; null if the library lacks it.
    void* find(const char* function) const;

    /// Functions that it calls and that nothing provides: calls of these fail.
    const std::vector<std::string>& undefined_functions() const { return undefined_; }

    /// To be held as long as an instance lives. Throws InputError if another one lives and the FMU
    /// can be instantiated only once per process.
    std::shared_ptr<void> claim();
    /// Never unload: after a fatal status the FMU's own clean-up code cannot be trusted either.
    void leave_loaded() { leave_loaded_ = true; }

private:
    void compile(const SourceFmu& fmu);
    void load();
    void check_required(Version version, Kind kind) const;

    std::string place_;
    SharedBlock shared_place_;
    std::string prefix_;  ///< "<modelIdentifier>_"
    bool only_once_;
    std::optional<TemporaryFolder> compiled_;  ///< where the library is if it came of sources
    std::filesystem::path path_;
    void* handle_ = nullptr;
    std::vector<std::string> undefined_;
    std::optional<ForeignCode> code_;
    bool leave_loaded_ = false;
};

}  // namespace tandem::fmi
