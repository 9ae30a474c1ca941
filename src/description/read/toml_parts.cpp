#include "description/read/toml_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "description/read/connectors.hpp"
#include "description/read/sections.hpp"
#include "description/values.hpp"

namespace tandem::description {
namespace {

using Type = Setting::Type;

Transformation::Type map_type(const std::vector<MapEntry>& entries) {
    const auto all = [&](auto&& test) {
        return std::all_of(entries.begin(), entries.end(), [&](const MapEntry& entry) {
            return test(entry.source) && test(entry.target);
        });
    };
    if (all([](const std::string& text) { return text == "true" || text == "false"; }))
        return Transformation::Type::boolean;
    const auto is_integer = [](const std::string& text) {
        Values ignored;
        return append_text(ValueType::int64, text, ignored);
    };
    return all(is_integer) ? Transformation::Type::integer : Transformation::Type::enumeration;
}

void read_map(const Setting& map, TableReader& reader, Transformation& transformation) {
    for (const Setting& entry : map.entries) {
        std::string target;
        if (entry.type == Type::text) target = entry.as_text();
        if (entry.type == Type::boolean) target = entry.as_boolean() ? "true" : "false";
        if (entry.type == Type::integer) target = std::to_string(entry.as_integer());
        if (target.empty())
            reader.refuse(entry, fmt::format("'map': {} must become a truth value, an integer or "
                                             "the name of an enumeration item",
                                             entry.key));
        else
            transformation.entries.push_back({entry.key, target});
    }
    transformation.type = map_type(transformation.entries);
    if (map.entries.empty()) reader.refuse(map, "'map' is empty", "write e.g. { 0 = 1, 1 = 0 }");
}

/// factor, offset, map
Transformation read_transformation(TableReader& reader) {
    Transformation result;
    const auto factor = reader.real("factor");
    const auto offset = reader.real("offset");
    const Setting* map = reader.table("map");
    if (factor || offset) {
        result.type = Transformation::Type::linear;
        result.factor = factor.value_or(1.0);
        result.offset = offset.value_or(0.0);
        if (map != nullptr)
            reader.refuse(*map, "'map' cannot be combined with 'factor' and 'offset'",
                          "keep one of them");
    } else if (map != nullptr) {
        read_map(*map, reader, result);
    }
    return result;
}

void read_dimensions(TableReader& reader, Connector& connector) {
    const Setting* list = reader.list("dimensions");
    if (list == nullptr) return;
    for (const Setting& entry : list->entries) {
        if (entry.type == Type::integer && entry.as_integer() >= 0)
            connector.dimensions.push_back({static_cast<std::uint64_t>(entry.as_integer()), {}});
        else if (entry.type == Type::text)
            connector.dimensions.push_back({std::nullopt, entry.as_text()});
        else
            reader.refuse(entry, "a dimension must be a size or the name of a connector");
    }
}

Connector read_connector(const Setting& entry, Diagnostics& findings) {
    TableReader reader(entry, fmt::format("connector '{}'", entry.key), findings);
    Connector connector;
    connector.name = entry.key;
    connector.place = entry.place;
    if (const auto kind = reader.text("kind")) {
        if (const auto known = connector_kind_from(*kind))
            connector.kind = *known;
        else
            reader.refuse(*entry.find("kind"), fmt::format("unknown kind '{}'", *kind),
                          "use input, output, parameter, calculatedParameter, "
                          "structuralParameter, constant, local or inout");
    }
    if (const auto type = reader.text("type")) {
        connector.type = value_type_from(*type);
        if (!connector.type)
            reader.refuse(*entry.find("type"), fmt::format("unknown type '{}'", *type),
                          "use Float64, Int32, Boolean, String, Enumeration ...");
    }
    connector.unit = reader.text("unit").value_or("");
    connector.enumeration = reader.text("enumeration").value_or("");
    if (!connector.enumeration.empty()) connector.type = ValueType::enumeration;
    connector.mime_type = reader.text("mime_type").value_or("");
    connector.description = reader.text("description").value_or("");
    connector.clocks = reader.texts("clocks");
    read_dimensions(reader, connector);
    reader.finish();
    return connector;
}

void add_parameters(const Setting& table, const std::string& prefix, Diagnostics& findings,
                    std::vector<Parameter>& parameters) {
    for (const Setting& entry : table.entries) {
        const std::string name = prefix + entry.key;
        if (entry.type == Type::table && entry.find("value") == nullptr) {
            add_parameters(entry, name + ".", findings, parameters);
            continue;
        }
        if (auto value = read_value(entry, findings))
            parameters.push_back({name, std::move(*value), {}, entry.place});
    }
}

Unit read_unit(const Setting& entry, Diagnostics& findings) {
    constexpr std::string_view bases[] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    TableReader reader(entry, fmt::format("unit '{}'", entry.key), findings);
    Unit unit;
    unit.name = entry.key;
    unit.place = entry.place;
    for (std::size_t i = 0; i < unit.base.exponents.size(); ++i)
        unit.base.exponents[i] = static_cast<int>(reader.integer(bases[i]).value_or(0));
    unit.base.factor = reader.real("factor").value_or(1.0);
    unit.base.offset = reader.real("offset").value_or(0.0);
    unit.description = reader.text("description").value_or("");
    reader.finish();
    return unit;
}

Enumeration read_enumeration(const Setting& entry, Diagnostics& findings) {
    Enumeration enumeration;
    enumeration.name = entry.key;
    enumeration.place = entry.place;
    const bool is_list = entry.type == Type::list;
    bool valid = (is_list || entry.type == Type::table) && !entry.entries.empty();
    for (const Setting& item : entry.entries) {
        const auto number = static_cast<std::int64_t>(enumeration.items.size() + 1);
        if (is_list && item.type == Type::text)
            enumeration.items.push_back({item.as_text(), number});
        else if (!is_list && item.type == Type::integer)
            enumeration.items.push_back({item.key, item.as_integer()});
        else
            valid = false;
    }
    if (!valid)
        report(findings, entry.place, fmt::format("enumeration '{}' has no items", entry.key),
               "write { low = 1, high = 2 } or [\"low\", \"high\"]");
    return enumeration;
}

}  // namespace

void read_connectors(TableReader& reader, std::vector<Connector>& connectors) {
    const auto add = [&](std::string_view key, ConnectorKind kind) {
        const std::vector<std::string> names = reader.texts(key);
        for (const std::string& name : names) {
            Connector connector;
            connector.name = name;
            connector.kind = kind;
            connector.place = reader.table().find(key)->place;
            connectors.push_back(std::move(connector));
        }
    };
    add("inputs", ConnectorKind::input);
    add("outputs", ConnectorKind::output);
    if (const Setting* table = reader.table("connectors"))
        read_connector_table(*table, connectors, reader.findings());
    unite_connectors(connectors, reader.findings());
}

void read_connector_table(const Setting& table, std::vector<Connector>& connectors,
                          Diagnostics& findings) {
    for (const Setting& entry : table.entries) {
        if (entry.type == Type::table)
            connectors.push_back(read_connector(entry, findings));
        else
            report(findings, entry.place, fmt::format("connector '{}' must be a table", entry.key),
                   "write { kind = \"input\", unit = \"m\" }");
    }
}

std::optional<Connection> read_connection(const Setting& entry, Diagnostics& findings) {
    Connection connection;
    connection.place = entry.place;
    if (entry.type == Type::text) {
        const auto ends = parse_arrow(entry.as_text(), entry.place, findings);
        if (!ends) return std::nullopt;
        std::tie(connection.from, connection.to) = *ends;
        return connection;
    }
    if (entry.type != Type::table) {
        report(findings, entry.place, "a connection must be a text or a table",
               "write \"source.output -> target.input\"");
        return std::nullopt;
    }
    TableReader reader(entry, "[[connections]]", findings);
    connection.from.connector = reader.required_text("from");
    connection.to.connector = reader.required_text("to");
    connection.transformation = read_transformation(reader);
    connection.suppress_unit_conversion =
        reader.boolean("suppress_unit_conversion").value_or(false);
    connection.description = reader.text("description").value_or("");
    reader.finish();
    if (connection.from.connector.empty() || connection.to.connector.empty()) return std::nullopt;
    return connection;
}

std::vector<Parameter> read_parameters(const Setting& table, Diagnostics& findings) {
    std::vector<Parameter> parameters;
    add_parameters(table, {}, findings, parameters);
    return parameters;
}

std::vector<MappingEntry> read_mapping_table(const Setting& table, Diagnostics& findings) {
    std::vector<MappingEntry> entries;
    for (const Setting& entry : table.entries) {
        MappingEntry mapping;
        mapping.source = entry.key;
        mapping.place = entry.place;
        if (entry.type == Type::text) {
            mapping.target = entry.as_text();
        } else if (entry.type == Type::table) {
            TableReader reader(entry, fmt::format("mapping of '{}'", entry.key), findings);
            mapping.target = reader.required_text("target");
            mapping.transformation = read_transformation(reader);
            mapping.suppress_unit_conversion =
                reader.boolean("suppress_unit_conversion").value_or(false);
            reader.finish();
        } else {
            report(findings, entry.place,
                   fmt::format("the mapping of '{}' must be a text or a table", entry.key),
                   "write old_name = \"new_name\"");
        }
        if (!mapping.target.empty()) entries.push_back(std::move(mapping));
    }
    return entries;
}

void read_units(TableReader& reader, std::vector<Unit>& units) {
    const Setting* table = reader.table("units");
    if (table == nullptr) return;
    for (const Setting& entry : table->entries) {
        if (entry.type == Type::table)
            units.push_back(read_unit(entry, reader.findings()));
        else
            report(reader.findings(), entry.place,
                   fmt::format("unit '{}' must be a table", entry.key),
                   "write { m = 1, s = -1, factor = 0.2777777777777778 }");
    }
}

void read_enumerations(TableReader& reader, std::vector<Enumeration>& enumerations) {
    const Setting* table = reader.table("enumerations");
    if (table == nullptr) return;
    for (const Setting& entry : table->entries)
        enumerations.push_back(read_enumeration(entry, reader.findings()));
}

}  // namespace tandem::description
