#include "run/system_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "coupling/catalog.hpp"
#include "run/prepare_system.hpp"

namespace tandem::run {
namespace {

constexpr double shortest_share = 1e-6;  // of the step, when a rejected one is repeated in halves
constexpr long steps_per_sample = 32;    // of which one is timed

}  // namespace

SystemRun::SystemRun(SystemRunOptions options) : options_(std::move(options)) {
    const Stopwatch watch(load_seconds_);
    PrepareOptions preparing{.assemble = {}, .record = options_.record};
    AssembleOptions& assembling = preparing.assemble;
    assembling.method = options_.coupling;
    assembling.set = options_.set;
    assembling.load.tolerance = options_.tolerance;
    assembling.load.fmu_logging = options_.fmu_logging;
    assembling.load.on_call = options_.on_call;
    assembling.load.on_event = [this](double) { had_event_ = true; };
    for (const std::string& text : options_.options)
        assembling.coupling_options.push_back(parse_option(text, "--option"));
    PreparedSystem prepared = prepare_system(options_.file, preparing);
    flat_ = std::move(prepared.flat);
    assembly_ = std::move(prepared.assembly);
    findings_ = std::move(prepared.findings);
    choose_grid();
    throw_errors(findings_);
    saves_ = can_roll_back();
    open_results();
}

SystemRun::~SystemRun() = default;

void SystemRun::choose_grid() {
    const ssp::Experiment& file = flat_.experiment;
    const double start = options_.start.value_or(file.start.value_or(0.0));
    const auto stop = options_.stop ? options_.stop : file.stop;
    const auto step = options_.step ? options_.step : file.step;
    try {
        if (!stop)
            throw InputError(options_.file, "no stop time is given",
                             "write stop = ... under [experiment], or use --stop");
        grid_.emplace(start, *stop, step.value_or((*stop - start) / 500.0));
    } catch (const InputError& error) {
        findings_.push_back({Severity::error, error.place(), error.problem(), error.hint()});
    }
    tolerance_ = options_.tolerance ? options_.tolerance : file.tolerance;
}

void SystemRun::open_results() {
    if (options_.outputs.empty())
        for (const auto& path : flat_.recording.outputs) options_.outputs.push_back(path.string());
    if (options_.outputs.empty()) options_.outputs.push_back(flat_.name + ".csv");
    std::vector<std::unique_ptr<ResultWriter>> writers;
    for (const std::string& path : options_.outputs)
        writers.push_back(make_result_writer(path, {.units_in_header = options_.units}));
    recorder_ =
        std::make_unique<Recorder>(record_sources(*assembly_.system),
                                   RecordOptions{flat_.recording.variables, flat_.recording.exclude,
                                                 static_cast<long>(flat_.recording.decimation)},
                                   std::move(writers));
}

bool SystemRun::can_roll_back() const {
    const System& system = *assembly_.system;
    for (int s = 0; s < system.size(); ++s) {
        const Capabilities& can = system.at(s).interface().capabilities;
        if (!can.rollback || !can.variable_step) return false;
    }
    return true;
}

void SystemRun::perform() {
    initialise_all();
    const auto record_point = [this](double t) {
        const Stopwatch watch(report_.record_seconds);
        recorder_->record(t);
    };
    record_point(grid_->start());
    for (std::size_t k = 1; k <= grid_->intervals(); ++k) {
        const bool goes_on = advance_to(grid_->time(k));
        record_point(report_.reached);
        if (!goes_on) break;
        pace(report_.reached);
        if (options_.go_on && !options_.go_on(report_.reached) && k < grid_->intervals()) {
            report_.end = End::interrupted;
            break;
        }
    }
    for (int s = 0; s < assembly_.system->size(); ++s) assembly_.system->at(s).finish();
    recorder_->close();
}

void SystemRun::initialise_all() {
    const Stopwatch watch(report_.initialise_seconds);
    report_.reached = grid_->start();
    run::initialise(*assembly_.system, {grid_->start(), grid_->stop(), tolerance_},
                    assembly_.typed_links.get());
    assembly_.coupling->prepare(*assembly_.system);
    wall_begin_ = wall_seconds();
}

/// True if time may go on from there.
bool SystemRun::advance_to(double target) {
    while (report_.reached < target) {
        const std::optional<double> next = next_jump(report_.reached);
        const bool jumps = next && *next <= target;
        const double end = jumps ? *next : target;
        while (report_.reached < end)
            if (!step({report_.reached, end})) return false;
        if (jumps) jump(end < target);
    }
    return true;
}

/// One step of the coupling, shortened until it can be done.
bool SystemRun::step(Interval attempt) {
    const Stopwatch watch(report_.step_seconds);
    System& system = *assembly_.system;
    if (!assembly_.typed_links->empty() && assembly_.typed_links->exchange())
        assembly_.coupling->forget();
    if (saves_) system.save(StateSlot::step_begin);
    for (;;) {
        system.measure(report_.steps % steps_per_sample == 0);
        const StepResult result = assembly_.coupling->advance(system, attempt);
        if (std::exchange(had_event_, false)) {
            ++report_.events;
            assembly_.coupling->forget();
        }
        switch (result.outcome) {
            case Outcome::complete:
                ++report_.steps;
                report_.reached = attempt.end;
                return true;
            case Outcome::terminated:
                report_.end = End::terminated;
                report_.reached = result.reached;
                return false;
            default: retry_shorter(result, attempt);
        }
    }
}

/// Goes back and tries as far as the subsystem came, or half as far.
void SystemRun::retry_shorter(StepResult result, Interval& attempt) {
    const bool early = result.outcome == Outcome::early_return && result.reached > attempt.begin;
    const double end = early ? result.reached : attempt.begin + 0.5 * attempt.length();
    const bool too_short = end - attempt.begin < shortest_share * grid_->step();
    if (!saves_ || too_short)
        throw NumericsError(fmt::format(
            "the step from {} to {} was {} by a subsystem{}\n  hint: {}", attempt.begin,
            attempt.end, early ? "cut short" : "rejected",
            too_short ? ", however short it was made" : " and not all subsystems can go back",
            too_short ? "look at the inputs and parameters of the system at this time"
                      : "try a smaller step"));
    ++report_.retried;
    assembly_.system->restore(StateSlot::step_begin);
    for (int s = 0; s < assembly_.system->size(); ++s) assembly_.system->read_outputs(s);
    attempt.end = end;
}

std::optional<double> SystemRun::next_jump(double t) const {
    std::optional<double> next;
    for (const LoadedSubsystem& part : assembly_.parts) {
        const auto jump = part.table == nullptr ? std::nullopt : part.table->next_jump(t);
        if (jump && (!next || *jump < *next)) next = jump;
    }
    return next;
}

/// The tables jump now: what they said up to here is recorded, and if no grid point follows at
/// once, also what they say from here on.
void SystemRun::jump(bool between_grid_points) {
    ++report_.input_jumps;
    recorder_->record_event(report_.reached);
    System& system = *assembly_.system;
    for (std::size_t s = 0; s < assembly_.parts.size(); ++s) {
        if (assembly_.parts[s].table == nullptr) continue;
        assembly_.parts[s].table->pass_jump();
        system.read_outputs(static_cast<int>(s));
    }
    assembly_.coupling->forget();
    if (between_grid_points) recorder_->record_event(report_.reached);
}

void SystemRun::pace(double t) const {
    if (options_.realtime <= 0.0) return;
    const double due = wall_begin_ + (t - grid_->start()) / options_.realtime;
    const double ahead = due - wall_seconds();
    if (ahead > 0.0) std::this_thread::sleep_for(std::chrono::duration<double>(ahead));
}

}  // namespace tandem::run
