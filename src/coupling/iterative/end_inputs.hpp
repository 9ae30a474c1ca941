#pragma once

#include <vector>

#include "tandem/extend/system.hpp"

namespace tandem::coupling {

/// What inputs do over a step whose end values are known.
enum class InputForm {
    automatic,  ///< linear where a subsystem takes derivatives; elsewhere the mean, or the value
                ///< at the end where events are to be expected or steps compute with it
    constant,   ///< the value at the end
    mean,       ///< of the values at the start and at the end
    linear,     ///< from start to end
};

/// Steps subsystems with the inputs that System::inputs() has for the end of the step.
class EndInputs {
public:
    void prepare(System& system, InputForm form);
    /// Keeps the inputs at the start of a step; where something has jumped, what the outputs say.
    void begin_step(System& system, double begin);
    void reset_history() { has_jumped_ = true; }
    /// Of subsystem s over the interval; valid until the next call for s.
    InputCourse course(System& system, int s, Interval interval);
    /// After a step with means, outputs that follow inputs directly are those of the end values.
    StepResult step(System& system, int s, Interval interval);
    /// Of the error in a smooth system.
    int order() const { return order_; }

private:
    InputForm form_of(const System& system, int s, InputForm wanted) const;

    std::vector<InputForm> forms_;     // of each subsystem
    std::vector<char> feeds_through_;  // likewise: outputs follow inputs directly
    int order_ = 1;
    bool has_jumped_ = false;
    std::vector<double> at_begin_;
    std::vector<double> work_;  // slopes or means
};

}  // namespace tandem::coupling
