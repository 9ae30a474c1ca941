#pragma once

#include <string>
#include <vector>

#include "description/conversion.hpp"
#include "tandem/error.hpp"

namespace tandem::assemble {

/// The unit that a value has where the target variable has none; empty: there is no such unit.
std::string unmet_unit(const std::vector<description::Stage>& stages,
                       const description::UnitEnds& units);

/// The warning of values, "x in 'bar'", that go to variables without a unit.
Diagnostic unmet_units(const std::string& place, const std::vector<std::string>& values);

}  // namespace tandem::assemble
