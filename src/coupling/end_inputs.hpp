#pragma once

#include <vector>

#include "core/system.hpp"

namespace tandem::coupling {

/// What inputs do over a step whose end values are known.
enum class InputForm {
    automatic,  ///< linear where a subsystem takes derivatives, constant elsewhere
    constant,   ///< the value at the end
    linear,     ///< from begin to end
};

/// Steps subsystems with the inputs that System::inputs() has for the end of the step.
class EndInputs {
public:
    void prepare(System& system, InputForm form);
    /// Keeps the inputs at the begin of a step; where something has jumped, what the outputs say.
    void begin_step(System& system, double begin);
    void forget() { has_jumped_ = true; }
    /// Of subsystem s over the interval; valid until the next call for s.
    InputCourse course(System& system, int s, Interval interval);
    StepResult step(System& system, int s, Interval interval) {
        return system.step(s, interval, course(system, s, interval));
    }
    /// True if inputs that are fed change linearly, for all subsystems.
    bool are_linear() const { return are_linear_; }

private:
    std::vector<char> is_linear_;  // of each subsystem
    bool are_linear_ = false;
    bool has_jumped_ = false;
    std::vector<double> at_begin_;
    std::vector<double> slopes_;
};

}  // namespace tandem::coupling
