#pragma once

#include <string>
#include <vector>

#include "base/refused_value.hpp"
#include "fmi/description/model_description.hpp"
#include "tandem/value.hpp"

namespace tandem::assemble {

/// A start value the user wants: variable `variable` of the description becomes `values`.
struct Assignment {
    std::size_t variable = 0;
    Values values;
};

/// Reads "name=value" for any type: enumerations by name or number, arrays as "name=1,2,3" or one
/// element as "name[2]=5". Structural parameters come first in the result, because they decide the
/// sizes of arrays. Throws InputError for unknown names, values of the wrong type or number, and
/// variables that the FMU calculates itself; warns in the log when a value is outside of min and
/// max.
std::vector<Assignment> parse_assignments(const fmi::ModelDescription& description,
                                          const std::vector<std::string>& texts);

/// For an assignment that the FMU refuses.
InputError refused_value(const RefusedValue& error);

/// Why a variable cannot be given a start value; empty if it can.
std::string why_not_settable(const fmi::Variable& variable);

/// The number of an enumeration item by its name.
std::optional<std::int64_t> enumeration_value(const fmi::ModelDescription& description,
                                              std::size_t variable, std::string_view item);

}  // namespace tandem::assemble
