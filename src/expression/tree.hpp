#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "description/conversion.hpp"
#include "expression/functions.hpp"

namespace tandem::expression {

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
    int first = -1;                           ///< this node needs none before that one
};

/// Where an expression is evaluated. `held` outcomes: as for SwitchedFunction, or empty.
struct ExpressionPoint {
    double t = 0.0;
    std::span<const double> signals = {};
    std::span<const double> held = {};
};

/// A formula taken apart. Operands come before what is made of them, so that one pass over the
/// nodes evaluates each once, however often it is used.
struct ExpressionTree {
    std::vector<ExpressionNode> nodes;
    int root = -1;
    std::vector<int> switches;        ///< nodes whose outcome is held, inner ones first
    std::vector<int> timed_switches;  ///< those of time alone
    std::vector<int> kinks;           ///< is_positive of what changes its sign at a kink in time
    std::vector<int> signal_kinks;    ///< what changes its sign at a kink by signals

    const ExpressionNode& at(int node) const { return nodes[static_cast<std::size_t>(node)]; }
    double value(int node, const ExpressionPoint& point) const;
};

/// Units of the signals, in their order, and of the result. Empty: as they are.
struct ExpressionUnits {
    std::vector<description::LinearMap> signals = {};
    description::LinearMap value = {};
};

/// Throws std::invalid_argument with what is wrong and where.
ExpressionTree parse_expression(std::string_view text, const std::vector<std::string>& signals,
                                const ExpressionUnits& units);

struct FirstChange {
    double time = infinity;
    /// Beginning of what could only be searched with samples; infinity: nothing.
    double sampled_from = infinity;
};

struct SearchLimits {
    double begin = 0.0, end = 0.0;
    std::size_t work = 0;  ///< nodes whose bounds may be computed until something is decided
};

/// The first time after the beginning, up to the end, at which one of some nodes of time alone,
/// which are held or kinks, changes its value or may do so; infinity if there is none. Up to there
/// nothing changes, however short it lasts: that is proven by interval arithmetic (branch and
/// bound), or said to be not.
FirstChange first_change(const ExpressionTree& tree, std::span<const int> nodes,
                         const SearchLimits& limits);

}  // namespace tandem::expression
