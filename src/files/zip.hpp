#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

struct ZipEntry {
    std::string name;        ///< as stored
    std::uint64_t size = 0;  ///< as declared; reading stops when the data turn out to be longer
    std::uint64_t compressed_size = 0;
    bool is_folder = false;
    bool is_encrypted = false;
    bool is_special = false;  ///< a link, device, pipe or socket
    bool is_executable = false;
};

/// Reads a zip archive. Every failure is an InputError that names the archive. Not thread-safe.
class ZipReader {
public:
    explicit ZipReader(const std::filesystem::path& path);
    ~ZipReader();
    ZipReader(const ZipReader&) = delete;
    ZipReader& operator=(const ZipReader&) = delete;

    const std::vector<ZipEntry>& entries() const { return entries_; }
    /// The bytes of an entry, checked against its declared size and checksum.
    std::string read(std::size_t index) const;
    /// Hands the bytes of an entry over in pieces.
    void read(std::size_t index, const std::function<void(std::string_view)>& consume) const;

private:
    struct Handle;
    [[noreturn]] void refuse(std::size_t index, const std::string& why) const;

    std::string place_;
    std::unique_ptr<Handle> handle_;
    std::vector<ZipEntry> entries_;
};

/// What goes into an archive: `bytes`, or the content of `file` if it is not empty.
struct ZipItem {
    std::string name;
    std::string bytes;
    std::filesystem::path file;
    bool executable = false;
};

/// Writes an archive, replacing a file that is there. All entries carry the same fixed date, so
/// that equal content gives equal bytes. Throws InputError if it cannot be written.
void write_zip(const std::filesystem::path& path, const std::vector<ZipItem>& items);

}  // namespace tandem
