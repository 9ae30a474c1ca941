#include "kit/export.hpp"

// Linked into the shared library of a model only: there TANDEM_MODEL defines model_class().
const tandem::fmi::ExportedModel& tandem::fmi::exported_model() {
    static const ExportedModel model = kit::make_exported_model(kit::model_class());
    return model;
}
