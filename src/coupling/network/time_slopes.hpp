#pragma once

#include <vector>

#include "coupling/past_steps.hpp"
#include "tandem/extend/system.hpp"

namespace tandem::coupling {

/// Explicit time dependence of a linear model that does not tell it, estimated from the part of
/// the last step that the matrices do not explain:
///   h dg/dt = y_k - y_(k-1) - C (x_k - x_(k-1)) - D (u_k - u_(k-1)),  h df/dt likewise,
/// with the means of the matrices at both ends. What these changed by over the step bounds what
/// nonlinear equations leave unexplained: a slope below that counts as none. A slope is limited by
/// that of the step before, as the minmod limiter does: a jump inside a step is not continued. The
/// error is of first order in the step.
class TimeSlopes {
public:
    TimeSlopes(const System& system, int s, const LinearModel& model);

    int subsystem() const { return subsystem_; }
    /// `model` was read at t, with the inputs and outputs that the system has.
    void estimate(System& system, double t, LinearModel& model);
    void reset_history() { past_.clear(); }

private:
    struct Kept {
        double t = 0.0;
        std::vector<double> states, inputs, rates, outputs;
        std::vector<double> a, b, c, d;
        int steps = 0;  ///< that lead to t without interruption
        /// Over the last one; what nonlinear equations may have made of them.
        std::vector<double> rate_slopes, output_slopes, rate_doubts, output_doubts;
    };
    void find_slopes(const Kept& last, Kept& now);

    int subsystem_;
    PastSteps<Kept> past_;
    std::vector<double> change_of_states_, change_of_inputs_;
};

}  // namespace tandem::coupling
