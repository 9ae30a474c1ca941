#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assemble/load/input_feeder.hpp"
#include "core/time_grid.hpp"
#include "record/run_record.hpp"
#include "results/recorder.hpp"
#include "tandem/extend/subsystem.hpp"

namespace tandem::run {

enum class End { complete, terminated, interrupted, unstable };

/// The error that a step control sees does not go down with the step any more.
struct NoiseReport {
    double time = 0.0;      ///< when it was noticed first
    double length = 0.0;    ///< of the steps that were taken from then on
    std::string subsystem;  ///< whose own solver errs most; empty: not known
    double error = 0.0;     ///< of that solver in such a step, by nominal and size
};

/// State events that held inputs cause are found at communication points: no step control sees how
/// late that is.
struct LateEvents {
    double time = 0.0;  ///< of the first
    long count = 0;
    double longest = 0.0;   ///< step before one of them
    std::string subsystem;  ///< of the first
};

/// What a run did. Times are seconds of the wall clock.
struct RunReport {
    End end = End::complete;
    double reached = 0.0;
    long steps = 0;
    long retried = 0;  ///< steps that were discarded and repeated shorter
    long events = 0;   ///< inside steps
    long early_returns = 0;
    long advances = 0;          ///< steps of the coupling, also those that did not count
    long inaccurate = 0;        ///< steps that were repeated because their error was too large
    long beyond_tolerance = 0;  ///< steps that count although it was
    std::optional<NoiseReport> noise;
    LateEvents late_events;
    std::optional<InstabilityRecord> instability;
    double shortest = 0.0, longest = 0.0;
    long input_jumps = 0;
    double initialise_seconds = 0.0;
    double step_seconds = 0.0;
    double record_seconds = 0.0;
};

struct SimulationOptions {
    TimeGrid grid{0.0, 1.0, 0.002};
    std::optional<double> tolerance;
    /// Saves before each step so that a discarded one can be repeated in halves. Not for nothing:
    /// saving makes the solvers of our own FMUs start afresh in the next step.
    bool retry_discarded = false;
    /// Inputs have jumped: the subsystem handles it as an event.
    std::function<void()> handle_jump;
    /// After each communication point; false ends the run.
    std::function<bool(double t)> go_on;
};

/// For an FMU that takes no step from where a discarded one was ended.
std::string hint_behind_discarded_step(double stopped_at);

/// The time loop for one subsystem: initialise, advance from grid point to grid point, stop at
/// jumps of the inputs, retry what was discarded, record.
class Simulation {
public:
    Simulation(Subsystem& subsystem, const assemble::InputTable* table, results::Recorder& recorder,
               SimulationOptions options);

    /// Throws FmuError and NumericsError; the report then tells how far the run came.
    const RunReport& run();
    const RunReport& report() const { return report_; }
    /// Records a row for one side of an event inside a step: to be called on both sides of it.
    void record_event_side(double t);

private:
    void initialise();
    bool advance_to(double target);
    bool advance_plainly(Interval interval);
    bool judge(StepResult result, Interval& attempt);
    void judge_early_return(double reached);
    StepResult attempt_step(Interval interval);
    void save();
    void shorten(Interval& attempt, double reached);
    void jump(double t);
    void record_point(double t, assemble::Side side = assemble::Side::after);
    void check_outputs();
    bool finds_unreadable_output();
    void check_output(const VariableGroup& output) const;
    void record(double t);

    Subsystem& subsystem_;
    const assemble::InputTable* table_;
    std::optional<assemble::InputFeeder> inputs_;
    results::Recorder& recorder_;
    SimulationOptions options_;
    RunReport report_;
    bool can_roll_back_ = false;
    int standstills_ = 0;
    bool is_stepping_ = false;
    double end_of_step_ = 0.0;
    std::optional<double> stopped_at_;  ///< where the last discarded step was ended
    std::optional<double> last_event_;
    std::vector<double> outputs_;
    std::vector<VariableGroup> single_outputs_;  ///< if one of them cannot be read, at times
};

}  // namespace tandem::run
