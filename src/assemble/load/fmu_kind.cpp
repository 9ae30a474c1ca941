#include "assemble/load/fmu_kind.hpp"

#include <fmt/format.h>

#include "tandem/error.hpp"

namespace tandem::assemble {

bool wants_co_simulation(const description::FlatSubsystem& subsystem,
                         const fmi::ModelDescription& fmu, bool prefers_model_exchange) {
    const bool has_cs = fmu.co_simulation.has_value();
    const bool has_me = fmu.model_exchange.has_value();
    const bool wants_cs = subsystem.kind == description::PreferredKind::co_simulation;
    const bool wants_me = subsystem.kind == description::PreferredKind::model_exchange;
    if ((wants_cs && !has_cs) || (wants_me && !has_me) || (!has_cs && !has_me))
        throw InputError(subsystem.place,
                         fmt::format("subsystem '{}': the FMU {} does not offer {}", subsystem.name,
                                     subsystem.source.filename().string(),
                                     wants_me ? "Model Exchange" : "Co-Simulation"),
                         has_cs   ? "use kind = \"cs\""
                         : has_me ? "use kind = \"me\""
                                  : "Scheduled Execution cannot be coupled");
    if (wants_cs || wants_me) return wants_cs;
    const bool prefers_me = prefers_model_exchange || subsystem.option("solver") != nullptr;
    return has_cs && !(prefers_me && has_me);
}

}  // namespace tandem::assemble
