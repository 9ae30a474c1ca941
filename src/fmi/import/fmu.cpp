#include "fmi/import/fmu.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "base/unpacked.hpp"
#include "files/temporary_folder.hpp"
#include "fmi/description/parse.hpp"
#include "fmi/import/archive.hpp"
#include "fmi/import/library.hpp"

namespace tandem::fmi {
namespace {

namespace fs = std::filesystem;

/// Tells one state of a file from another: place, time of last change, size.
using FileKey = std::tuple<fs::path, fs::file_time_type, std::uintmax_t>;

std::optional<FileKey> key_of(const fs::path& path) {
    std::error_code failed;
    const fs::path place = fs::canonical(path, failed);
    if (failed) return std::nullopt;
    // A folder does not change its own time when a file in it does.
    const fs::path file = fs::is_directory(place, failed) ? place / "modelDescription.xml" : place;
    const auto time = fs::last_write_time(file, failed);
    if (failed) return std::nullopt;
    const auto size = fs::file_size(file, failed);
    if (failed) return std::nullopt;
    return FileKey{place, time, size};
}

struct OpenFmus {
    std::mutex mutex;
    std::map<FileKey, std::weak_ptr<Fmu>> by_key;
};

OpenFmus& open_fmus() {
    static OpenFmus instance;
    return instance;
}

}  // namespace

struct Fmu::Files {
    Archive archive;
    std::mutex mutex;
    std::unique_ptr<TemporaryFolder> temporary;
    fs::path folder;  ///< empty until the archive is unpacked

    explicit Files(const fs::path& path) : archive(path) {
        if (archive.is_folder()) folder = fs::canonical(path);
    }
};

Fmu::Fmu(const fs::path& path) : path_(path), files_(std::make_unique<Files>(path)) {
    findings_ = files_->archive.findings();
    description_ = parse_model_description(files_->archive.read("modelDescription.xml"),
                                           (path / "modelDescription.xml").string(), findings_);
}

Fmu::~Fmu() = default;

std::shared_ptr<Fmu> Fmu::open(const fs::path& path) {
    const std::optional<FileKey> key = key_of(path);
    OpenFmus& cache = open_fmus();
    const std::lock_guard lock(cache.mutex);
    if (key) {
        const auto found = cache.by_key.find(*key);
        if (found != cache.by_key.end())
            if (std::shared_ptr<Fmu> fmu = found->second.lock()) return fmu;
    }
    const std::shared_ptr<Fmu> fmu(new Fmu(path));
    std::erase_if(cache.by_key, [](const auto& entry) { return entry.second.expired(); });
    if (key) cache.by_key[*key] = fmu;
    return fmu;
}

const fs::path& Fmu::folder() const {
    const std::lock_guard lock(files_->mutex);
    if (files_->folder.empty()) {
        auto temporary = std::make_unique<TemporaryFolder>();
        note_unpacked(temporary->path(), path_.string());
        files_->archive.unpack(temporary->path());
        files_->folder = temporary->path();
        files_->temporary = std::move(temporary);
    }
    return files_->folder;
}

}  // namespace tandem::fmi
