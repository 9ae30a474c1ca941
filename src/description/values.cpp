#include "description/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/names.hpp"

namespace tandem::description {
namespace {

using Type = Setting::Type;

constexpr std::string_view kind_names[] = {
    "input",    "output", "parameter", "calculatedParameter", "structuralParameter",
    "constant", "local",  "inout",     "unspecified"};

constexpr ValueType all_types[] = {ValueType::float32, ValueType::float64,     ValueType::int8,
                                   ValueType::uint8,   ValueType::int16,       ValueType::uint16,
                                   ValueType::int32,   ValueType::uint32,      ValueType::int64,
                                   ValueType::uint64,  ValueType::boolean,     ValueType::string,
                                   ValueType::binary,  ValueType::enumeration, ValueType::clock};

/// Collects the scalars of nested lists in row-major order; false if the lists are ragged.
bool collect(const Setting& list, std::size_t depth, std::vector<const Setting*>& scalars,
             std::vector<std::uint64_t>& dimensions) {
    if (dimensions.size() <= depth)
        dimensions.push_back(list.entries.size());
    else if (dimensions[depth] != list.entries.size())
        return false;
    const bool nested = !list.entries.empty() && list.entries.front().type == Type::list;
    for (const Setting& entry : list.entries) {
        if ((entry.type == Type::list) != nested) return false;
        if (!nested)
            scalars.push_back(&entry);
        else if (!collect(entry, depth + 1, scalars, dimensions))
            return false;
    }
    return true;
}

std::optional<ValueType> common_type(const std::vector<const Setting*>& scalars) {
    const auto all = [&](auto&& test) {
        return std::all_of(scalars.begin(), scalars.end(),
                           [&](const Setting* s) { return test(*s); });
    };
    if (all([](const Setting& s) { return s.type == Type::boolean; })) return ValueType::boolean;
    if (all([](const Setting& s) { return s.type == Type::integer; })) return ValueType::int64;
    if (all([](const Setting& s) { return s.is_number(); })) return ValueType::float64;
    if (all([](const Setting& s) { return s.type == Type::text; })) return ValueType::string;
    return std::nullopt;
}

std::string text_of(const Setting& scalar) {
    switch (scalar.type) {
        case Type::boolean: return scalar.as_boolean() ? "true" : "false";
        case Type::integer: return std::to_string(scalar.as_integer());
        case Type::real: return fmt::format("{}", scalar.as_real());
        default: return scalar.as_text();
    }
}

bool append(const Setting& scalar, ParameterValue& value) {
    if (value.type == ValueType::enumeration) {
        value.values.strings.push_back(text_of(scalar));
        return true;
    }
    return append_text(value.type, text_of(scalar), value.values);
}

std::optional<ParameterValue> plain_value(const Setting& setting, std::optional<ValueType> type,
                                          Diagnostics& findings) {
    ParameterValue value;
    std::vector<const Setting*> scalars;
    if (setting.type != Type::list) {
        scalars.push_back(&setting);
    } else if (!collect(setting, 0, scalars, value.dimensions)) {
        report(findings, setting.place,
               fmt::format("'{}': the lists have different lengths", setting.key),
               "give every row the same number of values");
        return std::nullopt;
    }
    const bool is_scalar = std::none_of(scalars.begin(), scalars.end(),
                                        [](const Setting* s) { return s->type == Type::table; });
    if (!type && is_scalar) type = common_type(scalars);
    if (!type || !is_scalar) {
        report(findings, setting.place,
               fmt::format("'{}': the values of a list must all be of one type", setting.key));
        return std::nullopt;
    }
    value.type = *type;
    for (const Setting* scalar : scalars) {
        if (append(*scalar, value)) continue;
        report(findings, scalar->place,
               fmt::format("'{}': {} is not a value of type {}", setting.key, text_of(*scalar),
                           tandem::to_string(*type)));
        return std::nullopt;
    }
    return value;
}

double real_at(const ParameterValue& value, std::size_t i) {
    if (storage_of(value.type) == Storage::reals) return value.values.reals[i];
    if (value.type == ValueType::uint64)
        return static_cast<double>(static_cast<std::uint64_t>(value.values.integers[i]));
    return static_cast<double>(value.values.integers[i]);
}

std::optional<std::int64_t> item_value(const std::string& text,
                                       const std::vector<EnumerationItem>& items) {
    for (const EnumerationItem& item : items)
        if (item.name == text) return item.value;
    Values number;
    if (append_text(ValueType::int64, text, number)) return number.integers.front();
    return std::nullopt;
}

bool is_text(const ParameterValue& value) {
    return value.type == ValueType::enumeration || storage_of(value.type) == Storage::strings;
}

/// Entry i as an integer text: "3" of 3.0; nothing of 3.5.
std::optional<std::string> integer_text(const ParameterValue& value, std::size_t i) {
    if (storage_of(value.type) == Storage::integers)
        return to_text(value.type == ValueType::boolean ? ValueType::int64 : value.type,
                       value.values, i);
    const double real = real_at(value, i);
    if (real != std::floor(real) || std::abs(real) > 9007199254740992.0) return std::nullopt;
    return fmt::format("{}", static_cast<std::int64_t>(real));
}

bool append_as(ValueType target, const ParameterValue& value, std::size_t i,
               const std::vector<EnumerationItem>& items, Values& result) {
    if (is_text(value)) {
        const std::string& text = value.values.strings[i];
        if (target == ValueType::enumeration) {
            const auto number = item_value(text, items);
            if (number) result.integers.push_back(*number);
            return number.has_value();
        }
        if (storage_of(target) != Storage::strings) return append_text(target, text, result);
        result.strings.push_back(text);
        return true;
    }
    if (storage_of(target) == Storage::strings) return false;
    if (storage_of(target) == Storage::reals) {
        result.reals.push_back(real_at(value, i));
        return true;
    }
    const auto text = integer_text(value, i);
    if (!text) return false;
    if (target == ValueType::boolean || target == ValueType::clock) {
        if (*text != "0" && *text != "1") return false;
        result.integers.push_back(*text == "1" ? 1 : 0);
        return true;
    }
    return append_text(target == ValueType::enumeration ? ValueType::int64 : target, *text, result);
}

}  // namespace

std::optional<ValueType> value_type_from(std::string_view name) {
    if (name == "Real") return ValueType::float64;
    if (name == "Integer") return ValueType::int32;
    for (const ValueType type : all_types)
        if (tandem::to_string(type) == name) return type;
    return std::nullopt;
}

std::optional<ConnectorKind> connector_kind_from(std::string_view name) {
    const auto found = std::find(std::begin(kind_names), std::end(kind_names), name);
    if (found == std::end(kind_names)) return std::nullopt;
    return static_cast<ConnectorKind>(found - std::begin(kind_names));
}

std::string_view to_string(ConnectorKind kind) {
    return kind_names[static_cast<std::size_t>(kind)];
}

std::optional<ParameterValue> read_value(const Setting& setting, Diagnostics& findings) {
    if (setting.type != Type::table) return plain_value(setting, std::nullopt, findings);
    TableReader reader(setting, fmt::format("parameter '{}'", setting.key), findings);
    const Setting* content = reader.any("value");
    const auto unit = reader.text("unit");
    const auto type_name = reader.text("type");
    const auto enumeration = reader.text("enumeration");
    reader.finish();
    std::optional<ValueType> type;
    if (enumeration) type = ValueType::enumeration;
    if (type_name) {
        type = value_type_from(*type_name);
        if (!type)
            reader.refuse(*setting.find("type"), fmt::format("unknown type '{}'", *type_name),
                          "use Float64, Int32, Boolean, String, Enumeration ...");
    }
    std::optional<ParameterValue> value = plain_value(*content, type, findings);
    if (!value) return std::nullopt;
    value->unit = unit.value_or("");
    value->enumeration = enumeration.value_or("");
    return value;
}

std::optional<Values> value_as(ValueType target, const ParameterValue& value,
                               const std::vector<EnumerationItem>& items) {
    Values result;
    const std::size_t count =
        is_text(value) ? value.values.strings.size() : value.values.size(value.type);
    for (std::size_t i = 0; i < count; ++i)
        if (!append_as(target, value, i, items, result)) return std::nullopt;
    return result;
}

}  // namespace tandem::description
