#pragma once

#include "description/read/xml_reader.hpp"

namespace tandem::description {

/// Ignores, with a warning, the attributes of an element and of those in it that SSP 1.0 and 2.0 do
/// not have. What belongs to another namespace, what annotations hold and elements that are not
/// known are left alone.
void ignore_unknown_attributes(XmlElement element, XmlReader& reader);

}  // namespace tandem::description
