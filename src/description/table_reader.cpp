#include "description/table_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/names.hpp"

namespace tandem::description {

void report(Diagnostics& findings, const Place& place, std::string problem, std::string hint) {
    findings.push_back({Severity::error, place, std::move(problem), std::move(hint)});
}

void warn(Diagnostics& findings, const Place& place, std::string problem, std::string hint) {
    findings.push_back({Severity::warning, place, std::move(problem), std::move(hint)});
}

TableReader::TableReader(const Setting& table, std::string title, Diagnostics& findings)
    : table_(&table), title_(std::move(title)), findings_(&findings) {}

void TableReader::refuse(const Setting& setting, const std::string& problem,
                         const std::string& hint) {
    report(*findings_, setting.place, title_ + ": " + problem, hint);
}

const Setting* TableReader::any(std::string_view key) {
    known_.emplace_back(key);
    return table_->find(key);
}

const Setting* TableReader::typed(std::string_view key, Setting::Type type) {
    const Setting* setting = any(key);
    if (setting == nullptr || setting->type == type) return setting;
    const bool lacks_brackets =
        type == Setting::Type::list && setting->type == Setting::Type::table;
    refuse(*setting,
           fmt::format("'{}' must be {}, but is {}", key, noun(type), noun(setting->type)),
           lacks_brackets ? fmt::format("write [[{}]]", key) : std::string());
    return nullptr;
}

const Setting* TableReader::table(std::string_view key) { return typed(key, Setting::Type::table); }

const Setting* TableReader::list(std::string_view key) { return typed(key, Setting::Type::list); }

std::optional<bool> TableReader::boolean(std::string_view key) {
    const Setting* setting = typed(key, Setting::Type::boolean);
    return setting == nullptr ? std::nullopt : std::optional(setting->as_boolean());
}

std::optional<std::int64_t> TableReader::integer(std::string_view key) {
    const Setting* setting = typed(key, Setting::Type::integer);
    return setting == nullptr ? std::nullopt : std::optional(setting->as_integer());
}

std::optional<double> TableReader::real(std::string_view key) {
    const Setting* setting = any(key);
    if (setting == nullptr) return std::nullopt;
    if (setting->is_number() && std::isfinite(setting->as_real())) return setting->as_real();
    refuse(
        *setting,
        fmt::format("'{}' must be a finite number{}", key,
                    setting->is_number() ? "" : fmt::format(", but is {}", noun(setting->type))));
    return std::nullopt;
}

std::optional<double> TableReader::positive(std::string_view key) {
    const std::optional<double> value = real(key);
    if (value && *value <= 0.0) {
        refuse(*table_->find(key),
               fmt::format("'{}' must be greater than 0, but is {}", key, *value));
        return std::nullopt;
    }
    return value;
}

std::optional<std::string> TableReader::text(std::string_view key) {
    const Setting* setting = typed(key, Setting::Type::text);
    return setting == nullptr ? std::nullopt : std::optional(setting->as_text());
}

std::string TableReader::required_text(std::string_view key) {
    if (table_->find(key) == nullptr) {
        known_.emplace_back(key);
        refuse(*table_, fmt::format("'{}' is missing", key), fmt::format("add {} = \"...\"", key));
        return {};
    }
    return text(key).value_or("");
}

std::vector<std::string> TableReader::texts(std::string_view key) {
    const Setting* setting = any(key);
    std::vector<std::string> result;
    if (setting == nullptr) return result;
    const auto add = [&](const Setting& item) {
        if (item.type == Setting::Type::text)
            result.push_back(item.as_text());
        else
            refuse(item, fmt::format("'{}' must be a text or a list of texts, not {}", key,
                                     noun(item.type)));
    };
    if (setting->type == Setting::Type::list)
        std::for_each(setting->entries.begin(), setting->entries.end(), add);
    else
        add(*setting);
    return result;
}

void TableReader::finish() {
    for (const Setting& entry : table_->entries) {
        if (std::find(known_.begin(), known_.end(), entry.key) != known_.end()) continue;
        const std::string_view what =
            entry.type == Setting::Type::table ? "unknown table" : "unknown key";
        refuse(
            entry, fmt::format("{} '{}'", what, entry.key),
            did_you_mean(entry.key, known_, fmt::format("known are: {}", fmt::join(known_, ", "))));
    }
}

}  // namespace tandem::description
