#include "ssp/write_ssp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <pugixml.hpp>
#include <sstream>
#include <utility>

#include "ssp/resources.hpp"
#include "ssp/sections.hpp"
#include "ssp/slice.hpp"
#include "ssp/standard_form.hpp"
#include "ssp/toml_text.hpp"
#include "ssp/values.hpp"

namespace tandem::ssp {
namespace {

using pugi::xml_node;

void set(xml_node node, const char* name, const std::string& value) {
    node.append_attribute(name).set_value(value.c_str());
}

void set_unless_empty(xml_node node, const char* name, const std::string& value) {
    if (!value.empty()) set(node, name, value);
}

std::string number(double value) { return fmt::format("{}", value); }

class SsdWriter {
public:
    explicit SsdWriter(Resources& resources) : resources_(resources) {}

    std::string write(const SystemDescription& description) {
        xml_node root = document_.append_child("ssd:SystemStructureDescription");
        declare_namespaces(root, description);
        pugi::xml_attribute version = root.append_attribute("version");
        set(root, "name", description.system.name);
        set(root, "generationTool", "Tandem");
        write_system(root, description.system);
        write_enumerations(root, description.enumerations);
        write_units(root, description.units);
        const Experiment& experiment = description.experiment;
        if (experiment.start || experiment.stop) {
            xml_node node = root.append_child("ssd:DefaultExperiment");
            if (experiment.start) set(node, "startTime", number(*experiment.start));
            if (experiment.stop) set(node, "stopTime", number(*experiment.stop));
            write_annotations(node, "ssd:Annotations", experiment.annotations, {});
        }
        write_annotations(root, "ssd:Annotations", description.annotations,
                          run_sections(description));
        version.set_value(needs_version_2_ ? "2.0" : "1.0");
        std::ostringstream text;
        document_.save(text, "  ", pugi::format_default, pugi::encoding_utf8);
        return std::move(text).str();
    }

private:
    static void declare_namespaces(xml_node root, const SystemDescription& description) {
        const std::string base = "http://ssp-standard.org/SSP1/SystemStructure";
        set(root, "xmlns:ssd", base + "Description");
        set(root, "xmlns:ssc", base + "Common");
        set(root, "xmlns:ssv", base + "ParameterValues");
        set(root, "xmlns:ssm", base + "ParameterMapping");
        set(root, "xmlns:ssb", base + "SignalDictionary");
        set(root, "xmlns:tandem", "https://tandem-cosim.org/settings");
        for (const NamespaceDeclaration& other : description.namespaces)
            if (root.attribute(other.attribute.c_str()).empty())
                set(root, other.attribute.c_str(), other.uri);
    }

    void write_system(xml_node parent, const NestedSystem& system) {
        xml_node node = parent.append_child("ssd:System");
        set(node, "name", system.name);
        set_unless_empty(node, "id", system.id);
        set_unless_empty(node, "description", system.description);
        write_connectors(node, system.connectors);
        write_bindings(node, system.bindings);
        xml_node elements = node.append_child("ssd:Elements");
        for (const SubsystemDescription& subsystem : system.subsystems)
            write_subsystem(elements, subsystem);
        for (const DictionaryReference& reference : system.references) {
            xml_node item = elements.append_child("ssd:SignalDictionaryReference");
            set(item, "name", reference.name);
            set(item, "dictionary", reference.dictionary);
            write_connectors(item, reference.connectors);
        }
        for (const NestedSystem& nested : system.systems) write_system(elements, nested);
        if (elements.first_child().empty()) node.remove_child(elements);
        write_connections(node, system);
        write_dictionaries(node, system.dictionaries);
        write_annotations(node, "ssd:Annotations", system.annotations, system_sections(system));
    }

    void write_subsystem(xml_node elements, const SubsystemDescription& subsystem) {
        xml_node node = elements.append_child("ssd:Component");
        set(node, "name", subsystem.name);
        set_unless_empty(node, "description", subsystem.description);
        if (subsystem.type == SourceType::library) set(node, "type", "application/x-sharedlib");
        if (subsystem.type == SourceType::table) set(node, "type", "text/csv");
        if (subsystem.type == SourceType::system) set(node, "type", "application/x-ssp-definition");
        if (!subsystem.source.empty())
            set(node, "source", resources_.add(subsystem.source));
        else if (!subsystem.fragment.empty())
            set(node, "source", "#" + subsystem.fragment);
        if (subsystem.kind == PreferredKind::co_simulation)
            set(node, "implementation", "CoSimulation");
        if (subsystem.kind == PreferredKind::model_exchange)
            set(node, "implementation", "ModelExchange");
        write_connectors(node, subsystem.connectors);
        write_bindings(node, subsystem.bindings);
        write_annotations(node, "ssd:Annotations", subsystem.annotations,
                          option_section(subsystem.options));
    }

    std::string type_name(ValueType type) {
        if (type == ValueType::float64) return "Real";
        if (type == ValueType::int32) return "Integer";
        const bool is_old = type == ValueType::boolean || type == ValueType::string ||
                            type == ValueType::enumeration || type == ValueType::binary;
        needs_version_2_ = needs_version_2_ || !is_old;
        return std::string(tandem::to_string(type));
    }

    void write_type(xml_node node, const Connector& connector) {
        if (connector.type || !connector.unit.empty()) {
            const ValueType type = connector.type.value_or(ValueType::float64);
            xml_node item = node.append_child(("ssc:" + type_name(type)).c_str());
            set_unless_empty(item, "unit", connector.unit);
            set_unless_empty(item, "mime-type", connector.mime_type);
            set_unless_empty(item, "name", connector.enumeration);
        }
        for (const Extent& extent : connector.dimensions) {
            needs_version_2_ = true;
            xml_node item = node.append_child("ssc:Dimension");
            if (extent.size) set(item, "size", std::to_string(*extent.size));
            set_unless_empty(item, "sizeConnector", extent.size_of);
        }
    }

    void write_connectors(xml_node node, const std::vector<Connector>& connectors) {
        if (connectors.empty()) return;
        xml_node list = node.append_child("ssd:Connectors");
        for (const Connector& connector : connectors) {
            xml_node item = list.append_child("ssd:Connector");
            set(item, "name", connector.name);
            set(item, "kind", std::string(to_string(connector.kind)));
            set_unless_empty(item, "description", connector.description);
            write_type(item, connector);
            for (const std::string& clock : connector.clocks) {
                needs_version_2_ = true;
                set(item.append_child("ssd:Clock"), "name", clock);
            }
            write_annotations(item, "ssd:Annotations", connector.annotations, {});
            const bool is_new = connector.kind == ConnectorKind::structural_parameter ||
                                connector.kind == ConnectorKind::constant ||
                                connector.kind == ConnectorKind::local ||
                                connector.kind == ConnectorKind::unspecified;
            needs_version_2_ = needs_version_2_ || is_new;
        }
    }

    static void write_map(xml_node node, const char* name, const Transformation& transformation) {
        xml_node map = node.append_child(name);
        for (const MapEntry& entry : transformation.entries) {
            xml_node item = map.append_child("ssc:MapEntry");
            set(item, "source", entry.source);
            set(item, "target", entry.target);
        }
    }

    static void write_transformation(xml_node node, const Transformation& transformation) {
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

    void write_end(xml_node node, const std::string& prefix, const Endpoint& end,
                   const std::vector<Connector>* connectors) {
        set_unless_empty(node, (prefix + "Element").c_str(), end.element);
        const auto sliced = split_slice(end.connector);
        const auto declares = [&](const std::string& name) {
            return connectors != nullptr &&
                   std::any_of(connectors->begin(), connectors->end(),
                               [&](const Connector& c) { return c.name == name; });
        };
        if (!sliced || declares(end.connector) || !declares(sliced->name)) {
            set(node, (prefix + "Connector").c_str(), end.connector);
            return;
        }
        needs_version_2_ = true;
        std::vector<std::uint64_t> indices;
        for (const IndexRange& range : sliced->ranges) indices.push_back(range.first);
        set(node, (prefix + "Connector").c_str(), sliced->name);
        set(node, (prefix + "Indices").c_str(), fmt::format("{}", fmt::join(indices, " ")));
    }

    static const std::vector<Connector>* connectors_of(const NestedSystem& system,
                                                       const std::string& element) {
        if (element.empty()) return &system.connectors;
        for (const SubsystemDescription& subsystem : system.subsystems)
            if (subsystem.name == element) return &subsystem.connectors;
        for (const NestedSystem& nested : system.systems)
            if (nested.name == element) return &nested.connectors;
        for (const DictionaryReference& reference : system.references)
            if (reference.name == element) return &reference.connectors;
        return nullptr;
    }

    void write_connections(xml_node node, const NestedSystem& system) {
        if (system.connections.empty()) return;
        xml_node list = node.append_child("ssd:Connections");
        for (const Connection& connection : system.connections) {
            xml_node item = list.append_child("ssd:Connection");
            write_end(item, "start", connection.from,
                      connectors_of(system, connection.from.element));
            write_end(item, "end", connection.to, connectors_of(system, connection.to.element));
            if (connection.suppress_unit_conversion) set(item, "suppressUnitConversion", "true");
            set_unless_empty(item, "description", connection.description);
            write_transformation(item, connection.transformation);
            write_annotations(item, "ssd:Annotations", connection.annotations, {});
        }
    }

    void write_bindings(xml_node node, const std::vector<ParameterBinding>& bindings) {
        if (bindings.empty()) return;
        xml_node list = node.append_child("ssd:ParameterBindings");
        for (const ParameterBinding& binding : bindings) {
            xml_node item = list.append_child("ssd:ParameterBinding");
            set_unless_empty(item, "prefix", binding.prefix);
            if (std::filesystem::is_regular_file(binding.source))
                set(item, "source", resources_.add(binding.source));
            else
                write_values(item.append_child("ssd:ParameterValues"), binding);
            if (binding.mapping) write_mapping(item, binding);
        }
    }

    void write_values(xml_node node, const ParameterBinding& binding) {
        xml_node set_node = node.append_child("ssv:ParameterSet");
        pugi::xml_attribute version = set_node.append_attribute("version");
        set(set_node, "name", binding.name.empty() ? "parameters" : binding.name);
        xml_node list = set_node.append_child("ssv:Parameters");
        const bool outer = std::exchange(needs_version_2_, false);
        for (const Parameter& parameter : binding.parameters) {
            xml_node item = list.append_child("ssv:Parameter");
            set(item, "name", parameter.name);
            set_unless_empty(item, "description", parameter.description);
            write_value(item, parameter.value, binding.strict);
        }
        version.set_value(needs_version_2_ ? "2.0" : "1.0");
        needs_version_2_ = needs_version_2_ || outer;
    }

    /// An integer of a hand-written file may be meant for a real variable, which takes any number.
    static ParameterValue widened(const ParameterValue& value, bool hand_written) {
        constexpr std::int64_t exact = std::int64_t{1} << 53U;
        const auto fits = [](std::int64_t i) { return i <= exact && i >= -exact; };
        if (!hand_written || value.type != ValueType::int64 ||
            !std::all_of(value.values.integers.begin(), value.values.integers.end(), fits))
            return value;
        ParameterValue real = value;
        real.type = ValueType::float64;
        real.values.reals.assign(value.values.integers.begin(), value.values.integers.end());
        real.values.integers.clear();
        return real;
    }

    static std::string text_at(const ParameterValue& value, std::size_t i) {
        if (value.type == ValueType::enumeration || value.type == ValueType::string)
            return value.values.strings[i];
        return to_text(value.type, value.values, i);
    }

    void write_value(xml_node node, const ParameterValue& given, bool hand_written) {
        const ParameterValue value = widened(given, hand_written);
        const bool in_strings =
            value.type == ValueType::enumeration || storage_of(value.type) == Storage::strings;
        const std::size_t count =
            in_strings ? value.values.strings.size() : value.values.size(value.type);
        xml_node item = node.append_child(("ssv:" + type_name(value.type)).c_str());
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
        needs_version_2_ = needs_version_2_ || !value.dimensions.empty();
        for (const std::uint64_t size : value.dimensions)
            set(node.append_child("ssc:Dimension"), "size", std::to_string(size));
    }

    void write_mapping(xml_node node, const ParameterBinding& binding) {
        xml_node outer = node.append_child("ssd:ParameterMapping");
        if (std::filesystem::is_regular_file(binding.mapping_source)) {
            set(outer, "source", resources_.add(binding.mapping_source));
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

    void write_dictionaries(xml_node node, const std::vector<SignalDictionary>& dictionaries) {
        if (dictionaries.empty()) return;
        xml_node list = node.append_child("ssd:SignalDictionaries");
        for (const SignalDictionary& dictionary : dictionaries) {
            xml_node item = list.append_child("ssd:SignalDictionary");
            set(item, "name", dictionary.name);
            if (std::filesystem::is_regular_file(dictionary.source)) {
                set(item, "source", resources_.add(dictionary.source));
                continue;
            }
            xml_node inner = item.append_child("ssb:SignalDictionary");
            set(inner, "version", "1.0");
            for (const Connector& entry : dictionary.entries) {
                xml_node line = inner.append_child("ssb:DictionaryEntry");
                set(line, "name", entry.name);
                Connector typed = entry;
                if (!typed.type) typed.type = ValueType::float64;
                write_type(line, typed);
            }
        }
    }

    static void write_enumerations(xml_node root, const std::vector<Enumeration>& enumerations) {
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

    static void write_units(xml_node root, const std::vector<Unit>& units) {
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

    static void write_annotations(xml_node node, const char* name,
                                  const std::vector<Annotation>& foreign, const Setting& own) {
        if (foreign.empty() && own.entries.empty()) return;
        xml_node list = node.append_child(name);
        for (const Annotation& annotation : foreign) {
            pugi::xml_document content;
            content.load_buffer(annotation.xml.data(), annotation.xml.size());
            xml_node item = list.append_child("ssc:Annotation");
            set(item, "type", annotation.type);
            for (const xml_node& child : content.document_element().children())
                item.append_copy(child);
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

    pugi::xml_document document_;
    Resources& resources_;
    bool needs_version_2_ = false;
};

}  // namespace

void write_ssp(const SystemDescription& description, const std::filesystem::path& path) {
    Resources resources;
    ZipItem structure;
    structure.name = "SystemStructure.ssd";
    structure.bytes = SsdWriter(resources).write(standard_form(description));
    std::vector<ZipItem> items{structure};
    items.insert(items.end(), resources.items().begin(), resources.items().end());
    write_zip(path, items);
}

}  // namespace tandem::ssp
