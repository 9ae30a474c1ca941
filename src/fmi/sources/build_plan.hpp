#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fmi/description/model_description.hpp"

namespace tandem::fmi {

/// An unpacked FMU, and which of its libraries is to be made.
struct SourceFmu {
    std::filesystem::path folder;  ///< absolute
    const ModelDescription& description;
    std::string identifier;  ///< modelIdentifier of the library
    std::string place;       ///< names the FMU in messages
};

/// Files that are compiled alike.
struct SourceSet {
    std::vector<std::filesystem::path> files;
    std::vector<std::filesystem::path> include_folders;
    std::vector<std::string> definitions;  ///< NAME or NAME=VALUE
    bool is_all_cpp = false;               ///< whatever the files end in
};

/// How a library is made of the sources of an FMU. All paths are absolute, so that no name of a
/// file can be taken for an option, and below the folder `sources`.
struct BuildPlan {
    std::vector<SourceSet> sets;
    std::vector<std::string> libraries;  ///< as after -l
};

/// Whether the unpacked FMU has a folder of sources.
bool has_sources(const std::filesystem::path& folder);

/// By sources/buildDescription.xml (FMI 3.0), or by the list in modelDescription.xml; without
/// either the file all.c, which by convention includes the others, or else all files directly in
/// `sources`. Throws InputError for what cannot be compiled or must not be.
BuildPlan plan_build(const SourceFmu& fmu);

bool is_c(const std::filesystem::path& file);
bool is_cpp(const std::filesystem::path& file);

}  // namespace tandem::fmi
