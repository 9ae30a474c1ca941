#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tandem::run {

/// A formula of named signals and the time `t`, as muParser reads it: + - * / ^, comparisons,
/// a ? b : c, sin, exp, sqrt, min, max, ..., and _pi, _e.
class Expression {
public:
    /// `place` is where it stands, for messages. Throws InputError for what cannot be understood,
    /// with the position in the text.
    Expression(const std::string& text, const std::vector<std::string>& signals,
               const std::string& place);
    ~Expression();
    Expression(Expression&&) noexcept;
    Expression& operator=(Expression&&) = delete;

    double evaluate(double t, std::span<const double> signals) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace tandem::run
