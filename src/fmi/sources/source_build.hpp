#pragma once

#include <filesystem>
#include <string>

#include "fmi/sources/build_plan.hpp"
#include "fmi/sources/compiler.hpp"

namespace tandem::fmi {

/// A library made of the sources of an FMU, kept for the next time in $XDG_CACHE_HOME/tandem (or
/// ~/.cache/tandem) under the SHA-256 of files, compiler and options.
class SourceBuild {
public:
    /// Throws InputError if the sources cannot be compiled or there is no compiler.
    explicit SourceBuild(const SourceFmu& fmu);

    bool is_kept() const;
    /// "compiled from its sources by cc, kept in /home/me/.cache/tandem"
    std::string origin() const;
    /// Writes the library to the new file `target`, compiling it unless it is kept. Throws
    /// InputError.
    void write(const std::filesystem::path& target) const;

private:
    void keep(const std::filesystem::path& library) const;

    std::filesystem::path folder_;
    BuildPlan plan_;
    Compiler compiler_;
    std::filesystem::path kept_;  ///< empty where nothing can be kept
};

}  // namespace tandem::fmi
