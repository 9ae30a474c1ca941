#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "assemble/load/input_table.hpp"

namespace tandem::assemble {
namespace {

/// Results of solvers stay within about this multiple of their tolerance.
constexpr double error_of_solvers = 10.0;
/// By the range of a column: how far it may leave a straight line and still be noticed by a method
/// that looks at both ends only, or goes on by the slope so far.
constexpr double largest_bend = 0.05;

/// The cubic through values at 0, 1/3, 2/3 and 1, by its divided differences.
class Cubic {
public:
    explicit Cubic(const std::array<double, 4>& v)
        : first_(v[0]),
          slope_(3.0 * (v[1] - v[0])),
          second_(4.5 * (v[2] - 2.0 * v[1] + v[0])),
          third_(4.5 * (v[3] - 3.0 * v[2] + 3.0 * v[1] - v[0])) {}
    double at(double s) const {
        return first_ + s * (slope_ + (s - 1.0 / 3.0) * (second_ + (s - 2.0 / 3.0) * third_));
    }

private:
    double first_, slope_, second_, third_;
};

/// The last of the numbers behind `first`, up to `last`, for which a claim holds, if it holds up to
/// there: twice as far each time, then half as far. The next one if it does not hold at all.
template <class Claim>
std::size_t furthest(std::size_t first, std::size_t last, Claim holds) {
    std::size_t end = first + 1, more = 1;
    const auto extend = [&] {
        if (end + more > last || !holds(end + more)) return false;
        end += more;
        return true;
    };
    while (extend()) more *= 2;
    for (; more > 0; more /= 2) extend();
    return end;
}

}  // namespace

void InputTable::find_ranges() {
    for (const InputColumn& column : columns_) {
        const std::vector<double>& values = column.values.reals;
        const bool counts = column.is_linear && !values.empty();
        const auto [low, high] = std::ranges::minmax(counts ? values : std::vector<double>{0.0});
        ranges_.push_back(high - low);
    }
}

void InputTable::find_kinks(double tolerance) {
    kinks_.clear();
    const std::size_t rows = times_.size();
    for (std::size_t first = 0; first + 1 < rows;) {
        std::size_t last = first;  // of those before the next jump
        while (last + 1 < rows && times_[last + 1] > times_[last]) ++last;
        if (last == first) {
            ++first;
            continue;
        }
        while (first < last) {
            kinks_.push_back(times_[first]);
            first = furthest(first, last, [&](std::size_t row) {
                return is_curve(first, row, error_of_solvers * tolerance);
            });
        }
    }
    kinks_.push_back(times_.back());
}

/// Rows, and the lines between them, near the cubic through the ends and two points in between, and
/// not too far from the straight line through the ends.
bool InputTable::is_curve(std::size_t first, std::size_t last, double tolerance) const {
    const double begin = times_[first], length = times_[last] - begin;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (ranges_[c] == 0.0) continue;
        const std::vector<double>& u = columns_[c].values.reals;
        const Cubic cubic({u[first], real_at(c, begin + length / 3.0, Side::after),
                           real_at(c, begin + length * 2.0 / 3.0, Side::after), u[last]});
        const auto fits = [&](double t, double value) {
            const double s = (t - begin) / length;
            const double straight = u[first] + s * (u[last] - u[first]);
            return std::abs(value - cubic.at(s)) <= tolerance * ranges_[c] &&
                   std::abs(value - straight) <= largest_bend * ranges_[c];
        };
        for (std::size_t k = first; k < last; ++k)
            if (!fits(times_[k], u[k]) ||
                !fits(0.5 * (times_[k] + times_[k + 1]), 0.5 * (u[k] + u[k + 1])))
                return false;
    }
    return true;
}

double InputTable::next_kink(double t) const {
    const auto next = std::upper_bound(kinks_.begin(), kinks_.end(), t);
    return next == kinks_.end() ? std::numeric_limits<double>::infinity() : *next;
}

/// From the row before; zero outside of the table and at a jump, which ends all slopes anyway.
double InputTable::slope_before(std::size_t row, const std::vector<double>& values) const {
    if (row == 0 || row == times_.size()) return 0.0;
    const double length = times_[row] - times_[row - 1];
    return length > 0.0 ? (values[row] - values[row - 1]) / length : 0.0;
}

void InputTable::find_breaks(double reach) {
    breaks_.clear();
    const auto breaks = [&](std::size_t row, std::size_t column) {
        const std::vector<double>& values = columns_[column].values.reals;
        const double change = slope_before(row + 1, values) - slope_before(row, values);
        return std::abs(change) * reach > largest_bend * ranges_[column];
    };
    for (std::size_t row = 0; row < times_.size(); ++row)
        for (std::size_t column = 0; column < columns_.size(); ++column)
            if (ranges_[column] > 0.0 && breaks(row, column)) {
                breaks_.push_back(times_[row]);
                break;
            }
}

double InputTable::next_break(double t) const {
    const auto next = std::upper_bound(breaks_.begin(), breaks_.end(), t);
    return next == breaks_.end() ? std::numeric_limits<double>::infinity() : *next;
}

double InputTable::next_row(double t) const {
    const auto next = std::upper_bound(times_.begin(), times_.end(), t);
    return next == times_.end() ? std::numeric_limits<double>::infinity() : *next;
}

/// Both ends included, with the values after a jump at the start and before one at the end.
bool InputTable::is_straight(double begin, double end) const {
    const auto first = std::upper_bound(times_.begin(), times_.end(), begin);
    const auto last = std::lower_bound(first, times_.end(), end);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        if (ranges_[c] == 0.0 || first == last) continue;
        const double from = real_at(c, begin, Side::after);
        const double slope = (real_at(c, end, Side::before) - from) / (end - begin);
        for (auto row = first; row != last; ++row) {
            const double value =
                columns_[c].values.reals[static_cast<std::size_t>(row - times_.begin())];
            if (std::abs(value - from - slope * (*row - begin)) > largest_bend * ranges_[c])
                return false;
        }
    }
    return true;
}

std::optional<double> InputTable::next_bend(Interval interval) const {
    if (is_straight(interval.begin, interval.end)) return std::nullopt;
    const auto row_of = [&](double t) {  // the first behind it
        return static_cast<std::size_t>(std::upper_bound(times_.begin(), times_.end(), t) -
                                        times_.begin());
    };
    const std::size_t first = row_of(interval.begin);
    std::size_t last = first;
    while (last + 1 < times_.size() && times_[last + 1] < interval.end) ++last;
    if (last == first) return times_[first];
    return is_straight(interval.begin, times_[first + 1])
               ? times_[furthest(
                     first, last,
                     [&](std::size_t row) { return is_straight(interval.begin, times_[row]); })]
               : times_[first];
}

}  // namespace tandem::assemble
