#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "description/setting.hpp"
#include "tandem/error.hpp"

namespace tandem::description {

void report(Diagnostics& findings, const Place& place, std::string problem, std::string hint = {});
void warn(Diagnostics& findings, const Place& place, std::string problem, std::string hint = {});

/// Reads one table key by key: wrong types are reported and read as absent; `finish` reports the
/// keys nobody asked for. Both the table and the findings must outlive the reader.
class TableReader {
public:
    /// `title` is how the user would write the table: "[experiment]".
    TableReader(const Setting& table, std::string title, Diagnostics& findings);

    const Setting& table() const { return *table_; }
    const Place& place() const { return table_->place; }
    const std::string& title() const { return title_; }
    Diagnostics& findings() const { return *findings_; }

    const Setting* any(std::string_view key);
    const Setting* table(std::string_view key);
    const Setting* list(std::string_view key);
    std::optional<bool> boolean(std::string_view key);
    std::optional<std::int64_t> integer(std::string_view key);
    std::optional<double> real(std::string_view key);
    std::optional<double> positive(std::string_view key);
    std::optional<std::string> text(std::string_view key);
    /// Reports it if the text is missing.
    std::string required_text(std::string_view key);
    /// One text or a list of texts.
    std::vector<std::string> texts(std::string_view key);

    void refuse(const Setting& setting, const std::string& problem, const std::string& hint = {});
    void finish();

private:
    const Setting* typed(std::string_view key, Setting::Type type);

    const Setting* table_;
    std::string title_;
    Diagnostics* findings_;
    std::vector<std::string> known_;
};

}  // namespace tandem::description
