#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/scales.hpp"
#include "fmi/instance.hpp"
#include "subsystem/fmu_output_rows.hpp"
#include "tandem/extend/linear_model.hpp"

namespace tandem::subsystem {

/// The linear model of an FMU that shows its continuous states and their derivatives as variables
/// and gives directional derivatives between them.
class FmuLinearModel {
public:
    /// Null if the FMU does not.
    static std::unique_ptr<FmuLinearModel> make(fmi::Instance& instance,
                                                const FmuVariables& variables,
                                                const FmuPorts& inputs, const FmuPorts& outputs);

    void set_nominals(const NamedSizes& nominals);
    void read(LinearModel& model, LinearParts parts);
    /// As far as it was asked. Without, the matrices are zero.
    bool gives_derivatives() const { return gives_derivatives_; }
    /// Only the states.
    void read_states(std::vector<double>& states);
    /// From now on, and in this model.
    void drop_derivatives(LinearModel& model);
    std::span<const fmi::ValueReference> states() const { return states_; }
    std::size_t state_count() const { return state_count_; }

private:
    explicit FmuLinearModel(fmi::Instance& instance) : instance_(instance) {}
    void read_columns(LinearModel& model);
    bool derivatives_along(std::size_t column);

    fmi::Instance& instance_;
    std::vector<fmi::ValueReference> states_, derivatives_;
    std::size_t state_count_ = 0, input_count_ = 0, output_count_ = 0;
    std::vector<double> nominals_;
    std::vector<std::string> state_names_;
    std::vector<fmi::ValueReference> knowns_, unknowns_;
    OutputDerivatives outputs_;
    std::vector<double> seed_, sensitivity_;
    bool gives_derivatives_ = true;  ///< as far as it was asked
};

}  // namespace tandem::subsystem
