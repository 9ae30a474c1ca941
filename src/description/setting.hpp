#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tandem/extend/options.hpp"

namespace tandem::description {

/// "file:line", ready for a message.
using Place = std::string;

/// A value of a settings file with the place where it stands: a boolean, a number, a text, a list,
/// or a table (a list whose entries have keys, in the order of the file).
struct Setting {
    enum class Type { boolean, integer, real, text, list, table };

    std::string key;
    Place place;
    Type type = Type::table;
    std::variant<bool, std::int64_t, double, std::string> scalar;
    std::vector<Setting> entries;  ///< of a list or a table

    bool as_boolean() const { return std::get<bool>(scalar); }
    std::int64_t as_integer() const { return std::get<std::int64_t>(scalar); }
    /// Of a real or an integer.
    double as_real() const;
    const std::string& as_text() const { return std::get<std::string>(scalar); }
    bool is_number() const { return type == Type::integer || type == Type::real; }

    /// The entry of a table, or null.
    const Setting* find(std::string_view name) const;

    /// Equal keys, types and values; places do not count.
    bool operator==(const Setting& other) const;
};

Setting text_setting(std::string key, std::string text);
Setting real_setting(std::string key, double value);
Setting text_list(std::string key, const std::vector<std::string>& texts);
/// A list or a table.
Setting group(std::string key, Setting::Type type, std::vector<Setting> entries);
/// Unless it is empty.
void add_group(Setting& parent, Setting child);

/// As an option of an algorithm; what is in a list becomes text.
GivenOption given_option(const Setting& setting);

/// "a number", "a text", "a table" ...: for messages.
std::string_view noun(Setting::Type type);

}  // namespace tandem::description
