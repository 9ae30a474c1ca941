#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assemble/load/select_ports.hpp"
#include "record/run_record.hpp"
#include "tandem/extend/graph.hpp"
#include "tandem/extend/system.hpp"

namespace tandem::assemble {

/// The nodes 0..inputs-1 are the real inputs of the system, outputs follow. Edges are links,
/// functions and feed-through.
numerics::Graph variable_graph(const System& system);

/// A shortest way from the first member of a cycle, which is one of the components, back to it.
std::vector<int> way_round(const numerics::Graph& graph, const numerics::Components& components,
                           const std::vector<int>& members);

/// How subsystems feed each other.
enum class Round {
    algebraic,  ///< within an instant: outputs depend directly on inputs all the way round
    states,     ///< through a state somewhere
    discrete,   ///< only with values that are not real
};

/// Subsystems that feed each other, or one that feeds itself.
struct SubsystemCycle {
    std::vector<int> members;  ///< in the order of the system
    int priority = 0;
    Round round = Round::states;
    /// For each algebraic loop the inputs and outputs along one way round it.
    std::vector<std::vector<std::string>> loops;
};

/// Who feeds whom. The priority of a subsystem is the length of the longest chain of subsystems, a
/// cycle counting as one, that acts on it. Those of equal priority do not wait for each other.
struct SystemGraph {
    std::vector<std::string> names;      ///< of the subsystems
    std::vector<int> priorities;         ///< of each
    std::vector<SubsystemCycle> cycles;  ///< by priority
};

/// `links` are between the ports of these subsystems.
SystemGraph analyse(std::span<const std::unique_ptr<Subsystem>> subsystems, const PortLinks& links);

/// The cycles for the record of a run, without statistics.
std::vector<GroupRecord> cycle_records(const SystemGraph& graph);

}  // namespace tandem::assemble
