#pragma once

#include <span>
#include <vector>

#include "coupling/network/network_flow.hpp"
#include "coupling/output_traces.hpp"
#include "numerics/polynomial.hpp"

namespace tandem::coupling {

/// What the states of coupled subsystems lack against those of a system whose inputs are always
/// what their sources say, as far as the linear model of the network tells:
///   delta' = A delta + B (K e + eps),  e = C delta + D (K e + eps),  eps = w - u,  delta(0) = 0
/// where w is the signal routed from the outputs as they were inside the step, and u the input that
/// a subsystem was given.
///
/// Between the points of the traces eps is a straight line, with the mean of a parabola unless
/// `lines` are straight, and delta follows exactly. Where the
/// solvers of all sources are Euler's, which hold their outputs, it takes linearly implicit steps
/// from point to point with the eps at their start: another rule would be of another mind than the
/// solvers, and add an error of its own.
class ErrorEquation {
public:
    /// From now on the subsystems keep traces, if they can.
    void prepare(System& system, const NetworkModel& network,
                 OutputTraces::Lines lines = OutputTraces::Lines::curved);
    /// False if the outputs of some subsystem that feeds another are known at the ends only.
    bool knows_traces(const System& system) const { return traces_.are_complete(system); }
    /// Before the subsystems step, when outputs() hold the values at `begin`. Takes back what
    /// belongs to later times.
    void begin_step(System& system, double begin);
    /// At the start of the step.
    std::span<const double> delta() const { return delta_; }
    /// What the subsystems were given, by their number, in the step that has ended.
    struct Applied {
        Interval interval;
        std::span<const InputCourse> courses;
    };
    /// `network` is the linear model at the start of the step.
    void end_step(System& system, const NetworkModel& network, const Applied& applied);
    /// Nothing is lacking.
    void clear() { history_.clear(); }

private:
    void measure(System& system, const Applied& applied, Interval piece);
    void drive(const NetworkModel& network, std::span<const double> inputs,
               std::span<double> rates);

    OutputTraces traces_;
    OutputTraces::Lines lines_ = OutputTraces::Lines::curved;
    NetworkFlow exact_, implicit_;
    numerics::History history_;
    std::vector<double> delta_, zero_, constant_, slope_;
    std::vector<double> at_begin_, rise_;  // of eps on a piece, for each input
    std::vector<double> times_;
    NetworkModel::Signals signals_;
};

}  // namespace tandem::coupling
