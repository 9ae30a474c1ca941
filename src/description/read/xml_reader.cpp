#include "description/read/xml_reader.hpp"

#include <fmt/format.h>

#include "base/names.hpp"
#include "description/read/sections.hpp"
#include "description/values.hpp"

namespace tandem::description {
namespace {

std::string normalised(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

void read_dimension(XmlElement element, XmlReader& reader, Connector& connector) {
    Extent extent;
    if (const auto size = reader.integer(element, "size"))
        extent.size = static_cast<std::uint64_t>(*size);
    extent.size_of = reader.text(element, "sizeConnector");
    if (!extent.size && extent.size_of.empty())
        reader.refuse(element, "a dimension needs a size", "add size=\"3\" or sizeConnector");
    connector.dimensions.push_back(std::move(extent));
}

void read_map(XmlElement element, XmlReader& reader, Transformation& transformation) {
    for (const XmlElement entry : element.children()) {
        if (local_name(entry) != "MapEntry") {
            reader.ignore(entry);
            continue;
        }
        MapEntry item{reader.required(entry, "source"), reader.required(entry, "target")};
        const auto readable = [](std::string& text) {
            if (text == "1") text = "true";
            if (text == "0") text = "false";
        };
        if (transformation.type == Transformation::Type::boolean) {
            readable(item.source);
            readable(item.target);
        }
        transformation.entries.push_back(std::move(item));
    }
}

}  // namespace

std::string_view local_name(XmlElement element) {
    const std::string_view name = element.name();
    const auto colon = name.find(':');
    return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

XmlElement child_of(XmlElement parent, std::string_view name) {
    for (const XmlElement child : parent.children())
        if (local_name(child) == name) return child;
    return {};
}

Place XmlReader::place(XmlElement element) const {
    return fmt::format("{}:{}", file_, element.line());
}

void XmlReader::refuse(XmlElement element, std::string problem, std::string hint) {
    report(findings_, place(element),
           fmt::format("<{}>: {}", local_name(element), std::move(problem)), std::move(hint));
}

std::string XmlReader::text(XmlElement element, const char* attribute) const {
    return std::string(element.attribute(attribute).value_or(""));
}

std::string XmlReader::required(XmlElement element, const char* attribute) {
    const auto value = element.attribute(attribute);
    if (!value || value->empty())
        refuse(element, fmt::format("attribute '{}' is missing", attribute),
               fmt::format("add {}=\"...\"", attribute));
    return std::string(value.value_or(""));
}

bool XmlReader::boolean(XmlElement element, const char* attribute) {
    const auto value = element.attribute(attribute);
    if (!value) return false;
    const std::string word = normalised(*value);
    if (word == "true" || word == "1") return true;
    if (word != "false" && word != "0")
        refuse(element,
               fmt::format("attribute '{}' must be true or false, but is '{}'", attribute, *value));
    return false;
}

std::optional<double> XmlReader::real(XmlElement element, const char* attribute) {
    const auto value = element.attribute(attribute);
    if (!value) return std::nullopt;
    Values number;
    if (append_text(ValueType::float64, normalised(*value), number)) return number.reals.front();
    refuse(element, fmt::format("attribute '{}' must be a number, but is '{}'", attribute, *value));
    return std::nullopt;
}

std::optional<std::int64_t> XmlReader::integer(XmlElement element, const char* attribute) {
    const auto value = element.attribute(attribute);
    if (!value) return std::nullopt;
    Values number;
    if (append_text(ValueType::int64, normalised(*value), number)) return number.integers.front();
    refuse(element,
           fmt::format("attribute '{}' must be an integer, but is '{}'", attribute, *value));
    return std::nullopt;
}

void XmlReader::ignore(XmlElement element) {
    if (local_name(element) == "Annotations") {
        for (const XmlElement annotation : element.children()) ignore(annotation);
        return;
    }
    std::string name = fmt::format("<{}>", local_name(element));
    if (local_name(element) == "Annotation")
        name = fmt::format("<Annotation type=\"{}\">", text(element, "type"));
    note(name, element, {});
}

void XmlReader::ignore_attribute(XmlElement element, std::string_view attribute, std::string hint) {
    note(fmt::format("attribute '{}' of <{}>", attribute, local_name(element)), element,
         std::move(hint));
}

void XmlReader::note(const std::string& what, XmlElement element, std::string hint) {
    Ignored& ignored = ignored_[what];
    if (ignored.count++ == 0) ignored = {place(element), 1, std::move(hint)};
}

void XmlReader::finish() {
    for (const auto& [name, ignored] : ignored_)
        warn(findings_, ignored.first,
             ignored.count == 1
                 ? fmt::format("{} is ignored", name)
                 : fmt::format("{} is ignored, here and {} more times", name, ignored.count - 1),
             ignored.hint);
    ignored_.clear();
}

void XmlReader::check_version(XmlElement root) {
    const std::string version = text(root, "version");
    if (!version.starts_with("1.0") && !version.starts_with("2.0"))
        warn(findings_, place(root),
             fmt::format("<{}> has version '{}'; it is read as 2.0", local_name(root), version),
             "1.0 and 2.0 are known");
}

bool read_type(XmlElement element, XmlReader& reader, Connector& connector) {
    const std::string_view name = local_name(element);
    if (name == "Dimension") {
        read_dimension(element, reader, connector);
        return true;
    }
    if (name == "Clock" && element.attribute("name")) {
        connector.clocks.push_back(reader.text(element, "name"));
        return true;
    }
    const auto type = value_type_from(name);
    if (!type) return false;
    connector.type = type;
    connector.unit = reader.text(element, "unit");
    connector.mime_type = reader.text(element, "mime-type");
    if (*type == ValueType::enumeration) connector.enumeration = reader.text(element, "name");
    return true;
}

bool read_transformation(XmlElement element, XmlReader& reader, Transformation& transformation) {
    const std::string_view name = local_name(element);
    using Type = Transformation::Type;
    Type type = Type::none;
    if (name == "LinearTransformation") type = Type::linear;
    if (name == "BooleanMappingTransformation") type = Type::boolean;
    if (name == "IntegerMappingTransformation") type = Type::integer;
    if (name == "EnumerationMappingTransformation") type = Type::enumeration;
    if (type == Type::none) return false;
    if (transformation.type != Type::none)
        reader.refuse(element, "only one transformation is allowed", "remove one of them");
    transformation.type = type;
    if (type == Type::linear) {
        transformation.factor = reader.real(element, "factor").value_or(1.0);
        transformation.offset = reader.real(element, "offset").value_or(0.0);
    } else {
        read_map(element, reader, transformation);
    }
    return true;
}

void read_units(XmlElement units, XmlReader& reader, std::vector<Unit>& result) {
    constexpr const char* bases[] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    for (const XmlElement element : units.children()) {
        if (local_name(element) != "Unit") {
            reader.ignore(element);
            continue;
        }
        Unit unit;
        unit.name = reader.required(element, "name");
        unit.description = reader.text(element, "description");
        unit.place = reader.place(element);
        const XmlElement base = child_of(element, "BaseUnit");
        for (std::size_t i = 0; i < unit.base.exponents.size(); ++i)
            unit.base.exponents[i] = static_cast<int>(reader.integer(base, bases[i]).value_or(0));
        unit.base.factor = reader.real(base, "factor").value_or(1.0);
        unit.base.offset = reader.real(base, "offset").value_or(0.0);
        if (base)
            result.push_back(std::move(unit));
        else
            warn(reader.findings(), unit.place,
                 fmt::format("unit '{}' is not defined by base units, and so ignored", unit.name));
    }
}

void read_enumerations(XmlElement enumerations, XmlReader& reader,
                       std::vector<Enumeration>& result) {
    for (const XmlElement element : enumerations.children()) {
        if (local_name(element) != "Enumeration") {
            reader.ignore(element);
            continue;
        }
        Enumeration enumeration;
        enumeration.name = reader.required(element, "name");
        enumeration.description = reader.text(element, "description");
        enumeration.place = reader.place(element);
        for (const XmlElement item : element.children()) {
            if (local_name(item) == "Item")
                enumeration.items.push_back(
                    {reader.required(item, "name"), reader.integer(item, "value").value_or(0)});
            else
                reader.ignore(item);
        }
        result.push_back(std::move(enumeration));
    }
}

std::vector<OwnSettings> read_annotations(XmlElement annotations, XmlReader& reader,
                                          std::vector<Annotation>& foreign,
                                          const Understands& understands) {
    std::vector<OwnSettings> own;
    for (const XmlElement annotation : annotations.children()) {
        const std::string type = reader.text(annotation, "type");
        if (type == settings_annotation) {
            const XmlElement content = annotation.first_child();
            const XmlElement holder = content ? content : annotation;
            own.push_back({std::string(holder.text()), holder.line()});
        } else {
            foreign.push_back({type, annotation.source()});
            if (!understands || !understands(annotation)) reader.ignore(annotation);
        }
    }
    return own;
}

}  // namespace tandem::description
