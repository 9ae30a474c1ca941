#pragma once

#include <span>
#include <string>

#include "ode/host/hosted_ode.hpp"
#include "tandem/error.hpp"

namespace tandem::run {

/// At the end of a run: models whose states were all so small that the absolute tolerance, which
/// nobody chose for them, left them only a few digits. One warning for all; `place` is the file of
/// what was run, `hint` says where sizes are given.
Diagnostics small_state_warnings(std::span<ode::HostedOde* const> models, const std::string& place,
                                 const std::string& hint);

}  // namespace tandem::run
