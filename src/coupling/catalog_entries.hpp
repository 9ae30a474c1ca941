#pragma once

#include "coupling/catalog.hpp"
#include "coupling/linearisation.hpp"

namespace tandem::coupling {

/// For couplings in which every subsystem takes one step.
void refuse_ratios(const Choice& choice, Diagnostics& findings);

/// The options of couplings that read Jacobians, as users write them.
struct LinearisationText {
    std::string interface = "automatic";
};
std::vector<OptionSpec> describe_linearisation(LinearisationOptions& options,
                                               LinearisationText& text);
/// From the text, and what the file says of subsystems.
void take_linearisation(const LinearisationText& text, const Choice& choice,
                        LinearisationOptions& options);

CatalogEntry linear_implicit_entry();
CatalogEntry lti_entry();
CatalogEntry nepce_entry();
CatalogEntry pre_step_entry();
CatalogEntry predictor_entry();

}  // namespace tandem::coupling
