#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "assemble/algebraic_loops.hpp"
#include "assemble/assemble.hpp"
#include "core/timed_events.hpp"
#include "results/recorder.hpp"
#include "run/crawl_watch.hpp"
#include "run/initialise.hpp"
#include "run/instant_order.hpp"
#include "run/simulation.hpp"
#include "run/watch/instability_watch.hpp"
#include "run/watch/own_step_watch.hpp"
#include "run/watch/resolution_watch.hpp"
#include "stepsize/step_length.hpp"
#include "tandem/error.hpp"

namespace tandem::run {

/// When the states of all subsystems are saved before a step, so that it can be repeated shorter.
enum class Retry {
    automatic,  ///< if all can go back, and one may meet events or return early
    always,     ///< if all can go back
};

struct StepperOptions {
    double start = 0.0;
    double step = 1.0;  ///< the usual length, the scale of what is too short
    std::optional<double> stop, tolerance;
    Retry retry = Retry::automatic;
    std::function<bool(double t)> go_on = {};  ///< between steps of a step control; false ends it
    std::function<void(double t)> on_event =
        {};                                     ///< when an event, or a jump of a table, is passed
    std::function<void(Diagnostic)> warn = {};  ///< of what makes results doubtful
    bool expect_growth = false;                 ///< cycles are not watched
    bool stop_on_instability = false;           ///< of a cycle; the run ends there
};

/// A step was rejected and no state had been saved, although all subsystems could have.
class StepRejected : public NumericsError {
public:
    using NumericsError::NumericsError;
};

/// Moves an assembled system forward. A step that a subsystem rejects or ends early is repeated
/// shorter; one with an event inside ends at the event for all, if there are others and all can go
/// back.
class SystemStepper {
public:
    /// `recorder` gets both sides of events; may be null.
    SystemStepper(assemble::Assembly& assembly, const StepperOptions& options,
                  results::Recorder* recorder);

    void initialise();
    /// Throws RollbackError if steps are to be repeated and a subsystem cannot save its state.
    void try_saving() {
        if (saves_) save();
    }
    /// Moves all subsystems there. False if one of them ended the run on the way.
    /// Throws FmuError and NumericsError.
    bool advance_to(double target);
    /// What is reported from inside a step, on any thread: one side of an event of these, as listed
    /// in the file.
    void note_event(std::span<const std::size_t> members, double t, bool after);

    /// Algebraic loops that the coupling does not solve, as they are at the start.
    const std::vector<assemble::AlgebraicLoop>& delayed_loops() const { return delayed_loops_; }
    /// Of a connection whose values the steps so far did not resolve.
    std::optional<Diagnostic> resolution_warning() const {
        return resolution_ ? resolution_->warning() : std::nullopt;
    }
    /// What only the end of the run shows.
    std::optional<InstabilityRecord> instability_at_end() const {
        return watch_ ? watch_->found_at_end(report.reached) : std::nullopt;
    }

    RunReport report;

private:
    bool all_can_roll_back() const;
    const std::string& stuck_one() const;
    bool may_repeat_steps() const;
    bool any_may_stop() const;
    void log_notes() const;
    void prepare_control();
    template <class Action>
    auto explained(Interval interval, const Action& action);
    bool step(Interval attempt);
    bool step_as_far_as_possible(Interval attempt);
    bool exchange_typed();
    void reset_history();
    void meet_discontinuity(double t);
    bool react_to_jumps(double t, bool typed_values_changed);
    bool react(int s, double t);
    bool is_accurate(Interval& attempt);
    void exchange_between_halves(double middle);
    bool repeat_in_halves(Interval& attempt);
    void notice_noise();
    void accept(double end);
    void watch_cycles();
    void tell_of_jumps();
    void watch_step(double length);
    void watch_pace();
    bool cut_before_the_end(double reached, Interval& attempt);
    void shorten(StepResult result, Interval& attempt);
    void repeat_until(double end, Interval& attempt);
    void save();
    void roll_back();
    [[noreturn]] void give_up(StepResult result, Interval attempt) const;
    std::optional<double> next_jump(double t) const;
    void jump();
    bool exchange_discrete_inputs(int s);
    double shortest_step() const;
    void keep_left_sides(double t);
    void keep_inside(double t);
    void record_inside(double t);
    std::size_t place_of(std::size_t member) const;
    std::optional<double> first_event() const;
    void forget_events();
    void forget_events_of(int s);

    // system_stepper_cuts.cpp
    StepResult advance(Interval interval);
    StepResult step_over_event(Interval interval);
    bool is_in_order(int s) const;
    template <class Meets>
    bool order_instant(Meets meets);
    void pass_event(double t);
    bool cut_at_event(Interval& attempt);
    struct EventCut {
        double end = 0.0;
        bool is_before = false;  ///< the event is still to come
    };
    std::optional<EventCut> cut_for(double event, Interval attempt, bool must_be_before) const;
    bool has_no_place(double event, Interval attempt) const;
    bool order_known_events(double latest);
    void end_at_known_event(Interval& attempt);
    double next_known_event() const;
    bool meets_events() const { return saves_ || is_cut_; }
    void warn_of_event_inside(double t);
    void warn_of_events_both_ways(double t);
    bool step_over_event_at_begin(Interval& attempt);
    bool cut_at_glimpsed_event(Interval& attempt);
    void expect_event_at_begin();
    void expect_event(bool passed_one);
    double longest_over_event() const;
    bool goes_over_event(Interval interval) const;
    void count_late_event(double length_before);
    double event_margin() const;

    // system_stepper_points.cpp
    bool is_one_point(double t, double other) const;
    void start_points();
    double next_switch() const;
    bool has_switched() const;
    void pass_switches();
    double next_kink(double t) const;
    double next_point(Interval interval);
    void warn_of_bends(double t, bool of_function);

    assemble::Assembly& assembly_;
    System& system_;
    StepperOptions options_;
    results::Recorder* recorder_;
    stepsize::StepControl* control_;  // null: all steps are as long as they are asked to be
    std::optional<stepsize::StepLength> length_;
    std::optional<CrawlWatch> crawl_;  // until it finds something
    std::vector<assemble::AlgebraicLoop> delayed_loops_;
    bool solves_loops_ = false;              // at communication points
    std::optional<InstabilityWatch> watch_;  // until it finds something
    std::optional<OwnStepWatch> own_steps_;
    std::optional<ResolutionWatch> resolution_;     // without a step control
    std::vector<double> inputs_at_begin_, slopes_;  // of the step under way
    bool is_explicit_ = false;                      // it goes without iteration
    std::optional<FeedThroughSolver> feed_through_;
    std::optional<InstantOrder> instant_;                   // of the event that a step is cut for
    std::vector<char> acts_;                                // subsystems with an event there
    std::vector<double> inputs_reached_, outputs_reached_;  // before a discontinuity is met
    bool at_instant_ = false;                               // no time goes by
    bool looks_ahead_ = false;  // inputs inside a step depend on outputs at its end
    bool predicts_ = false;     // inputs inside a step may differ from what outputs come to
    /// The step under way is cut for an event, or even ends before it; an event is to come.
    bool is_cut_ = false, ends_before_event_ = false, expects_event_ = false;
    bool ends_before_state_event_ = false;  // which inputs that jump back would meet again
    int steps_waited_ = 0;                  // for it
    bool slopes_end_ = false;  // where the step under way ends at the latest, by a table
    bool saves_ = false;
    bool may_cut_steps_ = false;
    bool is_alone_ = false;  // one model with its solver: nobody else's step is cut at its events
    double last_length_ = 0.0;          // of the last step
    double begin_ = 0.0;                // of the step under way
    double first_end_ = 0.0;            // of it, before it was shortened
    int shortened_ = 0;                 // attempts since the last step that was not
    std::optional<double> stopped_at_;  // where the last rejected step was ended
    std::string failure_reason_;        // of the first time it did not converge
    /// What a subsystem of the system met inside the step under way.
    struct Noted {
        std::optional<double> first;  ///< event
        bool at_begin = false;
        bool by_inputs = false;  ///< at the start, as these changed
    };
    std::vector<Noted> noted_;
    std::optional<int> caused_by_inputs_;  // the subsystem of the event at the start of it
    bool is_unconfirmed_ = false;          // such an event was none with the values of outputs
    std::optional<double> glimpsed_;       // the first event in any iteration of the step under way
    int cuts_ = 0;                         // at such events and at those at the start, in a row
    int cuts_before_event_ = 0;            // of the step under way
    bool can_stop_anywhere_ = false;       // no subsystem asks for equal steps
    struct Timed {
        int subsystem = 0;
        const TimedEvents* events = nullptr;
    };
    std::vector<Timed> timed_;        // those that may have time events
    std::vector<bool> feeds_others_;  // of each subsystem
    bool warned_of_event_inside_ = false, warned_of_events_both_ways_ = false;
    double switched_until_ = 0.0;  // relations of time alone are those just behind this time
    bool warned_of_switches_ = false, warned_of_bends_ = false, warned_of_kinks_ = false;
    bool begins_with_jump_ = false;  // the step under way
    bool only_looks_ = false;        // steps under way do not count, nor do their events
    std::mutex noting_;              // events are noted from many threads
    std::mutex carrying_;            // likewise values are carried
};

}  // namespace tandem::run
