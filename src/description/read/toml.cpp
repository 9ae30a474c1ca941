#include "description/read/toml.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/names.hpp"
#include "description/read/parameter_files.hpp"
#include "description/read/sections.hpp"
#include "description/read/toml_parts.hpp"
#include "description/read/toml_text.hpp"
#include "description/table_reader.hpp"

namespace tandem::description {
namespace {

using Type = Setting::Type;

class SystemFileReader {
public:
    SystemFileReader(const std::filesystem::path& file, ReadContext& context)
        : folder_(file.parent_path()), context_(context) {}

    void read_system(TableReader& reader, NestedSystem& system) {
        system.place = reader.place();
        system.description = reader.text("description").value_or("");
        read_connectors(reader, system.connectors);
        if (const Setting* table = reader.table("subsystems"))
            for (const Setting& entry : table->entries) read_subsystem(entry, system);
        if (const Setting* table = reader.table("systems"))
            for (const Setting& entry : table->entries) read_nested_system(entry, system);
        if (const Setting* list = reader.list("connections"))
            for (const Setting& entry : list->entries)
                if (auto connection = read_connection(entry, context_.findings))
                    system.connections.push_back(std::move(*connection));
        read_bindings(reader, system.bindings);
        read_dictionaries(reader, system);
        read_system_sections(reader, system);
    }

    void read_plugins(TableReader& reader) {
        for (const std::string& plugin : reader.texts("plugins")) {
            const Place& place = reader.table().find("plugins")->place;
            if (const auto file = resolve_source(plugin, folder_, place, context_))
                context_.plugins.push_back({file->path, place});
        }
    }

private:
    bool is_table(const Setting& entry, const std::string& title) {
        if (entry.type == Type::table) return true;
        report(context_.findings, entry.place, title + ": must be a table");
        return false;
    }

    std::optional<TextFile> text_of(const std::string& source, const Place& place) {
        const auto file = resolve_source(source, folder_, place, context_);
        return file ? read_text(file->path, place, context_) : std::nullopt;
    }

    void read_nested_system(const Setting& entry, NestedSystem& parent) {
        const std::string title = fmt::format("[systems.{}]", entry.key);
        if (!is_table(entry, title)) return;
        if (entry.find("source") != nullptr) {
            read_subsystem(entry, parent);
            return;
        }
        const DeeperSystem deeper(entry.place, context_);
        if (!deeper) return;
        TableReader reader(entry, title, context_.findings);
        NestedSystem nested;
        nested.name = entry.key;
        read_system(reader, nested);
        nested.place = entry.place;
        reader.finish();
        parent.systems.push_back(std::move(nested));
    }

    void read_subsystem(const Setting& entry, NestedSystem& parent) {
        const std::string title = fmt::format("[subsystems.{}]", entry.key);
        if (!is_table(entry, title)) return;
        if (entry.key.empty()) {
            report(context_.findings, entry.place, title + ": the name is empty", "give it a name");
            return;
        }
        TableReader reader(entry, title, context_.findings);
        SubsystemDescription subsystem;
        subsystem.name = entry.key;
        subsystem.place = entry.place;
        subsystem.description = reader.text("description").value_or("");
        read_source(reader, subsystem);
        read_kind(reader, subsystem);
        read_options(reader, subsystem.options);
        read_connectors(reader, subsystem.connectors);
        read_bindings(reader, subsystem.bindings);
        reader.finish();
        parent.subsystems.push_back(std::move(subsystem));
    }

    void read_source(TableReader& reader, SubsystemDescription& subsystem) {
        const auto type_name = reader.text("type");
        if (type_name && !named_type(*type_name)) return read_extension(reader, subsystem);
        const std::string source = reader.required_text("source");
        subsystem.source_is_refused = true;
        if (source.empty()) return;
        const Place& place = reader.table().find("source")->place;
        const auto file = resolve_source(source, folder_, place, context_);
        if (!file) return;
        subsystem.source = file->path;
        subsystem.fragment = file->fragment;
        const auto type = type_name ? named_type(*type_name) : source_type_of(file->path);
        if (!type && !type_name)
            report(context_.findings, place,
                   fmt::format("{}: the ending of '{}' does not say what it is", reader.title(),
                               source),
                   "use .fmu, .so, .csv, .toml, .ssd or .ssp, or add type = \"fmu\"");
        subsystem.type = type.value_or(SourceType::none);
        subsystem.source_is_refused = !type;
        if (subsystem.type == SourceType::system)
            subsystem.nested = read_nested(*file, place, context_);
    }

    static std::optional<SourceType> named_type(const std::string& name) {
        if (name == "fmu") return SourceType::fmu;
        if (name == "library") return SourceType::library;
        if (name == "table") return SourceType::table;
        if (name == "system") return SourceType::system;
        return std::nullopt;
    }

    /// A type that a plug-in may have, which is looked up when it is loaded.
    void read_extension(TableReader& reader, SubsystemDescription& subsystem) {
        subsystem.type = SourceType::extension;
        if (const auto source = reader.text("source"); source && !source->empty())
            if (const auto file = resolve_source(*source, folder_,
                                                 reader.table().find("source")->place, context_))
                subsystem.source = file->path;
        subsystem.options.push_back(*reader.table().find("type"));
        if (const Setting* options = reader.table("options")) subsystem.options.push_back(*options);
    }

    void read_kind(TableReader& reader, SubsystemDescription& subsystem) {
        const auto kind = reader.text("kind");
        if (!kind || *kind == "any") return;
        if (*kind == "cs")
            subsystem.kind = PreferredKind::co_simulation;
        else if (*kind == "me")
            subsystem.kind = PreferredKind::model_exchange;
        else
            reader.refuse(*reader.table().find("kind"), fmt::format("unknown kind '{}'", *kind),
                          "use cs (Co-Simulation), me (Model Exchange) or any");
    }

    void read_bindings(TableReader& reader, std::vector<ParameterBinding>& bindings) {
        if (const Setting* list = reader.list("parameter_sets"))
            for (const Setting& entry : list->entries) read_parameter_set(entry, bindings);
        if (const Setting* table = reader.table("parameters")) {
            ParameterBinding binding;
            binding.place = table->place;
            binding.strict = true;
            binding.hand_written = true;
            binding.parameters = read_parameters(*table, context_.findings);
            bindings.push_back(std::move(binding));
        }
    }

    void read_parameter_set(const Setting& entry, std::vector<ParameterBinding>& bindings) {
        ParameterBinding binding;
        binding.place = entry.place;
        if (entry.type == Type::text) {
            read_values_file(entry.as_text(), entry.place, binding);
            bindings.push_back(std::move(binding));
            return;
        }
        if (!is_table(entry, "[[parameter_sets]]")) return;
        TableReader reader(entry, "[[parameter_sets]]", context_.findings);
        binding.name = reader.text("name").value_or("");
        binding.prefix = reader.text("prefix").value_or("");
        const auto source = reader.text("source");
        const Setting* values = reader.table("values");
        if (source) read_values_file(*source, entry.find("source")->place, binding);
        if (values != nullptr) binding.parameters = read_parameters(*values, context_.findings);
        binding.hand_written = values != nullptr;
        if ((values != nullptr) == source.has_value())
            reader.refuse(entry, "needs either 'source' (a .ssv file) or 'values' (a table)");
        read_mapping(reader, binding);
        reader.finish();
        bindings.push_back(std::move(binding));
    }

    void read_values_file(const std::string& source, const Place& place,
                          ParameterBinding& binding) {
        if (const auto file = text_of(source, place))
            read_parameter_values(*file, place, binding, context_.findings);
    }

    void read_mapping(TableReader& reader, ParameterBinding& binding) {
        const Setting* mapping = reader.any("mapping");
        if (mapping == nullptr) return;
        if (mapping->type == Type::text) {
            if (const auto file = text_of(mapping->as_text(), mapping->place))
                read_parameter_mapping(*file, mapping->place, binding, context_.findings);
        } else if (is_table(*mapping, "[[parameter_sets]]: 'mapping'")) {
            binding.mapping = read_mapping_table(*mapping, context_.findings);
        }
    }

    void read_dictionaries(TableReader& reader, NestedSystem& system) {
        if (const Setting* table = reader.table("dictionaries"))
            for (const Setting& entry : table->entries) read_dictionary(entry, system);
        if (const Setting* table = reader.table("references"))
            for (const Setting& entry : table->entries) read_reference(entry, system);
    }

    void read_dictionary(const Setting& entry, NestedSystem& system) {
        const std::string title = fmt::format("[dictionaries.{}]", entry.key);
        if (!is_table(entry, title)) return;
        TableReader reader(entry, title, context_.findings);
        SignalDictionary dictionary;
        dictionary.name = entry.key;
        dictionary.place = entry.place;
        if (const auto source = reader.text("source")) {
            const Place& place = entry.find("source")->place;
            if (const auto file = text_of(*source, place))
                read_signal_dictionary(*file, place, dictionary, context_.findings);
        }
        if (const Setting* signals = reader.table("signals"))
            read_connector_table(*signals, dictionary.entries, context_.findings);
        reader.finish();
        system.dictionaries.push_back(std::move(dictionary));
    }

    void read_reference(const Setting& entry, NestedSystem& system) {
        DictionaryReference reference;
        reference.name = entry.key;
        reference.place = entry.place;
        if (entry.type == Type::text) {
            reference.dictionary = entry.as_text();
        } else {
            const std::string title = fmt::format("[references.{}]", entry.key);
            if (!is_table(entry, title)) return;
            TableReader reader(entry, title, context_.findings);
            reference.dictionary = reader.required_text("dictionary");
            read_connectors(reader, reference.connectors);
            reader.finish();
        }
        system.references.push_back(std::move(reference));
    }

    std::filesystem::path folder_;
    ReadContext& context_;
};

}  // namespace

SystemDescription read_toml(const TextFile& file, ReadContext& context) {
    const Setting root = parse_toml(file.text, {file.shown, 1});
    SystemDescription description;
    description.file = file.path;
    TableReader reader(root, "system file", context.findings);
    description.system.name = reader.text("name").value_or(file.path.stem().string());
    read_run_sections(reader, description, context);
    read_units(reader, description.units);
    read_enumerations(reader, description.enumerations);
    SystemFileReader system_reader(file.path, context);
    system_reader.read_plugins(reader);
    system_reader.read_system(reader, description.system);
    reader.finish();
    if (description.system.subsystems.empty() && description.system.systems.empty())
        report(context.findings, file.shown, "describes no subsystem",
               "add e.g. [subsystems.plant] with source = \"plant.fmu\"");
    return description;
}

}  // namespace tandem::description
