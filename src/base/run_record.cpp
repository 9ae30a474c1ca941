#include "base/run_record.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>

namespace tandem {

std::uint64_t SubsystemRecord::calls() const {
    return std::accumulate(parts.begin(), parts.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const PartRecord& p) { return sum + p.calls; });
}

double SubsystemRecord::seconds() const {
    return std::accumulate(parts.begin(), parts.end(), 0.0,
                           [](double sum, const PartRecord& p) { return sum + p.seconds; });
}

double TotalsRecord::real_time_factor() const {
    return wall_seconds > 0.0 ? simulated_seconds / wall_seconds : 0.0;
}

std::string_view to_string(RunOutcome outcome) {
    switch (outcome) {
        case RunOutcome::complete: return "complete";
        case RunOutcome::failed: return "failed";
        case RunOutcome::interrupted: return "interrupted";
    }
    return "failed";
}

RunRecord read_run_record(const std::string& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        throw InputError(path, "is a folder, not a file", "give the run.json inside it");
    std::ifstream file(path, std::ios::binary);
    if (!file)
        throw InputError(path, fmt::format("cannot be read: {}", std::strerror(errno)),
                         "give the run.json that a run has written");
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return run_record_from_json(text, path);
}

void write_run_record(const RunRecord& record, const std::string& path) {
    const std::string draft = path + ".part";
    std::ofstream file(draft, std::ios::binary | std::ios::trunc);
    file << to_json(record) << '\n';
    file.close();
    if (!file || std::rename(draft.c_str(), path.c_str()) != 0) {
        const std::string reason = std::strerror(errno);
        std::remove(draft.c_str());
        throw InputError(path, fmt::format("cannot be written: {}", reason));
    }
}

}  // namespace tandem
