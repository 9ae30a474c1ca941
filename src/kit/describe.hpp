#pragma once

#include <vector>

#include "fmi/description/model_description.hpp"
#include "kit/engine.hpp"

namespace tandem::kit {

/// What each value reference of an FMI version stands for: in FMI 3.0 the record of that number,
/// before it one element, since arrays are expanded and binaries and clocks left out.
std::vector<Slot> make_slots(const std::vector<Record>& records, fmi::Version version);

/// The description of a model as this FMI version shows it, without instantiation token.
fmi::ModelDescription describe(const ModelClass& model_class, fmi::Version version);

}  // namespace tandem::kit
