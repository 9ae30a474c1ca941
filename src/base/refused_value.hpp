#pragma once

#include <string>
#include <utility>

#include "tandem/error.hpp"

namespace tandem {

/// An FMU did not take a start value. Whoever knows where the value was given makes an InputError
/// of it.
class RefusedValue : public FmuError {
public:
    RefusedValue(const FmuError& error, std::string variable)
        : FmuError(error), variable_(std::move(variable)) {}
    const std::string& variable() const { return variable_; }

private:
    std::string variable_;
};

}  // namespace tandem
