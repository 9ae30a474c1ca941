#include "description/read/ssd.hpp"

#include <fmt/format.h>

#include "description/read/connectors.hpp"
#include "description/read/known_attributes.hpp"
#include "description/read/parameter_files.hpp"
#include "description/read/sections.hpp"
#include "description/read/toml_text.hpp"
#include "description/read/tool_annotations.hpp"
#include "description/read/xml_reader.hpp"
#include "description/values.hpp"
#include "files/archive.hpp"

namespace tandem::description {
namespace {

/// Element by element, in the order of the schema.
class SsdReader {
public:
    SsdReader(const std::filesystem::path& file, const std::string& shown, ReadContext& context)
        : folder_(file.parent_path()), context_(context), reader_(shown, context.findings) {}

    void read(XmlElement root, SystemDescription& description) {
        reader_.check_version(root);
        bool has_system = false;
        for (const XmlElement part : root.children()) {
            const std::string_view name = local_name(part);
            if (name == "System") {
                has_system = true;
                read_system(part, true, description.system);
            } else if (name == "Units") {
                read_units(part, reader_, description.units);
            } else if (name == "Enumerations") {
                read_enumerations(part, reader_, description.enumerations);
            } else if (name == "DefaultExperiment") {
                description.experiment.start = reader_.real(part, "startTime");
                description.experiment.stop = reader_.real(part, "stopTime");
                description.experiment.place = reader_.place(part);
                for (const XmlElement annotations : part.children())
                    read_annotations(
                        annotations, reader_, description.experiment.annotations,
                        [this](XmlElement one) { return tools_.read_of_experiment(one); });
            } else if (name == "Annotations") {
                read_run_settings(part, description);
            } else {
                reader_.ignore(part);
            }
        }
        if (!has_system) reader_.refuse(root, "contains no <System>");
        check_times(description.experiment);
        tools_.use_as_defaults(description);
        keep_namespaces(root, description);
        ignore_unknown_attributes(root, reader_);
        reader_.finish();
    }

private:
    void check_times(const Experiment& experiment) {
        const double start = experiment.start.value_or(0.0);
        if (experiment.stop && *experiment.stop < start)
            report(context_.findings, experiment.place,
                   fmt::format("the experiment stops at {}, before it starts at {}",
                               *experiment.stop, start),
                   "correct startTime and stopTime");
    }

    void keep_namespaces(XmlElement root, SystemDescription& description) {
        std::vector<XmlElement::Attribute> attributes;
        root.attributes(attributes);
        for (const auto& attribute : attributes)
            if (attribute.name.starts_with("xmlns"))
                description.namespaces.push_back(
                    {std::string(attribute.name), std::string(attribute.value)});
    }

    template <class Read>
    void read_settings(XmlElement annotations, std::vector<Annotation>& foreign, const Read& read,
                       const Understands& understands = {}) {
        for (const OwnSettings& own :
             read_annotations(annotations, reader_, foreign, understands)) {
            try {
                const Setting root = parse_toml(own.toml, {reader_.file(), own.line});
                TableReader table(root, "settings of Tandem", context_.findings);
                read(table);
                table.finish();
            } catch (const InputError& error) {
                report(context_.findings, error.place(), error.problem(), error.hint());
            }
        }
    }

    void read_run_settings(XmlElement annotations, SystemDescription& description) {
        read_settings(annotations, description.annotations, [&](TableReader& table) {
            read_run_sections(table, description, context_);
            read_system_sections(table, description.system);
        });
    }

    void read_system(XmlElement element, bool is_outermost, NestedSystem& system) {
        system.name = reader_.required(element, "name");
        system.id = reader_.text(element, "id");
        system.description = reader_.text(element, "description");
        system.place = reader_.place(element);
        for (const XmlElement part : element.children()) {
            const std::string_view name = local_name(part);
            if (name == "Connectors")
                read_connectors(part, system.connectors);
            else if (name == "ParameterBindings")
                read_bindings(part, {}, system.bindings);
            else if (name == "Elements")
                read_elements(part, system);
            else if (name == "Connections")
                read_connections(part, system);
            else if (name == "SignalDictionaries")
                read_dictionaries(part, system);
            else if (name == "Annotations")
                read_settings(
                    part, system.annotations,
                    [&](TableReader& table) { read_system_sections(table, system); },
                    [&](XmlElement one) {
                        return tools_.read_of_system(one, system, is_outermost);
                    });
            else
                reader_.ignore(part);
        }
    }

    void read_elements(XmlElement elements, NestedSystem& system) {
        for (const XmlElement element : elements.children()) {
            const std::string_view name = local_name(element);
            if (name == "Component") {
                read_subsystem(element, system.subsystems.emplace_back());
            } else if (name == "System") {
                const DeeperSystem deeper(reader_.place(element), context_);
                if (deeper) read_system(element, false, system.systems.emplace_back());
            } else if (name == "SignalDictionaryReference") {
                read_reference(element, system.references.emplace_back());
            } else {
                reader_.ignore(element);
            }
        }
    }

    void read_subsystem(XmlElement element, SubsystemDescription& subsystem) {
        subsystem.name = reader_.required(element, "name");
        subsystem.description = reader_.text(element, "description");
        subsystem.place = reader_.place(element);
        read_source(element, subsystem);
        read_implementation(element, subsystem);
        for (const XmlElement part : element.children()) {
            const std::string_view name = local_name(part);
            if (name == "Connectors")
                read_connectors(part, subsystem.connectors);
            else if (name == "ParameterBindings")
                read_bindings(part, subsystem.source, subsystem.bindings);
            else if (name == "Annotations")
                read_settings(part, subsystem.annotations,
                              [&](TableReader& table) { read_options(table, subsystem.options); });
            else
                reader_.ignore(part);
        }
    }

    void read_source(XmlElement element, SubsystemDescription& subsystem) {
        const std::string type = reader_.text(element, "type");
        const auto source = element.attribute("source");
        subsystem.type = SourceType::none;
        if (!source) {
            warn(context_.findings, subsystem.place,
                 fmt::format("'{}' has no source and so cannot run", subsystem.name));
            return;
        }
        const auto file = resolve_source(*source, folder_, subsystem.place, context_);
        subsystem.source_is_refused = true;
        if (!file) return;
        subsystem.source = file->path;
        subsystem.fragment = file->fragment;
        subsystem.type = source_type(type, *file, subsystem);
        subsystem.source_is_refused = subsystem.type == SourceType::none;
        if (subsystem.type == SourceType::system)
            subsystem.nested = read_nested(*file, subsystem.place, context_);
    }

    SourceType source_type(const std::string& type, const SourceFile& file,
                           const SubsystemDescription& subsystem) {
        if (file.path.empty()) return SourceType::system;
        if (type == "application/x-ssp-definition" || type == "application/x-ssp-package")
            return SourceType::system;
        if (const auto by_ending = source_type_of(file.path)) return *by_ending;
        if (type.empty() || type == "application/x-fmu-sharedlibrary") return SourceType::fmu;
        report(context_.findings, subsystem.place,
               fmt::format("'{}' has type '{}', which cannot be opened", subsystem.name, type),
               "FMUs, native libraries (.so), tables (.csv) and SSP files can");
        return SourceType::none;
    }

    void read_implementation(XmlElement element, SubsystemDescription& subsystem) {
        const std::string implementation = reader_.text(element, "implementation");
        if (implementation == "CoSimulation")
            subsystem.kind = PreferredKind::co_simulation;
        else if (implementation == "ModelExchange")
            subsystem.kind = PreferredKind::model_exchange;
        else if (!implementation.empty() && implementation != "any")
            warn(
                context_.findings, subsystem.place,
                fmt::format("'{}': implementation '{}' is ignored", subsystem.name, implementation),
                "Tandem runs Co-Simulation and Model Exchange");
    }

    void read_connectors(XmlElement connectors, std::vector<Connector>& result) {
        for (const XmlElement element : connectors.children()) {
            if (local_name(element) != "Connector") {
                reader_.ignore(element);
                continue;
            }
            Connector connector;
            connector.name = reader_.required(element, "name");
            connector.description = reader_.text(element, "description");
            connector.place = reader_.place(element);
            const std::string kind = reader_.required(element, "kind");
            if (const auto known = connector_kind_from(kind))
                connector.kind = *known;
            else if (!kind.empty())
                reader_.refuse(element, fmt::format("unknown kind '{}'", kind),
                               "use input, output, parameter, calculatedParameter ...");
            for (const XmlElement part : element.children()) {
                if (local_name(part) == "Annotations")
                    read_annotations(part, reader_, connector.annotations);
                else if (!read_type(part, reader_, connector))
                    reader_.ignore(part);
            }
            result.push_back(std::move(connector));
        }
        unite_connectors(result, context_.findings);
    }

    std::string connector_with_indices(XmlElement element, const char* name, const char* indices) {
        std::string connector = reader_.required(element, name);
        std::string list = reader_.text(element, indices);
        if (list.empty()) return connector;
        std::string joined;
        for (const char c : list) {
            const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
            if (!blank)
                joined += c;
            else if (!joined.empty() && joined.back() != ',')
                joined += ',';
        }
        return connector + "[" + joined + "]";
    }

    void read_connections(XmlElement connections, NestedSystem& system) {
        for (const XmlElement element : connections.children()) {
            if (local_name(element) != "Connection") {
                reader_.ignore(element);
                continue;
            }
            Connection connection;
            connection.directed = false;
            connection.place = reader_.place(element);
            connection.description = reader_.text(element, "description");
            connection.from = {reader_.text(element, "startElement"),
                               connector_with_indices(element, "startConnector", "startIndices")};
            connection.to = {reader_.text(element, "endElement"),
                             connector_with_indices(element, "endConnector", "endIndices")};
            connection.suppress_unit_conversion =
                reader_.boolean(element, "suppressUnitConversion");
            for (const XmlElement part : element.children()) {
                if (local_name(part) == "Annotations")
                    read_annotations(part, reader_, connection.annotations);
                else if (!read_transformation(part, reader_, connection.transformation))
                    reader_.ignore(part);
            }
            if (!connection.from.connector.empty() && !connection.to.connector.empty())
                system.connections.push_back(std::move(connection));
        }
    }

    void read_bindings(XmlElement bindings, const std::filesystem::path& owner,
                       std::vector<ParameterBinding>& result) {
        for (const XmlElement element : bindings.children()) {
            if (local_name(element) != "ParameterBinding") {
                reader_.ignore(element);
                continue;
            }
            ParameterBinding binding;
            binding.place = reader_.place(element);
            binding.prefix = reader_.text(element, "prefix");
            if (const auto file = file_of(element, owner, "application/x-ssp-parameter-set"))
                read_parameter_values(*file, binding.place, binding, context_.findings);
            for (const XmlElement part : element.children())
                read_binding_part(part, owner, binding);
            result.push_back(std::move(binding));
        }
    }

    void read_binding_part(XmlElement part, const std::filesystem::path& owner,
                           ParameterBinding& binding) {
        if (local_name(part) == "ParameterValues") {
            for (const XmlElement set : part.children()) {
                if (local_name(set) == "ParameterSet")
                    read_parameter_set(set, reader_, binding);
                else
                    reader_.ignore(set);
            }
        } else if (local_name(part) == "ParameterMapping") {
            if (const auto file = file_of(part, owner, "application/x-ssp-parameter-mapping"))
                read_parameter_mapping(*file, reader_.place(part), binding, context_.findings);
            else if (const XmlElement inner = child_of(part, "ParameterMapping"))
                read_parameter_mapping(inner, reader_, binding);
        } else {
            reader_.ignore(part);
        }
    }

    /// The file that an element's source names; nothing if it has none or it is of another type.
    std::optional<TextFile> file_of(XmlElement element, const std::filesystem::path& owner,
                                    std::string_view expected) {
        const std::string source = reader_.text(element, "source");
        const std::string type = reader_.text(element, "type");
        if (source.empty()) return std::nullopt;
        if (!type.empty() && type != expected) {
            warn(context_.findings, reader_.place(element),
                 fmt::format("'{}' is ignored: its type '{}' is not known", source, type),
                 fmt::format("{} can be read", expected));
            return std::nullopt;
        }
        const bool in_owner = reader_.text(element, "sourceBase") == "component";
        if (in_owner && !std::filesystem::is_directory(owner)) return packed_text(element, owner);
        const auto file =
            resolve_source(source, in_owner ? owner : folder_, reader_.place(element), context_);
        return file ? read_text(file->path, reader_.place(element), context_) : std::nullopt;
    }

    /// A file inside an FMU that is still packed.
    std::optional<TextFile> packed_text(XmlElement element, const std::filesystem::path& owner) {
        const std::string source = reader_.text(element, "source");
        try {
            return TextFile{owner / source, context_.shown(owner / source),
                            Archive(owner).read(source)};
        } catch (const InputError& error) {
            reader_.refuse(
                element,
                fmt::format("'{}' of '{}': {}", source, context_.shown(owner), error.problem()),
                error.hint());
            return std::nullopt;
        }
    }

    void read_dictionaries(XmlElement dictionaries, NestedSystem& system) {
        for (const XmlElement element : dictionaries.children()) {
            SignalDictionary dictionary;
            dictionary.name = reader_.required(element, "name");
            dictionary.place = reader_.place(element);
            if (const auto file = file_of(element, {}, "application/x-ssp-signal-dictionary"))
                read_signal_dictionary(*file, dictionary.place, dictionary, context_.findings);
            else if (const XmlElement inner = child_of(element, "SignalDictionary"))
                read_signal_dictionary(inner, reader_, dictionary);
            system.dictionaries.push_back(std::move(dictionary));
        }
    }

    void read_reference(XmlElement element, DictionaryReference& reference) {
        reference.name = reader_.required(element, "name");
        reference.dictionary = reader_.required(element, "dictionary");
        reference.place = reader_.place(element);
        for (const XmlElement part : element.children()) {
            if (local_name(part) == "Connectors")
                read_connectors(part, reference.connectors);
            else
                reader_.ignore(part);
        }
    }

    std::filesystem::path folder_;
    ReadContext& context_;
    XmlReader reader_;
    ToolAnnotations tools_{reader_};
};

}  // namespace

SystemDescription read_ssd(const std::filesystem::path& file, const std::string& shown,
                           ReadContext& context) {
    SystemDescription description;
    description.file = file;
    const auto content = read_text(file, shown, context);
    if (!content) return description;
    const XmlDocument document(content->text, shown);
    const XmlElement root = document.root();
    if (local_name(root) != "SystemStructureDescription")
        throw InputError(
            fmt::format("{}:{}", shown, root.line()),
            fmt::format("holds <{}>, not a <SystemStructureDescription>", local_name(root)),
            "is this really an .ssd file?");
    SsdReader(file, shown, context).read(root, description);
    return description;
}

}  // namespace tandem::description
