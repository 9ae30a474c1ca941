#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "base/unpacked.hpp"
#include "files/sha256.hpp"
#include "run/system_run.hpp"

namespace tandem::run {
namespace {

namespace fs = std::filesystem;

const char* role_of(description::SourceType type) {
    switch (type) {
        case description::SourceType::fmu: return "fmu";
        case description::SourceType::library: return "library";
        default: return "input";
    }
}

const char* role_of(const fs::path& file) {
    const std::string ending = file.extension().string();
    if (ending == ".ssv" || ending == ".ssm") return "parameters";
    return ending == ".ssb" ? "dictionary" : "system";
}

FileRecord file_record(const fs::path& path, const std::string& shown, const char* role) {
    FileRecord record{shown, role, 0, {}};
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return record;
    record.bytes = fs::file_size(path, error);
    record.sha256 = sha256_of_file(path.string());
    return record;
}

}  // namespace

std::vector<FileRecord> SystemRun::file_records() const {
    std::vector<FileRecord> files;
    for (const description::DescriptionFile& file : description_.files)
        files.push_back(file_record(file.path, file.shown, role_of(file.path)));
    for (const description::PluginFile& plugin : flat_.plugins)
        files.push_back(file_record(plugin.path, without_temporary_folders(plugin.path), "plugin"));
    std::set<fs::path> known;
    for (const description::FlatSubsystem& subsystem : flat_.subsystems) {
        if (subsystem.source.empty() || !known.insert(subsystem.source).second) continue;
        files.push_back(file_record(subsystem.source, without_temporary_folders(subsystem.source),
                                    role_of(subsystem.type)));
    }
    if (const fs::path& reference = flat_.report.reference; !reference.empty())
        files.push_back(file_record(reference, without_temporary_folders(reference), "reference"));
    return files;
}

void SystemRun::refuse_own_file(const std::string& path, const std::string& place,
                                const std::string& hint) const {
    if (path == "-") return;
    const auto refuse_if = [&](const fs::path& own, const std::string& shown) {
        std::error_code none;
        if (!fs::equivalent(path, own, none)) return;
        throw InputError(
            place, fmt::format("would overwrite '{}', which the system is made of", shown), hint);
    };
    for (const description::DescriptionFile& file : description_.files)
        refuse_if(file.path, file.shown);
    for (const description::FlatSubsystem& subsystem : flat_.subsystems)
        refuse_if(subsystem.source, subsystem.source.filename().string());
    if (!flat_.report.reference.empty())
        refuse_if(flat_.report.reference, flat_.report.shown_reference);
}

}  // namespace tandem::run
