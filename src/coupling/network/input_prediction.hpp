#pragma once

#include <span>
#include <vector>

#include "coupling/network/network_flow.hpp"

namespace tandem::coupling {

/// What a subsystem is told of the inputs predicted for a step.
enum class PredictedForm {
    automatic,     ///< linear where a subsystem takes derivatives, the mean elsewhere
    mean,          ///< one value
    linear,        ///< the straight line nearest in the mean square
    interpolated,  ///< the straight line from start to end
    hermite,       ///< the cubic with values and slopes at start and end
};

/// The highest derivative in that form.
int order_of(PredictedForm form);

/// What the linear network says that inputs will do over a step, as polynomials.
class InputPrediction {
public:
    /// Subsystems that do not take the derivatives of a form get the mean.
    void prepare(System& system, const NetworkModel& network, PredictedForm form,
                 FlowMethod method = {});
    /// System::inputs() hold the values at the start of the step, h is its length. `start` are the
    /// deviations from which the network goes on there; empty: none.
    void predict(System& system, const NetworkModel& network, double h,
                 std::span<const double> start = {});
    InputCourse course(int s) const;
    PredictedForm form(int s) const { return partners_[static_cast<std::size_t>(s)].form; }

private:
    struct PerSubsystem {
        PredictedForm form = PredictedForm::mean;
        std::vector<double> values, derivatives;
    };
    void tell(PerSubsystem& partner, std::size_t first_input, std::span<const double> now);
    double shape(const PerSubsystem& partner, std::size_t input,
                 std::span<double> derivatives) const;

    PredictedForm form_ = PredictedForm::automatic;
    double h_ = 0.0;
    NetworkFlow flow_;
    std::vector<PerSubsystem> partners_;
    std::vector<double> rates_;
    NetworkModel::Signals begin_, mean_, moment_, end_, begin_rate_, end_rate_;
};

}  // namespace tandem::coupling
