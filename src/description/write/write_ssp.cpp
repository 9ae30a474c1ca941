#include "description/write/write_ssp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <pugixml.hpp>
#include <sstream>

#include "description/read/sections.hpp"
#include "description/slice.hpp"
#include "description/values.hpp"
#include "description/write/resources.hpp"
#include "description/write/standard_form.hpp"
#include "description/write/write_parts.hpp"

namespace tandem::description {
namespace {

using pugi::xml_node;

class SsdWriter {
public:
    explicit SsdWriter(Resources& resources) : context_{resources} {}

    std::string write(const SystemDescription& description) {
        xml_node declaration = document_.append_child(pugi::node_declaration);
        set(declaration, "version", "1.0");
        set(declaration, "encoding", "UTF-8");
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
            write_annotations(node, experiment.annotations, {});
        }
        write_annotations(root, description.annotations, run_sections(packed(description)));
        version.set_value(context_.needs_version_2 ? "2.0" : "1.0");
        std::ostringstream text;
        document_.save(text, "  ", pugi::format_default, pugi::encoding_utf8);
        return std::move(text).str();
    }

private:
    /// What the run sections name lies in the package.
    SystemDescription packed(SystemDescription description) {
        std::filesystem::path& reference = description.report.reference;
        if (!reference.empty()) reference = context_.resources.add(reference);
        return description;
    }

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
        write_bindings(node, system.bindings, context_);
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
        write_annotations(node, system.annotations, system_sections(system));
    }

    void write_subsystem(xml_node elements, const SubsystemDescription& subsystem) {
        if (subsystem.type == SourceType::extension)
            throw InputError(subsystem.place,
                             fmt::format("'{}' needs a plug-in of Tandem", subsystem.name),
                             "a package for other tools cannot hold it");
        xml_node node = elements.append_child("ssd:Component");
        set(node, "name", subsystem.name);
        set_unless_empty(node, "description", subsystem.description);
        if (subsystem.type == SourceType::library) set(node, "type", "application/x-sharedlib");
        if (subsystem.type == SourceType::table) set(node, "type", "text/csv");
        if (subsystem.type == SourceType::system) set(node, "type", "application/x-ssp-definition");
        if (!subsystem.source.empty())
            set(node, "source", context_.resources.add(subsystem.source));
        else if (!subsystem.fragment.empty())
            set(node, "source", "#" + subsystem.fragment);
        if (subsystem.kind == PreferredKind::co_simulation)
            set(node, "implementation", "CoSimulation");
        if (subsystem.kind == PreferredKind::model_exchange)
            set(node, "implementation", "ModelExchange");
        write_connectors(node, subsystem.connectors);
        write_bindings(node, subsystem.bindings, context_);
        write_annotations(node, subsystem.annotations, option_section(subsystem.options));
    }

    void write_connectors(xml_node node, const std::vector<Connector>& connectors) {
        if (connectors.empty()) return;
        xml_node list = node.append_child("ssd:Connectors");
        for (const Connector& connector : connectors) {
            xml_node item = list.append_child("ssd:Connector");
            set(item, "name", connector.name);
            set(item, "kind", std::string(to_string(connector.kind)));
            set_unless_empty(item, "description", connector.description);
            write_type(item, connector, context_);
            for (const std::string& clock : connector.clocks) {
                context_.needs_version_2 = true;
                set(item.append_child("ssd:Clock"), "name", clock);
            }
            write_annotations(item, connector.annotations, {});
            const bool is_new = connector.kind == ConnectorKind::structural_parameter ||
                                connector.kind == ConnectorKind::constant ||
                                connector.kind == ConnectorKind::local ||
                                connector.kind == ConnectorKind::unspecified;
            context_.needs_version_2 = context_.needs_version_2 || is_new;
        }
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
        context_.needs_version_2 = true;
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
            write_annotations(item, connection.annotations, {});
        }
    }

    void write_dictionaries(xml_node node, const std::vector<SignalDictionary>& dictionaries) {
        if (dictionaries.empty()) return;
        xml_node list = node.append_child("ssd:SignalDictionaries");
        for (const SignalDictionary& dictionary : dictionaries) {
            xml_node item = list.append_child("ssd:SignalDictionary");
            set(item, "name", dictionary.name);
            if (std::filesystem::is_regular_file(dictionary.source)) {
                set(item, "source", context_.resources.add(dictionary.source));
                continue;
            }
            xml_node inner = item.append_child("ssb:SignalDictionary");
            set(inner, "version", "1.0");
            for (const Connector& entry : dictionary.entries) {
                xml_node line = inner.append_child("ssb:DictionaryEntry");
                set(line, "name", entry.name);
                Connector typed = entry;
                if (!typed.type) typed.type = ValueType::float64;
                write_type(line, typed, context_);
            }
        }
    }

    pugi::xml_document document_;
    WriteContext context_;
};

}  // namespace

void write_ssp(const SystemDescription& description, const std::filesystem::path& path,
               const VariableLookup& lookup) {
    if (!description.plugins.empty())
        throw InputError(description.plugins.front().place, "the system needs plug-ins of Tandem",
                         "a package for other tools cannot hold it");
    SystemDescription standard = standard_form(description);
    apply_types(standard.system, lookup);
    Resources resources;
    ZipItem structure;
    structure.name = "SystemStructure.ssd";
    structure.bytes = SsdWriter(resources).write(standard);
    std::vector<ZipItem> items{structure};
    items.insert(items.end(), resources.items().begin(), resources.items().end());
    write_zip(path, items);
}

}  // namespace tandem::description
