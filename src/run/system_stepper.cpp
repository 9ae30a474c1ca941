#include "run/system_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "run/initialise.hpp"

namespace tandem::run {
namespace {

constexpr long steps_per_sample = 32;  // of which one is timed
/// A step that is cut at an event goes on behind it by this part: repeated, by a solver that starts
/// afresh, the event may be found a little later.
constexpr double behind_event = 1e-8;
/// Times that differ by less than this part of the step are one communication point.
constexpr double near = 1e-6;

bool can_go_back(const Subsystem& subsystem) {
    const Capabilities& can = subsystem.interface().capabilities;
    return can.rollback && can.variable_step;
}

}  // namespace

SystemStepper::SystemStepper(Assembly& assembly, const StepperOptions& options, Recorder* recorder)
    : assembly_(assembly), system_(*assembly.system), options_(options), recorder_(recorder) {
    is_alone_ = system_.size() == 1 && dynamic_cast<ode::HostedOde*>(&system_.at(0)) != nullptr;
}

bool SystemStepper::may_repeat_steps() const {
    bool may = options_.retry == Retry::always || assembly_.coupling->iterates();
    for (int s = 0; s < system_.size(); ++s) may = may || system_.at(s).interface().may_stop_inside;
    return may && !is_alone_;
}

bool SystemStepper::all_can_go_back() const {
    for (int s = 0; s < system_.size(); ++s)
        if (!can_go_back(system_.at(s))) return false;
    return true;
}

void SystemStepper::initialise() {
    report.reached = options_.start;
    run::initialise(system_, {options_.start, options_.stop, options_.tolerance},
                    assembly_.typed_links.get());
    if (!assembly_.typed_links->empty()) system_.set_carrier([this](int s) { carry_to(s); });
    assembly_.coupling->prepare(system_);
    saves_ = may_repeat_steps() && all_can_go_back();
}

/// The typed links have one set of buffers for all.
void SystemStepper::carry_to(int s) {
    const std::lock_guard lock(carrying_);
    assembly_.typed_links->exchange_into([&](const Variables* of, int input) {
        if (of == nullptr) return system_.subsystem_of_input(input) == s;
        return std::ranges::any_of(assembly_.members, [&](const Member& member) {
            return member.place == s && member.variables == of;
        });
    });
}

bool SystemStepper::advance_to(double target) {
    while (report.reached < target) {
        const std::optional<double> next = next_jump(report.reached);
        const bool jumps = next && *next <= target;
        const double end = jumps ? *next : target;
        while (report.reached < end)
            if (!step({report.reached, end})) return false;
        if (jumps) jump();
    }
    return true;
}

/// One step of the coupling, shortened until it can be done.
bool SystemStepper::step(Interval attempt) {
    if (!assembly_.typed_links->empty() && assembly_.typed_links->exchange())
        assembly_.coupling->forget();
    if (saves_) system_.save(StateSlot::step_begin);
    first_event_.reset();
    event_at_begin_ = false;
    begin_ = attempt.begin;
    first_end_ = attempt.end;
    trouble_.clear();
    for (;;) {
        system_.measure(report.steps % steps_per_sample == 0);
        const StepResult result = assembly_.coupling->advance(system_, attempt);
        switch (result.outcome) {
            case Outcome::complete:
                if (cut_at_event(attempt)) continue;
                accept(attempt.end);
                return true;
            case Outcome::terminated:
                if (cut_before_the_end(result.reached, attempt)) continue;
                if (is_alone_) accept(result.reached);
                report.end = End::terminated;
                return false;
            default: shorten(result, attempt);
        }
    }
}

void SystemStepper::accept(double end) {
    ++report.steps;
    report.reached = end;
    if (event_at_begin_) ++report.events;
    if (event_at_begin_ || first_event_) assembly_.coupling->forget();
    if (!first_event_) return;
    ++report.events;
    const bool is_here = end - *first_event_ <= near * options_.step;
    if (saves_ && is_here && recorder_ != nullptr) recorder_->record_event(*first_event_);
    if (recorder_ != nullptr) recorder_->forget_left_sides();
}

/// Goes back, if somebody met an event inside the step, to end it at the first one. True if the
/// step is to be repeated.
bool SystemStepper::cut_at_event(Interval& attempt) {
    if (!saves_ || !first_event_) return false;
    const double margin = behind_event * options_.step;
    const double end = *first_event_ + margin;
    if (attempt.end - end <= near * options_.step) return false;
    repeat_until(end, attempt);
    return true;
}

/// Where a subsystem ends the run, the others are somewhere in the step: if they can go back, all
/// come just to before the end, which gives a last row. True if the step is to be repeated.
bool SystemStepper::cut_before_the_end(double reached, Interval& attempt) {
    const double end = reached - behind_event * options_.step;
    if (!saves_ || end - attempt.begin <= near * options_.step || end >= attempt.end) return false;
    repeat_until(end, attempt);
    return true;
}

/// Goes back, to try as far as the subsystem came, or half as far.
void SystemStepper::shorten(StepResult result, Interval& attempt) {
    const bool early = result.outcome == Outcome::early_return;
    const bool moved = early && result.reached > attempt.begin;
    const double end = moved ? result.reached : attempt.begin + 0.5 * attempt.length();
    if (!saves_ || (!moved && end - attempt.begin < near * options_.step)) give_up(result, attempt);
    if (result.outcome == Outcome::not_converged && trouble_.empty())
        trouble_ = assembly_.coupling->trouble();
    ++(early ? report.early_returns : report.retried);
    repeat_until(end, attempt);
}

void SystemStepper::repeat_until(double end, Interval& attempt) {
    first_event_.reset();
    event_at_begin_ = false;
    if (recorder_ != nullptr) recorder_->forget_left_sides();
    system_.restore(StateSlot::step_begin);
    assembly_.typed_links->start(system_.inputs());
    for (int s = 0; s < system_.size(); ++s) system_.read_outputs(s);
    attempt.end = end;
}

void SystemStepper::give_up(StepResult result, Interval attempt) const {
    const std::string& by = system_.at(system_.last_stopped()).name();
    const std::string how =
        result.outcome == Outcome::not_converged
            ? fmt::format("did not converge: {}",
                          trouble_.empty() ? assembly_.coupling->trouble() : trouble_)
        : result.outcome == Outcome::early_return
            ? fmt::format("was ended at {} by '{}'", result.reached, by)
            : fmt::format("was rejected by '{}'", by);
    const std::string what =
        fmt::format("the step from {} to {} {}", attempt.begin, first_end_, how);
    if (saves_)
        throw NumericsError(
            what +
            fmt::format(", nor did a shorter one down to {:.3g}\n  hint: {}", attempt.length(),
                        result.outcome == Outcome::not_converged
                            ? "use another accelerator (newton, broyden, anderson), or look at the "
                              "values of the system at this time"
                            : "look at the inputs and parameters of the system at this time"));
    if (all_can_go_back())
        throw StepRejected(what +
                           ", and no state had been saved before it\n  hint: run with "
                           "--retry (in C++: save_before_steps())");
    int stuck = 0;
    while (can_go_back(system_.at(stuck))) ++stuck;
    throw NumericsError(what + ", and '" + system_.at(stuck).name() +
                        "' cannot go back\n  hint: try a smaller step");
}

/// An event at the very begin would happen again and again if the step ended there; it stays
/// inside.
void SystemStepper::note_event(std::span<const std::size_t> members, double t, bool after) {
    const std::lock_guard lock(noting_);
    if (saves_ && t - begin_ <= behind_event * options_.step) {
        event_at_begin_ = true;
        return;
    }
    if (recorder_ != nullptr && !after && (saves_ || is_alone_))
        for (const std::size_t member : members) recorder_->keep_left_side(member);
    if (is_alone_ && after)
        record_inside(t);
    else if (!is_alone_ && (!first_event_ || t < *first_event_))
        first_event_ = t;
}

/// Nobody else is affected: the rows are written while the step goes on.
void SystemStepper::record_inside(double t) {
    ++report.events;
    if (recorder_ == nullptr) return;
    system_.read_outputs(0);
    recorder_->record_event(t);
    recorder_->forget_left_sides();
}

std::optional<double> SystemStepper::next_jump(double t) const {
    std::optional<double> next;
    for (const PlacedTable& placed : assembly_.tables) {
        if (placed.place < 0) continue;
        const auto jump = placed.table->next_jump(t);
        if (jump && (!next || *jump < *next)) next = jump;
    }
    return next;
}

/// The tables jump now: what they said up to here is recorded, and what they say from here on.
void SystemStepper::jump() {
    ++report.input_jumps;
    if (recorder_ != nullptr) recorder_->record_event(report.reached);
    for (const PlacedTable& placed : assembly_.tables) {
        if (placed.place < 0) continue;
        placed.table->pass_jump();
        system_.read_outputs(placed.place);
    }
    assembly_.coupling->forget();
    if (recorder_ != nullptr) recorder_->record_event(report.reached);
}

}  // namespace tandem::run
