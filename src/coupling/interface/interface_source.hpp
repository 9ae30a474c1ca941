#pragma once

namespace tandem::coupling {

/// Where the model y' = S(y, u) of a subsystem comes from that gives no linear model.
enum class InterfaceSource {
    automatic,    ///< given, else differences, else slopes: whatever is possible
    slopes,       ///< none: outputs go on with their slope
    given,        ///< the user says dS/dy and dS/du
    differences,  ///< short steps from a saved state, with inputs a little off
    identified,   ///< what outputs and inputs did in the steps so far
};

}  // namespace tandem::coupling
