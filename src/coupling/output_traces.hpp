#pragma once

#include <vector>

#include "tandem/extend/system.hpp"

namespace tandem::coupling {

/// What the outputs of a system did inside its last step, and what links and functions make of it:
/// the routed signal w_i(t) of input i. Where a subsystem keeps no trace, its outputs go straight
/// from start to end.
class OutputTraces {
public:
    /// Integrals over the last step by one rule: left rectangles where all sources hold their
    /// values between the points of their traces, the trapezoidal rule otherwise.
    struct Integral {
        double signal = 0.0;
        double time = 0.0;  ///< of t - begin
    };

    /// From now on the subsystems keep traces, if they can.
    void prepare(System& system);
    /// False if some subsystem that feeds another has no dense traces.
    bool are_complete(const System& system) const;
    /// Before the subsystems step, when outputs() hold the values at `begin`.
    void begin_step(System& system, double begin);
    /// When all have reached `end` and outputs() hold the values there.
    void end_step(System& system, double end);

    /// Of subsystem s, in the last step.
    const OutputTrace& trace(int s) const { return *traces_[static_cast<std::size_t>(s)]; }
    /// Of the signal that is routed to an input, over the last step.
    Integral integral(System& system, const Link& link) const;
    Integral integral(System& system, const FunctionLink& function);
    /// The routed signal at a time inside the last step; behind an event, where one is there.
    double value(System& system, const Link& link, double t) const;
    double value(System& system, const FunctionLink& function, double t) const;
    /// Replaces `times` by all points, in order and each once, at which the traces of those that
    /// feed subsystem s have a row.
    void merge_times(const System& system, int s, std::vector<double>& times) const;
    /// The same for all subsystems; points closer than `apart` count as one, which is the start or
    /// the end of the step if it is near.
    void merge_all_times(const System& system, double apart, std::vector<double>& times) const;
    /// The routed signal on a piece between two neighbours of merge_all_times(), as a straight
    /// line: from the right at its start, from the left at its end. Curved signals, which are
    /// parabolas through the points of a trace, are drawn with their mean.
    struct Ends {
        double begin = 0.0, end = 0.0;
    };
    enum class Lines { straight, curved };
    Ends on_piece(System& system, const Link& link, Interval piece, Lines lines) const;
    Ends on_piece(System& system, const FunctionLink& function, Interval piece, Lines lines) const;
    /// True if all that feeds another holds its values between the points of its trace.
    bool are_held(const System& system) const;

private:
    double end_of_pieces(const System& system, const FunctionLink& function, double t);
    double on_pieces(System& system, const FunctionLink& function, double t) const;

    Interval interval_;
    std::vector<const OutputTrace*> traces_;
    std::vector<OutputTrace> lines_;   // of those that keep no trace; others are empty
    std::vector<std::size_t> pieces_;  // where an integral is in the trace of each signal
};

}  // namespace tandem::coupling
