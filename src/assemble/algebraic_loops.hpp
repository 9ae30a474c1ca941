#pragma once

#include <vector>

#include "tandem/extend/system.hpp"

namespace tandem::assemble {

/// An entry of a sparse matrix.
struct Gain {
    std::size_t row = 0, column = 0;
    double value = 0.0;
};

/// Inputs and outputs of subsystems that depend on each other within an instant, linearised:
///   dy = D du,  du = L dy.
struct AlgebraicLoop {
    std::vector<int> inputs, outputs;  ///< indices into System::inputs() and System::outputs()
    std::vector<int> way;              ///< one way round, as nodes of variable_graph()
    std::vector<Gain> feed_through;    ///< D, by positions in outputs and inputs
    std::vector<Gain> links;           ///< L, by positions in inputs and outputs
    /// Where there is one way round only: the product of all gains along it. Otherwise the spectral
    /// radius of L D.
    double gain = 0.0;
    bool is_ring = false;  ///< there is one way round only

    /// Of L D; an estimate where it is large.
    double spectral_radius() const;
    /// What is connected by less within an instant is no loop worth a word.
    bool is_noticeable() const { return !(spectral_radius() < 1e-3); }
};

/// The algebraic loops between the subsystems, by differences at the values that are set. For a
/// system in initialisation whose values are consistent, and afterwards are as before.
std::vector<AlgebraicLoop> linearise_loops(System& system, double t);

}  // namespace tandem::assemble
