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

/// An entry whose coupling `make` makes of the options, which start as `defaults` and which
/// describe(options) describes.
template <class Options, class Make>
CatalogEntry entry_of(std::string name, std::string summary, Options defaults, Make make) {
    CatalogEntry entry{std::move(name), std::move(summary), {}, {}};
    for (const OptionSpec& spec : describe(defaults))
        entry.options.push_back({spec.name, value_text(spec), spec.help, choices_of(spec)});
    entry.make = [defaults = std::move(defaults), make](
                     const Choice& choice, Diagnostics& findings) -> std::unique_ptr<Coupling> {
        Options options = defaults;
        assign_options(describe(options), choice.options, "coupling '" + choice.method + "'",
                       findings);
        return make(std::move(options), choice, findings);
    };
    return entry;
}

CatalogEntry asynchronous_entry();
CatalogEntry linear_implicit_entry();
CatalogEntry lti_entry();
CatalogEntry nepce_entry();
CatalogEntry pre_step_entry();
CatalogEntry predictor_entry();

}  // namespace tandem::coupling
