#pragma once

#include "description/description.hpp"
#include "description/read/read_context.hpp"
#include "description/read/xml_reader.hpp"

namespace tandem::description {

/// The content of a <ParameterSet>, <ParameterMapping> or <SignalDictionary>, wherever it stands.
void read_parameter_set(XmlElement set, XmlReader& reader, ParameterBinding& binding);
void read_parameter_mapping(XmlElement mapping, XmlReader& reader, ParameterBinding& binding);
void read_signal_dictionary(XmlElement dictionary, XmlReader& reader, SignalDictionary& result);

/// The same from a file (.ssv, .ssm, .ssb); `place` is where the file is asked for.
void read_parameter_values(const TextFile& file, const Place& place, ParameterBinding& binding,
                           Diagnostics& findings);
void read_parameter_mapping(const TextFile& file, const Place& place, ParameterBinding& binding,
                            Diagnostics& findings);
void read_signal_dictionary(const TextFile& file, const Place& place, SignalDictionary& result,
                            Diagnostics& findings);

}  // namespace tandem::description
