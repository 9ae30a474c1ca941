#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "description/description.hpp"
#include "description/read/read_context.hpp"
#include "description/table_reader.hpp"
#include "files/xml.hpp"

namespace tandem::description {

/// The name without its namespace prefix, which every tool chooses differently.
std::string_view local_name(XmlElement element);
XmlElement child_of(XmlElement parent, std::string_view name);

/// Reads elements of one SSP file: finds attributes, reports what is wrong with its place, and
/// remembers what it does not understand.
class XmlReader {
public:
    XmlReader(std::string file, Diagnostics& findings)
        : file_(std::move(file)), findings_(findings) {}

    Place place(XmlElement element) const;
    const std::string& file() const { return file_; }
    Diagnostics& findings() { return findings_; }
    void refuse(XmlElement element, std::string problem, std::string hint = {});

    std::string text(XmlElement element, const char* attribute) const;
    std::string required(XmlElement element, const char* attribute);
    bool boolean(XmlElement element, const char* attribute);
    std::optional<double> real(XmlElement element, const char* attribute);
    std::optional<std::int64_t> integer(XmlElement element, const char* attribute);

    /// These have no meaning here; finish() names each kind of element and attribute once.
    void ignore(XmlElement element);
    void ignore_attribute(XmlElement element, std::string_view attribute, std::string hint);
    void finish();
    /// Warns if the version of a root element is none that is known.
    void check_version(XmlElement root);

private:
    struct Ignored {
        Place first;
        int count = 0;
        std::string hint = {};
    };
    void note(const std::string& what, XmlElement element, std::string hint);

    std::string file_;
    Diagnostics& findings_;
    std::map<std::string, Ignored> ignored_;
};

// What the schema calls common content.
/// A type element (Real, Float64, Enumeration ...) or a Dimension or a Clock; false if `element` is
/// none of them.
bool read_type(XmlElement element, XmlReader& reader, Connector& connector);
/// A transformation element; false if `element` is none.
bool read_transformation(XmlElement element, XmlReader& reader, Transformation& transformation);
void read_units(XmlElement units, XmlReader& reader, std::vector<Unit>& result);
void read_enumerations(XmlElement enumerations, XmlReader& reader,
                       std::vector<Enumeration>& result);
/// Keeps foreign annotations, each ignored unless `understands` it; hands the text of Tandem's own
/// out.
struct OwnSettings {
    std::string toml;
    int line = 0;
};
using Understands = std::function<bool(XmlElement annotation)>;
std::vector<OwnSettings> read_annotations(XmlElement annotations, XmlReader& reader,
                                          std::vector<Annotation>& foreign,
                                          const Understands& understands = {});

}  // namespace tandem::description
