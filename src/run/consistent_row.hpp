#pragma once

#include <span>
#include <vector>

#include "core/reevaluated.hpp"
#include "core/system.hpp"

namespace tandem::run {

/// For a row of results: outputs with direct feedthrough that feed nothing become those of the
/// inputs that their sources give at the same time. Couplings leave them with the inputs that the
/// subsystem was given for the step: held, extrapolated or predicted.
class ConsistentRow {
public:
    ConsistentRow() = default;
    /// `subsystems`: of the system, those with such outputs.
    ConsistentRow(System& system, std::span<const int> subsystems);
    /// Until put_back(), variables() and outputs() are those of the row, at time t.
    void evaluate(double t);
    void put_back();

private:
    struct Part {
        int subsystem = 0;
        Reevaluated* evaluation = nullptr;
        std::vector<int> free_outputs;  ///< that feed nothing, as far as they are ports
        std::vector<double> given, outputs, read;
        bool is_evaluated = false;
    };
    void evaluate(Part& part, double t);

    System* system_ = nullptr;
    std::vector<Part> parts_;
};

}  // namespace tandem::run
