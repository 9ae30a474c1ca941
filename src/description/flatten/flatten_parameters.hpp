#pragma once

#include "description/flatten/signal_graph.hpp"

namespace tandem::description {

/// Applies the bindings of all systems and subsystems: inner ones first, so that outer ones win;
/// within a level in the order of the file, so that later ones win.
void apply_parameters(const InstanceTree& tree, SignalGraph& graph, FlatSystem& flat,
                      Diagnostics& findings);

}  // namespace tandem::description
