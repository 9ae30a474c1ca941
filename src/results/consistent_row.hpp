#pragma once

#include <span>
#include <vector>

#include "core/reevaluated.hpp"
#include "tandem/extend/system.hpp"

namespace tandem::results {

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
    /// The same for a row before an event: the outputs that were kept count, and subsystems whose
    /// outputs were kept stay as they are, since they are behind the event already.
    void evaluate_before_event(double t);
    void put_back();

    /// Before an event of a subsystem, also inside its step: its outputs then. The first call
    /// counts.
    void keep_outputs(int subsystem);
    void forget_outputs(int subsystem);
    void forget_outputs();

private:
    struct Part {
        int subsystem = 0;
        Reevaluated* evaluation = nullptr;
        std::vector<int> replaced;  ///< outputs that are ports
        std::vector<double> given, outputs, read;
        bool is_evaluated = false;
    };
    void evaluate(Part& part, double t);
    std::span<double> kept_of(int subsystem);
    void exchange_kept();

    System* system_ = nullptr;
    std::vector<Part> parts_;
    std::vector<double> kept_;   ///< outputs before an event, of all subsystems
    std::vector<char> is_kept_;  ///< of each subsystem
    bool is_exchanged_ = false;  ///< the outputs of the system are the kept ones
};

/// Those of `subsystems`, whose ports may not show it, and all with direct feedthrough: sources
/// before sinks, without those in a cycle of it.
std::vector<int> in_order_of_feed_through(const System& system, std::span<const int> subsystems);

}  // namespace tandem::results
