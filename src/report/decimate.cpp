#include "report/decimate.hpp"

#include <algorithm>
#include <cmath>

namespace tandem::report {
namespace {

using Rows = std::vector<std::size_t>;

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

Rows without_constant_stretches(std::span<const double> v) {
    Rows rows;
    for (std::size_t i = 0; i < v.size(); ++i) {
        const bool interior =
            i > 0 && i + 1 < v.size() && same(v[i - 1], v[i]) && same(v[i], v[i + 1]);
        if (!interior) rows.push_back(i);
    }
    return rows;
}

Rows sides_of_jumps(std::span<const double> t, std::span<const double> v) {
    Rows rows;
    for (std::size_t i = 1; i < t.size(); ++i)
        if (t[i] == t[i - 1] && !same(v[i], v[i - 1])) {
            rows.push_back(i - 1);
            rows.push_back(i);
        }
    return rows;
}

/// The rows of [begin, end) of `rows` that outline a bucket.
void outline(std::span<const std::size_t> bucket, std::span<const double> v, Rows& kept) {
    if (bucket.empty()) return;
    std::size_t least = bucket.front(), greatest = bucket.front();
    for (const std::size_t row : bucket) {
        if (std::isnan(v[row])) kept.push_back(row);
        if (v[row] < v[least] || std::isnan(v[least])) least = row;
        if (v[row] > v[greatest] || std::isnan(v[greatest])) greatest = row;
    }
    kept.insert(kept.end(), {bucket.front(), least, greatest, bucket.back()});
}

Rows buckets(std::span<const double> t, std::span<const double> v, const Rows& rows,
             std::size_t count) {
    Rows kept;
    const double begin = t.front();
    const double width = (t.back() - begin) / static_cast<double>(count);
    std::size_t first = 0;
    for (std::size_t bucket = 1; bucket <= count && first < rows.size(); ++bucket) {
        const double end = begin + width * static_cast<double>(bucket);
        std::size_t last = first;
        while (last < rows.size() && (bucket == count || t[rows[last]] < end)) ++last;
        outline(std::span(rows).subspan(first, last - first), v, kept);
        first = last;
    }
    return kept;
}

}  // namespace

Rows decimated_rows(std::span<const double> t, std::span<const double> v, std::size_t budget) {
    Rows rows = without_constant_stretches(v);
    if (rows.size() <= budget) return rows;
    Rows jumps = sides_of_jumps(t, v);
    if (jumps.size() > budget / 4) jumps.clear();
    const std::size_t room = budget - jumps.size();
    Rows kept = buckets(t, v, rows, std::max<std::size_t>(1, room / 4));
    kept.insert(kept.end(), jumps.begin(), jumps.end());
    std::sort(kept.begin(), kept.end());
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    return kept;
}

Rows decimated_rows(std::span<const double> t, std::span<const double> x, std::span<const double> v,
                    std::size_t budget) {
    Rows rows = decimated_rows(t, v, budget);
    const Rows more = decimated_rows(t, x, budget);
    rows.insert(rows.end(), more.begin(), more.end());
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    return rows;
}

Curve curve_of(std::span<const double> t, std::span<const double> v, const Rows& rows) {
    Curve curve;
    curve.t.reserve(rows.size());
    curve.v.reserve(rows.size());
    for (const std::size_t row : rows) {
        curve.t.push_back(t[row]);
        curve.v.push_back(v[row]);
    }
    return curve;
}

}  // namespace tandem::report
