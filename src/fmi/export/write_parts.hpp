#pragma once

#include "fmi/description/model_description.hpp"
#include "fmi/export/xml_writer.hpp"

namespace tandem::fmi::exporting {

void write_variables(XmlWriter& xml, const ModelDescription& model);
/// FMI 2.0 and 3.0.
void write_structure(XmlWriter& xml, const ModelDescription& model);

}  // namespace tandem::fmi::exporting
