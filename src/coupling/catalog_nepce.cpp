#include <fmt/format.h>

#include "coupling/catalog_entries.hpp"
#include "coupling/energy_correction.hpp"

namespace tandem::coupling {
namespace {

std::vector<OptionSpec> describe(EnergyCorrectionOptions& options) {
    return {{"order", &options.order, "of the input extrapolation: 0 holds, 1 is linear", 0, 1},
            {"anti_aliasing", &options.anti_aliasing,
             "inputs go on from the mean of their signals over the last step"}};
}

}  // namespace

CatalogEntry nepce_entry() {
    CatalogEntry entry{
        "nepce", "all at once, and the next step makes up for what extrapolation missed", {}, {}};
    EnergyCorrectionOptions defaults;
    for (const OptionSpec& spec : describe(defaults))
        entry.options.push_back({spec.name, value_text(spec), spec.help});
    entry.make = [](const Choice& choice, Diagnostics& findings) {
        EnergyCorrectionOptions options;
        assign_options(describe(options), choice.options,
                       fmt::format("coupling '{}'", choice.method), findings);
        refuse_ratios(choice, findings);
        return std::make_unique<EnergyCorrection>(options);
    };
    return entry;
}

}  // namespace tandem::coupling
