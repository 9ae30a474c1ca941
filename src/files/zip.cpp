#include "files/zip.hpp"

#include <sys/stat.h>
#include <zip.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "tandem/error.hpp"

namespace tandem {
namespace {

struct FileCloser {
    void operator()(zip_file_t* file) const { zip_fclose(file); }
};
struct ArchiveDiscarder {
    void operator()(zip_t* archive) const { zip_discard(archive); }
};
using ArchivePointer = std::unique_ptr<zip_t, ArchiveDiscarder>;

std::string text_of(int code) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    std::string text = zip_error_strerror(&error);
    zip_error_fini(&error);
    return text;
}

ArchivePointer open_archive(const std::string& place) {
    int code = 0;
    zip_t* archive = zip_open(place.c_str(), ZIP_RDONLY, &code);
    if (archive != nullptr) return ArchivePointer(archive);
    if (code == ZIP_ER_NOZIP)
        throw InputError(place, "is not a zip archive, or is cut off",
                         "copy it again, or export it again");
    if (code == ZIP_ER_OPEN || code == ZIP_ER_READ || code == ZIP_ER_SEEK)
        throw InputError(place, std::string("cannot be read: ") + std::strerror(errno),
                         "check the path and the permissions");
    throw InputError(place, "is a damaged zip archive: " + text_of(code),
                     "copy or export it again");
}

void read_attributes(zip_t* archive, zip_uint64_t index, ZipEntry& entry) {
    zip_uint8_t system = 0;
    zip_uint32_t attributes = 0;
    if (zip_file_get_external_attributes(archive, index, 0, &system, &attributes) != 0) return;
    if (system != ZIP_OPSYS_UNIX && system != ZIP_OPSYS_OS_X) return;
    const auto mode = static_cast<mode_t>(attributes >> 16U);
    const mode_t type = mode & S_IFMT;
    entry.is_special = type != 0 && type != S_IFREG && type != S_IFDIR;
    entry.is_executable = (mode & S_IXUSR) != 0;
}

ZipEntry describe(zip_t* archive, zip_uint64_t index, const std::string& place) {
    zip_stat_t status;
    zip_stat_init(&status);
    if (zip_stat_index(archive, index, ZIP_FL_ENC_GUESS, &status) != 0 ||
        (status.valid & ZIP_STAT_NAME) == 0 || (status.valid & ZIP_STAT_SIZE) == 0)
        throw InputError(place, "is a damaged zip archive: its list of files cannot be read",
                         "copy or export it again");
    ZipEntry entry;
    entry.name = status.name;
    entry.size = status.size;
    entry.compressed_size = (status.valid & ZIP_STAT_COMP_SIZE) != 0 ? status.comp_size : 0;
    entry.is_encrypted =
        (status.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && status.encryption_method != ZIP_EM_NONE;
    entry.is_folder = entry.name.ends_with('/') || entry.name.ends_with('\\');
    read_attributes(archive, index, entry);
    return entry;
}

[[noreturn]] void cannot_write(const std::filesystem::path& path, const char* why) {
    throw InputError(path.string(), std::string("cannot be written: ") + why,
                     "check the folder and its permissions");
}

zip_source_t* source_of(zip_t* archive, const ZipItem& item) {
    if (item.file.empty())
        return zip_source_buffer(archive, item.bytes.data(), item.bytes.size(), 0);
    if (!std::filesystem::is_regular_file(item.file))
        throw InputError(item.file.string(), "is not a file", "check the path");
    return zip_source_file(archive, item.file.c_str(), 0, -1);
}

void add_item(zip_t* archive, const std::filesystem::path& path, const ZipItem& item) {
    // 1980-01-01, the first date a zip archive knows, in local time as the format demands
    constexpr std::uint16_t no_time = 0;
    constexpr std::uint16_t first_date = (1U << 5U) | 1U;
    zip_source_t* source = source_of(archive, item);
    if (source == nullptr) cannot_write(path, zip_strerror(archive));
    const zip_int64_t index = zip_file_add(archive, item.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
        zip_source_free(source);
        cannot_write(path, zip_strerror(archive));
    }
    const auto at = static_cast<zip_uint64_t>(index);
    const zip_uint32_t mode = S_IFREG | (item.executable ? 0755U : 0644U);
    zip_file_set_dostime(archive, at, no_time, first_date, 0);
    zip_file_set_external_attributes(archive, at, 0, ZIP_OPSYS_UNIX, mode << 16U);
}

}  // namespace

struct ZipReader::Handle {
    ArchivePointer archive;
};

ZipReader::ZipReader(const std::filesystem::path& path)
    : place_(path.string()), handle_(std::make_unique<Handle>(Handle{open_archive(place_)})) {
    zip_t* archive = handle_->archive.get();
    const zip_int64_t count = zip_get_num_entries(archive, 0);
    for (zip_int64_t i = 0; i < count; ++i)
        entries_.push_back(describe(archive, static_cast<zip_uint64_t>(i), place_));
}

ZipReader::~ZipReader() = default;

void ZipReader::refuse(std::size_t index, const std::string& why) const {
    throw InputError(place_ + "/" + entries_[index].name, why, "copy it again, or export it again");
}

void ZipReader::read(std::size_t index,
                     const std::function<void(std::string_view)>& consume) const {
    expects(index < entries_.size(), "the index of a zip entry is in range");
    const ZipEntry& entry = entries_[index];
    if (entry.is_encrypted) refuse(index, "is encrypted");
    zip_t* archive = handle_->archive.get();
    const std::unique_ptr<zip_file_t, FileCloser> file(zip_fopen_index(archive, index, 0));
    if (file == nullptr) refuse(index, std::string("cannot be unpacked: ") + zip_strerror(archive));
    std::array<char, 65536> buffer;
    std::uint64_t total = 0;
    for (;;) {
        const zip_int64_t got = zip_fread(file.get(), buffer.data(), buffer.size());
        if (got < 0)
            refuse(index, std::string("cannot be unpacked: ") + zip_file_strerror(file.get()));
        if (got == 0) break;
        total += static_cast<std::uint64_t>(got);
        if (total > entry.size) refuse(index, "is longer than the archive declares");
        consume({buffer.data(), static_cast<std::size_t>(got)});
    }
    if (total < entry.size) refuse(index, "is shorter than the archive declares");
}

std::string ZipReader::read(std::size_t index) const {
    std::string bytes;
    read(index, [&](std::string_view piece) { bytes += piece; });
    return bytes;
}

void write_zip(const std::filesystem::path& path, const std::vector<ZipItem>& items) {
    int code = 0;
    ArchivePointer archive(zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
    if (archive == nullptr) cannot_write(path, text_of(code).c_str());
    for (const ZipItem& item : items) add_item(archive.get(), path, item);
    if (zip_close(archive.get()) != 0) cannot_write(path, zip_strerror(archive.get()));
    static_cast<void>(archive.release());  // zip_close has freed it
}

}  // namespace tandem
