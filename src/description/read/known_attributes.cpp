#include "description/read/known_attributes.hpp"

#include <algorithm>

#include "base/names.hpp"

namespace tandem::description {
namespace {

enum Common { none, base = 1, top = 3 };  // top level elements have those of `base`, too

struct KnownElement {
    std::string_view name;
    Common common = none;
    std::string_view attributes = {};  ///< separated by blanks
};

constexpr std::string_view base_attributes = "id description";
constexpr std::string_view top_attributes =
    "author fileversion copyright license generationTool generationDateAndTime";

/// An element that occurs in several places has the attributes of all of them.
constexpr KnownElement known_elements[] = {
    {"SystemStructureDescription", top, "version name"},
    {"System", base, "name"},
    {"Elements"},
    {"Component", base, "name type source implementation"},
    {"SignalDictionaryReference", base, "name dictionary"},
    {"Connectors"},
    {"Connector", base, "name kind"},
    {"Connections"},
    {"Connection", base,
     "startElement startConnector startIndices endElement endConnector endIndices "
     "suppressUnitConversion"},
    {"SignalDictionaries"},
    {"SignalDictionary", top, "version name type source"},
    {"DictionaryEntry", base, "name"},
    {"ParameterBindings"},
    {"ParameterBinding", base, "type source sourceBase prefix"},
    {"ParameterValues"},
    {"ParameterSet", top, "version name"},
    {"Parameters"},
    {"Parameter", base, "name"},
    {"ParameterMapping", top, "version type source sourceBase"},
    {"MappingEntry", base, "source target suppressUnitConversion"},
    {"DefaultExperiment", none, "startTime stopTime"},
    {"Units"},
    {"Unit", base, "name"},
    {"BaseUnit", none, "kg m s A K mol cd rad factor offset"},
    {"Enumerations"},
    {"Enumeration", base, "name value"},
    {"Item", none, "name value"},
    {"Real", none, "unit value"},
    {"Float64", none, "unit value"},
    {"Float32", none, "unit value"},
    {"Integer", none, "value"},
    {"Int8", none, "value"},
    {"UInt8", none, "value"},
    {"Int16", none, "value"},
    {"UInt16", none, "value"},
    {"Int32", none, "value"},
    {"UInt32", none, "value"},
    {"Int64", none, "value"},
    {"UInt64", none, "value"},
    {"Boolean", none, "value"},
    {"String", none, "value"},
    {"Binary", none, "value mime-type"},
    {"Value", none, "value"},
    {"Dimension", none, "size sizeConnector"},
    {"Clock", none,
     "name intervalVariability intervalDecimal shiftDecimal supportsFraction resolution "
     "intervalCounter shiftCounter priority"},
    {"LinearTransformation", none, "factor offset"},
    {"BooleanMappingTransformation"},
    {"IntegerMappingTransformation"},
    {"EnumerationMappingTransformation"},
    {"MapEntry", none, "source target"},
};

void add_words(std::string_view words, std::vector<std::string>& list) {
    while (!words.empty()) {
        const std::size_t end = std::min(words.find(' '), words.size());
        list.emplace_back(words.substr(0, end));
        words.remove_prefix(std::min(end + 1, words.size()));
    }
}

std::vector<std::string> attributes_of(const KnownElement& known) {
    std::vector<std::string> names;
    add_words(known.attributes, names);
    if (known.common != none) add_words(base_attributes, names);
    if (known.common == top) add_words(top_attributes, names);
    return names;
}

bool is_foreign(std::string_view attribute) {
    return attribute == "xmlns" || attribute.find(':') != std::string_view::npos;
}

}  // namespace

void ignore_unknown_attributes(XmlElement element, XmlReader& reader) {
    const auto* known = std::ranges::find(known_elements, local_name(element), &KnownElement::name);
    if (known == std::end(known_elements)) return;
    std::vector<XmlElement::Attribute> given;
    element.attributes(given);
    std::erase_if(given, [](const auto& attribute) { return is_foreign(attribute.name); });
    if (!given.empty()) {
        const std::vector<std::string> names = attributes_of(*known);
        for (const auto& attribute : given)
            if (std::ranges::find(names, attribute.name) == names.end())
                reader.ignore_attribute(element, attribute.name,
                                        did_you_mean(attribute.name, names, ""));
    }
    for (const XmlElement child : element.children()) ignore_unknown_attributes(child, reader);
}

}  // namespace tandem::description
