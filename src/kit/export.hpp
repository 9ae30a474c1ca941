#pragma once

#include "fmi/export/exported_instance.hpp"
#include "tandem/model.hpp"

namespace tandem::kit {

/// A model class as the FMI layer exports it.
fmi::ExportedModel make_exported_model(const ModelClass& model_class);

}  // namespace tandem::kit
