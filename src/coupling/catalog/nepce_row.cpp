#include "coupling/catalog/rows.hpp"
#include "coupling/explicit/nepce.hpp"

namespace tandem::coupling {

static std::vector<OptionSpec> describe(NepceOptions& options) {
    return {{"order", &options.order, "of the input extrapolation: 0 holds, 1 is linear", 0, 1},
            {"anti_aliasing", &options.anti_aliasing,
             "inputs go on from the mean of their signals over the last step"}};
}

CouplingRow nepce_row() {
    return coupling_row("nepce",
                        "all at once, and the next step makes up for what extrapolation missed",
                        NepceOptions{}, [](NepceOptions options, const Choice&, Diagnostics&) {
                            return std::make_unique<Nepce>(options);
                        });
}

}  // namespace tandem::coupling
