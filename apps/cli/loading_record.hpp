#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "record/emergency_record.hpp"
#include "run_system.hpp"

namespace tandem::cli {

/// Where run.json goes: beside the first results file.
std::filesystem::path record_path(const run::SystemRun& run);
/// What the command line says about a run.
void add_request(const SystemRequest& request, RunRecord& record);
/// Throws InputError if the record or the page would overwrite what the system is made of.
void refuse_own_files(const run::SystemRun& run, const SystemRequest& request);

/// The record of a run whose subsystems are being loaded. It is written only if that ends the
/// process or fails: input that is refused leaves the files of an earlier run as they are.
class LoadingRecord {
public:
    LoadingRecord();
    /// When the file is understood, before any code of FMUs and libraries runs.
    void begin(const run::SystemRun& run, const SystemRequest& request);
    void fail(const std::exception& error);

private:
    /// A page of an earlier run must not be taken for one of this run.
    class PageRemoval {
    public:
        explicit PageRemoval(const std::string& page);

    private:
        SharedBlock path_;
        EmergencyHook hook_;
    };

    SharedBlock numbers_;  // LiveNumbers: none
    std::string path_, page_;
    RunRecord record_;
    std::optional<EmergencyRecord> emergency_;
    std::optional<PageRemoval> removal_;
};

}  // namespace tandem::cli
