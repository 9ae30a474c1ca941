#include "description/write/write_parts.hpp"

#include <fmt/format.h>

#include <utility>

#include "description/read/sections.hpp"
#include "description/read/toml_text.hpp"

namespace tandem::description {

using pugi::xml_node;

namespace {

std::string type_name(ValueType type, WriteContext& context) {
    if (type == ValueType::float64) return "Real";
    if (type == ValueType::int32) return "Integer";
    const bool is_old = type == ValueType::boolean || type == ValueType::string ||
                        type == ValueType::enumeration || type == ValueType::binary;
    context.needs_version_2 = context.needs_version_2 || !is_old;
    return std::string(tandem::to_string(type));
}

void write_map(xml_node node, const char* name, const Transformation& transformation) {
    xml_node map = node.append_child(name);
    for (const MapEntry& entry : transformation.entries) {
        xml_node item = map.append_child("ssc:MapEntry");
        set(item, "source", entry.source);
        set(item, "target", entry.target);
    }
}

std::string text_at(const ParameterValue& value, std::size_t i) {
    if (value.type == ValueType::enumeration || value.type == ValueType::string)
        return value.values.strings[i];
    return to_text(value.type, value.values, i);
}

void write_value(xml_node node, const ParameterValue& value, WriteContext& context) {
    const bool in_strings =
        value.type == ValueType::enumeration || storage_of(value.type) == Storage::strings;
    const std::size_t count =
        in_strings ? value.values.strings.size() : value.values.size(value.type);
    xml_node item = node.append_child(("ssv:" + type_name(value.type, context)).c_str());
    if (in_strings && count != 1) {
        for (std::size_t i = 0; i < count; ++i)
            set(item.append_child("ssv:Value"), "value", text_at(value, i));
    } else {
        std::vector<std::string> words;
        for (std::size_t i = 0; i < count; ++i) words.push_back(text_at(value, i));
        set(item, "value", fmt::format("{}", fmt::join(words, " ")));
    }
    set_unless_empty(item, "unit", value.unit);
    set_unless_empty(item, "name", value.enumeration);
    set_unless_empty(item, "mime-type", value.mime_type);
    context.needs_version_2 = context.needs_version_2 || !value.dimensions.empty();
    for (const std::uint64_t size : value.dimensions)
        set(node.append_child("ssc:Dimension"), "size", std::to_string(size));
}

void write_values(xml_node node, const ParameterBinding& binding, WriteContext& context) {
    xml_node set_node = node.append_child("ssv:ParameterSet");
    pugi::xml_attribute version = set_node.append_attribute("version");
    set(set_node, "name", binding.name.empty() ? "parameters" : binding.name);
    xml_node list = set_node.append_child("ssv:Parameters");
    const bool outer = std::exchange(context.needs_version_2, false);
    for (const Parameter& parameter : binding.parameters) {
        xml_node item = list.append_child("ssv:Parameter");
        set(item, "name", parameter.name);
        set_unless_empty(item, "description", parameter.description);
        write_value(item, parameter.value, context);
    }
    version.set_value(context.needs_version_2 ? "2.0" : "1.0");
    context.needs_version_2 = context.needs_version_2 || outer;
}

void write_mapping(xml_node node, const ParameterBinding& binding, WriteContext& context) {
    xml_node outer = node.append_child("ssd:ParameterMapping");
    if (std::filesystem::is_regular_file(binding.mapping_source)) {
        set(outer, "source", context.resources.add(binding.mapping_source));
        return;
    }
    xml_node mapping = outer.append_child("ssm:ParameterMapping");
    set(mapping, "version", "1.0");
    for (const MappingEntry& entry : *binding.mapping) {
        xml_node item = mapping.append_child("ssm:MappingEntry");
        set(item, "source", entry.source);
        set(item, "target", entry.target);
        if (entry.suppress_unit_conversion) set(item, "suppressUnitConversion", "true");
        write_transformation(item, entry.transformation);
    }
}

}  // namespace

void set(xml_node node, const char* name, const std::string& value) {
    node.append_attribute(name).set_value(value.c_str());
}

void set_unless_empty(xml_node node, const char* name, const std::string& value) {
    if (!value.empty()) set(node, name, value);
}

std::string number(double value) { return fmt::format("{}", value); }

void write_type(xml_node node, const Connector& connector, WriteContext& context) {
    if (connector.type || !connector.unit.empty()) {
        const ValueType type = connector.type.value_or(ValueType::float64);
        xml_node item = node.append_child(("ssc:" + type_name(type, context)).c_str());
        set_unless_empty(item, "unit", connector.unit);
        set_unless_empty(item, "mime-type", connector.mime_type);
        set_unless_empty(item, "name", connector.enumeration);
    }
    for (const Extent& extent : connector.dimensions) {
        context.needs_version_2 = true;
        xml_node item = node.append_child("ssc:Dimension");
        if (extent.size) set(item, "size", std::to_string(*extent.size));
        set_unless_empty(item, "sizeConnector", extent.size_of);
    }
}

void write_transformation(xml_node node, const Transformation& transformation) {
    using Type = Transformation::Type;
    if (transformation.type == Type::linear) {
        xml_node item = node.append_child("ssc:LinearTransformation");
        set(item, "factor", number(transformation.factor));
        set(item, "offset", number(transformation.offset));
    }
    if (transformation.type == Type::boolean)
        write_map(node, "ssc:BooleanMappingTransformation", transformation);
    if (transformation.type == Type::integer)
        write_map(node, "ssc:IntegerMappingTransformation", transformation);
    if (transformation.type == Type::enumeration)
        write_map(node, "ssc:EnumerationMappingTransformation", transformation);
}

void write_bindings(xml_node node, const std::vector<ParameterBinding>& bindings,
                    WriteContext& context) {
    if (bindings.empty()) return;
    xml_node list = node.append_child("ssd:ParameterBindings");
    for (const ParameterBinding& binding : bindings) {
        xml_node item = list.append_child("ssd:ParameterBinding");
        set_unless_empty(item, "prefix", binding.prefix);
        if (std::filesystem::is_regular_file(binding.source))
            set(item, "source", context.resources.add(binding.source));
        else
            write_values(item.append_child("ssd:ParameterValues"), binding, context);
        if (binding.mapping) write_mapping(item, binding, context);
    }
}

void write_enumerations(xml_node root, const std::vector<Enumeration>& enumerations) {
    if (enumerations.empty()) return;
    xml_node list = root.append_child("ssd:Enumerations");
    for (const Enumeration& enumeration : enumerations) {
        xml_node item = list.append_child("ssc:Enumeration");
        set(item, "name", enumeration.name);
        set_unless_empty(item, "description", enumeration.description);
        for (const EnumerationItem& entry : enumeration.items) {
            xml_node line = item.append_child("ssc:Item");
            set(line, "name", entry.name);
            set(line, "value", std::to_string(entry.value));
        }
    }
}

void write_units(xml_node root, const std::vector<Unit>& units) {
    constexpr const char* bases[] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    if (units.empty()) return;
    xml_node list = root.append_child("ssd:Units");
    for (const Unit& unit : units) {
        xml_node item = list.append_child("ssc:Unit");
        set(item, "name", unit.name);
        set_unless_empty(item, "description", unit.description);
        xml_node base = item.append_child("ssc:BaseUnit");
        for (std::size_t i = 0; i < unit.base.exponents.size(); ++i)
            if (unit.base.exponents[i] != 0)
                set(base, bases[i], std::to_string(unit.base.exponents[i]));
        if (unit.base.factor != 1.0) set(base, "factor", number(unit.base.factor));
        if (unit.base.offset != 0.0) set(base, "offset", number(unit.base.offset));
    }
}

void write_annotations(xml_node node, const std::vector<Annotation>& foreign, const Setting& own) {
    if (foreign.empty() && own.entries.empty()) return;
    xml_node list = node.append_child("ssd:Annotations");
    for (const Annotation& annotation : foreign) {
        pugi::xml_document content;
        content.load_buffer(annotation.xml.data(), annotation.xml.size());
        xml_node item = list.append_child("ssc:Annotation");
        set(item, "type", annotation.type);
        for (const xml_node& child : content.document_element().children()) item.append_copy(child);
    }
    if (own.entries.empty()) return;
    xml_node item = list.append_child("ssc:Annotation");
    set(item, "type", std::string(settings_annotation));
    const std::string toml = write_toml(own);
    const bool is_plain = toml.find("]]>") == std::string::npos;
    item.append_child("tandem:settings")
        .append_child(is_plain ? pugi::node_cdata : pugi::node_pcdata)
        .set_value(toml.c_str());
}

}  // namespace tandem::description
