#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "run/expression_tree.hpp"

namespace tandem::run {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// All values between two, both included.
struct Range {
    double low = 0.0, high = 0.0;
};

constexpr Range anything{-infinity, infinity};
constexpr Range undecided{0.0, 1.0};

/// The smallest range with all of these; anything if one is no number.
Range around(std::initializer_list<double> values) {
    Range range{infinity, -infinity};
    for (const double value : values) {
        if (std::isnan(value)) return anything;
        range = {std::min(range.low, value), std::max(range.high, value)};
    }
    return range;
}

bool contains(Range range, double value) { return range.low <= value && value <= range.high; }

Range product(Range a, Range b) {
    return around({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
}

Range quotient(Range a, Range b) {
    if (contains(b, 0.0)) return anything;
    return around({a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high});
}

Range power(Range base, Range exponent) {
    const bool is_whole = exponent.low == exponent.high && exponent.low == std::floor(exponent.low);
    if (is_whole && exponent.low > 0.0) {
        Range range = around({std::pow(base.low, exponent.low), std::pow(base.high, exponent.low)});
        if (contains(base, 0.0) && std::fmod(exponent.low, 2.0) == 0.0) range.low = 0.0;
        return range;
    }
    if (base.low <= 0.0) return anything;
    return around({std::pow(base.low, exponent.low), std::pow(base.low, exponent.high),
                   std::pow(base.high, exponent.low), std::pow(base.high, exponent.high)});
}

/// Of the sine of x, with its extrema at pi/2 + k pi inside.
Range sine(Range x) {
    if (!(x.high - x.low < 2.0 * std::numbers::pi)) return {-1.0, 1.0};
    Range range = around({std::sin(x.low), std::sin(x.high)});
    const auto has = [&](double extremum) {  // plus 2 pi k
        const double turn = 2.0 * std::numbers::pi;
        return extremum + turn * std::ceil((x.low - extremum) / turn) <= x.high;
    };
    if (has(0.5 * std::numbers::pi)) range.high = 1.0;
    if (has(-0.5 * std::numbers::pi)) range.low = -1.0;
    return range;
}

Range call(const NamedFunction& function, Range x) {
    switch (function.behaviour) {
        case Behaviour::rising:
        case Behaviour::falling: return around({function.of(x.low), function.of(x.high)});
        case Behaviour::even: {
            Range range = around({function.of(x.low), function.of(x.high)});
            if (contains(x, 0.0)) range.low = function.of(0.0);
            return range;
        }
        case Behaviour::sine: return sine(x);
        case Behaviour::cosine:
            return sine({x.low + 0.5 * std::numbers::pi, x.high + 0.5 * std::numbers::pi});
        case Behaviour::tangent: {
            const auto branch = [](double at) { return std::floor(at / std::numbers::pi + 0.5); };
            return branch(x.low) == branch(x.high) ? around({std::tan(x.low), std::tan(x.high)})
                                                   : anything;
        }
    }
    return anything;
}

Range truth(Range x, bool of_zero) {
    const auto is_true = [&](double value) { return value > 0.0 || (of_zero && value == 0.0); };
    if (is_true(x.low)) return {1.0, 1.0};
    return is_true(x.high) ? undecided : Range{0.0, 0.0};
}

/// Bounds of a node of time alone over all times of a box.
Range bounds(const ExpressionTree& tree, int node, Range box) {
    const ExpressionNode& n = tree.nodes[static_cast<std::size_t>(node)];
    const auto of = [&](int operand) { return bounds(tree, operand, box); };
    switch (n.op) {
        case Op::constant: return {n.value, n.value};
        case Op::time: return box;
        case Op::signal: return anything;
        case Op::negate: {
            const Range a = of(n.a);
            return {-a.high, -a.low};
        }
        case Op::add: {
            const Range a = of(n.a), b = of(n.b);
            return around({a.low + b.low, a.high + b.high});
        }
        case Op::subtract: {
            const Range a = of(n.a), b = of(n.b);
            return around({a.low - b.high, a.high - b.low});
        }
        case Op::multiply: return product(of(n.a), of(n.b));
        case Op::divide: return quotient(of(n.a), of(n.b));
        case Op::power: return power(of(n.a), of(n.b));
        case Op::call: return call(*n.function, of(n.a));
        case Op::angle: return {-std::numbers::pi, std::numbers::pi};
        case Op::minimum: {
            const Range a = of(n.a), b = of(n.b);
            return {std::min(a.low, b.low), std::min(a.high, b.high)};
        }
        case Op::maximum: {
            const Range a = of(n.a), b = of(n.b);
            return {std::max(a.low, b.low), std::max(a.high, b.high)};
        }
        case Op::absolute: {
            const Range a = of(n.a);
            const Range ends = around({std::abs(a.low), std::abs(a.high)});
            return {contains(a, 0.0) ? 0.0 : ends.low, ends.high};
        }
        case Op::is_positive: return truth(of(n.a), false);
        case Op::is_not_negative: return truth(of(n.a), true);
        case Op::floor: {
            const Range a = of(n.a);
            return {std::floor(a.low), std::floor(a.high)};
        }
        case Op::both: {
            const Range a = of(n.a), b = of(n.b);
            return {std::min(a.low, b.low), std::min(a.high, b.high)};
        }
        case Op::either: {
            const Range a = of(n.a), b = of(n.b);
            return {std::max(a.low, b.low), std::max(a.high, b.high)};
        }
        case Op::select: {
            const Range a = of(n.a);
            if (!contains(a, 0.0)) return of(n.b);
            const Range c = of(n.c);
            if (a.low == 0.0 && a.high == 0.0) return c;
            const Range b = of(n.b);
            return around({b.low, b.high, c.low, c.high});
        }
    }
    return anything;
}

/// Boxes that are looked at before the bounds are given up as too wide (t - t > 0): then samples
/// decide.
constexpr int most_boxes = 20000;
constexpr int samples = 4096;

double resolution(double t) { return std::max(4e-16 * std::abs(t), 1e-18); }

class Search {
public:
    Search(const ExpressionTree& tree, int node, double begin)
        : tree_(tree), node_(node), before_(tree.value(node, {.t = begin})) {}

    double first(double begin, double end) const {
        std::vector<Range> open{{begin, end}};
        for (int boxes = 0; !open.empty(); ++boxes) {
            const Range box = open.back();
            open.pop_back();
            if (boxes == most_boxes) return sampled(box.low, end);
            const Range range = bounds(tree_, node_, box);
            if (range.low == before_ && range.high == before_) continue;
            if (!contains(range, before_)) return box.low;
            const double middle = box.low + 0.5 * (box.high - box.low);
            if (box.high - box.low > resolution(box.low)) {
                open.push_back({middle, box.high});
                open.push_back({box.low, middle});
            } else if (has_changed(box.high)) {
                return refined(box.low, box.high);
            }
        }
        return infinity;
    }

private:
    bool has_changed(double t) const { return tree_.value(node_, {.t = t}) != before_; }

    double sampled(double begin, double end) const {
        double last = begin;
        for (int i = 1; i <= samples; ++i) {
            const double t = begin + (end - begin) * i / samples;
            if (has_changed(t)) return refined(last, t);
            last = t;
        }
        return infinity;
    }

    /// The first number at which it has changed, or the last before it if the relation is an
    /// equality there.
    double refined(double low, double high) const {
        for (;;) {
            const double middle = low + 0.5 * (high - low);
            if (!(low < middle && middle < high)) break;
            (has_changed(middle) ? high : low) = middle;
        }
        const ExpressionNode& n = tree_.nodes[static_cast<std::size_t>(node_)];
        return n.op != Op::floor && tree_.value(n.a, {.t = low}) == 0.0 ? low : high;
    }

    const ExpressionTree& tree_;
    int node_;
    double before_;
};

}  // namespace

double first_change(const ExpressionTree& tree, int node, double begin, double end) {
    return begin < end ? Search(tree, node, begin).first(begin, end) : infinity;
}

}  // namespace tandem::run
