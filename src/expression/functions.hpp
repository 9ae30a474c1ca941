#pragma once

#include <string_view>

#include "expression/range.hpp"

namespace tandem::expression {

/// A function of one number in expressions.
struct NamedFunction {
    std::string_view name;
    double (*of)(double);
    Range (*over)(Range x);
    Range (*slope)(Range x, Range y);  ///< of y = f(x), over both
};

/// nullptr: there is none of that name.
const NamedFunction* find_function(std::string_view name);

}  // namespace tandem::expression
