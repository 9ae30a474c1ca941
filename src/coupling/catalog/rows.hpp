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

/// A row whose coupling `make` makes of the options, which start as `defaults` and which
/// describe(options) describes.
template <class Options, class Make>
CouplingRow coupling_row(std::string name, std::string summary, Options defaults, Make make) {
    CouplingRow row{std::move(name), std::move(summary)};
    row.options = infos_of(describe(defaults));
    row.make = [defaults = std::move(defaults), make](
                   const Choice& choice, Diagnostics& findings) -> std::unique_ptr<Coupling> {
        Options options = defaults;
        assign_options(describe(options), choice.options, "coupling '" + choice.method + "'",
                       findings);
        return make(std::move(options), choice, findings);
    };
    return row;
}

CouplingRow asynchronous_row();
CouplingRow linear_implicit_row();
CouplingRow lti_row();
CouplingRow nepce_row();
CouplingRow pre_step_row();
CouplingRow predictor_row();

}  // namespace tandem::coupling
