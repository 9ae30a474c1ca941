#include "core/delay_line.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.hpp"

namespace tandem {

void DelayLine::prepare(const Options& options) {
    expects(options.capacity >= 2, "a delay line has room for two rows");
    options_ = options;
    options_.capacity = std::bit_ceil(options.capacity);
    times_.assign(options_.capacity, 0.0);
    rows_.assign(options_.capacity * options.width, 0.0);
    slopes_.assign(options.interpolation == Interpolation::hermite ? rows_.size() : 0, 0.0);
    first_ = end_ = 0;
}

std::span<double> DelayLine::row_of(std::vector<double>& rows, std::size_t number) const {
    return std::span(rows).subspan(place(number) * options_.width, options_.width);
}

std::span<const double> DelayLine::row_of(const std::vector<double>& rows,
                                          std::size_t number) const {
    return std::span(rows).subspan(place(number) * options_.width, options_.width);
}

void DelayLine::start(double t, std::span<const double> row) {
    first_ = end_ = 0;
    add(t, row);
}

void DelayLine::add(double t, std::span<const double> row) {
    const std::size_t number = end_.load(std::memory_order_relaxed);
    const std::size_t first = first_.load(std::memory_order_relaxed);
    expects(number == first || t >= time(number - 1), "rows of a delay line come in order");
    if (number - first == options_.capacity) first_.store(first + 1, std::memory_order_release);
    times_[place(number)] = t;
    std::ranges::copy(row, row_of(rows_, number).begin());
    if (!slopes_.empty()) find_slopes(number);
    end_.store(number + 1, std::memory_order_release);
}

/// With the differences d1, d2 over the last two parts of lengths h1, h2, the parabola through the
/// three rows has the slope d2 + (d2 - d1) h2 / (h1 + h2) at the last one.
void DelayLine::find_slopes(std::size_t number) {
    const std::span<double> slopes = row_of(slopes_, number);
    std::ranges::fill(slopes, 0.0);
    const std::size_t first = first_.load(std::memory_order_relaxed);
    const double h2 = number > first ? time(number) - time(number - 1) : 0.0;
    if (h2 <= options_.same_time) return;
    const bool has_three = number > first + 1;
    const double h1 = has_three ? time(number - 1) - time(number - 2) : 0.0;
    for (std::size_t i = 0; i < slopes.size(); ++i) {
        const double last = row_of(rows_, number)[i], before = row_of(rows_, number - 1)[i];
        const double d2 = (last - before) / h2;
        slopes[i] = d2;
        if (h1 <= options_.same_time) continue;
        const double d1 = (before - row_of(rows_, number - 2)[i]) / h1;
        slopes[i] += (d2 - d1) * h2 / (h1 + h2);
    }
}

void DelayLine::truncate(double t) {
    std::size_t end = end_;
    while (end > first_ + 1 && time(end - 1) > t + options_.same_time) --end;
    end_ = end;
}

/// Looks at the newest rows first, then at twice as many, and so on: who reads needs rows of the
/// last delay, and the oldest ones may be replaced meanwhile.
std::size_t DelayLine::first_later_than(double t, std::size_t first, std::size_t end) const {
    std::size_t low = end, high = end;
    for (std::size_t width = 2; low > first; width *= 2) {
        low = end - std::min(width, end - first);
        if (time(low) <= t) break;
        high = low;
    }
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (time(middle) > t)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

DelayLine::Read DelayLine::read(double t, std::span<double> row) const {
    const std::size_t end = end_.load(std::memory_order_acquire);
    const std::size_t first = first_.load(std::memory_order_acquire);
    if (t > time(end - 1) + options_.same_time) return Read::too_late;
    const std::size_t later = first_later_than(t + options_.same_time, first, end);
    if (later == first && first > 0) return Read::forgotten;
    const std::size_t before = later == first ? first : later - 1;
    if (later == end || later == first || t <= time(before) + options_.same_time)
        std::ranges::copy(row_of(rows_, before).first(row.size()), row.begin());
    else
        interpolate(later, t, row);
    return Read::good;
}

/// With x = (t - t0) / h: linear, or y0 + h s0 x + (3 r - 2 h s0 - h s1) x^2 + (h s0 + h s1 - 2 r)
/// x^3 with the rise r = y1 - y0.
void DelayLine::interpolate(std::size_t later, double t, std::span<double> row) const {
    const double begin = time(later - 1);
    const double h = time(later) - begin;
    const double x = (t - begin) / h;
    const auto y0 = row_of(rows_, later - 1), y1 = row_of(rows_, later);
    if (slopes_.empty()) {
        for (std::size_t i = 0; i < row.size(); ++i) row[i] = y0[i] + x * (y1[i] - y0[i]);
        return;
    }
    const auto s0 = row_of(slopes_, later - 1), s1 = row_of(slopes_, later);
    for (std::size_t i = 0; i < row.size(); ++i) {
        const double rise = y1[i] - y0[i], a = h * s0[i], b = h * s1[i];
        row[i] = y0[i] + x * (a + x * (3.0 * rise - 2.0 * a - b + x * (a + b - 2.0 * rise)));
    }
}

}  // namespace tandem
