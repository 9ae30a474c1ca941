#include "loading_record.hpp"

#include <unistd.h>

#include <new>

#include "base/log.hpp"
#include "files/whole_file.hpp"
#include "tandem/error.hpp"
#include "tandem/version.hpp"

namespace tandem::cli {

namespace fs = std::filesystem;

fs::path record_path(const run::SystemRun& run) {
    const fs::path results = run.outputs().front();
    return results == "-" ? fs::path("run.json") : results.parent_path() / "run.json";
}

void add_request(const SystemRequest& request, RunRecord& record) {
    record.tandem_version = TANDEM_VERSION;
    record.command_line = request.command_line;
    record.working_folder = fs::current_path().string();
    record.date = request.date;
}

void refuse_own_files(const run::SystemRun& run, const SystemRequest& request) {
    const std::string path = record_path(run).string();
    run.refuse_own_file(path, path, "write the results into another folder");
    if (request.report.empty()) return;
    expect_folder_of(request.report, "make the folder, or choose another file with --report");
    run.refuse_own_file(request.report, "--report " + request.report, "choose another file");
    for (const std::string& output : run.outputs())
        if (std::error_code none; fs::equivalent(output, request.report, none))
            throw InputError("--report " + request.report, "is the file of the results",
                             "choose another file");
}

LoadingRecord::PageRemoval::PageRemoval(const std::string& page)
    : path_(fs::absolute(page).c_str()),
      hook_([](void* path) noexcept { ::unlink(static_cast<const char*>(path)); }, path_.data()) {}

LoadingRecord::LoadingRecord() : numbers_(sizeof(LiveNumbers)) {
    new (numbers_.data()) LiveNumbers;
}

void LoadingRecord::begin(const run::SystemRun& run, const SystemRequest& request) {
    try {
        refuse_own_files(run, request);
    } catch (const InputError&) {
        return;  // this is said when everything else that is wrong is known
    }
    path_ = record_path(run).string();
    record_ = run.record_before_loading();
    add_request(request, record_);
    emergency_.emplace(record_, EmergencyRecord::File{path_, EmergencyRecord::Written::at_death},
                       *reinterpret_cast<const LiveNumbers*>(numbers_.data()));
    if (std::error_code none; !fs::is_regular_file(request.report, none)) return;
    page_ = request.report;
    removal_.emplace(page_);
}

void LoadingRecord::fail(const std::exception& error) {
    if (!emergency_) return;
    emergency_.reset();
    record_.outcome = RunOutcome::failed;
    record_.outcome_sentence = error.what();
    try {
        if (!page_.empty()) fs::remove(page_);
        write_run_record(record_, path_);
    } catch (const std::exception& problem) {
        log(LogLevel::warning, problem.what());
    }
}

}  // namespace tandem::cli
