#pragma once

#include <limits>
#include <string>
#include <vector>

#include "report/results.hpp"

namespace tandem::report {

/// How far two courses of one variable are apart.
struct Difference {
    std::string name;
    double greatest = 0.0;  ///< |a - b|
    double at = 0.0;        ///< time of the greatest
    double root_mean_square = 0.0;
    double range = 0.0;  ///< greatest less least value of a; where it is constant, its size or 1
    /// Relative to the range. Infinite where only one of the two is a number.
    double relative_greatest() const { return greatest / range; }
    double relative_root_mean_square() const { return root_mean_square / range; }
};

struct Comparison {
    std::vector<Difference> differences;  ///< the worst first
    std::vector<std::string> missing;     ///< columns of a that b has not
    std::vector<std::string> extra;       ///< columns of b that a has not
    double begin = 0.0;                   ///< the time span that both cover
    double end = 0.0;
    bool covers_all = true;  ///< b has values for all times of a

    /// True if b has every column and every time of a, and every value within `tolerance` of the
    /// range. What b has beyond a does not matter.
    bool within(double tolerance) const;
};

/// Compares the columns of a with those of b, interpolated linearly, at the times of a that both
/// cover. Where a has an event, its two rows are compared with the values of b before and after
/// that time; where b alone has one, with the nearer side of the jump. Throws InputError when
/// there is no time to compare at.
Comparison compare(const Results& a, const Results& b);

/// How `other` of b differs from `column` of a, b - a as compare() sees it, at the times of a that
/// both cover.
struct DifferenceCourse {
    std::vector<double> time;
    std::vector<double> values;
};
DifferenceCourse difference_course(const Results& a, const Column& column, const Results& b,
                                   const Column& other);

/// Both sides of `column` at time t, which lies within `time`. They differ at events only.
struct Sides {
    double before;
    double after;
};
Sides sides_at(const std::vector<double>& time, const std::vector<double>& column, double t);

}  // namespace tandem::report
