#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tandem::report {

/// A curve, ready to be drawn. A jump has two points with the same time.
struct Curve {
    std::vector<double> t;
    std::vector<double> v;
};

/// The rows of a curve that are worth drawing, in order, at most about `budget` of them: interior
/// rows of constant stretches go first; when too many are left, the time axis is cut into equal
/// buckets, of which first, least, greatest and last row stay. Extremes survive, and so do both
/// sides of jumps while they are fewer than a quarter of the budget.
std::vector<std::size_t> decimated_rows(std::span<const double> t, std::span<const double> v,
                                        std::size_t budget);

/// The same for a curve of v over x, which keeps the extremes of both.
std::vector<std::size_t> decimated_rows(std::span<const double> t, std::span<const double> x,
                                        std::span<const double> v, std::size_t budget);

Curve curve_of(std::span<const double> t, std::span<const double> v,
               const std::vector<std::size_t>& rows);

}  // namespace tandem::report
