#include "expression/tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tandem::expression {
namespace {

double power(double base, double exponent) {
    return exponent == 2.0 ? base * base : std::pow(base, exponent);
}

/// Of a node whose operands have their values.
double value_of(const ExpressionNode& n, const double* values, const ExpressionPoint& point) {
    const auto of = [values](int operand) { return values[operand]; };
    switch (n.op) {
        case Op::constant: return n.value;
        case Op::time: return point.t;
        case Op::signal:  // nodes of time alone are asked for without signals
            return point.signals.empty() ? std::nan("")
                                         : point.signals[static_cast<std::size_t>(n.index)];
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

}  // namespace

double ExpressionTree::value(int node, const ExpressionPoint& point) const {
    std::array<double, 256> few;  // no allocation
    thread_local std::vector<double> many;
    if (nodes.size() > few.size() && many.size() < nodes.size()) many.resize(nodes.size());
    double* const values = nodes.size() <= few.size() ? few.data() : many.data();
    for (int i = at(node).first; i <= node; ++i) {
        const ExpressionNode& n = at(i);
        const bool can_be_held = n.index >= 0 && n.op >= Op::is_positive && !point.held.empty();
        const double held =
            can_be_held ? point.held[static_cast<std::size_t>(n.index)] : std::nan("");
        values[i] = std::isnan(held) ? value_of(n, values, point) : held;
    }
    return values[node];
}

}  // namespace tandem::expression
