#include "description/read/parameter_files.hpp"

#include <fmt/format.h>

#include <functional>
#include <numeric>

#include "base/listed.hpp"
#include "base/names.hpp"
#include "description/read/known_attributes.hpp"
#include "description/values.hpp"

namespace tandem::description {
namespace {

/// The words of a list value. Strings, enumerations and binaries have one word per element.
std::vector<std::string> words_of(XmlElement element, ValueType type, XmlReader& reader) {
    const std::string text = reader.text(element, "value");
    std::vector<std::string> words;
    if (storage_of(type) == Storage::strings || type == ValueType::enumeration) {
        if (element.attribute("value")) words.push_back(text);
        for (const XmlElement value : element.children())
            if (local_name(value) == "Value") words.push_back(reader.text(value, "value"));
        return words;
    }
    for (std::size_t at = text.find_first_not_of(" \t\r\n"); at != std::string::npos;) {
        const std::size_t end = std::min(text.find_first_of(" \t\r\n", at), text.size());
        words.push_back(text.substr(at, end - at));
        at = text.find_first_not_of(" \t\r\n", end);
    }
    return words;
}

bool append_word(ParameterValue& value, const std::string& word) {
    if (value.type == ValueType::enumeration || value.type == ValueType::string) {
        value.values.strings.push_back(word);
        return true;
    }
    return append_text(value.type, word, value.values);
}

/// False if the element is no value; `valid` becomes false if it is a wrong one.
bool read_value_element(XmlElement element, XmlReader& reader, ParameterValue& value, bool& valid) {
    const auto type = value_type_from(local_name(element));
    if (!type) return false;
    value.type = *type;
    value.unit = reader.text(element, "unit");
    value.mime_type = reader.text(element, "mime-type");
    if (*type == ValueType::enumeration) value.enumeration = reader.text(element, "name");
    const std::vector<std::string> words = words_of(element, *type, reader);
    if (words.empty()) reader.refuse(element, "the value is missing", "add value=\"...\"");
    valid = valid && !words.empty();
    for (const std::string& word : words) {
        if (append_word(value, word)) continue;
        valid = false;
        reader.refuse(
            element, fmt::format("'{}' is not a value of type {}", word, tandem::to_string(*type)));
    }
    if (words.size() > 1) value.dimensions = {words.size()};
    return true;
}

std::uint64_t product(const std::vector<std::uint64_t>& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{1}, std::multiplies<>());
}

void read_parameter(XmlElement element, XmlReader& reader, ParameterBinding& binding) {
    Parameter parameter;
    parameter.name = reader.required(element, "name");
    parameter.description = reader.text(element, "description");
    parameter.place = reader.place(element);
    bool has_value = false;
    bool valid = true;
    std::vector<std::uint64_t> dimensions;
    for (const XmlElement part : element.children()) {
        if (local_name(part) == "Dimension") {
            if (const auto size = reader.integer(part, "size"))
                dimensions.push_back(static_cast<std::uint64_t>(*size));
        } else if (read_value_element(part, reader, parameter.value, valid)) {
            has_value = true;
        } else {
            reader.ignore(part);
        }
    }
    if (!dimensions.empty()) {
        const ParameterValue& value = parameter.value;
        const std::size_t count = value.type == ValueType::enumeration
                                      ? value.values.strings.size()
                                      : value.values.size(value.type);
        if (has_value && valid && count != product(dimensions)) {
            valid = false;
            reader.refuse(element,
                          fmt::format("'{}' has {}, but dimensions of {}", parameter.name,
                                      counted(count, "value"), fmt::join(dimensions, " x ")));
        }
        parameter.value.dimensions = dimensions;
    }
    if (!has_value) reader.refuse(element, fmt::format("'{}' has no value", parameter.name));
    if (has_value && valid && !parameter.name.empty())
        binding.parameters.push_back(std::move(parameter));
}

using Consumer = std::function<void(XmlElement, XmlReader&)>;

void read_file(const TextFile& file, const Place& place, Diagnostics& findings,
               const std::pair<std::string_view, Consumer>& expected) {
    try {
        const XmlDocument document(file.text, file.shown);
        XmlReader reader(file.shown, findings);
        const XmlElement root = document.root();
        if (local_name(root) != expected.first) {
            reader.refuse(root, fmt::format("the file must hold a <{}>", expected.first),
                          fmt::format("{} asks for it", place));
            return;
        }
        reader.check_version(root);
        expected.second(root, reader);
        ignore_unknown_attributes(root, reader);
        reader.finish();
    } catch (const InputError& error) {
        report(findings, error.place(), error.problem(), error.hint());
    }
}

}  // namespace

void read_parameter_set(XmlElement set, XmlReader& reader, ParameterBinding& binding) {
    if (binding.name.empty()) binding.name = reader.text(set, "name");
    for (const XmlElement part : set.children()) {
        if (local_name(part) == "Parameters") {
            for (const XmlElement element : part.children()) {
                if (local_name(element) == "Parameter")
                    read_parameter(element, reader, binding);
                else
                    reader.ignore(element);
            }
        } else if (local_name(part) == "Units") {
            read_units(part, reader, binding.units);
        } else if (local_name(part) == "Enumerations") {
            read_enumerations(part, reader, binding.enumerations);
        } else {
            reader.ignore(part);
        }
    }
}

void read_parameter_mapping(XmlElement mapping, XmlReader& reader, ParameterBinding& binding) {
    binding.mapping.emplace();
    for (const XmlElement element : mapping.children()) {
        if (local_name(element) != "MappingEntry") {
            reader.ignore(element);
            continue;
        }
        if (element.attribute("source") == "" || element.attribute("target") == "") {
            reader.ignore(element);
            continue;
        }
        MappingEntry entry;
        entry.source = reader.required(element, "source");
        entry.target = reader.required(element, "target");
        entry.suppress_unit_conversion = reader.boolean(element, "suppressUnitConversion");
        entry.place = reader.place(element);
        for (const XmlElement part : element.children())
            if (!read_transformation(part, reader, entry.transformation)) reader.ignore(part);
        if (!entry.source.empty() && !entry.target.empty())
            binding.mapping->push_back(std::move(entry));
    }
}

void read_signal_dictionary(XmlElement dictionary, XmlReader& reader, SignalDictionary& result) {
    for (const XmlElement element : dictionary.children()) {
        if (local_name(element) == "DictionaryEntry") {
            Connector entry;
            entry.name = reader.required(element, "name");
            entry.description = reader.text(element, "description");
            entry.place = reader.place(element);
            for (const XmlElement part : element.children())
                if (!read_type(part, reader, entry)) reader.ignore(part);
            result.entries.push_back(std::move(entry));
        } else if (local_name(element) == "Units") {
            read_units(element, reader, result.units);
        } else if (local_name(element) == "Enumerations") {
            read_enumerations(element, reader, result.enumerations);
        } else {
            reader.ignore(element);
        }
    }
}

void read_parameter_values(const TextFile& file, const Place& place, ParameterBinding& binding,
                           Diagnostics& findings) {
    binding.source = file.path;
    read_file(file, place, findings, {"ParameterSet", [&](XmlElement root, XmlReader& reader) {
                                          read_parameter_set(root, reader, binding);
                                      }});
}

void read_parameter_mapping(const TextFile& file, const Place& place, ParameterBinding& binding,
                            Diagnostics& findings) {
    binding.mapping_source = file.path;
    read_file(file, place, findings, {"ParameterMapping", [&](XmlElement root, XmlReader& reader) {
                                          read_parameter_mapping(root, reader, binding);
                                      }});
}

void read_signal_dictionary(const TextFile& file, const Place& place, SignalDictionary& result,
                            Diagnostics& findings) {
    result.source = file.path;
    read_file(file, place, findings, {"SignalDictionary", [&](XmlElement root, XmlReader& reader) {
                                          read_signal_dictionary(root, reader, result);
                                      }});
}

}  // namespace tandem::description
