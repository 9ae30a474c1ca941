#include "fmi/sources/source_build.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/log.hpp"
#include "files/sha256.hpp"
#include "tandem/error.hpp"

namespace tandem::fmi {
namespace {

namespace fs = std::filesystem;

fs::path users_cache() {
    const char* const cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && fs::path(cache).is_absolute()) return cache;
    const char* const home = std::getenv("HOME");
    return home != nullptr && fs::path(home).is_absolute() ? fs::path(home) / ".cache" : fs::path();
}

/// What others can write to could make them run code as this user.
bool is_private(const fs::path& folder) {
    struct stat status {};
    return stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
           access(folder.c_str(), W_OK) == 0;
}

/// Empty where there is none that can be used.
fs::path cache_folder() {
    const fs::path users = users_cache();
    if (users.empty()) return {};
    const fs::path folder = users / "tandem";
    std::error_code failed;
    fs::create_directories(users, failed);
    if (fs::create_directory(folder, failed)) fs::permissions(folder, fs::perms::owner_all, failed);
    return is_private(folder) ? folder : fs::path();
}

/// Each text ends with a zero, so that no two lists look alike.
void add(Sha256& hash, const std::string& text) { hash.add({text.c_str(), text.size() + 1}); }

void add_plan(Sha256& hash, const BuildPlan& plan, const fs::path& folder) {
    const auto relative = [&](const fs::path& path) {
        return path.lexically_relative(folder).string();
    };
    for (const SourceSet& set : plan.sets) {
        add(hash, set.is_all_cpp ? "C++" : "by ending");
        for (const fs::path& file : set.files) add(hash, relative(file));
        for (const fs::path& include : set.include_folders) add(hash, "-I" + relative(include));
        for (const std::string& definition : set.definitions) add(hash, "-D" + definition);
    }
    for (const std::string& library : plan.libraries) add(hash, "-l" + library);
}

/// All files, since any may be included: "../resources/table.h". Binaries are not.
void add_files(Sha256& hash, const fs::path& folder) {
    std::vector<fs::path> files;
    for (auto entry = fs::recursive_directory_iterator(folder); entry != fs::end(entry); ++entry)
        if (entry.depth() == 0 && entry->path().filename() == "binaries")
            entry.disable_recursion_pending();
        else if (entry->is_regular_file())
            files.push_back(entry->path());
    std::ranges::sort(files);
    for (const fs::path& file : files) {
        add(hash, file.lexically_relative(folder).string());
        add(hash, sha256_of_file(file.string()));
    }
}

fs::path kept_library(const SourceFmu& fmu, const BuildPlan& plan, const Compiler& compiler) {
    const fs::path cache = cache_folder();
    if (cache.empty()) return {};
    Sha256 hash;
    add(hash, compiler.identity());
    add_plan(hash, plan, fmu.folder);
    add_files(hash, fmu.folder);
    return cache / (hash.finish() + ".so");
}

}  // namespace

SourceBuild::SourceBuild(const SourceFmu& fmu)
    : folder_(fmu.folder),
      plan_(plan_build(fmu)),
      compiler_(plan_, fmu.place),
      kept_(kept_library(fmu, plan_, compiler_)) {}

bool SourceBuild::is_kept() const {
    std::error_code failed;
    return !kept_.empty() && fs::is_regular_file(kept_, failed);
}

std::string SourceBuild::origin() const {
    return fmt::format("compiled from its sources by {}, {}", compiler_.name(),
                       kept_.empty() ? "and not kept: there is no private cache folder"
                                     : "kept in " + kept_.parent_path().string());
}

void SourceBuild::write(const fs::path& target) const {
    if (is_kept()) {
        std::error_code failed;
        if (!fs::copy_file(kept_, target, failed))
            throw InputError(target.string(), "cannot be written: " + failed.message(),
                             "free some space, or set TMPDIR to a folder on a larger disk");
        return;
    }
    compiler_.build(plan_, folder_, target);
    if (!kept_.empty()) keep(target);
}

/// Written aside, since others may do the same at this time: other threads, and processes that have
/// the same number in other containers.
void SourceBuild::keep(const fs::path& library) const {
    std::string aside = kept_.string() + ".XXXXXX";
    std::error_code failed;
    if (const int file = mkstemp(aside.data()); file >= 0)
        close(file);
    else
        failed = {errno, std::generic_category()};
    if (!failed) fs::copy_file(library, aside, fs::copy_options::overwrite_existing, failed);
    if (!failed) fs::rename(aside, kept_, failed);
    if (!failed) return;
    log(LogLevel::warning,
        fmt::format("{} cannot be written: {}", kept_.string(), failed.message()));
    fs::remove(aside, failed);
}

}  // namespace tandem::fmi
