#include "run/system_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <new>
#include <thread>
#include <utility>

#include "assemble/tolerance.hpp"
#include "base/log.hpp"
#include "base/rollback_error.hpp"
#include "base/stopwatch.hpp"
#include "description/read/read.hpp"
#include "process/emergency.hpp"
#include "run/rollback_trial.hpp"
#include "run/run_size.hpp"
#include "run/watch/delayed_loops.hpp"
#include "run/watch/small_states.hpp"
#include "run/watch/time_resolution.hpp"
#include "tandem/error.hpp"

namespace tandem::run {
namespace {

constexpr double unlimited_steps = 1e14;  // steps

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

/// Gives steps inputs that differ from the signals by what extrapolation missed before.
bool corrects_inputs(const CouplingRecord& coupling) {
    return coupling.method == "nepce" ||
           std::ranges::any_of(coupling.options, [&](const auto& option) {
               return coupling.method == "aggregate" && option.name == "outer" &&
                      option.value == "nepce";
           });
}

/// The time of its life, without that of recording, becomes the time of steps.
class LoopWatch {
public:
    explicit LoopWatch(RunReport& report)
        : report_(report), begin_(wall_seconds() - report.record_seconds) {}
    ~LoopWatch() { report_.step_seconds = wall_seconds() - report_.record_seconds - begin_; }
    LoopWatch(const LoopWatch&) = delete;
    LoopWatch& operator=(const LoopWatch&) = delete;

private:
    RunReport& report_;
    double begin_;
};

}  // namespace

SystemRun::SystemRun(SystemRunOptions options)
    : options_(std::move(options)), numbers_(sizeof(LiveNumbers)) {
    new (numbers_.data()) LiveNumbers;
    description_ = description::read_system(options_.file, reading_);
    load();
}

SystemRun::SystemRun(description::SystemDescription description, SystemRunOptions options)
    : options_(std::move(options)),
      description_(std::move(description)),
      numbers_(sizeof(LiveNumbers)) {
    new (numbers_.data()) LiveNumbers;
    load();
}

SystemRun::~SystemRun() = default;

void SystemRun::make_grid() {
    const description::Experiment& file = flat_.experiment;
    const double start = options_.start.value_or(file.start.value_or(0.0));
    const auto step = options_.step ? options_.step : file.step;
    auto stop = options_.stop ? options_.stop : file.stop;
    options_.unlimited = options_.unlimited && !stop && step;
    if (options_.unlimited) stop = start + unlimited_steps * *step;
    if (!stop && has_errors(findings_)) return;
    if (!stop)
        throw InputError(options_.file, "no stop time is given",
                         "write stop = ... under [experiment], or use --stop");
    const bool is_of_file = !options_.start && !options_.stop;
    if (is_of_file && *stop < start && has_errors(findings_)) return;  // reading has found it
    TimePlaces places{options_.start ? "--start"
                      : file.start   ? file.place
                                     : "",
                      options_.stop ? "--stop" : file.place};
    places.step = options_.step ? "--step" : file.step ? file.place : places.stop;
    grid_.emplace(start, *stop, step.value_or(default_step(start, *stop)), places);
}

void SystemRun::choose_grid() {
    try {
        make_grid();
    } catch (const InputError& error) {
        findings_.push_back({Severity::error, error.place(), error.problem(), error.hint()});
    }
    const description::Experiment& file = flat_.experiment;
    tolerance_ = options_.tolerance ? options_.tolerance : file.tolerance;
    if (!tolerance_) return;
    if (auto finding = assemble::tolerance_finding(*tolerance_,
                                                   options_.tolerance ? "--tolerance" : file.place))
        findings_.push_back(std::move(*finding));
}

/// Everything that a run needs, as if none had been before. An FMU may allow one instance only, and
/// libraries go last.
void SystemRun::load() {
    const Stopwatch watch(load_seconds_);
    for (auto& rows : numbers().rows) rows.store(nullptr);
    files_.reset();
    recorder_.reset();
    unload();
    assemble::PreparedSystem prepared =
        assemble::prepare_system(description_, reading_, preparing());
    flat_ = std::move(prepared.flat);
    findings_ = std::move(prepared.findings);
    choose_grid();
    assembly_ = std::move(prepared.assembly);
    if (grid_ && assembly_.system) {
        assemble::expect_line_steps(assembly_, grid_->step(), findings_);
        const double latest = options_.unlimited
                                  ? grid_->start()
                                  : std::max(std::abs(grid_->start()), std::abs(grid_->stop()));
        check_time_resolution(flat_, assembly_, {grid_->step(), latest}, findings_);
    }
    throw_errors(findings_);
    choose_threads();
    if (options_.results) open_results();
    warn_of_size();
    StepperOptions stepping{
        .start = grid_->start(),
        .step = grid_->step(),
        .stop = grid_->stop(),
        .tolerance = tolerance_,
        .retry = options_.retry ? Retry::always : Retry::automatic,
        .go_on = options_.go_on,
        .on_event = options_.on_event,
        .warn = [this](Diagnostic warning) { warn({std::move(warning)}); },
        .expect_growth = flat_.experiment.expect_growth.value_or(false),
        .stop_on_instability =
            options_.stop_on_instability || flat_.experiment.stop_on_instability.value_or(false)};
    if (options_.unlimited) stepping.stop.reset();
    stepper_ = std::make_unique<SystemStepper>(assembly_, stepping, recorder_.get());
    point_ = 0;
    recorded_.reset();
}

void SystemRun::warn_of_size() {
    if (options_.unlimited) return;
    const RowPlan rows{columns(), static_cast<long>(flat_.recording.decimation)};
    std::ranges::move(
        size_warnings(*grid_, options_.step ? "--step" : flat_.experiment.place, rows),
        std::back_inserter(findings_));
}

void SystemRun::unload() {
    stepper_.reset();
    assembly_.coupling.reset();
    assembly_.typed_links.reset();
    assembly_.system.reset();
    assembly_ = {};
}

void SystemRun::note_what_is_to_be_loaded(const description::FlatSystem& flat) {
    flat_ = flat;
    if (options_.outputs.empty())
        for (const auto& path : flat_.recording.outputs) options_.outputs.push_back(path.string());
    if (options_.outputs.empty()) options_.outputs.push_back(flat_.name + ".csv");
    if (const auto tell = std::exchange(options_.before_loading, nullptr)) tell(*this);
}

void SystemRun::choose_threads() {
    const auto of_file = static_cast<int>(flat_.experiment.threads.value_or(0));
    const int threads = options_.threads.value_or(of_file);
    if (assembly_.system->size() > 1)
        assembly_.system->schedule().set_executor(
            exec::make_thread_executor(threads, options_.use_of_threads));
}

assemble::PrepareOptions SystemRun::preparing() {
    assemble::PrepareOptions preparing;
    preparing.record = options_.record;
    preparing.exchange = options_.exchange;
    preparing.input = options_.input;
    preparing.chooses_kinds = chooses_kinds_;
    preparing.plugins = options_.plugins;
    preparing.before_loading = [this](const description::FlatSystem& flat) {
        note_what_is_to_be_loaded(flat);
    };
    assemble::AssembleOptions& assembling = preparing.assemble;
    assembling.coupling.method = options_.coupling;
    assembling.step_control.method = options_.step_control;
    assembling.set = options_.set;
    assembling.load.tolerance = options_.tolerance;
    assembling.load.fmu_logging = options_.fmu_logging;
    assembling.load.input_laws = options_.input_laws;
    assembling.load.on_call = options_.on_call;
    assembling.load.models = options_.models;
    assembling.load.without_rollback = without_rollback_;
    assembling.ports = options_.ports;
    assembling.on_event = [this](std::span<const std::size_t> members, double t, bool after) {
        stepper_->note_event(members, t, after);
    };
    for (const std::string& text : options_.options)
        assembling.coupling.options.push_back(parse_option(text, "--option"));
    for (const std::string& text : options_.step_options)
        assembling.step_control.options.push_back(parse_option(text, "--step-option"));
    return preparing;
}

void SystemRun::open_results() {
    for (const std::string& path : options_.outputs)
        refuse_own_file(path, path, "choose another file with --output");
    std::vector<std::unique_ptr<results::ResultWriter>> writers;
    for (const std::string& path : options_.outputs)
        writers.push_back(results::make_result_writer(path, {.units_in_header = options_.units}));
    if (options_.writers)
        for (auto& writer : options_.writers()) writers.push_back(std::move(writer));
    recorder_ = std::make_unique<results::Recorder>(
        results::record_sources(*assembly_.system, assembly_.members),
        results::RecordOptions{flat_.recording.variables, flat_.recording.exclude,
                               static_cast<long>(flat_.recording.decimation),
                               flat_.recording.events},
        std::move(writers));
    make_rows_consistent();
    for (std::size_t k = 0; k < std::min(options_.outputs.size(), numbers().rows.size()); ++k)
        numbers().rows[k].store(&recorder_->rows_in_file(k));
}

void SystemRun::make_rows_consistent() {
    std::vector<int> places;
    for (const std::size_t part : assembly_.followers)
        if (const int place = assembly_.members[part].place;
            recorder_->asks(part) && std::ranges::find(places, place) == places.end())
            places.push_back(place);
    if (!corrects_inputs(assembly_.coupling_record)) {
        recorder_->make_consistent(
            {*assembly_.system, places, results::ConsistentRow::Scope::free});
        return;
    }
    const std::vector<int> all = results::in_order_of_feed_through(*assembly_.system, places);
    recorder_->make_consistent({*assembly_.system, all, results::ConsistentRow::Scope::all});
}

void SystemRun::perform() { attempt(&SystemRun::run_to_the_end); }
void SystemRun::initialise() { attempt(&SystemRun::start); }

/// What fails is begun again in another way, as long as there is one.
void SystemRun::attempt(void (SystemRun::*part)()) {
    for (;;) {
        try {
            return (this->*part)();
        } catch (const StepRejected& rejected) {
            if (!can_begin_again()) throw;
            options_.retry = true;
            begin_again({Severity::warning, options_.file,
                         fmt::format("the run was started again, saving states: {}",
                                     first_line(rejected.what())),
                         "--retry saves from the start"});
        } catch (const RollbackError& error) {
            if (!can_begin_again() || without_rollback_.contains(error.instance())) throw;
            begin_without_rollback(error);
        } catch (const FmuError& error) {
            if (!begin_as_co_simulation(error)) throw;
        } catch (const NumericsError& error) {
            if (!begin_as_co_simulation(error)) throw;
        }
    }
}

/// Where the first step fails because of kinds that were chosen; false if it was not that.
bool SystemRun::begin_as_co_simulation(const std::exception& error) {
    const bool as_chosen = !assembly_.as_model_exchange.empty() && report().steps == 0;
    if (!as_chosen || !can_begin_again()) return false;
    chooses_kinds_ = false;
    begin_again({Severity::warning, options_.file,
                 fmt::format("the run was started again, with FMUs that offer both kinds as "
                             "Co-Simulation: {}",
                             first_line(error.what())),
                 "say kind = \"cs\" to choose that yourself"});
    return true;
}

/// What was printed stays printed, and time that went by is gone.
bool SystemRun::can_begin_again() const {
    const bool has_begun = rows() > 0 || report().steps > 0;
    const bool prints = std::ranges::find(options_.outputs, "-") != options_.outputs.end();
    return !has_begun || (options_.realtime <= 0.0 && (!prints || !options_.results));
}

void SystemRun::begin_again(Diagnostic reason) {
    log(LogLevel::warning, sentence(reason.place, reason.problem, reason.hint));
    Diagnostics before = std::exchange(again_, {});
    before.push_back(std::move(reason));
    load();
    again_ = std::move(before);
    findings_.insert(findings_.end(), again_.begin(), again_.end());
}

void SystemRun::begin_without_rollback(const RollbackError& error) {
    without_rollback_.insert(error.instance());
    const auto which =
        std::ranges::find(flat_.subsystems, error.instance(), &description::FlatSubsystem::name);
    begin_again(
        {Severity::warning, which == flat_.subsystems.end() ? options_.file : which->place,
         fmt::format("subsystem '{}' says that it can go back, but cannot: {}; the run was started "
                     "again as if it did not say so",
                     error.instance(), first_line(error.what())),
         "tandem check --rollback tries it"});
}

void SystemRun::run_to_the_end() {
    start();
    try {
        step_to_the_end();
    } catch (const StepRejected&) {
        throw;  // it may start again
    } catch (...) {
        warn_of_created_energy();
        warn_of_coupling();
        warn_of_missed_tolerance();
        warn_of_noise();
        warn_of_late_events();
        throw;
    }
    finish();
}

void SystemRun::step_to_the_end() {
    const LoopWatch watch(stepper_->report);
    while (point_ < grid_->intervals()) {
        if (!step()) break;
        pace(time());
        if (options_.go_on && !options_.go_on(time()) && point_ < grid_->intervals()) {
            stepper_->report.end = End::interrupted;
            break;
        }
    }
}

/// States that cannot be saved are found out before the first row.
void SystemRun::start() {
    {
        const Stopwatch watch(stepper_->report.initialise_seconds);
        for (const assemble::PlacedTable& placed : assembly_.tables) placed.table->align(*grid_);
        warn_of_uncovered_times();
        initialise_subsystems();
        judge_delayed_loops();
        warn(assemble::line_warnings(assembly_.lines, assembly_.members));
        warn_of_bad_replay();
        if (!options_.only_looks) stepper_->try_saving();
    }
    wall_begin_ = wall_seconds();
    record_point();
}

void SystemRun::initialise_subsystems() {
    try {
        stepper_->initialise();
    } catch (const RefusedValue& error) {
        throw assemble::refused_value(error, assembly_);
    }
}

/// It may have no end that is known.
Interval SystemRun::time_of_run() const {
    return {grid_->start(), options_.unlimited ? grid_->start() : grid_->stop()};
}

void SystemRun::warn_of_uncovered_times() {
    for (const assemble::PlacedTable& placed : assembly_.tables)
        if (std::string outside = assemble::uncovered_times(placed.table->times(), time_of_run());
            !outside.empty())
            warn({{Severity::warning, fmt::format("table '{}'", placed.table->name()),
                   std::move(outside), ""}});
}

void SystemRun::warn(Diagnostics warnings) {
    for (Diagnostic& warning : warnings) {
        log(LogLevel::warning, tandem::sentence(warning.place, warning.problem, warning.hint));
        findings_.push_back(std::move(warning));
    }
}

void SystemRun::judge_delayed_loops() {
    if (options_.only_looks) return;
    Diagnostics findings = delayed_loop_findings(assembly_, stepper_->delayed_loops());
    for (Diagnostic& finding : findings)
        if (finding.place.empty()) finding.place = options_.file;
    throw_errors(findings);
    warn(std::move(findings));
}

void SystemRun::warn_of_created_energy() {
    warn(assemble::energy_warnings(assemble::line_records(assembly_.lines)));
}

void SystemRun::warn_of_coupling() {
    constexpr std::string_view mark = "\n  hint: ";
    const coupling::CouplingReport report = assembly_.coupling->report(*assembly_.system);
    for (const std::string& text : report.warnings) {
        const std::size_t end = std::min(text.find(mark), text.size());
        warn({{Severity::warning, fmt::format("coupling '{}'", assembly_.coupling_record.method),
               text.substr(0, end), end < text.size() ? text.substr(end + mark.size()) : ""}});
    }
}

void SystemRun::warn_of_instability() {
    if (const auto found = stepper_->instability_at_end()) {
        stepper_->report.instability = found;
        warn({instability_warning(*found, assembly_.coupling_record)});
    } else if (auto warning = stepper_->resolution_warning(); warning && !report().instability) {
        warn({std::move(*warning)});
    }
}

/// Noise is told by itself.
void SystemRun::warn_of_missed_tolerance() {
    const RunReport& run = report();
    if (run.noise || 2 * run.beyond_tolerance <= run.steps) return;
    warn({{Severity::warning, fmt::format("step control '{}'", assembly_.control_record.method),
           fmt::format("in {} of {} steps the error is beyond the tolerance, and none was shorter "
                       "than {:.3g}: results are not as accurate as they should be",
                       run.beyond_tolerance, run.steps, run.shortest),
           "allow shorter steps (min_step), or a larger tolerance"}});
}

void SystemRun::warn_of_noise() {
    if (!report().noise) return;
    const NoiseReport& noise = *report().noise;
    const std::string who =
        noise.subsystem.empty()
            ? "noise of the solvers inside the subsystems"
            : fmt::format(
                  "noise of solvers, most of all of '{}', which errs by {:.2g} in a "
                  "step by itself",
                  noise.subsystem, noise.error);
    warn({{Severity::warning, fmt::format("step control '{}'", assembly_.control_record.method),
           fmt::format("from {:.6g} on the error does not fall with the step below {:.3g}: it is "
                       "{}; steps went on with that length, beyond the tolerance",
                       noise.time, noise.length, who),
           noise.subsystem.empty()
               ? "give the subsystems a tighter tolerance, or the step control a looser one"
               : fmt::format("give '{}' a tighter tolerance, or the step control a looser one",
                             noise.subsystem)}});
}

void SystemRun::warn_of_late_events() {
    const LateEvents& late = report().late_events;
    if (late.count == 0) return;
    warn({{Severity::warning, fmt::format("step control '{}'", assembly_.control_record.method),
           fmt::format(
               "{} state events, the first of '{}' at {:.6g}, were caused by inputs that are "
               "held over the step: they were found at communication points only, up to "
               "{:.3g} s late, and the error estimate does not include that",
               late.count, late.subsystem, late.time, late.longest),
           "choose inputs that are extrapolated (order = 1), another coupling, or a max_step"}});
}

void SystemRun::warn_of_values() {
    if (recorder_) warn(results::value_warnings(*recorder_, options_.file));
}

void SystemRun::warn_of_small_states() {
    std::vector<ode::HostedOde*> models;
    for (int s = 0; s < assembly_.system->size(); ++s)
        if (auto* hosted = dynamic_cast<ode::HostedOde*>(&assembly_.system->at(s)))
            models.push_back(hosted);
    warn(small_state_warnings(models, options_.file,
                              "say 'nominal' or 'absolute_tolerance' of these subsystems"));
}

/// Of FMUs that are going to repeat steps; our own solvers do so exactly. It is tried with the
/// instances of the run: a copy of the process would share files and connections of FMUs, and to
/// load all of them once more takes time in every run.
void SystemRun::warn_of_bad_replay() {
    const CrashHint crash(
        "going back, which the FMU says it can do, was tried before the first step: choose a "
        "coupling and a step control that repeat no steps (jacobi, fixed), and ask the FMU's "
        "maker; tandem check --rollback tries each FMU in a process of its own");
    System& system = *assembly_.system;
    const std::vector<Capabilities> needs = assembly_.coupling->needs(system).capabilities;
    const bool all = assembly_.control.control && assembly_.control.control->repeats_in_halves();
    for (std::size_t m = 0; m < assembly_.members.size() && grid_->intervals() > 0; ++m) {
        const int s = assembly_.members[m].place;
        const bool repeats = all || (!needs.empty() && needs[static_cast<std::size_t>(s)].rollback);
        if (!repeats || dynamic_cast<ode::HostedOde*>(&system.at(s)) != nullptr) continue;
        const std::string& place = flat_.subsystems[m].place;
        if (const auto difference = rollback_difference(s))
            warn({{Severity::warning, place, difference->sentence(system.at(s).name()),
                   "do not trust the results; use a coupling that repeats no steps"}});
    }
}

std::optional<ReplayDifference> SystemRun::rollback_difference(int s) {
    System& system = *assembly_.system;
    const Interval macro = grid_->interval(0);
    const double step = macro.length() / assembly_.ratios[static_cast<std::size_t>(s)];
    const Interval first{macro.begin, macro.begin + step};
    std::optional<Interval> second = Interval{first.end, first.end + step};
    if (second->end > grid_->stop()) second.reset();
    return try_rollback(system, s, {first, second, Compared::outputs}).difference;
}

bool SystemRun::step() {
    if (point_ >= grid_->intervals()) refuse_to_go_on();
    const bool goes_on = stepper_->advance_to(grid_->time(++point_));
    record_point();
    numbers().steps.store(static_cast<std::uint64_t>(report().steps), std::memory_order_relaxed);
    numbers().simulated_seconds.store(time() - grid_->start(), std::memory_order_relaxed);
    return goes_on;
}

void SystemRun::refuse_to_go_on() const {
    throw InputError(options_.file, fmt::format("the stop time {} is reached", grid_->stop()),
                     "give a later stop time");
}

bool SystemRun::advance_to(double t) {
    const double target = grid_->aligned(t);
    if (target > grid_->stop()) refuse_to_go_on();
    while (point_ < grid_->intervals() && grid_->time(point_ + 1) <= target)
        if (!step()) return false;
    return stepper_->advance_to(target);
}

void SystemRun::finish() {
    for (int s = 0; s < assembly_.system->size(); ++s) assembly_.system->at(s).finish();
    warn_of_created_energy();
    warn_of_coupling();
    warn_of_instability();
    warn_of_missed_tolerance();
    warn_of_noise();
    warn_of_late_events();
    warn_of_values();
    warn_of_small_states();
    close_results();
}

void SystemRun::close_results() {
    if (recorder_) recorder_->close();
}

void SystemRun::set_input(int input, double value) {
    assembly_.system->inputs()[static_cast<std::size_t>(input)] = value;
}

void SystemRun::record_point() {
    if (!recorder_ || recorded_ == time()) return;
    recorded_ = time();
    const Stopwatch watch(stepper_->report.record_seconds);
    recorder_->record(time());
}

void SystemRun::pace(double t) const {
    if (options_.realtime <= 0.0) return;
    const double due = wall_begin_ + (t - grid_->start()) / options_.realtime;
    const double ahead = due - wall_seconds();
    if (ahead > 0.0) std::this_thread::sleep_for(std::chrono::duration<double>(ahead));
}

}  // namespace tandem::run
