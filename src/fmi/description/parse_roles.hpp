#pragma once

#include "fmi/description/parse_support.hpp"

namespace tandem::fmi {

/// Causality, variability and initial of FMI 2.0 and 3.0, with the defaults of the standards. What
/// contradicts itself is warned of and made consistent. Needs the type of the variable.
void read_roles(ParseContext& context, Attributes& attributes, Variable& variable);

/// The same of FMI 1.0 (whose words differ), once it is known whether there is a start value.
/// `fixed`: the start value holds exactly.
void read_fmi1_roles(ParseContext& context, Attributes& attributes, Variable& variable, bool fixed);

}  // namespace tandem::fmi
