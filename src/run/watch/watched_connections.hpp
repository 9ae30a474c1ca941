#pragma once

#include <string>
#include <vector>

#include "assemble/assemble.hpp"

namespace tandem::run {

/// An output, and one of the inputs that it feeds directly or by a function.
struct WatchedConnection {
    int output = 0, input = 0;
};

/// One for each output that feeds another subsystem of its cycle of the connection graph.
std::vector<WatchedConnection> connections_in_cycles(const System& system);
/// One for each output of a continuous variable that feeds anything.
std::vector<WatchedConnection> continuous_connections(const assemble::Assembly& assembly);
/// Likewise of a linear column of a table; the others leave tables out.
std::vector<WatchedConnection> table_connections(const assemble::Assembly& assembly);
/// Outputs of all subsystems but tables whose variables are continuous, in order.
std::vector<int> continuous_outputs(const assemble::Assembly& assembly);

/// "engine.torque -> shaft.tau"
std::string name_of(const assemble::Assembly& assembly, const WatchedConnection& connection);
std::string name_of_input(const assemble::Assembly& assembly, int input);

/// Methods that give a step inputs from outputs at its end.
bool looks_ahead(const CouplingRecord& coupling);

/// The rest of a hint: " or another coupling (...)", without the one that is used.
std::string alternatives_to(const std::string& coupling);

}  // namespace tandem::run
