#pragma once

#include "description/description.hpp"

namespace tandem::description {

/// The same system in the words of SSP: nested files are nested systems, every connection names an
/// element and a connector that is declared there and leads at most one level down, ranges of
/// arrays are single elements, and every unit that is used is defined.
SystemDescription standard_form(const SystemDescription& description);

}  // namespace tandem::description
