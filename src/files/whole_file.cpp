#include "files/whole_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "tandem/error.hpp"

namespace tandem {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, int reason, const std::string& hint) {
    throw InputError(path, fmt::format("cannot be written: {}", std::strerror(reason)), hint);
}

/// Where a link leads to: the link stays.
std::string target_of(const std::string& path) {
    std::error_code none;
    const fs::path target =
        fs::is_symlink(path, none) ? fs::weakly_canonical(path, none) : fs::path(path);
    return target.empty() ? path : target.string();
}

}  // namespace

std::string draft_of(const std::string& path) {
    return fmt::format("{}.{}.part", path, ::getpid());
}

void write_whole_file(const std::string& path, const std::string& hint, std::string_view content) {
    const std::string target = target_of(path);
    std::error_code none;
    const bool exists = fs::exists(target, none);
    const bool is_aside = !exists || fs::is_regular_file(target, none);
    if (exists && ::access(target.c_str(), W_OK) != 0) fail(path, errno, hint);
    const std::string place = is_aside ? draft_of(target) : target;
    std::ofstream file(place, std::ios::binary | std::ios::trunc);
    errno = 0;
    file << content;
    file.close();
    if (file && (!is_aside || std::rename(place.c_str(), target.c_str()) == 0)) return;
    const int reason = errno;
    if (is_aside) std::remove(place.c_str());
    fail(path, reason, hint);
}

void expect_folder_of(const std::string& path, const std::string& hint) {
    const fs::path folder = fs::path(path).parent_path();
    std::error_code none;
    if (!folder.empty() && !fs::is_directory(folder, none))
        throw InputError(
            path, fmt::format("cannot be written: there is no folder '{}'", folder.string()), hint);
}

}  // namespace tandem
