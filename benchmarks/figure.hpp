#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "report/chart.hpp"

namespace tandem {

/// A table, and a picture of its columns over the first one.
inline void write_figure(const std::filesystem::path& file,
                         const std::vector<report::Column>& columns,
                         const report::ChartOptions& options) {
    std::filesystem::path path = file;
    std::ofstream table(path.replace_extension(".csv"));
    const auto separator = [&](const report::Column& column) { return &column == &columns.back(); };
    for (const report::Column& column : columns)
        table << '"' << column.name << '"' << (separator(column) ? "\n" : ",");
    for (std::size_t row = 0; row < columns.front().values.size(); ++row)
        for (const report::Column& column : columns)
            table << fmt::format("{:.9g}", column.values[row]) << (separator(column) ? "\n" : ",");
    report::ChartData data{&columns.front().values, &columns.front().values, {}};
    for (std::size_t i = 1; i < columns.size(); ++i) data.columns.push_back(&columns[i]);
    std::ofstream(path.replace_extension(".svg")) << report::chart_svg(data, options);
}

}  // namespace tandem
