#include "expression/functions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace tandem::expression {
namespace {

constexpr Range one{1.0, 1.0};
constexpr Range not_negative{0.0, infinity};
constexpr Range unit{-1.0, 1.0};

template <double (*function)(double)>
Range everywhere(Range x) {
    return monotonic(function, x);
}
template <double (*function)(double)>
Range of_positive(Range x) {
    return monotonic(function, x, not_negative);
}
template <double (*function)(double)>
Range of_unit(Range x) {
    return monotonic(function, x, unit);
}

Range square(Range x) { return power(x, {2.0, 2.0}); }
Range root(Range x) { return monotonic(std::sqrt, x, not_negative); }
Range logarithm_slope(Range x, double base) { return one / (x * Range{base, base}); }

constexpr std::array<NamedFunction, 18> functions = {{
    {"sin", std::sin, sine, [](Range x, Range) { return cosine(x); }},
    {"cos", std::cos, cosine, [](Range x, Range) { return -sine(x); }},
    {"tan", std::tan, tangent, [](Range, Range y) { return one + square(y); }},
    {"asin", std::asin, of_unit<std::asin>,
     [](Range x, Range) { return one / root(one - square(x)); }},
    {"acos", std::acos, of_unit<std::acos>,
     [](Range x, Range) { return -one / root(one - square(x)); }},
    {"atan", std::atan, everywhere<std::atan>,
     [](Range x, Range) { return one / (one + square(x)); }},
    {"sinh", std::sinh, everywhere<std::sinh>, [](Range x, Range) { return hyperbolic_cosine(x); }},
    {"cosh", std::cosh, hyperbolic_cosine, [](Range x, Range) { return monotonic(std::sinh, x); }},
    {"tanh", std::tanh, everywhere<std::tanh>, [](Range, Range y) { return one - square(y); }},
    {"asinh", std::asinh, everywhere<std::asinh>,
     [](Range x, Range) { return one / root(one + square(x)); }},
    {"acosh", std::acosh,
     [](Range x) {
         return monotonic(std::acosh, x, {1.0, infinity});
     },
     [](Range x, Range) { return one / root(square(x) - one); }},
    {"atanh", std::atanh, of_unit<std::atanh>,
     [](Range x, Range) { return one / (one - square(x)); }},
    {"log2", std::log2, of_positive<std::log2>,
     [](Range x, Range) { return logarithm_slope(x, std::numbers::ln2); }},
    {"log10", std::log10, of_positive<std::log10>,
     [](Range x, Range) { return logarithm_slope(x, std::numbers::ln10); }},
    {"log", std::log, of_positive<std::log>, [](Range x, Range) { return one / x; }},
    {"ln", std::log, of_positive<std::log>, [](Range x, Range) { return one / x; }},
    {"exp", std::exp, everywhere<std::exp>, [](Range, Range y) { return y; }},
    {"sqrt", std::sqrt, root,
     [](Range, Range y) {
         return Range{0.5, 0.5} / y;
     }},
}};

}  // namespace

const NamedFunction* find_function(std::string_view name) {
    const auto* const known = std::ranges::find(functions, name, &NamedFunction::name);
    return known == functions.end() ? nullptr : known;
}

}  // namespace tandem::expression
