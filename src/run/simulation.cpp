#include "run/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/log.hpp"
#include "base/rollback_error.hpp"
#include "base/stopwatch.hpp"
#include "core/partly_readable.hpp"
#include "core/times.hpp"
#include "tandem/error.hpp"

namespace tandem::run {
namespace {

constexpr int most_standstills = 1000;
constexpr double shortest_share = 1e-6;  // of the step, when a discarded one is repeated in halves
constexpr double fewest_spacings = 4.0;  // of times, that such a step takes

bool can_roll_back(const Subsystem& subsystem) {
    const Capabilities& can = subsystem.interface().capabilities;
    return can.rollback && can.variable_step;
}

}  // namespace

std::string hint_behind_discarded_step(double stopped_at) {
    return fmt::format(
        "the FMU discarded the step before and told {:.9g} as its last successful time; from there "
        "it is offered the rest of that step and shorter ones, as FMI wants it, and none that ends "
        "behind the next communication point",
        stopped_at);
}

Simulation::Simulation(Subsystem& subsystem, const assemble::InputTable* table,
                       results::Recorder& recorder, SimulationOptions options)
    : subsystem_(subsystem), table_(table), recorder_(recorder), options_(std::move(options)) {
    can_roll_back_ = can_roll_back(subsystem);
    options_.retry_discarded = options_.retry_discarded && can_roll_back_;
}

const RunReport& Simulation::run() {
    const TimeGrid& grid = options_.grid;
    initialise();
    for (std::size_t k = 1; k <= grid.intervals(); ++k) {
        if (!advance_to(grid.time(k))) break;
        if (options_.go_on && !options_.go_on(report_.reached)) {
            report_.end = k == grid.intervals() ? End::complete : End::interrupted;
            break;
        }
    }
    subsystem_.finish();
    return report_;
}

void Simulation::initialise() {
    const TimeGrid& grid = options_.grid;
    report_.reached = grid.start();
    {
        const Stopwatch watch(report_.initialise_seconds);
        subsystem_.enter_initialisation(
            {grid.start(), grid.stop(), options_.tolerance, grid.step()});
        inputs_.emplace(subsystem_, table_);  // arrays have their final size only now
        inputs_->initialise(grid.start());
        subsystem_.exit_initialisation();
        outputs_.resize(subsystem_.interface().outputs.size());
    }
    check_outputs();
    record(grid.start());
}

bool Simulation::advance_to(double target) {
    while (report_.reached < target) {
        const std::optional<double> next = inputs_->next_jump(report_.reached);
        const bool jumps = next && *next <= target;
        const double end = jumps ? *next : target;
        while (report_.reached < end) {
            if (advance_plainly({report_.reached, inputs_->next_point({report_.reached, end})}))
                continue;
            record(report_.reached);
            return false;
        }
        if (jumps)
            jump(end);
        else
            record_point(end);
    }
    return true;
}

bool Simulation::advance_plainly(Interval interval) {
    Interval attempt = interval;
    while (report_.reached < interval.end) {
        const StepResult result = attempt_step(attempt);
        if (!judge(result, attempt)) return false;
        if (attempt.begin == report_.reached && result.outcome == Outcome::complete)
            attempt.end = interval.end;
    }
    return true;
}

StepResult Simulation::attempt_step(Interval interval) {
    end_of_step_ = interval.end;
    const Stopwatch watch(report_.step_seconds);
    inputs_->set_course(interval);
    if (options_.retry_discarded) save();
    is_stepping_ = true;
    const StepResult result = subsystem_.step(interval);
    is_stepping_ = false;
    return result;
}

/// An FMU that cannot, although it says so, runs as without --retry.
void Simulation::save() {
    try {
        subsystem_.save(StateSlot::step_begin);
    } catch (const RollbackError& error) {
        options_.retry_discarded = can_roll_back_ = false;
        log(LogLevel::warning,
            fmt::format("{}; steps that are discarded cannot be repeated", error.what()));
    }
}

/// Takes the result over and sets the next attempt; false ends the run.
bool Simulation::judge(StepResult result, Interval& attempt) {
    switch (result.outcome) {
        case Outcome::complete:
            ++report_.steps;
            standstills_ = 0;
            report_.reached = attempt.end;
            break;
        case Outcome::early_return:
            judge_early_return(std::min(result.reached, attempt.end));
            break;
        case Outcome::rejected:
        case Outcome::not_converged: shorten(attempt, result.reached); return true;
        case Outcome::terminated:
            report_.end = End::terminated;
            report_.reached = result.reached;
            return false;
    }
    attempt.begin = report_.reached;
    return true;
}

void Simulation::judge_early_return(double reached) {
    ++report_.early_returns;
    if (reached > report_.reached) standstills_ = 0;
    if (++standstills_ > most_standstills)
        throw NumericsError(fmt::format("{}: returned early {} times at time {} without getting on",
                                        subsystem_.name(), most_standstills, report_.reached));
    report_.reached = reached;
    record(reached);
}

/// To the time that the subsystem came to, or to half.
void Simulation::shorten(Interval& attempt, double reached) {
    const bool too_short =
        attempt.length() < std::max(shortest_share * options_.grid.step(),
                                    fewest_spacings * spacing_of_times(attempt.end));
    if (too_short && attempt.begin == stopped_at_)
        throw NumericsError(fmt::format(
            "{}: no step from {} on was taken, however short it was made\n  hint: {}",
            subsystem_.name(), attempt.begin, hint_behind_discarded_step(attempt.begin)));
    if (!options_.retry_discarded || too_short) {
        const bool could_retry = can_roll_back_ && !too_short;
        throw NumericsError(fmt::format(
            "{}: the step from {} to {} was discarded{}\n  hint: {}", subsystem_.name(),
            attempt.begin, attempt.end,
            too_short     ? ", however short it was made"
            : could_retry ? ""
                          : " and cannot be repeated, because the FMU cannot go back",
            too_short     ? "the model cannot get past this time; look at its inputs and parameters"
            : could_retry ? "try a smaller --step, or --retry to repeat discarded steps in halves"
                          : "try a smaller --step"));
    }
    ++report_.retried;
    subsystem_.restore(StateSlot::step_begin);
    const bool came_on = reached > attempt.begin && reached < attempt.end;
    attempt.end = came_on ? reached : attempt.begin + 0.5 * attempt.length();
    if (came_on) stopped_at_ = reached;
}

/// y(t) belongs to u(t), but a subsystem without laws still has the input of the last interval.
void Simulation::record_point(double t, assemble::Side side) {
    const bool needs_inputs = table_ != nullptr && !subsystem_.interface().capabilities.laws;
    if (needs_inputs) inputs_->hold(t, side);
    check_outputs();
    const bool is_recorded = last_event_ && *last_event_ == t;
    if (!is_recorded || needs_inputs) record(t);
}

/// A subsystem refuses outputs that are no numbers; they shall not get into the results. Outputs
/// that cannot be read are none of its.
void Simulation::check_outputs() {
    try {
        if (single_outputs_.empty()) return subsystem_.get_outputs(outputs_);
    } catch (const FmuError&) {
        if (!finds_unreadable_output()) throw;
    }
    for (const VariableGroup& output : single_outputs_) check_output(output);
}

bool Simulation::finds_unreadable_output() {
    Variables& variables = subsystem_.variables();
    auto* const partly = dynamic_cast<PartlyReadable*>(&variables);
    std::vector<VariableGroup> outputs;
    for (std::size_t i = 0; i < variables.list().size(); ++i)
        if (variables.list()[i].is_output && storage_of(variables.list()[i].type) == Storage::reals)
            outputs.push_back(variables.group(std::span(&i, 1)));
    try {
        const bool has_unreadable =
            partly != nullptr && std::ranges::any_of(outputs, [&](const auto& o) {
                return !partly->unknown(o).empty();
            });
        if (has_unreadable) single_outputs_ = std::move(outputs);
        return has_unreadable;
    } catch (const FmuError&) {  // it failed fatally
        return false;
    }
}

void Simulation::check_output(const VariableGroup& output) const {
    Variables& variables = subsystem_.variables();
    if (!dynamic_cast<PartlyReadable&>(variables).unknown(output).empty()) return;
    Values values;
    values.resize(output.type, output.size);
    variables.observe(output, values);
    if (!std::ranges::all_of(values.reals, [](double value) { return std::isfinite(value); }))
        throw FmuError(subsystem_.name(), "get",
                       fmt::format("gave a value for output {} that is no finite number, at t = {}",
                                   variables.list()[output.variables[0]].name, report_.reached));
}

void Simulation::jump(double t) {
    ++report_.input_jumps;
    record_point(t, assemble::Side::before);
    inputs_->hold(t, assemble::Side::after);
    if (options_.handle_jump) options_.handle_jump();
    check_outputs();
    record(t);
}

void Simulation::record_event_side(double t) {
    if (!is_stepping_) return;
    t = std::min(t, end_of_step_);  // it may be a rounding error behind
    if (last_event_ != t) ++report_.events;
    last_event_ = t;
    record(t);
}

void Simulation::record(double t) {
    const Stopwatch watch(report_.record_seconds);
    recorder_.record(t);
}

}  // namespace tandem::run
