#pragma once

#include <optional>
#include <vector>

#include "description/description.hpp"
#include "description/table_reader.hpp"

/// The parts of a system file that refer to no other file.
namespace tandem::description {

/// `inputs`, `outputs` and `connectors` of a system or subsystem.
void read_connectors(TableReader& reader, std::vector<Connector>& connectors);
/// name = { kind = "input", type = "Float64", unit = "m", dimensions = [3], enumeration = "Gear" }
void read_connector_table(const Setting& table, std::vector<Connector>& connectors,
                          Diagnostics& findings);
/// "a.x -> b.y", or a table with from, to and a transformation.
std::optional<Connection> read_connection(const Setting& entry, Diagnostics& findings);
/// name = value; tables without a `value` are parts of dotted names.
std::vector<Parameter> read_parameters(const Setting& table, Diagnostics& findings);
/// source = "target", or source = { target = ..., factor = ... }
std::vector<MappingEntry> read_mapping_table(const Setting& table, Diagnostics& findings);
void read_units(TableReader& reader, std::vector<Unit>& units);
void read_enumerations(TableReader& reader, std::vector<Enumeration>& enumerations);

}  // namespace tandem::description
