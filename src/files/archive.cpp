#include "files/archive.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/visible.hpp"
#include "files/read_file.hpp"
#include "files/sha256.hpp"
#include "files/temporary_folder.hpp"

namespace tandem {
namespace {

namespace fs = std::filesystem;

// Below what can be removed again, with room for what an FMU makes in its folder.
constexpr std::size_t deepest_file = deepest_removed_folder - 14;

/// Length limited: the name comes from a stranger.
std::string printable(std::string_view name) {
    constexpr std::size_t most = 120;
    return visible(name.substr(0, most)) + (name.size() > most ? "..." : "");
}

/// The parts of a name between slashes, without empty ones and single dots.
std::vector<std::string_view> parts_of(std::string_view name) {
    std::vector<std::string_view> parts;
    while (!name.empty()) {
        const auto slash = std::min(name.find('/'), name.size());
        const std::string_view part = name.substr(0, slash);
        if (!part.empty() && part != ".") parts.push_back(part);
        name.remove_prefix(std::min(slash + 1, name.size()));
    }
    return parts;
}

/// Why a name may not be unpacked; empty if it may. Backslashes are slashes already.
std::string danger_of(std::string_view name, const std::vector<std::string_view>& parts) {
    if (name.starts_with('/') || (name.size() > 1 && name[1] == ':')) return "is absolute";
    if (name.size() > 1000) return "is longer than 1000 characters";
    if (parts.size() > deepest_file)
        return fmt::format("leads more than {} folders deep", deepest_file);
    for (const char c : name)
        if (static_cast<unsigned char>(c) < 32) return "contains a control character";
    for (const std::string_view part : parts) {
        if (part == "..") return "leads out of the archive";
        if (part.size() > 255) return "is longer than 255 characters";
    }
    return {};
}

[[noreturn]] void cannot_unpack(const fs::path& file) {
    throw InputError(file.string(), std::string("cannot be written: ") + std::strerror(errno),
                     "free some space, or set TMPDIR to a folder on a larger disk");
}

class OutputFile {
public:
    OutputFile(const fs::path& path, mode_t mode)
        : path_(path),
          descriptor_(
              ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)) {
        if (descriptor_ < 0) cannot_unpack(path_);
    }
    ~OutputFile() { ::close(descriptor_); }
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::string_view bytes) const {
        while (!bytes.empty()) {
            const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) cannot_unpack(path_);
            bytes.remove_prefix(static_cast<std::size_t>(written));
        }
    }

private:
    fs::path path_;
    int descriptor_;
};

}  // namespace

Archive::Archive(const fs::path& path, const ArchiveLimits& limits)
    : path_(path), noun_(limits.noun) {
    std::error_code failed;
    const fs::file_status status = fs::status(path, failed);
    if (status.type() == fs::file_type::not_found) refuse("does not exist", "check the path");
    if (fs::is_directory(status)) return;
    if (!fs::is_regular_file(status))
        refuse("is neither a file nor a folder that can be read", "check the path");
    if (fs::file_size(path, failed) == 0 && !failed)
        refuse("is empty", "copy or export the " + noun_ + " again");
    zip_ = std::make_unique<ZipReader>(path);
    check_totals(limits);
    collect_entries();
    drop_copies();
    check_clashes();
}

void Archive::refuse(const std::string& problem, const std::string& hint) const {
    throw InputError(path_.string(), problem, hint);
}

std::string Archive::harmful_hint() const {
    return "do not use this " + noun_ +
           " unless you trust its source; then unpack it yourself and give the folder";
}

void Archive::check_totals(const ArchiveLimits& limits) const {
    if (zip_->entries().size() > limits.files)
        refuse(fmt::format("holds {} files; more than {} look like a zip bomb",
                           zip_->entries().size(), limits.files),
               harmful_hint());
    std::uint64_t left = limits.bytes;
    for (const ZipEntry& entry : zip_->entries()) {
        if (entry.size > left)
            refuse(fmt::format("unpacks to more than {}, which looks like a zip bomb",
                               size_text(limits.bytes)),
                   harmful_hint());
        left -= entry.size;
    }
    check_ratio(limits, limits.bytes - left);
}

void Archive::check_ratio(const ArchiveLimits& limits, std::uint64_t unpacked) const {
    std::error_code failed;
    const std::uint64_t packed = fs::file_size(path_, failed);
    if (failed || unpacked <= limits.unrated_bytes || unpacked / limits.ratio <= packed) return;
    refuse(fmt::format("unpacks to more than {} and more than {} times its own size, which looks "
                       "like a zip bomb",
                       size_text(limits.unrated_bytes), limits.ratio),
           harmful_hint());
}

void Archive::collect_entries() {
    bool backslashes = false;
    for (std::size_t i = 0; i < zip_->entries().size(); ++i) {
        const ZipEntry& stored = zip_->entries()[i];
        std::string name = stored.name;
        backslashes = backslashes || name.find('\\') != std::string::npos;
        std::replace(name.begin(), name.end(), '\\', '/');
        const auto parts = parts_of(name);
        if (const std::string danger = danger_of(name, parts); !danger.empty())
            refuse(
                fmt::format("contains a file whose name {}: '{}'", danger, printable(stored.name)),
                harmful_hint());
        if (stored.is_special)
            refuse(fmt::format("contains a link or device: '{}'", printable(stored.name)),
                   harmful_hint());
        if (stored.is_encrypted)
            refuse(fmt::format("contains an encrypted file: '{}'", printable(stored.name)),
                   "unpack it with the password and give the folder");
        if (!parts.empty())
            entries_.push_back({fmt::format("{}", fmt::join(parts, "/")), i, stored.is_folder});
    }
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.name < b.name; });
    if (backslashes)
        findings_.push_back({Severity::warning, path_.string(),
                             "separates folders with '\\' where the zip format demands '/'",
                             "export the " + noun_ + " with a newer tool"});
}

/// Some tools pack a file twice. Equal copies do no harm; different ones leave open which is meant.
void Archive::drop_copies() {
    std::vector<Entry> single;
    for (const Entry& entry : entries_) {
        const bool repeats = !single.empty() && single.back().name == entry.name;
        if (!repeats) {
            single.push_back(entry);
            continue;
        }
        if (single.back().is_folder && entry.is_folder) continue;
        if (single.back().is_folder != entry.is_folder || !same_content(single.back(), entry))
            refuse(
                fmt::format("contains '{}' twice, with different content", printable(entry.name)),
                "pack the " + noun_ + " again");
        findings_.push_back({Severity::warning, path_.string(),
                             fmt::format("contains '{}' twice", printable(entry.name)),
                             "pack the " + noun_ + " again"});
    }
    entries_ = std::move(single);
}

/// By their digests: they need not fit into memory.
bool Archive::same_content(const Entry& a, const Entry& b) const {
    if (zip_->entries()[a.index].size != zip_->entries()[b.index].size) return false;
    const auto digest = [&](const Entry& entry) {
        Sha256 hash;
        zip_->read(entry.index, [&](std::string_view bytes) { hash.add(bytes); });
        return hash.finish();
    };
    return digest(a) == digest(b);
}

void Archive::check_clashes() const {
    for (const Entry& entry : entries_) {
        for (auto slash = entry.name.find('/'); slash != std::string::npos;
             slash = entry.name.find('/', slash + 1)) {
            const Entry* parent = find(std::string_view(entry.name).substr(0, slash));
            if (parent != nullptr && !parent->is_folder)
                refuse(fmt::format("contains '{}' both as a file and as a folder",
                                   printable(parent->name)),
                       "pack the " + noun_ + " again");
        }
    }
}

const Archive::Entry* Archive::find(std::string_view name) const {
    const auto found = std::lower_bound(
        entries_.begin(), entries_.end(), name,
        [](const Entry& entry, std::string_view wanted) { return entry.name < wanted; });
    return found != entries_.end() && found->name == name ? &*found : nullptr;
}

bool Archive::contains(std::string_view name) const {
    if (is_folder()) return fs::is_regular_file(path_ / name);
    const Entry* entry = find(name);
    return entry != nullptr && !entry->is_folder;
}

std::string Archive::read(std::string_view name) const {
    if (!contains(name)) {
        const std::string ending = "/" + std::string(name);
        for (const Entry& entry : entries_)
            if (entry.name.ends_with(ending))
                refuse(fmt::format("contains no {}, but '{}'", name, printable(entry.name)),
                       "pack the content of that folder, not the folder itself");
        refuse(fmt::format("contains no {}", name), "is this really an " + noun_ + "?");
    }
    if (is_folder()) return read_file(path_ / name, largest_text);
    const std::size_t index = find(name)->index;
    if (zip_->entries()[index].size > largest_text)
        throw InputError((path_ / name).string(),
                         "is larger than " + size_text(largest_text) + ", the limit here",
                         harmful_hint());
    return zip_->read(index);
}

std::vector<std::string> Archive::folders_in(std::string_view name) const {
    std::vector<std::string> names;
    if (is_folder()) {
        std::error_code failed;
        for (const auto& entry : fs::directory_iterator(path_ / name, failed))
            if (entry.is_directory(failed)) names.push_back(entry.path().filename().string());
    }
    const std::string prefix = std::string(name) + "/";
    for (const Entry& entry : entries_) {
        if (!entry.name.starts_with(prefix)) continue;
        const auto slash = entry.name.find('/', prefix.size());
        if (slash == std::string::npos && !entry.is_folder) continue;
        names.push_back(entry.name.substr(prefix.size(), slash - prefix.size()));
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

std::vector<std::string> Archive::files_below(std::string_view name) const {
    std::vector<std::string> names;
    if (is_folder()) {
        std::error_code failed;
        const fs::path root = path_ / name;
        for (const auto& entry : fs::recursive_directory_iterator(root, failed))
            if (entry.is_regular_file(failed))
                names.push_back(entry.path().lexically_relative(root).generic_string());
    }
    const std::string prefix = std::string(name) + "/";
    for (const Entry& entry : entries_)
        if (!entry.is_folder && entry.name.starts_with(prefix))
            names.push_back(entry.name.substr(prefix.size()));
    std::sort(names.begin(), names.end());
    return names;
}

void Archive::unpack_file(const Entry& entry, const fs::path& file) const {
    const bool executable = zip_->entries()[entry.index].is_executable;
    const OutputFile output(file, executable ? S_IRWXU : S_IRUSR | S_IWUSR);
    zip_->read(entry.index, [&](std::string_view bytes) { output.write(bytes); });
}

void Archive::unpack(const fs::path& target) const {
    expects(!is_folder(), "only a zip archive is unpacked");
    for (const Entry& entry : entries_) {
        const fs::path path = target / entry.name;
        const fs::path& folder = entry.is_folder ? path : path.parent_path();
        std::error_code failed;
        fs::create_directories(folder, failed);
        if (failed) {
            errno = failed.value();
            cannot_unpack(folder);
        }
        if (!entry.is_folder) unpack_file(entry, path);
    }
}

}  // namespace tandem
