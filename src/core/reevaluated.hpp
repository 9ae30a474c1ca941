#pragma once

#include <span>

namespace tandem {

/// Beside the class Subsystem: its variables can be had with other inputs than it was given, at the
/// time reached. It goes on as if that had not been.
class Reevaluated {
public:
    virtual ~Reevaluated() = default;
    /// Until evaluate_as_before(). False: not now; then nothing has changed.
    [[nodiscard]] virtual bool evaluate_with(std::span<const double> inputs) = 0;
    /// The outputs with those inputs.
    virtual void read_reevaluated(std::span<double> outputs) = 0;
    virtual void evaluate_as_before() = 0;
};

}  // namespace tandem
