#include "expression/expression.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/log.hpp"
#include "core/times.hpp"
#include "tandem/error.hpp"

namespace tandem::expression {
namespace {

/// Where the right limit at t is taken: behind the rounding errors of a relation at t, but not by
/// lengths that count where t is large.
double just_behind(double t) {
    constexpr double short_time = 1e-8, roundings = 16.0;
    const double longest = std::max(short_time, roundings * spacing_of_times(t));
    return t + std::clamp(1e-13 * std::abs(t), 1e-15, longest);
}

/// Enough to get from the range of doubles down to one.
constexpr std::size_t fewest_boxes = 2000;

double outcome_of(Op op, double operand) {
    if (op == Op::floor) return std::floor(operand);
    return (op == Op::is_positive ? operand > 0.0 : operand >= 0.0) ? 1.0 : 0.0;
}

bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// For messages.
std::string shortened(const std::string& text) {
    constexpr std::size_t most = 200;
    return text.size() <= most ? text : text.substr(0, most) + "...";
}

}  // namespace

Expression::Expression(std::string text, const std::vector<std::string>& signals,
                       const std::string& place, const ExpressionUnits& units)
    : text_(std::move(text)), place_(place) {
    try {
        tree_ = parse_expression(text_, signals, units);
    } catch (const std::invalid_argument& error) {
        throw InputError(
            place, fmt::format("expression '{}': {}", shortened(text_), error.what()),
            fmt::format("it may use t{}{}", signals.empty() ? "" : ", ", fmt::join(signals, ", ")));
    }
}

/// What is left until the held outcome changes; where a difference is exactly zero, or no number,
/// it says which side counts.
double Expression::indicator(int k, double t, std::span<const double> signals,
                             std::span<const double> held) const {
    constexpr double smallest = std::numeric_limits<double>::min();
    const ExpressionNode& node = held_node(k);
    const double operand = tree_.value(node.a, {t, signals, held});
    const double kept = held[static_cast<std::size_t>(k)];
    const double inside =
        node.op == Op::floor ? std::min(operand - kept, kept + 1.0 - operand) : std::abs(operand);
    const double distance = std::isnan(inside) ? smallest : std::max(std::abs(inside), smallest);
    return is_same(outcome_of(node.op, operand), kept) ? distance : -distance;
}

double Expression::outcome(int k, double t, std::span<const double> signals,
                           std::span<const double> held) const {
    const ExpressionNode& node = held_node(k);
    if (is_timed(k)) return outcome_of(node.op, tree_.value(node.a, {just_behind(t), {}, {}}));
    return outcome_of(node.op, tree_.value(node.a, {t, signals, held}));
}

double Expression::next_switch(double t, double end) const {
    return next_change(tree_.timed_switches, t, end);
}

double Expression::next_kink(double t, double end) const {
    return next_change(tree_.kinks, t, end);
}

double Expression::next_change(std::span<const int> nodes, double t, double end) const {
    const std::size_t work = has_warned_->test() ? 10'000 : 1'000'000;
    const FirstChange change = first_change(
        tree_, nodes, {just_behind(t), end, std::max(work, fewest_boxes * tree_.nodes.size())});
    if (change.sampled_from < infinity && !has_warned_->test_and_set())
        log(LogLevel::warning,
            fmt::format("{}: expression '{}': its discontinuities from t = {:.9g} on cannot be "
                        "located for certain and are searched with samples, short pulses may be "
                        "missed\n  hint: write its relations with fewer terms that cancel out",
                        place_, shortened(text_), change.sampled_from));
    return change.time;
}

}  // namespace tandem::expression
