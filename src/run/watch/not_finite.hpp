#pragma once

#include <optional>
#include <string>

#include "assemble/assemble.hpp"

namespace tandem::run {

/// Where the first value that is no finite number comes from, as a sentence: a coupling function
/// with its signals, or an output, also inside an equation of several models. Nothing if all are
/// finite.
std::optional<std::string> source_of_not_finite(const assemble::Assembly& assembly, Interval step);

}  // namespace tandem::run
