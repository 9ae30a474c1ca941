#pragma once

#include <span>
#include <vector>

#include "core/reevaluated.hpp"
#include "core/system.hpp"

namespace tandem::run {

/// For a row of results: outputs with direct feedthrough become those of the inputs that their
/// sources give at the same time. Couplings leave them with the inputs that the subsystem was given
/// for the step: held, extrapolated, predicted or corrected.
class ConsistentRow {
public:
    /// Which outputs: those that feed nothing, or all that are in no algebraic loop.
    enum class Scope { free, all };

    ConsistentRow() = default;
    /// `subsystems`: of the system, those with such outputs, sources before sinks.
    ConsistentRow(System& system, std::span<const int> subsystems, Scope scope);
    /// Until put_back(), variables() and outputs() are those of the row, at time t.
    void evaluate(double t);
    void put_back();

private:
    struct Part {
        int subsystem = 0;
        Reevaluated* evaluation = nullptr;
        std::vector<int> replaced;  ///< outputs that are ports
        std::vector<double> given, outputs, read;
        bool is_evaluated = false;
    };
    void evaluate(Part& part, double t);

    System* system_ = nullptr;
    std::vector<Part> parts_;
};

/// Those of `subsystems`, whose ports may not show it, and all with direct feedthrough: sources
/// before sinks, without those in a cycle of it.
std::vector<int> in_order_of_feed_through(const System& system, std::span<const int> subsystems);

}  // namespace tandem::run
