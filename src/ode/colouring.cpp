#include "ode/colouring.hpp"

#include <algorithm>
#include <numeric>

#include "tandem/error.hpp"

namespace tandem::ode {
namespace {

using Rows = std::vector<std::vector<int>>;

Rows rows_of_columns(const Pattern& pattern, int row_count, int column_count) {
    Rows rows(static_cast<std::size_t>(column_count));
    if (!pattern.entries) {
        for (auto& column : rows) {
            column.resize(static_cast<std::size_t>(row_count));
            std::iota(column.begin(), column.end(), 0);
        }
        return rows;
    }
    for (const auto& [row, column] : *pattern.entries) {
        expects(row >= 0 && row < row_count && column >= 0 && column < column_count,
                "the entries of a pattern lie inside its block");
        rows[static_cast<std::size_t>(column)].push_back(row);
    }
    for (auto& column : rows) {
        std::ranges::sort(column);
        column.erase(std::ranges::unique(column).begin(), column.end());
    }
    return rows;
}

std::vector<int> fullest_first(const Rows& rows) {
    std::vector<int> order(rows.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](int column) {
        return rows[static_cast<std::size_t>(column)].size();
    });
    return order;
}

}  // namespace

Colouring colour_columns(const Pattern& pattern, int row_count, int column_count) {
    Colouring result{{}, rows_of_columns(pattern, row_count, column_count)};
    // Per colour which rows it already holds.
    std::vector<std::vector<bool>> taken;
    for (const int column : fullest_first(result.rows)) {
        const auto& rows = result.rows[static_cast<std::size_t>(column)];
        if (rows.empty()) break;
        std::size_t colour = 0;
        const auto clashes = [&](int row) { return taken[colour][static_cast<std::size_t>(row)]; };
        while (colour < taken.size() && std::ranges::any_of(rows, clashes)) ++colour;
        if (colour == taken.size()) {
            taken.emplace_back(static_cast<std::size_t>(row_count), false);
            result.colours.emplace_back();
        }
        for (const int row : rows) taken[colour][static_cast<std::size_t>(row)] = true;
        result.colours[colour].push_back(column);
    }
    return result;
}

}  // namespace tandem::ode
