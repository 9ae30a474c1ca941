#include "run/run_size.hpp"

#include <fmt/format.h>

namespace tandem::run {
namespace {

constexpr std::size_t many_steps = 10'000'000;
constexpr double rounding = 1e-9;         // as TimeGrid has it
constexpr double bytes_of_number = 16.0;  // as text, about

std::string rows_text(const TimeGrid& grid, RowPlan plan) {
    if (plan.columns == 0) return {};
    const double rows =
        static_cast<double>(grid.intervals()) / static_cast<double>(plan.every) + 1.0;
    const double bytes = rows * static_cast<double>(plan.columns + 1) * bytes_of_number;
    return fmt::format(" and records {:.3g} rows of {} columns, about {:.2g} GB", rows,
                       plan.columns, bytes * 1e-9);
}

}  // namespace

Diagnostics size_warnings(const TimeGrid& grid, const std::string& place, RowPlan rows) {
    Diagnostics warnings;
    const double span = grid.stop() - grid.start();
    if (span > 0.0 && grid.step() > (1.0 + rounding) * span)
        warnings.push_back({Severity::warning, place,
                            fmt::format("the step {} is longer than the run, which becomes one "
                                        "step from {} to {}",
                                        grid.step(), grid.start(), grid.stop()),
                            "choose a shorter step"});
    if (grid.intervals() >= many_steps)
        warnings.push_back(
            {Severity::warning, place,
             fmt::format("the run takes {:.3g} steps{}", static_cast<double>(grid.intervals()),
                         rows_text(grid, rows)),
             "choose a longer step, or an earlier stop time"});
    return warnings;
}

}  // namespace tandem::run
