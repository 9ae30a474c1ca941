#include "run/expression.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/error.hpp"

namespace tandem::run {
namespace {

/// Where the right limit at t is taken: behind the rounding errors of a relation at t.
double just_behind(double t) { return t + std::max(1e-13 * std::abs(t), 1e-15); }

}  // namespace

Expression::Expression(std::string text, const std::vector<std::string>& signals,
                       const std::string& place, const ExpressionUnits& units)
    : text_(std::move(text)) {
    try {
        tree_ = parse_expression(text_, signals, units);
    } catch (const std::invalid_argument& error) {
        throw InputError(
            place, fmt::format("expression '{}': {}", text_, error.what()),
            fmt::format("it may use t{}{}", signals.empty() ? "" : ", ", fmt::join(signals, ", ")));
    }
}

/// What is left until the held outcome changes; where a difference is exactly zero it says which
/// side counts.
double Expression::indicator(int k, double t, std::span<const double> signals,
                             std::span<const double> held) const {
    constexpr double smallest = std::numeric_limits<double>::min();
    const ExpressionNode& node = held_node(k);
    const ExpressionPoint point{t, signals, held};
    const double operand = tree_.value(node.a, point);
    const double kept = held[static_cast<std::size_t>(k)];
    if (node.op == Op::floor) {
        const double inside = std::min(operand - kept, kept + 1.0 - operand);
        return std::floor(operand) == kept ? std::max(inside, smallest)
                                           : std::min(inside, -smallest);
    }
    const bool is_true = node.op == Op::is_positive ? operand > 0.0 : operand >= 0.0;
    const double distance = std::max(std::abs(operand), smallest);
    return is_true == (kept != 0.0) ? distance : -distance;
}

double Expression::outcome(int k, double t, std::span<const double> signals,
                           std::span<const double> held) const {
    const ExpressionNode& node = held_node(k);
    if (is_timed(k))
        return tree_.value(tree_.switches[static_cast<std::size_t>(k)], {just_behind(t), {}, {}});
    const double operand = tree_.value(node.a, {t, signals, held});
    if (node.op == Op::floor) return std::floor(operand);
    return (node.op == Op::is_positive ? operand > 0.0 : operand >= 0.0) ? 1.0 : 0.0;
}

double Expression::next_switch(double t, double end) const {
    double next = std::numeric_limits<double>::infinity();
    for (int k = 0; k < switch_count(); ++k)
        if (is_timed(k))
            next = std::min(next, first_change(tree_, tree_.switches[static_cast<std::size_t>(k)],
                                               just_behind(t), std::min(end, next)));
    return next;
}

double Expression::next_kink(double t, double end) const {
    double next = std::numeric_limits<double>::infinity();
    for (const int node : tree_.kinks)
        next = std::min(next, first_change(tree_, node, just_behind(t), std::min(end, next)));
    return next;
}

}  // namespace tandem::run
