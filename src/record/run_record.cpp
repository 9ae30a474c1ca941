#include "record/run_record.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <numeric>

#include "files/read_file.hpp"
#include "files/whole_file.hpp"

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
    constexpr std::uint64_t largest_record = std::uint64_t{256} << 20U;
    std::string text;
    try {
        text = read_file(path, largest_record);
    } catch (const InputError& error) {
        throw InputError(path, error.problem(), "give the run.json that a run has written");
    }
    return run_record_from_json(text, path);
}

void write_run_record(const RunRecord& record, const std::string& path) {
    write_whole_file(path, {}, to_json(record) + '\n');
}

}  // namespace tandem
