#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "files/zip.hpp"
#include "tandem/error.hpp"

namespace tandem {

/// A larger archive is refused before anything is unpacked.
struct ArchiveLimits {
    std::size_t files = 100'000;
    std::uint64_t bytes = std::uint64_t{4} << 30U;
    /// Beyond `unrated_bytes` an archive may grow by this factor at most when it is unpacked.
    std::uint64_t ratio = 200;
    std::uint64_t unrated_bytes = std::uint64_t{256} << 20U;
    std::string noun = "FMU";  ///< what the messages call the archive
};

/// Larger files of an archive are not read into memory.
inline constexpr std::uint64_t largest_text = std::uint64_t{512} << 20U;

/// The files of an FMU or a system package: a zip archive, checked when it is opened, or a folder.
/// Not thread-safe.
class Archive {
public:
    /// Throws InputError if the path is neither, or if the archive could do harm: names that lead
    /// out of the folder or very deep into it, links, too many or too large files, files that grow
    /// too much when they are unpacked, encrypted entries, two different files of one name.
    explicit Archive(const std::filesystem::path& path, const ArchiveLimits& limits = {});

    bool is_folder() const { return zip_ == nullptr; }
    bool contains(std::string_view name) const;
    /// The content of one file; throws InputError if it is missing, damaged, or larger than
    /// `largest_text`.
    std::string read(std::string_view name) const;
    /// The names of the folders directly inside the folder `name`, sorted.
    std::vector<std::string> folders_in(std::string_view name) const;
    /// The names of the files in the folder `name` and below, relative to it, sorted.
    std::vector<std::string> files_below(std::string_view name) const;
    /// Unpacks everything into an empty folder. Only for a zip archive.
    void unpack(const std::filesystem::path& target) const;
    /// What was odd but harmless.
    const Diagnostics& findings() const { return findings_; }

private:
    struct Entry {
        std::string name;  ///< relative, with single slashes and no dots
        std::size_t index = 0;
        bool is_folder = false;
    };
    void check_totals(const ArchiveLimits& limits) const;
    void check_ratio(const ArchiveLimits& limits, std::uint64_t unpacked) const;
    void collect_entries();
    void drop_copies();
    bool same_content(const Entry& a, const Entry& b) const;
    void check_clashes() const;
    const Entry* find(std::string_view name) const;
    void unpack_file(const Entry& entry, const std::filesystem::path& file) const;
    [[noreturn]] void refuse(const std::string& problem, const std::string& hint) const;

    std::string harmful_hint() const;

    std::filesystem::path path_;
    std::string noun_;
    std::unique_ptr<ZipReader> zip_;
    std::vector<Entry> entries_;  ///< sorted by name
    Diagnostics findings_;
};

}  // namespace tandem
