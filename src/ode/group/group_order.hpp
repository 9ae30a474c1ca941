#pragma once

#include <vector>

#include "tandem/extend/graph.hpp"

namespace tandem::ode {

/// Components of the graph of outputs that are computed by one question to their member.
using CallBatch = std::vector<int>;

/// An order of questions in which every component comes after those it depends on, with few
/// questions. `owner` tells for each component which member computes it.
std::vector<CallBatch> order_calls(const numerics::Graph& graph,
                                   const numerics::Components& components,
                                   const std::vector<int>& owner);

}  // namespace tandem::ode
