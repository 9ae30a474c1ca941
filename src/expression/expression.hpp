#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/switched_function.hpp"
#include "expression/tree.hpp"

namespace tandem::expression {

/// A formula of named signals and the time `t`: + - * / ^, comparisons, && ||, a ? b : c, sin, exp,
/// sqrt, min, max, ..., and _pi, _e. It has no state: many threads may evaluate one.
class Expression final : public SwitchedFunction {
public:
    /// `place` is where it stands, for messages. Throws InputError for what cannot be understood,
    /// with the position in the text.
    Expression(std::string text, const std::vector<std::string>& signals, const std::string& place,
               const ExpressionUnits& units = {});

    double evaluate(double t, std::span<const double> signals) const {
        return tree_.value(tree_.root, {t, signals, {}});
    }
    /// Nothing to hold and no kinks: a smooth function, as far as can be told.
    bool is_smooth() const {
        return tree_.switches.empty() && tree_.kinks.empty() && tree_.signal_kinks.empty();
    }

    std::string text() const override { return text_; }
    int switch_count() const override { return static_cast<int>(tree_.switches.size()); }
    bool is_timed(int k) const override { return !held_node(k).has_signals; }
    double evaluate(double t, std::span<const double> signals,
                    std::span<const double> held) const override {
        return tree_.value(tree_.root, {t, signals, held});
    }
    double indicator(int k, double t, std::span<const double> signals,
                     std::span<const double> held) const override;
    double outcome(int k, double t, std::span<const double> signals,
                   std::span<const double> held) const override;
    int kink_count() const override { return static_cast<int>(tree_.signal_kinks.size()); }
    double kink(int k, double t, std::span<const double> signals,
                std::span<const double> held) const override {
        return tree_.value(tree_.signal_kinks[static_cast<std::size_t>(k)], {t, signals, held});
    }
    double next_switch(double t, double end) const override;
    double next_kink(double t, double end) const override;

private:
    const ExpressionNode& held_node(int k) const {
        return tree_.at(tree_.switches[static_cast<std::size_t>(k)]);
    }
    double next_change(std::span<const int> nodes, double t, double end) const;

    std::string text_, place_;
    ExpressionTree tree_;
    std::unique_ptr<std::atomic_flag> has_warned_ = std::make_unique<std::atomic_flag>();
};

}  // namespace tandem::expression
