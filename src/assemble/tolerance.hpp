#pragma once

#include <optional>
#include <string>

#include "tandem/error.hpp"

namespace tandem::assemble {

/// Of a relative tolerance that `place` gives: an error if it is no positive number, a warning if
/// it is 1 or more.
std::optional<Diagnostic> tolerance_finding(double tolerance, const std::string& place);

/// Throws that error, logs that warning.
void check_tolerance(const std::optional<double>& tolerance, const std::string& place);

}  // namespace tandem::assemble
