#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "description/description.hpp"

namespace tandem::description {

/// What the source of a subsystem says about one of its variables.
struct KnownVariable {
    ValueType type = ValueType::float64;
    std::vector<std::uint64_t> dimensions;  ///< empty: a scalar
    std::vector<EnumerationItem> items;     ///< of an enumeration
    bool has_fixed_size = true;             ///< no parameter decides about the dimensions
};

using VariableLookup = std::function<std::optional<KnownVariable>(
    const SubsystemDescription& subsystem, const std::string& variable)>;

/// Gives hand-written values and connectors without a type the types of the variables they are for.
/// An integer whose variable is not known becomes a real, which fits any number. `system` must be
/// in standard form.
void apply_types(NestedSystem& system, const VariableLookup& lookup);

}  // namespace tandem::description
