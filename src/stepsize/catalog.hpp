#pragma once

#include "tandem/extend/step_control.hpp"

namespace tandem::stepsize {

/// An unknown name becomes an error.
Control make_control(const ControlChoice& choice, Diagnostics& findings);

}  // namespace tandem::stepsize
