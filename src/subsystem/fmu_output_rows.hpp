#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "subsystem/fmu_ports.hpp"

namespace tandem::subsystem {

/// A variable behind output ports, which may be any variable of the FMU, and what it depends on.
struct OutputRow {
    enum class Kind {
        listed,  ///< an output, or a derivative of the model structure
        state,   ///< a continuous state: depends on itself alone
        held,    ///< changes at events only, or never
        other,   ///< nothing is declared: may depend on everything, without directional derivatives
    };
    Kind kind = Kind::other;
    fmi::Unknown unknown;         ///< with the index of the variable behind the ports
    std::size_t first_state = 0;  ///< of a state: the position of its first element among all
};

/// One row for each of outputs.variables(). `states` are references of states that the model
/// structure does not tell (FMI 1.0).
std::vector<OutputRow> output_rows(const fmi::Instance& instance, const FmuVariables& variables,
                                   const FmuPorts& outputs,
                                   std::span<const fmi::ValueReference> states = {});

/// How outputs are differentiated by states and inputs.
struct OutputDerivatives {
    std::vector<fmi::ValueReference> unknowns;                ///< what the FMU differentiates
    std::vector<std::size_t> ports;                           ///< their ports
    std::vector<std::pair<std::size_t, std::size_t>> states;  ///< a port and the state that it is
};
/// Nothing if one of them has no derivatives.
std::optional<OutputDerivatives> output_derivatives(std::span<const OutputRow> rows,
                                                    const FmuVariables& variables,
                                                    const FmuPorts& outputs);

}  // namespace tandem::subsystem
