#pragma once

#include <cstddef>
#include <string>

#include "core/time_grid.hpp"
#include "tandem/error.hpp"

namespace tandem::run {

/// What is recorded at the communication points.
struct RowPlan {
    std::size_t columns = 0;  ///< 0: nothing
    long every = 1;           ///< of the points, the n-th
};

/// What should be said before a run: that the step, which `place` gives, is longer than the run, or
/// that steps and rows are so many that they need much time and room.
Diagnostics size_warnings(const TimeGrid& grid, const std::string& place, RowPlan rows = {});

}  // namespace tandem::run
