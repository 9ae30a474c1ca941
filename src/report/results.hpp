#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tandem::report {

struct Column {
    std::string name;
    std::string unit;  ///< from a header "name [unit]"
    std::vector<double> values;
};

/// A results file in memory. The first column of the file is time. An event has two rows with the
/// same time: before and after.
struct Results {
    std::vector<double> time;
    std::string time_name;
    std::vector<Column> columns;
    /// Columns with texts: they have no values here.
    std::vector<std::string> text_columns;

    /// nullptr when there is none.
    const Column* find(std::string_view name) const;
};

/// The columns of results by their names, for those who look for many of them; of equal names the
/// first counts. The results must outlive it.
class ColumnIndex {
public:
    explicit ColumnIndex(const Results& results) {
        for (const Column& column : results.columns) columns_.emplace(column.name, &column);
    }
    /// nullptr when there is none.
    const Column* find(std::string_view name) const {
        const auto found = columns_.find(name);
        return found == columns_.end() ? nullptr : found->second;
    }

private:
    std::unordered_map<std::string_view, const Column*> columns_;
};

/// Reads comma, semicolon or tab separated results: quoted names, "name [unit]" headers, empty
/// cells and "nan" as NaN, true/false as 1/0. Only columns that `wanted` accepts are kept; without
/// it, all. A last row that was cut off by a killed run is left out. Throws InputError when there
/// is no header, a row has another number of cells, or time is not a number or runs backwards.
Results read_results(const std::string& path,
                     const std::function<bool(const std::string&)>& wanted = {});
Results parse_results(std::string_view text, const std::string& place,
                      const std::function<bool(const std::string&)>& wanted = {});

}  // namespace tandem::report
