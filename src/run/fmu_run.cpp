#include "run/fmu_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <utility>

#include "assemble/apply_scales.hpp"
#include "assemble/load/assignment.hpp"
#include "assemble/load/unmet_units.hpp"
#include "assemble/tolerance.hpp"
#include "base/log.hpp"
#include "core/time_grid.hpp"
#include "run/run_size.hpp"
#include "run/watch/small_states.hpp"
#include "subsystem/cs_fmu.hpp"
#include "subsystem/fmu_ode.hpp"
#include "tandem/error.hpp"
#include "tandem/extend/options.hpp"

namespace tandem::run {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double default_solver_tolerance = 1e-6;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// "models/ball.fmu" and "models/ball/" -> ball
std::string stem_of(const std::string& path) {
    std::filesystem::path p(path);
    if (!p.has_filename()) p = p.parent_path();
    const std::string stem = p.stem().string();
    return stem.empty() || stem == "." || stem == ".." ? "fmu" : stem;
}

void refuse_solver_of_co_simulation() {
    throw InputError("--solver", "a Co-Simulation FMU brings its own solver",
                     "leave out --solver and its options, or choose Model Exchange with --kind me");
}

double positive(const char* option, const std::string& text) {
    const GivenOption given = parse_option("value=" + text, option);
    const auto* whole = std::get_if<std::int64_t>(&given.value);
    const auto* real = std::get_if<double>(&given.value);
    const double value = whole != nullptr  ? static_cast<double>(*whole)
                         : real != nullptr ? *real
                                           : std::nan("");
    if (!std::isfinite(value) || value <= 0.0)
        throw InputError(option, fmt::format("'{}' is not a positive number", text),
                         fmt::format("write {} x=1e-9", option));
    return value;
}

/// As a system file would say it: a number, or a table of "name=value".
description::Setting size_setting(const char* option, const char* key,
                                  const std::vector<std::string>& texts) {
    description::Setting table = description::group(key, description::Setting::Type::table, {});
    table.place = option;
    for (const std::string& text : texts) {
        const std::size_t equals = text.rfind('=');
        const double value = positive(option, text.substr(equals + 1));
        description::Setting entry = description::real_setting(text.substr(0, equals), value);
        entry.place = option;
        const bool is_number = equals == std::string::npos;
        if (is_number && texts.size() > 1)
            throw InputError(option, "there is a number for all and another value",
                             "give one number, or name=value for each of some");
        if (is_number) entry.key = key;
        if (is_number) return entry;
        table.entries.push_back(std::move(entry));
    }
    return table;
}

}  // namespace

FmuRun::FmuRun(FmuRunOptions options) : options_(std::move(options)) {
    const Clock::time_point begin = Clock::now();
    fmu_ = fmi::Fmu::open(options_.fmu);
    for (const Diagnostic& finding : fmu_->findings())
        log(LogLevel::info, sentence(finding.place, finding.problem, finding.hint));
    if (options_.outputs.empty()) options_.outputs = {stem_of(options_.fmu) + ".csv"};
    if (!options_.solver.empty()) solver_ = ode::method_from(options_.solver);
    refuse_overwriting_input();
    choose_kind();
    choose_grid();
    if (kind_ == fmi::Kind::co_simulation)
        make_co_simulation();
    else
        make_model_exchange();
    set_start_values();
    set_scales();
    read_inputs();
    make_simulation();
    load_seconds_ = seconds_since(begin);
}

FmuRun::~FmuRun() = default;

void FmuRun::refuse_overwriting_input() const {
    std::error_code none;
    for (const std::string& output : options_.outputs)
        if (!options_.input.empty() && std::filesystem::equivalent(options_.input, output, none))
            throw InputError("--output " + output, "is the input file and would be overwritten",
                             "choose another file");
}

void FmuRun::choose_kind() {
    const fmi::ModelDescription& description = fmu_->description();
    const bool has_cs = description.co_simulation.has_value();
    const bool has_me = description.model_exchange.has_value();
    if (!has_cs && !has_me)
        throw InputError(options_.fmu, "has neither Co-Simulation nor Model Exchange",
                         "Scheduled Execution cannot be run on its own");
    const fmi::Kind preferred = has_cs && !(wants_solver() && has_me) ? fmi::Kind::co_simulation
                                                                      : fmi::Kind::model_exchange;
    kind_ = options_.kind == "cs"   ? fmi::Kind::co_simulation
            : options_.kind == "me" ? fmi::Kind::model_exchange
                                    : preferred;
    if (description.kind(kind_) == nullptr)
        throw InputError(options_.fmu, fmt::format("has no {}", to_string(kind_)),
                         has_cs ? "run it with --kind cs" : "run it with --kind me");
    if (kind_ == fmi::Kind::co_simulation && wants_solver()) refuse_solver_of_co_simulation();
}

bool FmuRun::wants_solver() const {
    return !options_.solver.empty() || options_.solver_step || options_.first_step ||
           options_.max_order || options_.max_steps || !options_.absolute_tolerance.empty() ||
           !options_.nominal.empty();
}

double FmuRun::default_step(double start, double stop) const {
    const fmi::ModelDescription& description = fmu_->description();
    if (description.experiment.step_size && *description.experiment.step_size > 0.0)
        return *description.experiment.step_size;
    const double step = tandem::default_step(start, stop);
    const std::optional<double> inner = description.kind(kind_)->fixed_internal_step_size;
    if (kind_ != fmi::Kind::co_simulation || !inner || !(*inner > 0.0)) return step;
    return std::max(1.0, std::round(step / *inner)) * *inner;
}

void FmuRun::choose_grid() {
    const fmi::DefaultExperiment& experiment = fmu_->description().experiment;
    const double start = options_.start.value_or(experiment.start_time.value_or(0.0));
    double stop = options_.stop.value_or(experiment.stop_time.value_or(start + 1.0));
    if (!options_.stop && !(stop > start)) stop = start + 1.0;
    const TimePlaces places{options_.start          ? "--start"
                            : experiment.start_time ? options_.fmu
                                                    : "",
                            options_.stop ? "--stop" : options_.fmu,
                            options_.step ? "--step" : options_.fmu};
    grid_.emplace(start, stop, options_.step ? *options_.step : default_step(start, stop), places);
    tolerance_ = options_.tolerance ? options_.tolerance : experiment.tolerance;
    if (options_.solver_step &&
        !(*options_.solver_step > 0.0 && std::isfinite(*options_.solver_step)))
        throw InputError("--solver-step", "must be positive and finite");
    assemble::check_tolerance(options_.tolerance, "--tolerance");
    if (options_.tolerance && kind_ == fmi::Kind::co_simulation &&
        fmu_->description().version == fmi::Version::v1)
        log(LogLevel::warning,
            "--tolerance has no effect: FMI 1.0 cannot tell a Co-Simulation FMU its tolerance");
    const bool has_short_step =
        grid_->intervals() > 1 &&
        grid_->interval(grid_->intervals() - 1).length() < 0.999 * grid_->step();
    if (has_short_step && kind_ == fmi::Kind::co_simulation &&
        !fmu_->description().co_simulation->can_handle_variable_step)
        log(LogLevel::warning,
            fmt::format("the last step is shorter than {}, but the FMU asks for equal steps; "
                        "choose --stop as a multiple of --step",
                        grid_->step()));
}

fmi::InstanceOptions FmuRun::instance_options() const {
    fmi::InstanceOptions instance;
    instance.name = stem_of(options_.fmu);
    instance.fmu_logging = options_.fmu_logging;
    instance.on_call = options_.on_call;
    return instance;
}

void FmuRun::make_co_simulation() {
    subsystem::CsFmuOptions options;
    options.instance = instance_options();
    options.on_event = [this](double t, bool) { simulation_->record_event_side(t); };
    subsystem_ = std::make_unique<subsystem::CsFmu>(fmu_, std::move(options));
}

ode::HostedOdeOptions FmuRun::solver_options() const {
    ode::HostedOdeOptions options;
    options.solver.method = solver();
    options.solver.relative_tolerance = tolerance_.value_or(default_solver_tolerance);
    (ode::has_fixed_steps(solver()) ? options.solver.fixed_step : options.solver.max_step) =
        options_.solver_step.value_or(0.0);
    constexpr int most_steps = 1'000'000'000;
    if (options_.first_step && !(*options_.first_step > 0.0 && std::isfinite(*options_.first_step)))
        throw InputError("--first-step", "must be positive");
    if (options_.max_order && *options_.max_order < 1)
        throw InputError("--max-order", "must be at least 1");
    if (options_.max_steps && (*options_.max_steps < 1 || *options_.max_steps > most_steps))
        throw InputError("--max-steps", "must lie between 1 and a billion");
    options.first_step = options_.first_step.value_or(0.0);
    options.max_steps = options_.max_steps.value_or(0);
    options.solver.max_order = options_.max_order.value_or(0);
    if (const auto refused = ode::refused_option(options)) {
        std::string option = "--" + refused->option;
        std::ranges::replace(option, '_', '-');
        throw InputError(option, refused->problem, refused->hint);
    }
    return options;
}

void FmuRun::make_model_exchange() {
    ode::HostedOdeOptions options = solver_options();
    options.on_event = [this](const ode::EventNotice& notice) {
        simulation_->record_event_side(notice.t);
    };
    auto hosted = std::make_unique<ode::HostedOde>(
        std::make_unique<subsystem::FmuOde>(fmu_, instance_options()), std::move(options));
    hosted_ = hosted.get();
    subsystem_ = std::move(hosted);
}

/// As those of the only subsystem of a system.
void FmuRun::set_scales() {
    if (hosted_ == nullptr) return;
    description::FlatSystem flat;
    description::FlatSubsystem& description = flat.subsystems.emplace_back();
    description.name = subsystem_->name();
    for (const description::Setting& setting :
         {size_setting("--nominal", "nominal", options_.nominal),
          size_setting("--absolute-tolerance", "absolute_tolerance", options_.absolute_tolerance)})
        if (setting.is_number() || !setting.entries.empty()) description.options.push_back(setting);
    std::vector<assemble::LoadedSubsystem> parts(1);
    parts[0].fmu = fmu_;
    parts[0].hosted = hosted_;
    parts[0].solver = to_string(solver());
    parts[0].subsystem = std::move(subsystem_);
    Diagnostics findings;
    assemble::apply_scales(description, 0, parts[0], assemble::Signals(flat, parts, findings));
    subsystem_ = std::move(parts[0].subsystem);
    for (const Diagnostic& finding : findings)
        throw InputError(finding.place, finding.problem, finding.hint);
}

void FmuRun::set_start_values() {
    Variables& variables = subsystem_->variables();
    for (const assemble::Assignment& assignment :
         assemble::parse_assignments(fmu_->description(), options_.set))
        variables.write(variables.group(std::span(&assignment.variable, 1)), assignment.values);
}

void FmuRun::make_simulation() {
    std::vector<results::RecordSource> sources(1);
    sources[0].variables = &subsystem_->variables();
    std::vector<std::unique_ptr<results::ResultWriter>> writers;
    for (const std::string& output : options_.outputs)
        writers.push_back(results::make_result_writer(output, {.units_in_header = options_.units}));
    recorder_ = std::make_unique<results::Recorder>(
        std::move(sources), results::RecordOptions{.patterns = options_.record, .exclude = {}},
        std::move(writers));
    for (const Diagnostic& warning :
         size_warnings(*grid_, options_.step ? "--step" : options_.fmu, {columns()}))
        log(LogLevel::warning, sentence(warning.place, warning.problem, warning.hint));
    SimulationOptions options;
    options.grid = *grid_;
    // An FMU knows its own default, and some complain about a tolerance that they cannot use.
    options.tolerance = kind_ == fmi::Kind::co_simulation ? options_.tolerance : tolerance_;
    options.retry_discarded = options_.retry;
    options.go_on = options_.go_on;
    if (hosted_ != nullptr) options.handle_jump = [this] { hosted_->handle_external_event(); };
    simulation_ = std::make_unique<Simulation>(*subsystem_, table_ ? &*table_ : nullptr, *recorder_,
                                               std::move(options));
}

void FmuRun::read_inputs() {
    if (options_.input.empty()) return;
    const fmi::ModelDescription& description = fmu_->description();
    const auto enumeration = [&](std::size_t variable, std::string_view item) {
        return assemble::enumeration_value(description, variable, item);
    };
    std::vector<VariableInfo> driven = subsystem_->variables().list();
    for (std::size_t i = 0; i < description.variables.size(); ++i)
        if (driven[i].is_parameter &&
            description.variables[i].variability == fmi::Variability::tunable)
            driven[i].is_input = true;
    table_.emplace(CsvReader(read_text_file(options_.input), options_.input), driven, enumeration);
    table_->align(*grid_);
    if (const std::string outside =
            assemble::uncovered_times(table_->times(), {grid_->start(), grid_->stop()});
        !outside.empty())
        log(LogLevel::warning, sentence(options_.input, outside, ""));
    warn_of_unmet_units();
    if (hosted_ != nullptr) table_->find_kinks(tolerance_.value_or(default_solver_tolerance));
    if (!subsystem_->interface().capabilities.variable_step) warn_of_equal_steps();
}

void FmuRun::warn_of_unmet_units() const {
    std::vector<std::string> unmet;
    for (const assemble::InputColumn& column : table_->columns())
        if (!column.unmet_unit.empty())
            unmet.push_back(fmt::format("{} in '{}'", column.name, column.unmet_unit));
    if (unmet.empty()) return;
    const Diagnostic warning = assemble::unmet_units(options_.input, unmet);
    log(LogLevel::warning, sentence(warning.place, warning.problem, warning.hint));
}

/// Intervals without a row inside are straight.
void FmuRun::warn_of_equal_steps() const {
    if (table_->next_jump(grid_->start()))
        log(LogLevel::warning,
            fmt::format("{}: the FMU asks for equal steps, so jumps take effect at the next step",
                        options_.input));
    for (double row = table_->next_row(grid_->start()); row < grid_->stop();) {
        const Interval interval = grid_->interval(grid_->interval_at(row));
        if (table_->next_bend(interval)) {
            log(LogLevel::warning,
                fmt::format("{}: the FMU asks for equal steps, so it does not see what the inputs "
                            "do between {} and {}\n  hint: choose a smaller --step",
                            options_.input, interval.begin, interval.end));
            return;
        }
        row = table_->next_row(interval.end);
    }
}

void FmuRun::perform() {
    try {
        simulation_->run();
    } catch (const RefusedValue& error) {
        throw assemble::refused_value(error);
    }
    Diagnostics warnings = results::value_warnings(*recorder_, options_.fmu);
    if (hosted_ != nullptr)
        std::ranges::move(
            small_state_warnings(std::span(&hosted_, 1), options_.fmu,
                                 "say its size with --nominal or --absolute-tolerance"),
            std::back_inserter(warnings));
    for (const Diagnostic& warning : warnings)
        log(LogLevel::warning, sentence(warning.place, warning.problem, warning.hint));
    recorder_->close();
}

std::optional<ode::HostedOde::Statistics> FmuRun::solver_statistics() const {
    if (hosted_ == nullptr) return std::nullopt;
    return hosted_->statistics();
}

}  // namespace tandem::run
