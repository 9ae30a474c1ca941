#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "process/emergency.hpp"
#include "record/run_record.hpp"

namespace tandem {

/// What changes in a record while the run goes on. Lies in shared memory.
struct LiveNumbers {
    std::atomic<std::uint64_t> steps{0};
    std::atomic<double> simulated_seconds{0.0};
    /// Of the result files; null: no rows.
    std::array<std::atomic<const std::atomic<std::uint64_t>*>, 16> rows{};
};

/// The record of a run that has not ended. Written when the process dies, with the reason; if that
/// is wanted also at once, so that there is one even if the whole machine goes down.
class EmergencyRecord {
public:
    enum class Written { at_once_and_at_death, at_death };
    struct File {
        std::string path;
        Written when = Written::at_once_and_at_death;
    };
    /// `numbers` takes the place of what `record` says, and of its outcome process_end(). Throws
    /// InputError if the file cannot be written at once.
    EmergencyRecord(RunRecord record, const File& file, const LiveNumbers& numbers);

private:
    struct Plan;
    static bool write(const Plan& plan) noexcept;

    SharedBlock text_;
    SharedBlock plan_;
    EmergencyHook hook_;
};

}  // namespace tandem
