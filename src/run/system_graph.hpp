#pragma once

#include <string>
#include <vector>

#include "base/run_record.hpp"
#include "core/graph.hpp"
#include "core/system.hpp"

namespace tandem::run {

/// The nodes 0..inputs-1 are the real inputs of the system, outputs follow. Edges are links,
/// functions and feed-through.
Graph variable_graph(const System& system, int inputs, int outputs);

/// What goes round in a system, by name.
struct SystemCycles {
    /// Subsystems that feed each other, in the order of the system.
    std::vector<std::vector<std::string>> subsystems;
    /// For each algebraic loop the inputs and outputs along one way round it.
    std::vector<std::vector<std::string>> loops;
};

/// `connections` also holds those that are not real.
SystemCycles find_cycles(System& system, const std::vector<ConnectionRecord>& connections);

}  // namespace tandem::run
