#include "expression/bounds.hpp"

#include <cmath>

namespace tandem::expression {
namespace {

constexpr Range none{0.0, 0.0};
constexpr Range one{1.0, 1.0};

Range truth(Range x, bool of_zero) {
    const auto is_true = [&](double value) { return value > 0.0 || (of_zero && value == 0.0); };
    return {is_true(x.low) && !x.may_be_nan ? 1.0 : 0.0, is_true(x.high) ? 1.0 : 0.0};
}

/// Over a box, of a node whose operands have their ranges.
Range range_of(const ExpressionNode& n, const Range* ranges, Range box) {
    const auto of = [ranges](int operand) { return ranges[operand]; };
    switch (n.op) {
        case Op::constant: return {n.value, n.value};
        case Op::time: return box;
        case Op::signal: return anything;
        case Op::negate: return -of(n.a);
        case Op::add: return of(n.a) + of(n.b);
        case Op::subtract: return of(n.a) - of(n.b);
        case Op::multiply: return of(n.a) * of(n.b);
        case Op::divide: return of(n.a) / of(n.b);
        case Op::power: return power(of(n.a), of(n.b));
        case Op::call: return n.function->over(of(n.a));
        case Op::angle: return angle(of(n.a), of(n.b));
        case Op::minimum: return minimum(of(n.a), of(n.b));
        case Op::maximum: return maximum(of(n.a), of(n.b));
        case Op::absolute: return absolute(of(n.a));
        case Op::is_positive: return truth(of(n.a), false);
        case Op::is_not_negative: return truth(of(n.a), true);
        case Op::floor: return floor(of(n.a));
        case Op::both: return minimum(of(n.a), of(n.b));
        case Op::either: return maximum(of(n.a), of(n.b));
        case Op::select:
            if (!contains(of(n.a), 0.0)) return of(n.b);
            return of(n.a).is_one_number() ? of(n.c) : hull(of(n.b), of(n.c));
    }
    return anything;
}

/// The derivative by time over a box; anything where it may jump or is not defined.
Range slope_of(const ExpressionNode& n, const Range* ranges, const Range* slopes, Range value) {
    if (!n.has_time) return none;
    if (value.may_be_nan) return anything;
    const auto of = [ranges](int operand) { return ranges[operand]; };
    const auto slope = [slopes](int operand) { return slopes[operand]; };
    switch (n.op) {
        case Op::constant:
        case Op::signal: return none;
        case Op::time: return one;
        case Op::negate: return -slope(n.a);
        case Op::add: return slope(n.a) + slope(n.b);
        case Op::subtract: return slope(n.a) - slope(n.b);
        case Op::multiply: return slope(n.a) * of(n.b) + of(n.a) * slope(n.b);
        case Op::divide: return (slope(n.a) - value * slope(n.b)) / of(n.b);
        case Op::power: {
            const Range a = of(n.a), b = of(n.b);
            if (b.is_one_number()) return b * power(a, {b.low - 1.0, b.low - 1.0}) * slope(n.a);
            const Range logarithm = monotonic(std::log, a, {0.0, infinity});
            return value * (slope(n.b) * logarithm + b * slope(n.a) / a);
        }
        case Op::call: return n.function->slope(of(n.a), value) * slope(n.a);
        case Op::angle: {
            const Range y = of(n.a), x = of(n.b);
            if (crosses_cut(y, x)) return anything;
            return (x * slope(n.a) - y * slope(n.b)) /
                   (power(x, {2.0, 2.0}) + power(y, {2.0, 2.0}));
        }
        case Op::minimum:
        case Op::maximum: {
            const int low = of(n.a).high < of(n.b).low ? n.a : n.b, high = low == n.a ? n.b : n.a;
            if (of(low).high < of(high).low) return slope(n.op == Op::minimum ? low : high);
            return hull(slope(n.a), slope(n.b));
        }
        case Op::absolute:
            return of(n.a).low >= 0.0    ? slope(n.a)
                   : of(n.a).high <= 0.0 ? -slope(n.a)
                                         : hull(slope(n.a), -slope(n.a));
        case Op::is_positive:
        case Op::is_not_negative:
        case Op::floor:
        case Op::both:
        case Op::either: return value.is_one_number() ? none : anything;
        case Op::select:
            if (!contains(of(n.a), 0.0)) return slope(n.b);
            return of(n.a).is_one_number() ? slope(n.c) : anything;
    }
    return anything;
}

}  // namespace

void ExpressionBounds::enclose(int node, Range box) {
    const double middle = box.low + 0.5 * (box.high - box.low);
    const Range offset = box - Range{middle, middle};
    at(node, middle);
    for (auto i = static_cast<std::size_t>(tree_.at(node).first);
         i <= static_cast<std::size_t>(node); ++i) {
        const ExpressionNode& n = tree_.nodes[i];
        over_[i] = range_of(n, over_.data(), box);
        slope_[i] = slope_of(n, over_.data(), slope_.data(), over_[i]);
        if (over_[i].may_be_nan || over_[i].low == over_[i].high) continue;
        const Range closer = intersection(over_[i], point_[i] + slope_[i] * offset);
        if (!closer.is_empty()) over_[i] = closer;
    }
}

Range ExpressionBounds::at(int node, double t) {
    for (int i = tree_.at(node).first; i <= node; ++i)
        point_[static_cast<std::size_t>(i)] = range_of(tree_.at(i), point_.data(), {t, t});
    return point_[static_cast<std::size_t>(node)];
}

}  // namespace tandem::expression
