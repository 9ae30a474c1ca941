#include "fmi/export/xml_writer.hpp"

#include <cmath>

#include "tandem/value.hpp"

namespace tandem::fmi::exporting {

void XmlWriter::end_start_tag() {
    if (in_start_tag_) text_ += ">\n";
    in_start_tag_ = false;
}

void XmlWriter::open(std::string_view name) {
    end_start_tag();
    text_.append(2 * open_.size(), ' ');
    text_ += '<';
    text_ += name;
    open_.emplace_back(name);
    in_start_tag_ = true;
}

void XmlWriter::close() {
    const std::string name = std::move(open_.back());
    open_.pop_back();
    if (in_start_tag_) {
        text_ += "/>\n";
        in_start_tag_ = false;
        return;
    }
    text_.append(2 * open_.size(), ' ');
    text_ += "</" + name + ">\n";
}

void XmlWriter::attribute(std::string_view name, std::string_view value) {
    text_ += ' ';
    text_ += name;
    text_ += "=\"";
    escape(value);
    text_ += '"';
}

void XmlWriter::attribute(std::string_view name, double value) {
    if (std::isinf(value)) return attribute(name, value > 0.0 ? "INF" : "-INF");
    Values values;
    values.reals.push_back(value);
    attribute(name, to_text(ValueType::float64, values, 0));
}

void XmlWriter::text_element(std::string_view name, std::string_view text) {
    end_start_tag();
    text_.append(2 * open_.size(), ' ');
    text_ += '<';
    text_ += name;
    text_ += '>';
    escape(text);
    text_ += "</";
    text_ += name;
    text_ += ">\n";
}

void XmlWriter::escape(std::string_view text) {
    for (const char c : text) {
        switch (c) {
            case '&': text_ += "&amp;"; break;
            case '<': text_ += "&lt;"; break;
            case '>': text_ += "&gt;"; break;
            case '"': text_ += "&quot;"; break;
            case '\n': text_ += "&#10;"; break;
            case '\t': text_ += "&#9;"; break;
            default: text_ += c;
        }
    }
}

std::string XmlWriter::take() { return std::move(text_); }

}  // namespace tandem::fmi::exporting
