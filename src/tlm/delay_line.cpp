#include "tlm/delay_line.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "tandem/error.hpp"

namespace tandem::tlm {
namespace {

constexpr double fewest_spacings = 4.0;
/// Times that are rounded by so many times same_time are no longer taken for those of rows.
constexpr double noticeable = 1e3;

/// Of rows: where more are, the oldest are forgotten.
constexpr std::size_t most_needed = std::size_t{1} << 22;

}  // namespace

/// Where rounding is more than same_time, it is as little as will do.
double DelayLine::width_of_time(double t, double same_time) {
    if (same_time == 0.0) return rounding_of_times * std::abs(t);
    const double least = std::max(2.0 * same_time, fewest_spacings * spacing_of_times(t));
    return std::max(same_time, std::min(rounding_of_times * std::abs(t), least));
}

void DelayLine::prepare(const Options& options) {
    expects(options.capacity >= 2, "a delay line has room for two rows");
    same_time_ = options.same_time;
    width_ = options.width;
    stride_ = 1 + (options.interpolation == Interpolation::hermite ? 2 * width_ : width_);
    last_place_ = std::bit_ceil(options.capacity) - 1;
    rows_ = std::make_unique<double[]>((std::size_t{last_place_} + 1) * stride_);
    first_ = 0;
    truncate(0);
}

void DelayLine::start(double t, std::span<const double> row) {
    first_ = 0;
    last_jump_ = -std::numeric_limits<double>::infinity();
    truncate(0);
    add(t, row);
}

void DelayLine::add(double t, std::span<const double> row) {
    std::ranges::copy(row, next_row().begin());
    add_next(t);
    publish();
}

/// Twice as many as are needed: who looks for a row may look at others twice as far back.
void DelayLine::make_room(std::size_t rows, double oldest) {
    const std::size_t first = first_, end = end_;
    const std::size_t needed = rows + end - std::min(first_later_than(oldest, first, end), end) + 1;
    if (2 * needed <= std::size_t{last_place_} + 1 || needed > most_needed) return;
    const std::uint32_t last_place = std::bit_ceil(static_cast<std::uint32_t>(4 * needed)) - 1;
    auto more = std::make_unique<double[]>((std::size_t{last_place} + 1) * stride_);
    for (std::size_t number = first; number < end; ++number)
        std::copy_n(&rows_[begin_of(number)], stride_, &more[(number & last_place) * stride_]);
    rows_ = std::move(more);
    last_place_ = last_place;
}

/// With the differences d1, d2 over the last two parts of lengths h1, h2, the parabola through the
/// three rows has the slope d2 + (d2 - d1) h2 / (h1 + h2) at the last one. The first row, also
/// behind a jump, has none.
void DelayLine::find_slopes(std::size_t number) {
    double* slopes = &rows_[begin_of(number) + 1 + width_];
    std::fill_n(slopes, width_, std::numeric_limits<double>::quiet_NaN());
    const std::size_t first = first_.load(std::memory_order_relaxed);
    const double h2 = number > first ? time(number) - time(number - 1) : 0.0;
    if (h2 <= same_time_) return;
    const bool has_three = number > first + 1;
    const double h1 = has_three ? time(number - 1) - time(number - 2) : 0.0;
    for (std::size_t i = 0; i < width_; ++i) {
        const double last = values(number)[i], before = values(number - 1)[i];
        const double d2 = (last - before) / h2;
        slopes[i] = d2;
        if (h1 <= same_time_) continue;
        const double d1 = (before - values(number - 2)[i]) / h1;
        slopes[i] += (d2 - d1) * h2 / (h1 + h2);
    }
}

/// Looks at the newest row first, then two before the end, four, and so on: who reads needs rows
/// of the last delay, and the oldest ones may be replaced meanwhile.
std::size_t DelayLine::first_later_than(double t, std::size_t first, std::size_t end) const {
    std::size_t low = first, high = end;
    for (std::size_t width = 1; width <= end - first; width *= 2) {
        if (time(end - width) <= t) {
            low = end - width + 1;
            break;
        }
        high = end - width;
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

DelayLine::Read DelayLine::read(Instant instant, std::span<double> row, Side side) const {
    const double t = instant.t;
    const std::size_t end = end_.load(std::memory_order_acquire);
    const std::size_t first = first_.load(std::memory_order_acquire);
    if (first >= end) return Read::forgotten;
    const double near = width_of_time(t, same_time_);
    if (t > time(end - 1) + near) return Read::too_late;
    const std::size_t later = first_later_than(t + near, first, end);
    if (later == first && first > 0) return Read::forgotten;
    const std::size_t last = later == first ? first : later - 1;
    if (later != first && later != end && t > time(last) + near) {
        interpolate(last, later, instant.since(time(last)) / (time(later) - time(last)), row);
        return Read::good;
    }
    std::size_t at = last;
    while (at > first && time(at - 1) >= t - near) --at;
    const bool is_rounded = same_time_ > 0.0 && near > noticeable * same_time_;
    if (is_rounded && !jumps_between(at, last)) {
        read_smooth(instant, {first, end, last}, row);
        return Read::good;
    }
    if (side == Side::behind) at = last;
    std::copy_n(values(at), row.size(), row.begin());
    return at == last ? Read::good : Read::at_jump;
}

/// Whether two of these rows are of one time.
bool DelayLine::jumps_between(std::size_t at, std::size_t last) const {
    for (std::size_t k = at; k < last; ++k)
        if (time(k + 1) - time(k) <= same_time_) return true;
    return false;
}

/// Rounding makes `rows.last` one of several rows that are near: the values are those between the
/// two around the time itself.
void DelayLine::read_smooth(Instant instant, const Rows& rows, std::span<double> row) const {
    std::size_t before = rows.last;
    while (before > rows.first && instant.since(time(before)) < 0.0) --before;
    const double passed = instant.since(time(before));
    if (before + 1 == rows.end || passed <= 0.0) {
        std::copy_n(values(before), row.size(), row.begin());
        return;
    }
    interpolate(before, before + 1, passed / (time(before + 1) - time(before)), row);
}

bool DelayLine::jumps_within(double t0, double t1) const {
    const std::size_t end = end_.load(std::memory_order_acquire);
    const std::size_t first = first_.load(std::memory_order_acquire);
    const double near = width_of_time(t0, same_time_);
    std::size_t number = first_later_than(t0 - near, first, end);
    for (++number; number < end && time(number) < t1 - near; ++number)
        if (time(number) - time(number - 1) <= jump_width * near) return true;
    return false;
}

double DelayLine::next_time(double t) const {
    const std::size_t end = end_.load(std::memory_order_acquire);
    const std::size_t later = first_later_than(t, first_.load(std::memory_order_acquire), end);
    return later < end ? time(later) : std::numeric_limits<double>::infinity();
}

/// The part x of the way from one row to the next: linear, or y0 + h s0 x + (3 r - 2 h s0 - h s1)
/// x^2 + (h s0 + h s1 - 2 r) x^3 with the rise r = y1 - y0 over the time h; without s0 a parabola.
void DelayLine::interpolate(std::size_t before, std::size_t later, double x,
                            std::span<double> row) const {
    const double *y0 = values(before), *y1 = values(later);
    if (!has_slopes()) {
        for (std::size_t i = 0; i < row.size(); ++i) row[i] = y0[i] + x * (y1[i] - y0[i]);
        return;
    }
    const double h = time(later) - time(before);
    const double *s0 = y0 + width_, *s1 = y1 + width_;
    for (std::size_t i = 0; i < row.size(); ++i) {
        const double rise = y1[i] - y0[i], b = h * s1[i];
        const double a = std::isnan(s0[i]) ? 2.0 * rise - b : h * s0[i];
        row[i] = y0[i] + x * (a + x * (3.0 * rise - 2.0 * a - b + x * (a + b - 2.0 * rise)));
    }
}

}  // namespace tandem::tlm
