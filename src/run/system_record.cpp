#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <thread>

#include "base/unpacked.hpp"
#include "process/process_guard.hpp"
#include "run/outline.hpp"
#include "run/system_run.hpp"

namespace tandem::run {
namespace {

std::vector<Statistic> solver_statistics(const ode::HostedOde& hosted) {
    const ode::SolverStatistics& solver = hosted.statistics().solver;
    return {{"steps", static_cast<double>(solver.steps)},
            {"rejected", static_cast<double>(solver.rejected)},
            {"derivative calls", static_cast<double>(solver.derivative_calls)},
            {"jacobian calls", static_cast<double>(solver.jacobian_calls)},
            {"restarts", static_cast<double>(solver.restarts)}};
}

std::vector<Statistic> group_statistics(const ode::HostedOde& hosted) {
    const auto& group = dynamic_cast<const ode::OdeGroup&>(hosted.model());
    const ode::OdeGroup::Statistics& own = group.statistics();
    return {{"states", static_cast<double>(group.shape().states.size())},
            {"event indicators", static_cast<double>(group.shape().indicators) -
                                     static_cast<double>(group.kink_indicators().size())},
            {"algebraic loops", static_cast<double>(own.loops)},
            {"largest loop", static_cast<double>(own.largest_loop)},
            {"calls per evaluation", static_cast<double>(own.calls)},
            {"factorisations", static_cast<double>(own.factorisations)},
            {"Newton solves", static_cast<double>(own.newton_solves)}};
}

/// The parts of the subsystems are estimates: together they take no longer than all steps did.
void limit_seconds(std::vector<SubsystemRecord>& records, double all) {
    double sum = 0.0;
    for (const SubsystemRecord& record : records) sum += record.seconds();
    if (sum <= all) return;
    for (SubsystemRecord& record : records)
        for (PartRecord& part : record.parts) part.seconds *= all / sum;
}

/// "name=value" becomes the setting "kind name"; a later one of that name replaces it.
void add_pair(const char* kind, const std::string& text, Settings& chosen) {
    const std::size_t equals = text.find('=');
    const Setting setting{fmt::format("{} {}", kind, text.substr(0, equals)),
                          equals == std::string::npos ? "" : text.substr(equals + 1)};
    std::erase_if(chosen, [&](const Setting& known) { return known.name == setting.name; });
    chosen.push_back(setting);
}

}  // namespace

/// What the subsystems did. Members of a group have no steps of their own.
void SystemRun::add_costs(std::vector<SubsystemRecord>& records) const {
    for (std::size_t s = 0; s < records.size(); ++s) {
        const assemble::LoadedSubsystem& part = assembly_.parts[s];
        const Member& member = assembly_.members[s];
        SubsystemRecord& record = records[s];
        if (!member.prefix.empty()) continue;
        // A sample of the steps was timed; the whole is in proportion.
        const CostMeter::Cost& cost = assembly_.system->costs().of(member.place);
        record.steps = static_cast<std::uint64_t>(cost.steps);
        const double share = cost.timed > 0
                                 ? static_cast<double>(cost.steps) / static_cast<double>(cost.timed)
                                 : 0.0;
        record.parts.push_back({"step", record.steps, cost.seconds * share});
        if (part.hosted == nullptr) continue;
        const auto statistics = part.hosted->statistics();
        record.events = static_cast<std::uint64_t>(statistics.state_events +
                                                   statistics.time_events + statistics.step_events);
        record.solver_statistics = solver_statistics(*part.hosted);
    }
    const Executor::Report execution = assembly_.system->schedule().executor().report();
    limit_seconds(records,
                  report().step_seconds * (execution.parallel > 0 ? execution.threads : 1));
}

/// How what became one, and each cycle, was solved.
void SystemRun::add_statistics(std::vector<GroupRecord>& records) const {
    for (std::size_t g = 0; g < assembly_.groups.size(); ++g) {
        const ode::HostedOde& group = *assembly_.groups[g];
        std::vector<Statistic>& statistics = records[g].statistics;
        statistics = solver_statistics(group);
        const auto events = group.statistics();
        for (const Statistic& one : group_statistics(group)) statistics.push_back(one);
        statistics.push_back({"state events", static_cast<double>(events.state_events)});
        statistics.push_back({"time events", static_cast<double>(events.time_events)});
        statistics.push_back({"step events", static_cast<double>(events.step_events)});
    }
    const coupling::CouplingReport report = assembly_.coupling->report(*assembly_.system);
    for (const coupling::IterationStatistics& solved : report.iteration_statistics) {
        const auto is_inside = [&](const std::string& name) {
            const auto member = std::ranges::find(assembly_.members, name, &Member::name);
            return std::ranges::find(solved.members, member->place) != solved.members.end();
        };
        const auto cycle = std::ranges::find_if(records, [&](const GroupRecord& record) {
            return record.kind != "aggregate" && std::ranges::any_of(record.members, is_inside);
        });
        if (cycle == records.end()) continue;
        // Cycles that only values that are not real tie together are one in the graph.
        const bool is_all = std::ranges::all_of(cycle->members, is_inside);
        const std::string& member = assembly_.system->at(solved.members.front()).name();
        for (const Statistic& one : solved.statistics)
            cycle->statistics.push_back(
                {is_all ? one.name : fmt::format("{}: {}", member, one.name), one.value});
    }
}

ThreadsRecord SystemRun::threads_record() const {
    if (!assembly_.system) return {};
    const Executor::Report execution = assembly_.system->schedule().executor().report();
    const auto runs = static_cast<double>(execution.runs);
    if (execution.parallel > 0)
        return {execution.threads, static_cast<double>(execution.parallel) / runs, ""};
    const bool has_more = std::thread::hardware_concurrency() > 1;
    const char* why = execution.threads == 1
                          ? has_more ? "one thread was asked for" : "the machine has one processor"
                      : !execution.has_choice ? "no two subsystems may step at the same time"
                                              : "steps are too cheap to be shared out, or too few";
    return {1, 0.0, assembly_.system->size() < 2 ? "there is one subsystem" : why};
}

std::vector<ResultsRecord> SystemRun::results_records() const {
    if (!recorder_) return {};
    std::vector<ColumnRecord> columns;
    for (const results::ResultColumn& column : recorder_->columns()) {
        const std::size_t dot = column.name.rfind('.');
        columns.push_back({column.name, column.unit,
                           dot == std::string::npos ? "" : column.name.substr(0, dot),
                           column.name.substr(dot == std::string::npos ? 0 : dot + 1)});
    }
    std::vector<ResultsRecord> results;
    for (std::size_t k = 0; k < options_.outputs.size(); ++k) {
        const std::string& path = options_.outputs[k];
        const std::string ending = std::filesystem::path(path).extension().string();
        results.push_back(
            {path, ending.empty() ? "csv" : ending.substr(1), rows_in_file(k), columns});
    }
    return results;
}

/// What was chosen when the run was started. Names are unique.
Settings SystemRun::chosen_settings() const {
    Settings chosen;
    for (const GivenOption& option : chosen_options(options_)) {
        const auto* list = std::get_if<std::vector<std::string>>(&option.value);
        if (option.name == "output") continue;  // is told of the results
        if (list == nullptr || option.name == "record" || option.name == "plugin")
            chosen.push_back({option.name, list == nullptr
                                               ? to_text(option.value)
                                               : fmt::format("{}", fmt::join(*list, ", "))});
        else
            for (const std::string& text : *list) add_pair(option.name.c_str(), text, chosen);
    }
    return chosen;
}

RunRecord SystemRun::record_before_loading() const {
    const description::Experiment& file = flat_.experiment;
    RunRecord record;
    record.system_name = flat_.name;
    record.system_file = options_.file;
    if (!files_) files_ = file_records();
    record.files = *files_;
    record.options = chosen_settings();
    record.experiment.start = options_.start.value_or(file.start.value_or(0.0));
    record.experiment.stop = options_.stop.value_or(file.stop.value_or(record.experiment.start));
    record.experiment.step = options_.step.value_or(file.step.value_or(0.0));
    record.experiment.tolerance = options_.tolerance ? options_.tolerance : file.tolerance;
    for (const description::FlatSubsystem& subsystem : flat_.subsystems) {
        SubsystemRecord& known = record.subsystems.emplace_back();
        known.name = subsystem.name;
        known.source = without_temporary_folders(subsystem.source);
    }
    return record;
}

RunRecord SystemRun::record() const {
    RunRecord record = outline(flat_, assembly_);
    add_costs(record.subsystems);
    add_statistics(record.groups);
    record.system_file = options_.file;
    if (!files_) files_ = file_records();
    record.files = *files_;
    record.options = chosen_settings();
    record.experiment = {grid_->start(), grid_->stop(), grid_->step(), tolerance_};
    record.step_control = assembly_.control_record;
    record.step_lengths = {report().shortest, report().longest,
                           static_cast<std::uint64_t>(report().inaccurate),
                           static_cast<std::uint64_t>(report().beyond_tolerance),
                           static_cast<std::uint64_t>(report().advances)};
    record.threads = threads_record();
    record.results = results_records();
    for (const description::PlotRequest& plot : flat_.report.plots)
        record.plots.push_back({plot.title, plot.x, plot.y, plot.equal});
    if (const auto& reference = flat_.report.reference; !reference.empty())
        record.reference =
            std::filesystem::absolute(without_temporary_folders(reference)).lexically_normal();
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
    record.instability = report().instability;
    record.warnings = findings_;
    std::ranges::copy(process_warnings(), std::back_inserter(record.warnings));
    for (Diagnostic& warning : record.warnings)
        for (std::string* text : {&warning.place, &warning.problem, &warning.hint})
            *text = without_temporary_folders(std::move(*text));
    return record;
}

}  // namespace tandem::run
