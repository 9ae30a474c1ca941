#include "run/expression_tree.hpp"

#include <cmath>

namespace tandem::run {
namespace {

double power(double base, double exponent) {
    return exponent == 2.0 ? base * base : std::pow(base, exponent);
}

}  // namespace

double ExpressionTree::value(int node, const ExpressionPoint& point) const {
    const ExpressionNode& n = nodes[static_cast<std::size_t>(node)];
    const auto of = [&](int operand) { return value(operand, point); };
    const bool is_held = n.index >= 0 && n.op >= Op::is_positive && !point.held.empty() &&
                         !std::isnan(point.held[static_cast<std::size_t>(n.index)]);
    if (is_held) return point.held[static_cast<std::size_t>(n.index)];
    switch (n.op) {
        case Op::constant: return n.value;
        case Op::time: return point.t;
        case Op::signal: return point.signals[static_cast<std::size_t>(n.index)];
        case Op::negate: return -of(n.a);
        case Op::add: return of(n.a) + of(n.b);
        case Op::subtract: return of(n.a) - of(n.b);
        case Op::multiply: return of(n.a) * of(n.b);
        case Op::divide: return of(n.a) / of(n.b);
        case Op::power: return power(of(n.a), of(n.b));
        case Op::call: return n.function->of(of(n.a));
        case Op::angle: return std::atan2(of(n.a), of(n.b));
        case Op::minimum: return std::min(of(n.a), of(n.b));
        case Op::maximum: return std::max(of(n.a), of(n.b));
        case Op::absolute: return std::abs(of(n.a));
        case Op::is_positive: return of(n.a) > 0.0 ? 1.0 : 0.0;
        case Op::is_not_negative: return of(n.a) >= 0.0 ? 1.0 : 0.0;
        case Op::floor: return std::floor(of(n.a));
        case Op::both: return of(n.a) != 0.0 && of(n.b) != 0.0 ? 1.0 : 0.0;
        case Op::either: return of(n.a) != 0.0 || of(n.b) != 0.0 ? 1.0 : 0.0;
        case Op::select: return of(n.a) != 0.0 ? of(n.b) : of(n.c);
    }
    return 0.0;
}

}  // namespace tandem::run
