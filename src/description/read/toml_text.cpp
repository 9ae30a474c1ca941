#include "description/read/toml_text.hpp"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>

#include "description/read/toml_limits.hpp"
#include "tandem/error.hpp"

namespace tandem::description {
namespace {

class Converter {
public:
    explicit Converter(const TextPlace& where) : where_(where) {}

    Place place_of(const toml::source_region& region) const {
        const int line = static_cast<int>(std::max<toml::source_index>(region.begin.line, 1));
        return fmt::format("{}:{}", where_.file, line + where_.first_line - 1);
    }

    Setting table(const toml::table& source) const {
        // toml++ sorts tables by key; the order of the file is the order of the positions.
        std::vector<std::pair<toml::source_position, Setting>> sorted;
        for (const auto& [key, node] : source) {
            Setting entry = value(node);
            entry.key = key.str();
            entry.place = place_of(key.source());
            sorted.emplace_back(key.source().begin, std::move(entry));
        }
        std::stable_sort(sorted.begin(), sorted.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        Setting result;
        result.place = place_of(source.source());
        for (auto& [position, entry] : sorted) result.entries.push_back(std::move(entry));
        return result;
    }

private:
    Setting value(const toml::node& node) const {
        if (const toml::table* nested = node.as_table()) return table(*nested);
        Setting result;
        result.place = place_of(node.source());
        if (const toml::array* list = node.as_array()) {
            result.type = Setting::Type::list;
            for (const toml::node& item : *list) result.entries.push_back(value(item));
            return result;
        }
        scalar(node, result);
        return result;
    }

    void scalar(const toml::node& node, Setting& result) const {
        if (const auto* truth = node.as_boolean()) {
            result.type = Setting::Type::boolean;
            result.scalar = truth->get();
        } else if (const auto* integer = node.as_integer()) {
            result.type = Setting::Type::integer;
            result.scalar = integer->get();
        } else if (const auto* real = node.as_floating_point()) {
            result.type = Setting::Type::real;
            result.scalar = real->get();
        } else if (const auto* text = node.as_string()) {
            result.type = Setting::Type::text;
            result.scalar = text->get();
        } else {
            throw InputError(result.place, "dates and times have no meaning in a system file",
                             "write a number of seconds, or a text in quotes");
        }
    }

    const TextPlace& where_;
};

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (static_cast<unsigned char>(c) < 0x20U || c == 0x7F) {
            result += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
        } else {
            result += c;
        }
    }
    return result + '"';
}

std::string real_text(double value) {
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".einf") == std::string::npos) text += ".0";
    return text;
}

}  // namespace

std::string toml_key(const std::string& key) {
    const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
        return std::isalnum(c) || c == '_' || c == '-';
    });
    return bare ? key : quoted(key);
}

std::string toml_value(const Setting& setting) {
    std::vector<std::string> parts;
    switch (setting.type) {
        case Setting::Type::boolean: return setting.as_boolean() ? "true" : "false";
        case Setting::Type::integer: return std::to_string(setting.as_integer());
        case Setting::Type::real: return real_text(setting.as_real());
        case Setting::Type::text: return quoted(setting.as_text());
        case Setting::Type::list:
            for (const Setting& entry : setting.entries) parts.push_back(toml_value(entry));
            return fmt::format("[{}]", fmt::join(parts, ", "));
        case Setting::Type::table:
            for (const Setting& entry : setting.entries)
                parts.push_back(toml_key(entry.key) + " = " + toml_value(entry));
            return parts.empty() ? "{}" : fmt::format("{{ {} }}", fmt::join(parts, ", "));
    }
    return {};
}

Setting parse_toml(std::string_view text, const TextPlace& where) {
    check_toml_limits(text, where);
    const Converter converter(where);
    try {
        return converter.table(toml::parse(text));
    } catch (const toml::parse_error& error) {
        throw InputError(converter.place_of(error.source()),
                         fmt::format("is not valid TOML: {}", error.description()),
                         "docs/system_file.md shows the form of a system file");
    }
}

std::string write_toml(const Setting& table) {
    std::string text;
    for (const Setting& entry : table.entries)
        text += toml_key(entry.key) + " = " + toml_value(entry) + "\n";
    return text;
}

}  // namespace tandem::description
