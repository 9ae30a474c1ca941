#include "run/expression.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <muParser.h>

#include <algorithm>
#include <numbers>
#include <string_view>

#include "base/error.hpp"

namespace tandem::run {

struct Expression::Impl {
    mu::Parser parser;
    double t = 0.0;
    std::vector<double> values;
};

namespace {

/// `=` alone, which muParser takes as an assignment to a signal.
bool assigns(const std::string& text) {
    for (std::size_t i = text.find('='); i != std::string::npos; i = text.find('=', i + 1)) {
        if (text.substr(i, 2) == "==") {
            ++i;
            continue;
        }
        if (i == 0 || std::string_view("!<>").find(text[i - 1]) == std::string_view::npos)
            return true;
    }
    return false;
}

/// What is wrong with a formula that muParser understands; empty if nothing is.
std::string misuse(const std::string& text, const std::vector<std::string>& signals,
                   const mu::Parser& parser) {
    if (std::ranges::find(signals, "t") != signals.end())
        return "a signal cannot be called t, which is the time";
    if (assigns(text)) return "'=' would change a signal; to compare write '=='";
    if (parser.GetNumResults() != 1) return "it gives several values, one is needed";
    return {};
}

}  // namespace

Expression::Expression(const std::string& text, const std::vector<std::string>& signals,
                       const std::string& place)
    : impl_(std::make_unique<Impl>()) {
    impl_->values.resize(signals.size());
    std::string problem;
    try {
        impl_->parser.DefineConst("_pi", std::numbers::pi);  // its own has 13 digits only
        impl_->parser.DefineVar("t", &impl_->t);
        for (std::size_t i = 0; i < signals.size(); ++i)
            impl_->parser.DefineVar(signals[i], &impl_->values[i]);
        impl_->parser.SetExpr(text);
        impl_->parser.Eval();
        problem = misuse(text, signals, impl_->parser);
    } catch (const mu::Parser::exception_type& error) {
        problem = error.GetMsg();
    }
    if (!problem.empty())
        throw InputError(
            place, fmt::format("expression '{}': {}", text, problem),
            fmt::format("it may use t{}{}", signals.empty() ? "" : ", ", fmt::join(signals, ", ")));
}

Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;

double Expression::evaluate(double t, std::span<const double> signals) const {
    impl_->t = t;
    std::ranges::copy(signals, impl_->values.begin());
    return impl_->parser.Eval();
}

}  // namespace tandem::run
