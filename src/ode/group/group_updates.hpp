#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/typed_links.hpp"
#include "ode/group/group_plan.hpp"

namespace tandem::ode {

/// The order in which members update at an event, in batches: a member comes behind those whose
/// update changes, within the same instant, what it sees. Members that see each other both ways
/// are ordered by their discrete values alone; where these form a cycle as well, they update
/// together or as listed. All others of a cycle update together.
enum class DiscreteCycles { together, as_listed };
std::vector<std::vector<int>> order_updates(const GroupNet& net, std::span<const TypedLink> typed,
                                            std::span<const std::unique_ptr<OdeModel>> members,
                                            DiscreteCycles cycles_of_values);

}  // namespace tandem::ode
