#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "description/description.hpp"
#include "description/table_reader.hpp"

namespace tandem::description {

/// "Float64", "Int32", ... of FMI 3.0 and SSP 2.0; also "Real" and "Integer" of SSP 1.0.
std::optional<ValueType> value_type_from(std::string_view name);
std::optional<ConnectorKind> connector_kind_from(std::string_view name);
/// The spelling of SSP: "calculatedParameter".
std::string_view to_string(ConnectorKind kind);

/// A value of a system file: a number, text, truth value, (nested) list, or a table with `value`
/// and optionally `unit`, `type`, `enumeration`. Reports what cannot be one.
std::optional<ParameterValue> read_value(const Setting& setting, Diagnostics& findings);

/// The value as another type: numbers that fit exactly (a real may take any integer), texts as
/// enumeration items. `items` are those of the target if it is an enumeration. Nothing if it has no
/// meaning there.
std::optional<Values> value_as(ValueType target, const ParameterValue& value,
                               const std::vector<EnumerationItem>& items = {});

}  // namespace tandem::description
