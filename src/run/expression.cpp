#include "run/expression.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <muParser.h>

#include <algorithm>

#include "base/error.hpp"

namespace tandem::run {

struct Expression::Impl {
    mu::Parser parser;
    double t = 0.0;
    std::vector<double> values;
};

Expression::Expression(const std::string& text, const std::vector<std::string>& signals,
                       const std::string& place)
    : impl_(std::make_unique<Impl>()) {
    impl_->values.resize(signals.size());
    try {
        impl_->parser.DefineVar("t", &impl_->t);
        for (std::size_t i = 0; i < signals.size(); ++i)
            impl_->parser.DefineVar(signals[i], &impl_->values[i]);
        impl_->parser.SetExpr(text);
        impl_->parser.Eval();
    } catch (const mu::Parser::exception_type& error) {
        throw InputError(
            place, fmt::format("expression '{}': {}", text, error.GetMsg()),
            fmt::format("it may use t{}{}", signals.empty() ? "" : ", ", fmt::join(signals, ", ")));
    }
}

Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;

double Expression::evaluate(double t, std::span<const double> signals) const {
    impl_->t = t;
    std::ranges::copy(signals, impl_->values.begin());
    return impl_->parser.Eval();
}

}  // namespace tandem::run
