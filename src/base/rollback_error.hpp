#pragma once

#include "tandem/error.hpp"

namespace tandem {

/// An FMU that says it can save and restore its state did not do so. A run may begin again without.
class RollbackError : public FmuError {
public:
    explicit RollbackError(const FmuError& error) : FmuError(error) {}
};

}  // namespace tandem
