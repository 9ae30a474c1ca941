#pragma once

#include <pugixml.hpp>
#include <string>
#include <vector>

#include "description/description.hpp"
#include "description/write/resources.hpp"

/// The parts that the files of SSP share, as XML below `node`.
namespace tandem::description {

struct WriteContext {
    Resources& resources;
    bool needs_version_2 = false;  ///< set where something is written that SSP 1.0 does not know
};

void set(pugi::xml_node node, const char* name, const std::string& value);
void set_unless_empty(pugi::xml_node node, const char* name, const std::string& value);
/// The shortest text that reads back to the same value.
std::string number(double value);

void write_type(pugi::xml_node node, const Connector& connector, WriteContext& context);
void write_transformation(pugi::xml_node node, const Transformation& transformation);
void write_bindings(pugi::xml_node node, const std::vector<ParameterBinding>& bindings,
                    WriteContext& context);
void write_enumerations(pugi::xml_node root, const std::vector<Enumeration>& enumerations);
void write_units(pugi::xml_node root, const std::vector<Unit>& units);
/// Those of other tools, and `own` as TOML; nothing if both are empty.
void write_annotations(pugi::xml_node node, const std::vector<Annotation>& foreign,
                       const Setting& own);

}  // namespace tandem::description
