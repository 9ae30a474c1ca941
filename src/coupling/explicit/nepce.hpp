#pragma once

#include <vector>

#include "coupling/output_traces.hpp"
#include "numerics/polynomial.hpp"
#include "tandem/extend/coupling.hpp"
#include "tandem/extend/step_tasks.hpp"

namespace tandem::coupling {

struct NepceOptions {
    int order = 0;  ///< of the input extrapolation: 0 or 1
    /// Inputs go on from the mean of their signals over the last step, instead of the last value.
    bool anti_aliasing = false;
};

/// All subsystems step at once, with extrapolated inputs that also make up for what the
/// extrapolation missed so far (nearly energy preserving coupling element).
///
/// Let w(t) be the signal routed to an input, p(t) its extrapolation from the past and u(t) what
/// the input really was. What is missing, E = integral of (w - u) over all time, is added to the
/// next step, of length H, as a constant:
///   u(t) = p(t) + E / H,   E(end) = E(begin) + integral over the step of (w - u).
/// After a step that made up for all of E this leaves the integral of w - p over that step alone,
/// so with equal steps it is the same as feeding back the error of the uncorrected extrapolation.
/// A step shorter than the one in which E arose makes up for a part only: inputs stay moderate.
class Nepce final : public Coupling {
public:
    explicit Nepce(NepceOptions options) : options_(options) {}

    CouplingTraits traits() const override;
    void prepare(System& system, double longest_step) override;
    StepResult advance(System& system, Interval interval) override;
    void reset_history(Interruption interruption) override;

private:
    void begin_step(System& system, Interval interval);
    void find_first_slopes(System& system, Interval interval);
    std::span<const double> routed(System& system);
    void correct_inputs(System& system, Interval interval);
    InputCourse course(System& system, int s) const;
    void account_for(System& system, Interval interval);

    NepceOptions options_;
    OutputTraces traces_;
    bool sees_misses_ = true;          // of all sources
    std::vector<int> fed_;             // the inputs of all links, then those of all functions
    std::vector<int> accepted_order_;  // of each subsystem, as inputs
    numerics::History signals_;        // what fed inputs are continued from
    numerics::History missing_;        // E of each fed input, and the time it is spread over
    std::vector<double> missing_now_;  // the same, at the start of the step, then at its end
    std::vector<double> samples_;      // of fed inputs
    std::vector<double> rates_;        // of all outputs, where nothing is past
    std::vector<double> slopes_;       // of all inputs, in the step under way
    StepsAtOnce steps_;
};

}  // namespace tandem::coupling
