#include "assemble/connect/check_connectors.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tandem::assemble {
namespace {

/// Types of one kind differ in width only.
int kind_of(ValueType type) {
    switch (type) {
        case ValueType::float32:
        case ValueType::float64: return 0;
        case ValueType::boolean: return 1;
        case ValueType::enumeration: return 2;
        case ValueType::string: return 3;
        case ValueType::binary: return 4;
        case ValueType::clock: return 5;
        default: return 6;
    }
}

}  // namespace

void check_connectors(const description::FlatSubsystem& description, std::size_t index,
                      const Signals& signals) {
    for (const description::Connector& connector : description.connectors) {
        const std::string title =
            fmt::format("connector '{}' of '{}': ", connector.name, description.name);
        if (!signals.has(index, connector.name)) {
            signals.warn(connector.place, title + "the subsystem has no such variable",
                         "remove it, or correct its name");
            continue;
        }
        const auto signal = signals.find(index, connector.name, connector.place);
        if (!signal) continue;
        const ValueType own = signal->info->type;
        if (connector.type && kind_of(*connector.type) != kind_of(own))
            signals.warn(connector.place,
                         fmt::format("{}declared as {}, but the subsystem says {}", title,
                                     to_string(*connector.type), to_string(own)),
                         "what the subsystem says counts");
        if (connector.unit.empty() || signal->info->unit.empty()) continue;
        const description::FoldedStages folded =
            description::fold({}, {connector.unit, signal->info->unit}, signals.units_of(index));
        if (!folded.problem.empty())
            signals.warn(connector.place,
                         fmt::format("{}declared in '{}', but the subsystem says '{}', which is of "
                                     "another kind",
                                     title, connector.unit, signal->info->unit),
                         "what the subsystem says counts");
    }
}

}  // namespace tandem::assemble
