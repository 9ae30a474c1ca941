#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ssp/conversion.hpp"

namespace tandem::run {

/// How a function of one number behaves, to bound it over an interval.
enum class Behaviour { rising, falling, even, sine, cosine, tangent };

struct NamedFunction {
    std::string_view name;
    double (*of)(double);
    Behaviour behaviour;
};

enum class Op : unsigned char {
    constant,
    time,
    signal,
    negate,
    add,
    subtract,
    multiply,
    divide,
    power,
    call,
    angle,  ///< atan2
    minimum,
    maximum,
    absolute,
    is_positive,  ///< the relations are this or the next, of a difference
    is_not_negative,
    floor,
    both,
    either,
    select,
};

struct ExpressionNode {
    Op op = Op::constant;
    bool has_time = false, has_signals = false;
    double value = 0.0;                       ///< of a constant
    int index = -1;                           ///< of a signal, or of what is held
    const NamedFunction* function = nullptr;  ///< of a call
    int a = -1, b = -1, c = -1;               ///< operands
};

/// Where an expression is evaluated. `held` outcomes: as for SwitchedFunction, or empty.
struct ExpressionPoint {
    double t = 0.0;
    std::span<const double> signals = {};
    std::span<const double> held = {};
};

/// A formula taken apart. Operands come before what is made of them.
struct ExpressionTree {
    std::vector<ExpressionNode> nodes;
    int root = -1;
    std::vector<int> switches;  ///< nodes whose outcome is held, inner ones first
    std::vector<int> kinks;     ///< is_positive of what changes its sign at a kink in time

    double value(int node, const ExpressionPoint& point) const;
};

/// Units of the signals, in their order, and of the result. Empty: as they are.
struct ExpressionUnits {
    std::vector<ssp::LinearMap> signals = {};
    ssp::LinearMap value = {};
};

/// Throws std::invalid_argument with what is wrong and where.
ExpressionTree parse_expression(std::string_view text, const std::vector<std::string>& signals,
                                const ExpressionUnits& units);

/// The first time after `begin`, up to `end`, at which a node of time alone that is held or has a
/// kink changes its value; infinity if there is none. Found by bounds over intervals (interval
/// arithmetic and bisection), so that no change is stepped over however short it lasts.
double first_change(const ExpressionTree& tree, int node, double begin, double end);

}  // namespace tandem::run
