#include "run/system_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/duration.hpp"
#include "base/log.hpp"
#include "base/rollback_error.hpp"
#include "core/times.hpp"
#include "run/initialise.hpp"
#include "run/rollback_trial.hpp"
#include "run/watch/delayed_loops.hpp"
#include "run/watch/not_finite.hpp"

namespace tandem::run {
namespace {

constexpr long steps_per_sample = 32;  // of which one is timed
/// Times that differ by less than this part of the step are one communication point.
constexpr double time_tolerance = 1e-6;
/// Times whose difference means something, in spacings.
constexpr double times_apart = 4.0;
/// Of a run without a stop time, in communication steps, as far as the errors of steps add up.
constexpr double steps_of_unlimited_run = 1000.0;
/// So many attempts in a row without a step of full length are no way to the end of the run.
constexpr int most_shortened = 2000;
/// The first step of a control that cannot take it back, by the communication step.
constexpr double first_step_fraction = 1e-3;

/// Methods that tell a step inputs that its end need not confirm.
bool predicts(const CouplingRecord& coupling) {
    constexpr std::array by_models = {"predictor", "linear_implicit", "lti", "pre_step"};
    const auto extrapolates = [](const auto& option) {
        return option.name == "order" && option.value != "0";
    };
    return std::ranges::find(by_models, coupling.method) != by_models.end() ||
           (coupling.method == "jacobi" && std::ranges::any_of(coupling.options, extrapolates));
}

/// One model with its solver that nothing comes back to: nobody else's step is cut at its events.
bool is_alone(const System& system) {
    const auto feeds_back = [](const FunctionLink& function) { return !function.outputs.empty(); };
    return system.size() == 1 && dynamic_cast<const ode::HostedOde*>(&system.at(0)) != nullptr &&
           system.links().empty() && std::ranges::none_of(system.functions(), feeds_back);
}

bool can_roll_back(const Subsystem& subsystem) {
    const Capabilities& can = subsystem.interface().capabilities;
    return can.rollback && can.variable_step;
}

}  // namespace

SystemStepper::SystemStepper(assemble::Assembly& assembly, const StepperOptions& options,
                             results::Recorder* recorder)
    : assembly_(assembly),
      system_(*assembly.system),
      options_(options),
      recorder_(recorder),
      control_(assembly.control.control.get()),
      noted_(static_cast<std::size_t>(assembly.system->size())) {
    is_alone_ = is_alone(system_);
}

bool SystemStepper::may_repeat_steps() const {
    const bool may = options_.retry == Retry::always || assembly_.coupling->traits().iterates ||
                     (control_ != nullptr && control_->repeats_in_halves()) || any_may_stop();
    return may && !is_alone_;
}

bool SystemStepper::any_may_stop() const {
    for (int s = 0; s < system_.size(); ++s)
        if (system_.at(s).interface().may_stop_inside) return true;
    return false;
}

bool SystemStepper::all_can_roll_back() const {
    for (int s = 0; s < system_.size(); ++s)
        if (!can_roll_back(system_.at(s))) return false;
    return true;
}

/// One that cannot go back, if there is any.
const std::string& SystemStepper::stuck_one() const {
    int s = 0;
    while (s + 1 < system_.size() && can_roll_back(system_.at(s))) ++s;
    return system_.at(s).name();
}

/// Where something fails because of a value that is no number, the error says where that comes
/// from. In a step it says what failed, too: an iteration that diverges may be the cause.
template <class Action>
auto SystemStepper::explained(Interval interval, const Action& action) {
    const auto explain = [&](const std::string& failure) {
        if (const auto source = source_of_not_finite(assembly_, interval))
            throw NumericsError(fmt::format(
                "{}{}\n  hint: look at the signals and parameters there", *source,
                interval.length() > 0.0 ? "; " + failure.substr(0, failure.find('\n')) : ""));
    };
    try {
        return action();
    } catch (const RollbackError&) {
        throw;
    } catch (const FmuError& error) {
        explain(error.what());
        throw;
    } catch (const NumericsError& error) {
        explain(error.what());
        throw;
    }
}

void SystemStepper::initialise() {
    report.reached = begin_ = options_.start;
    start_points();
    explained({options_.start, options_.start}, [this] {
        run::initialise(system_, {options_.start, options_.stop, options_.tolerance, options_.step},
                        assembly_.typed_links.get(), [this] {
                            if (!assembly_.coupling->needs(system_).solves_loops)
                                delayed_loops_ = assemble::linearise_loops(system_, options_.start);
                        });
    });
    if (!assembly_.typed_links->empty())
        system_.set_discrete_exchange([this](int s) { return exchange_discrete_inputs(s); });
    system_.on_restart([this](int s) { forget_events_of(s); });
    feed_through_.emplace(system_);
    solves_loops_ = can_solve_between_steps(assembly_, delayed_loops_);
    if (solves_loops_) delayed_loops_.clear();
    instant_.emplace(system_);
    acts_.assign(noted_.size(), 0);
    inputs_reached_.resize(system_.inputs().size());
    outputs_reached_.resize(system_.outputs().size());
    assembly_.coupling->prepare(system_, options_.step);
    log_notes();
    if (control_ != nullptr) prepare_control();
    saves_ = may_repeat_steps() && all_can_roll_back();
    looks_ahead_ = looks_ahead(assembly_.coupling_record);
    predicts_ = predicts(assembly_.coupling_record);
    const numerics::Graph flows = system_.flow_graph();
    for (int s = 0; s < system_.size(); ++s) feeds_others_.push_back(!flows.successors(s).empty());
    may_cut_steps_ = control_ != nullptr || any_may_stop();
    if (!options_.expect_growth) watch_cycles();
    own_steps_.emplace(assembly_, control_ != nullptr);
    if (control_ == nullptr) resolution_.emplace(assembly_);
    inputs_at_begin_.resize(system_.inputs().size());
    slopes_.resize(system_.inputs().size());
}

void SystemStepper::watch_cycles() {
    constexpr double most_steps = 1e15;
    const double steps = options_.stop && control_ == nullptr
                             ? (*options_.stop - options_.start) / options_.step
                             : 0.0;
    watch_.emplace(assembly_, delayed_loops_, static_cast<long>(std::min(steps, most_steps)));
    if (!watch_->is_needed()) watch_.reset();
}

/// One line for all subsystems of which the same is said.
void SystemStepper::log_notes() const {
    std::vector<std::pair<std::string, std::string>> lines;  // the text, the names
    for (const coupling::Fallback& note : assembly_.coupling->report(system_).fallbacks) {
        const std::string name = fmt::format("'{}'", system_.at(note.subsystem).name());
        const auto same =
            std::ranges::find(lines, note.text, &std::pair<std::string, std::string>::first);
        if (same == lines.end())
            lines.emplace_back(note.text, name);
        else
            same->second += ", " + name;
    }
    for (const auto& [text, names] : lines)
        log(LogLevel::warning,
            fmt::format("coupling '{}': {}: {}", assembly_.coupling_record.method, names, text));
}

void SystemStepper::prepare_control() {
    const stepsize::ControlOptions& given = assembly_.control.options;
    const coupling::CouplingTraits traits = assembly_.coupling->traits();
    control_->prepare(system_, {.span = options_.stop ? *options_.stop - options_.start
                                                      : steps_of_unlimited_run * options_.step,
                                .order = traits.order,
                                .iterates = traits.iterates,
                                .gain = coupling::half_step_error_ratio(traits),
                                .bonds = assembly_.bonds});
    const auto chosen = [](double value, double otherwise) {
        return value > 0.0 ? value : otherwise;
    };
    const double longest = chosen(given.max_step, std::numeric_limits<double>::infinity());
    length_.emplace(
        stepsize::StepLength::Limits{
            .min = std::min(chosen(given.min_step, shortest_step()), longest),
            .max = longest,
            .first =
                chosen(given.first_step,
                       control_->rejects() ? options_.step : first_step_fraction * options_.step)},
        control_->power());
    if (options_.stop) crawl_.emplace(*options_.stop, options_.step);
}

/// The typed links have one set of buffers for all.
bool SystemStepper::exchange_discrete_inputs(int s) {
    const std::lock_guard lock(carrying_);
    return assembly_.typed_links->exchange_into([&](const Variables* of, int input) {
        if (of == nullptr) return system_.subsystem_of_input(input) == s;
        return std::ranges::any_of(assembly_.members, [&](const Member& member) {
            return member.place == s && member.variables == of;
        });
    });
}

bool SystemStepper::advance_to(double target) {
    const double begin = report.reached;
    while (report.reached < target) {
        const std::optional<double> next = next_jump(report.reached);
        const bool jumps = next && (*next <= target || is_one_point(*next, target));
        const double end = jumps && !is_one_point(*next, target) ? *next : target;
        while (report.reached < end) {
            const double point = next_point({report.reached, end});
            const double until = length_ ? length_->end_of_step(report.reached, point) : point;
            if (!step({report.reached, until})) return false;
            if (crawl_) watch_pace();
            if (slopes_end_ && report.reached == point) meet_discontinuity(point);
            if (length_ && report.reached < end && options_.go_on &&
                !options_.go_on(report.reached)) {
                report.end = End::interrupted;
                return false;
            }
        }
        if (jumps) jump();
    }
    if (has_switched()) {
        pass_switches();
        meet_discontinuity(report.reached);
    }
    if (control_ == nullptr && report.reached > begin) watch_step(report.reached - begin);
    return report.end != End::unstable;
}

bool SystemStepper::step(Interval attempt) {
    return explained(attempt, [&] { return step_as_far_as_possible(attempt); });
}

/// One step of the coupling, shortened until it can be done.
bool SystemStepper::step_as_far_as_possible(Interval attempt) {
    if (exchange_typed()) {
        if (const auto value = assembly_.typed_links->switched(); value && resolution_)
            resolution_->switched(*value, last_length_);
        meet_discontinuity(report.reached);
    }
    if (may_cut_steps_ || attempt.length() < (1.0 - time_tolerance) * options_.step)
        assembly_.lines.make_room();
    if (saves_) save();
    if (control_ != nullptr) control_->begin_step(system_, attempt.begin);
    forget_events();
    glimpsed_.reset();
    caused_by_inputs_.reset();
    is_explicit_ = false;
    is_cut_ = ends_before_event_ = ends_before_state_event_ = false;
    cuts_before_event_ = 0;
    begin_ = attempt.begin;
    end_at_known_event(attempt);
    first_end_ = attempt.end;
    failure_reason_.clear();
    for (;;) {
        system_.costs().measure(report.steps % steps_per_sample == 0);
        const StepResult result = advance(attempt);
        switch (result.outcome) {
            case Outcome::complete:
                if (cut_at_event(attempt)) continue;
                if (control_ != nullptr && !goes_over_event(attempt) && !is_accurate(attempt))
                    continue;
                if (attempt.end == first_end_) shortened_ = cuts_ = 0;
                accept(attempt.end);
                if (solves_loops_) feed_through_->solve(report.reached);
                if (length_ && length_->times_noisy() > 0 && !report.noise) notice_noise();
                return report.end != End::unstable;
            case Outcome::terminated:
                if (cut_before_the_end(result.reached, attempt)) continue;
                if (is_alone_) accept(result.reached);
                report.end = End::terminated;
                return false;
            default: shorten(result, attempt);
        }
    }
}

/// Something has jumped.
void SystemStepper::reset_history() {
    begins_with_jump_ = true;
    assembly_.coupling->reset_history(coupling::Interruption::jump);
    if (control_ == nullptr) return;
    control_->reset_history();
    length_->reset_history();
}

/// True if the step counts. Otherwise it is to be repeated, as far as `attempt` says now.
bool SystemStepper::is_accurate(Interval& attempt) {
    if (control_->repeats_in_halves() && !repeat_in_halves(attempt)) return false;
    const std::optional<double> error = control_->error(system_, attempt);
    if (!error) return true;
    if (*error <= 1.0 || !control_->rejects()) {
        if (!(*error <= 1.0)) ++report.beyond_tolerance;
        length_->accept(attempt.length(), *error);
        return true;
    }
    if (!length_->is_worth_repeating(attempt.length(), *error)) {
        ++report.beyond_tolerance;
        length_->accept_anyway(attempt.length(), *error);
        return true;
    }
    ++report.inaccurate;
    length_->reject(attempt.length(), *error);
    repeat_until(attempt.begin + length_->next(), attempt);
    return false;
}

/// What jumps in the middle is taken back with the step, which may begin without a jump.
void SystemStepper::exchange_between_halves(double middle) {
    const bool begins_with_jump = begins_with_jump_;
    if (exchange_typed()) meet_discontinuity(middle);
    begins_with_jump_ = begins_with_jump;
}

/// True if both halves went through. Otherwise as above.
bool SystemStepper::repeat_in_halves(Interval& attempt) {
    control_->keep_whole(system_, attempt.end);
    roll_back();
    const double middle = attempt.begin + 0.5 * attempt.length();
    for (const Interval half : {Interval{attempt.begin, middle}, Interval{middle, attempt.end}}) {
        if (half.begin > attempt.begin) {
            own_steps_->after_half();
            exchange_between_halves(half.begin);
        }
        const StepResult result = advance(half);
        if (!result) {
            const bool ends = result.outcome == Outcome::terminated;
            if (!ends || !cut_before_the_end(result.reached, attempt)) shorten(result, attempt);
            return false;
        }
        if (cut_at_event(attempt)) return false;
    }
    return true;
}

/// Finds out which of those that can go back err most by themselves, in a step from here on.
void SystemStepper::notice_noise() {
    NoiseReport& noise = report.noise.emplace();
    noise.time = report.reached;
    noise.length = length_->next();
    only_looks_ = true;
    for (int s = 0; s < system_.size(); ++s) {
        if (!can_roll_back(system_.at(s))) continue;
        const auto error = own_error(system_, s, {noise.time, noise.time + noise.length});
        if (!error || !(*error > noise.error)) continue;
        noise.error = *error;
        noise.subsystem = system_.at(s).name();
    }
    only_looks_ = false;
}

void SystemStepper::accept(double end) {
    ++report.steps;
    const double length = end - report.reached;
    const double length_before = std::exchange(last_length_, length);
    report.longest = std::max(report.longest, length);
    report.shortest = report.steps == 1 ? length : std::min(report.shortest, length);
    report.reached = end;
    if (control_ != nullptr) watch_step(length);
    begins_with_jump_ = false;
    const std::optional<double> event = first_event();
    const bool at_begin = std::ranges::any_of(noted_, &Noted::at_begin);
    if (at_begin) ++report.events;
    if (ends_before_state_event_)
        assembly_.coupling->reset_history(coupling::Interruption::event_ahead);
    expect_event(event.has_value());
    if (event) count_late_event(length_before);
    if (event && !saves_ && !is_alone_ && end - *event > shortest_step())
        warn_of_event_inside(*event);
    if (resolution_ && (event || at_begin) && meets_events()) tell_of_jumps();
    if (event)
        pass_event(*event);
    else if (at_begin)
        reset_history();
}

void SystemStepper::tell_of_jumps() {
    for (int s = 0; s < system_.size(); ++s)
        if (const Noted& noted = noted_[static_cast<std::size_t>(s)]; noted.first || noted.at_begin)
            resolution_->jumped(s);
}

/// After a step of that length.
void SystemStepper::watch_step(double length) {
    if (const auto own = own_steps_->after_step(report.reached, length)) {
        options_.warn(own->warning);
        if (watch_) watch_->look_every(std::lround(own->length / length));
    }
    if (resolution_) resolution_->after_step(report.reached, length);
    if (!watch_ || !watch_->is_unstable_after(length)) return;
    report.instability = watch_->found(report.reached);
    watch_.reset();
    options_.warn(instability_warning(*report.instability, assembly_.coupling_record));
    if (options_.stop_on_instability) report.end = End::unstable;
}

void SystemStepper::watch_pace() {
    const std::optional<CrawlWatch::Pace> pace = crawl_->after_step(report);
    if (!pace) return;
    crawl_.reset();
    const std::string worst = control_->worst_output(system_);
    const std::string estimate =
        worst.empty() ? "the error estimate allows no longer ones"
                      : fmt::format(
                            "the error estimate, most of all of '{}', allows no longer "
                            "ones",
                            worst);
    options_.warn(
        {Severity::warning, fmt::format("step control '{}'", assembly_.control_record.method),
         fmt::format("at {:.6g} the steps are {:.3g} long: at that pace the run takes {:.2g} more "
                     "of them, about {}; {}",
                     report.reached, pace->length, pace->steps, duration_text(pace->seconds),
                     pace->reason.empty() ? estimate : pace->reason),
         "a larger tolerance or a larger min_step of the step control makes it faster, or another "
         "coupling"});
}

double SystemStepper::shortest_step() const {
    return std::max(time_tolerance * options_.step, times_apart * spacing_of_times(begin_));
}

/// Where a subsystem ends the run, the others are somewhere in the step: if they can go back, all
/// come just to before the end, which gives a last row. True if the step is to be repeated.
bool SystemStepper::cut_before_the_end(double reached, Interval& attempt) {
    const double end = reached - event_margin();
    if (!saves_ || end - attempt.begin <= shortest_step() || end >= attempt.end) return false;
    repeat_until(end, attempt);
    return true;
}

/// Goes back, to try as far as the subsystem came, or half as far.
void SystemStepper::shorten(StepResult result, Interval& attempt) {
    const bool early = result.outcome == Outcome::early_return;
    const bool tells = early || result.outcome == Outcome::rejected;
    const bool moved = tells && result.reached > attempt.begin && result.reached < attempt.end;
    const double end = moved ? result.reached : attempt.begin + 0.5 * attempt.length();
    if (result.outcome == Outcome::not_converged && cut_at_glimpsed_event(attempt)) {
        ++report.retried;
        return;
    }
    if (!saves_ || (!moved && end - attempt.begin < shortest_step())) give_up(result, attempt);
    if (!(early && moved) && ++shortened_ > most_shortened) give_up(result, attempt);
    if (length_) length_->shorten(end - attempt.begin);
    if (moved && !early) stopped_at_ = end;
    if (result.outcome == Outcome::not_converged && failure_reason_.empty())
        failure_reason_ = assembly_.coupling->report(system_).failure_reason;
    ++(early ? report.early_returns : report.retried);
    repeat_until(end, attempt);
}

void SystemStepper::repeat_until(double end, Interval& attempt) {
    roll_back();
    is_cut_ = ends_before_event_ = ends_before_state_event_ = false;
    attempt.end = end;
}

void SystemStepper::save() {
    system_.save(StateSlot::step_begin);
    std::ranges::copy(system_.inputs(), inputs_at_begin_.begin());
}

void SystemStepper::roll_back() {
    forget_events();
    glimpsed_.reset();
    own_steps_->forget_half();
    if (recorder_ != nullptr) recorder_->forget_left_sides();
    system_.restore(StateSlot::step_begin);
    std::ranges::copy(inputs_at_begin_, system_.inputs().begin());
    assembly_.typed_links->roll_back();
    for (int s = 0; s < system_.size(); ++s) system_.read_outputs(s);
    if (expects_event_) keep_left_sides(begin_);
    if (begins_with_jump_) reset_history();
}

void SystemStepper::give_up(StepResult result, Interval attempt) const {
    const std::string& by = system_.at(system_.last_stopped()).name();
    const std::string how =
        result.outcome == Outcome::not_converged
            ? fmt::format("did not converge: {}",
                          failure_reason_.empty()
                              ? assembly_.coupling->report(system_).failure_reason
                              : failure_reason_)
        : result.outcome == Outcome::early_return
            ? fmt::format("was ended at {} by '{}'", result.reached, by)
            : fmt::format("was rejected by '{}'", by);
    const std::string what =
        fmt::format("the step from {:.9g} to {:.9g} {}", attempt.begin, first_end_, how);
    if (shortened_ > most_shortened)
        throw NumericsError(
            what +
            fmt::format("; after {} attempts the run has come to {:.9g} by steps as short as {:.3g}"
                        "\n  hint: {}",
                        shortened_, report.reached, report.shortest,
                        result.outcome == Outcome::not_converged
                            ? "use another accelerator (newton, broyden, anderson), or allow more "
                              "iterations (max_iterations)"
                            : "look at the inputs and parameters of the system at this time"));
    if (saves_ && result.outcome == Outcome::not_converged)
        throw NumericsError(
            what + fmt::format(
                       ", nor did a shorter one down to {:.3g}\n  hint: use another "
                       "accelerator (newton, broyden, anderson), a larger tolerance if what "
                       "differs is small, or look at the system at this time: its loop may have no "
                       "solution any more (a fold)",
                       attempt.length()));
    if (saves_)
        throw NumericsError(what + ", however short it was made\n  hint: " +
                            (attempt.begin == stopped_at_
                                 ? hint_behind_discarded_step(attempt.begin)
                                 : "look at the inputs and parameters of the system at this time"));
    if (all_can_roll_back())
        throw StepRejected(what +
                           ", and no state had been saved before it\n  hint: run with "
                           "--retry (in C++: save_before_steps())");
    throw NumericsError(what + ", and '" + stuck_one() +
                        "' cannot go back\n  hint: try a smaller step");
}

std::optional<double> SystemStepper::next_jump(double t) const {
    std::optional<double> next;
    for (const assemble::PlacedTable& placed : assembly_.tables) {
        if (placed.place < 0) continue;
        const auto jump = placed.table->next_jump(t);
        if (jump && (!next || *jump < *next)) next = jump;
    }
    const double switched = next_switch();
    if (can_stop_anywhere_ && switched < next.value_or(std::numeric_limits<double>::infinity()))
        next = std::max(switched, t);
    return next;
}

/// The tables jump now: what they said up to here is recorded, and what they say from here on.
void SystemStepper::jump() {
    ++report.input_jumps;
    if (recorder_ != nullptr) recorder_->record_event(report.reached);
    if (has_switched()) pass_switches();
    for (const assemble::PlacedTable& placed : assembly_.tables) {
        if (placed.place < 0) continue;
        placed.table->pass_jump();
        system_.read_outputs(placed.place);
    }
    meet_discontinuity(report.reached);
    if (recorder_ != nullptr) recorder_->record_event(report.reached);
    if (options_.on_event) options_.on_event(report.reached);
}

}  // namespace tandem::run
