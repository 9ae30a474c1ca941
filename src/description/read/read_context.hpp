#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "description/description.hpp"

namespace tandem::description {

/// Systems inside systems, in one file or through several.
inline constexpr std::size_t deepest_nesting = 50;
/// One file of a description: a system, values, a mapping, a dictionary.
inline constexpr std::uint64_t largest_description = std::uint64_t{64} << 20U;

/// A system that a source refers to, and how deep it nests systems itself.
struct ReadSystem {
    std::shared_ptr<const SystemDescription> description;  ///< null: it cannot be read
    std::size_t height = 0;
};

/// Shared by the readers of one system and of all files it refers to.
struct ReadContext {
    Diagnostics findings;
    std::vector<DescriptionFile> files;  ///< read so far, each once
    std::vector<PluginFile> plugins;     ///< likewise
    std::vector<std::string> chain;      ///< the systems being read, outermost first
    std::map<std::string, ReadSystem> systems;
    std::size_t depth = 0;          ///< of the system that is being read, inside the outermost
    std::size_t height = 0;         ///< of the deepest system below the file that is being read
    std::size_t bytes = 0;          ///< of the file that is being read and of what it names
    std::filesystem::path package;  ///< the unpacked package that files must not leave, if any
    std::string package_name;       ///< as the user knows it

    /// A file as messages name it: one of a package by its place in the package.
    std::string shown(const std::filesystem::path& file) const;
    void note(const std::filesystem::path& file);
};

/// While it lives, a system one level deeper is being read.
class DeeperSystem {
public:
    /// Reports at `place` if that is too deep: then it must not be read.
    DeeperSystem(const Place& place, ReadContext& context);
    ~DeeperSystem() { --context_.depth; }
    DeeperSystem(const DeeperSystem&) = delete;
    DeeperSystem& operator=(const DeeperSystem&) = delete;

    explicit operator bool() const { return context_.depth <= deepest_nesting; }

private:
    ReadContext& context_;
};

/// The sentence for systems that nest too deep.
void report_nesting(const Place& place, Diagnostics& findings);

/// What a `source` refers to.
struct SourceFile {
    std::filesystem::path path;  ///< absolute; empty: the same file
    std::string fragment;
};

/// A path or relative URI, seen from `folder`. Reports what cannot be opened as a file.
std::optional<SourceFile> resolve_source(std::string_view source,
                                         const std::filesystem::path& folder, const Place& place,
                                         ReadContext& context);

/// By the ending, or what a folder holds; nothing if neither says it.
std::optional<SourceType> source_type_of(const std::filesystem::path& path);

/// The system a subsystem refers to; null (and a report) if it cannot be read or contains itself.
std::shared_ptr<const SystemDescription> read_nested(const SourceFile& source, const Place& place,
                                                     ReadContext& context);

struct TextFile {
    std::filesystem::path path;
    std::string shown;  ///< as messages call it
    std::string text;
};

/// The whole file. Reports it and returns nothing if it cannot be read.
std::optional<TextFile> read_text(const std::filesystem::path& path, const Place& place,
                                  ReadContext& context);

}  // namespace tandem::description
