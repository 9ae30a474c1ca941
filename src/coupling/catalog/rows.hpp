#pragma once

#include "coupling/catalog/catalog.hpp"
#include "coupling/network/linearisation.hpp"

namespace tandem::coupling {

/// For couplings in which every subsystem takes one step.
void refuse_ratios(const Choice& choice, Diagnostics& findings);

/// The options of couplings that read Jacobians.
std::vector<OptionSpec> describe(LinearisationOptions& options);
/// Takes what the file says of subsystems.
void take_jacobians(const Choice& choice, LinearisationOptions& options, Diagnostics& findings);

CouplingRow asynchronous_row();
CouplingRow linear_implicit_row();
CouplingRow lti_row();
CouplingRow nepce_row();
CouplingRow pre_step_row();
CouplingRow predictor_row();

}  // namespace tandem::coupling
