#pragma once

#include <utility>
#include <vector>

#include "ode/ode_model.hpp"

namespace tandem::ode {

/// Columns of a sparse matrix in groups ("colours") that share no row: all columns of one colour
/// can be found with a single evaluation.
struct Colouring {
    /// Per colour its columns.
    std::vector<std::vector<int>> colours;
    /// Per column its rows.
    std::vector<std::vector<int>> rows;
};

/// Greedy colouring, the columns with most entries first. Columns without entries get no colour.
Colouring colour_columns(const Pattern& pattern, int row_count, int column_count);

}  // namespace tandem::ode
