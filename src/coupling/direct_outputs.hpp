#pragma once

#include "tandem/extend/system.hpp"

namespace tandem::coupling {

/// Whether some output of subsystem s follows, within the instant, an input that is fed.
bool feeds_through(const System& system, int s);

}  // namespace tandem::coupling
