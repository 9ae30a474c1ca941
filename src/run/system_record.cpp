#include <filesystem>
#include <set>

#include "base/sha256.hpp"
#include "run/system_run.hpp"

namespace tandem::run {
namespace {

std::vector<std::string> capability_names(const Capabilities& can) {
    std::vector<std::string> names;
    if (can.rollback) names.emplace_back("rollback");
    if (can.serialise) names.emplace_back("serialise");
    if (can.jacobians) names.emplace_back("jacobians");
    if (can.laws) names.emplace_back("laws");
    if (can.variable_step) names.emplace_back("variable step");
    if (can.input_derivatives > 0) names.emplace_back("input derivatives");
    if (can.output_derivatives > 0) names.emplace_back("output derivatives");
    return names;
}

std::vector<Statistic> solver_statistics(const ode::HostedOde& hosted) {
    const ode::SolverStatistics& solver = hosted.statistics().solver;
    return {{"steps", static_cast<double>(solver.steps)},
            {"rejected", static_cast<double>(solver.rejected)},
            {"derivative calls", static_cast<double>(solver.derivative_calls)},
            {"jacobian calls", static_cast<double>(solver.jacobian_calls)},
            {"restarts", static_cast<double>(solver.restarts)}};
}

FileRecord file_record(const std::filesystem::path& path, const char* role) {
    FileRecord record{path.string(), role, 0, {}};
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return record;
    record.bytes = std::filesystem::file_size(path, error);
    record.sha256 = sha256_of_file(path.string());
    return record;
}

const char* role_of(ssp::SourceType type) {
    switch (type) {
        case ssp::SourceType::fmu: return "fmu";
        case ssp::SourceType::library: return "library";
        default: return "input";
    }
}

}  // namespace

std::vector<SubsystemRecord> SystemRun::subsystem_records() const {
    std::vector<SubsystemRecord> records;
    if (!assembly_.system) return records;
    const System& system = *assembly_.system;
    for (int s = 0; s < system.size(); ++s) {
        const LoadedSubsystem& part = assembly_.parts[static_cast<std::size_t>(s)];
        SubsystemRecord record;
        record.name = system.at(s).name();
        record.kind = part.kind;
        if (part.fmu != nullptr)
            record.fmi_version = fmi::to_string(part.fmu->description().version);
        record.source = flat_.subsystems[static_cast<std::size_t>(s)].source.filename().string();
        record.solver = part.solver;
        record.capabilities = capability_names(system.at(s).interface().capabilities);
        // A sample of the steps was timed; the whole is in proportion.
        const System::Cost& cost = system.cost(s);
        record.steps = static_cast<std::uint64_t>(cost.steps);
        const double share = cost.timed > 0
                                 ? static_cast<double>(cost.steps) / static_cast<double>(cost.timed)
                                 : 0.0;
        record.parts.push_back({"step", record.steps, cost.seconds * share});
        if (part.hosted != nullptr) {
            const auto statistics = part.hosted->statistics();
            record.events = static_cast<std::uint64_t>(
                statistics.state_events + statistics.time_events + statistics.step_events);
            record.solver_statistics = solver_statistics(*part.hosted);
        }
        records.push_back(std::move(record));
    }
    return records;
}

std::vector<FileRecord> SystemRun::file_records() const {
    std::vector<FileRecord> files{file_record(options_.file, "system")};
    std::set<std::filesystem::path> known;
    for (const ssp::FlatSubsystem& subsystem : flat_.subsystems)
        if (known.insert(subsystem.source).second)
            files.push_back(file_record(subsystem.source, role_of(subsystem.type)));
    return files;
}

std::vector<ResultsRecord> SystemRun::results_records() const {
    if (!recorder_) return {};
    std::vector<ColumnRecord> columns;
    for (const ResultColumn& column : recorder_->columns()) {
        const std::size_t dot = column.name.rfind('.');
        columns.push_back({column.name, column.unit,
                           dot == std::string::npos ? "" : column.name.substr(0, dot),
                           column.name.substr(dot == std::string::npos ? 0 : dot + 1)});
    }
    std::vector<ResultsRecord> results;
    for (const std::string& path : options_.outputs) {
        const std::string ending = std::filesystem::path(path).extension().string();
        results.push_back({path, ending.empty() ? "csv" : ending.substr(1),
                           static_cast<std::uint64_t>(recorder_->rows()), columns});
    }
    return results;
}

RunRecord SystemRun::record() const {
    RunRecord record;
    record.system_name = flat_.name;
    record.system_file = options_.file;
    record.files = file_records();
    for (const std::string& text : options_.set) record.options.push_back({"set", text});
    record.experiment = {grid_->start(), grid_->stop(), grid_->step(), tolerance_};
    record.coupling = assembly_.coupling_record;
    record.subsystems = subsystem_records();
    record.connections = assembly_.connections;
    for (const ssp::FlatBond& bond : flat_.bonds)
        record.bonds.push_back({bond.name, bond.effort, bond.flow});
    record.results = results_records();
    const auto count = [](long number) { return static_cast<std::uint64_t>(number); };
    record.totals.steps = count(report().steps);
    record.totals.retries = count(report().retried);
    record.totals.events = count(report().events + report().input_jumps);
    record.totals.simulated_seconds = report().reached - grid_->start();
    record.totals.wall_seconds = load_seconds_ + report().initialise_seconds +
                                 report().step_seconds + report().record_seconds;
    record.totals.parts = {{"load", 1, load_seconds_},
                           {"initialise", 1, report().initialise_seconds},
                           {"advance", count(report().steps), report().step_seconds},
                           {"record", count(rows()), report().record_seconds}};
    record.warnings = findings_;
    return record;
}

}  // namespace tandem::run
