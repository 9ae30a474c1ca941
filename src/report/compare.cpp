#include "report/compare.hpp"

#include <algorithm>
#include <cmath>

#include "tandem/error.hpp"

namespace tandem::report {
namespace {

/// b - a; infinite where only one of the two is a number.
double difference(double a, double b) {
    if (std::isnan(a) && std::isnan(b)) return 0.0;
    if (a == b) return 0.0;
    const double apart = b - a;
    return std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart;
}

/// What b says beside row `row` of a.
double difference_at(const Results& a, const std::vector<double>& values, std::size_t row,
                     const Sides& b) {
    const double t = a.time[row], value = values[row];
    const bool ends_event = row > 0 && a.time[row - 1] == t;
    const bool begins_event = row + 1 < a.time.size() && a.time[row + 1] == t;
    const double before = difference(value, b.before), after = difference(value, b.after);
    if (ends_event && !begins_event) return after;
    if (begins_event && !ends_event) return before;
    return std::abs(before) <= std::abs(after) ? before : after;
}

double range_of(const std::vector<double>& values) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const double v : values)
        if (std::isfinite(v)) {
            low = std::min(low, v);
            high = std::max(high, v);
        }
    if (low < high) return high - low;
    return low == high && low != 0.0 ? std::abs(low) : 1.0;
}

Difference compare_column(const Results& a, const Column& column, const Results& b,
                          const Column& other) {
    Difference result;
    result.name = column.name;
    result.range = range_of(column.values);
    const DifferenceCourse course = difference_course(a, column, b, other);
    double squares = 0.0;
    for (std::size_t i = 0; i < course.time.size(); ++i) {
        const double apart = std::abs(course.values[i]);
        squares += apart * apart;
        if (apart > result.greatest) {
            result.greatest = apart;
            result.at = course.time[i];
        }
    }
    const auto count = static_cast<double>(std::max<std::size_t>(1, course.time.size()));
    result.root_mean_square = std::sqrt(squares / count);
    return result;
}

std::vector<std::string> only_in(const Results& a, const ColumnIndex& b) {
    std::vector<std::string> names;
    for (const Column& column : a.columns)
        if (b.find(column.name) == nullptr) names.push_back(column.name);
    return names;
}

}  // namespace

Sides sides_at(const std::vector<double>& time, const std::vector<double>& column, double t) {
    const auto first = std::lower_bound(time.begin(), time.end(), t);
    const auto i = static_cast<std::size_t>(first - time.begin());
    if (i < time.size() && time[i] == t) {
        const auto past =
            static_cast<std::size_t>(std::upper_bound(first, time.end(), t) - time.begin());
        return {column[i], column[past - 1]};
    }
    expects(i > 0 && i < time.size(), "a time to interpolate at lies within the results");
    const double part = (t - time[i - 1]) / (time[i] - time[i - 1]);
    const double value = column[i - 1] + part * (column[i] - column[i - 1]);
    return {value, value};
}

DifferenceCourse difference_course(const Results& a, const Column& column, const Results& b,
                                   const Column& other) {
    DifferenceCourse course;
    for (std::size_t row = 0; row < a.time.size(); ++row) {
        const double t = a.time[row];
        if (t < b.time.front() || t > b.time.back()) continue;
        course.time.push_back(t);
        course.values.push_back(
            difference_at(a, column.values, row, sides_at(b.time, other.values, t)));
    }
    return course;
}

bool Comparison::within(double tolerance) const {
    return missing.empty() && covers_all &&
           std::all_of(differences.begin(), differences.end(), [tolerance](const Difference& d) {
               return d.relative_greatest() <= tolerance;
           });
}

Comparison compare(const Results& a, const Results& b) {
    if (a.time.empty() || b.time.empty()) throw InputError("", "one of the files has no rows");
    Comparison result;
    result.begin = std::max(a.time.front(), b.time.front());
    result.end = std::min(a.time.back(), b.time.back());
    const auto first = std::lower_bound(a.time.begin(), a.time.end(), result.begin);
    if (first == a.time.end() || *first > result.end)
        throw InputError("", "the two files have no time in common");
    // Two runs that stop at the same time need not agree in its last bits.
    const double slack = 1e-9 * std::max({1e-300, a.time.back() - a.time.front()});
    result.covers_all =
        b.time.front() <= a.time.front() + slack && b.time.back() >= a.time.back() - slack;
    const ColumnIndex columns_of_b(b);
    result.missing = only_in(a, columns_of_b);
    result.extra = only_in(b, ColumnIndex(a));
    for (const Column& column : a.columns)
        if (const Column* other = columns_of_b.find(column.name))
            result.differences.push_back(compare_column(a, column, b, *other));
    std::stable_sort(result.differences.begin(), result.differences.end(),
                     [](const Difference& x, const Difference& y) {
                         return x.relative_greatest() > y.relative_greatest();
                     });
    return result;
}

}  // namespace tandem::report
