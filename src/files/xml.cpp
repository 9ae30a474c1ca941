#include "files/xml.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>

#include "base/utf8.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

constexpr std::size_t largest_document = std::size_t{512} << 20U;
constexpr int deepest_element = 256;
/// An element takes 64 bytes of memory, an attribute 40: together not much more than 1 GiB.
constexpr std::ptrdiff_t most_items = 20'000'000;

/// The encoding="..." of the declaration, in lower case; "utf-8" when there is none.
std::string declared_encoding(std::string_view text) {
    const std::string_view head = text.substr(0, text.find("?>"));
    const auto key = head.find("encoding");
    if (!text.starts_with("<?xml") || key == std::string_view::npos) return "utf-8";
    const auto open = head.find_first_of("\"'", key);
    if (open == std::string_view::npos) return "utf-8";
    const auto close = head.find(head[open], open + 1);
    if (close == std::string_view::npos) return "utf-8";
    std::string name(head.substr(open + 1, close - open - 1));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name;
}

/// ISO 8859-1 (and ASCII) to UTF-8.
std::string from_latin1(std::string_view text) {
    std::string result;
    result.reserve(text.size() + text.size() / 8);
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80U) {
            result.push_back(c);
        } else {
            result.push_back(static_cast<char>(0xC0U | (byte >> 6U)));
            result.push_back(static_cast<char>(0x80U | (byte & 0x3FU)));
        }
    }
    return result;
}

bool is_latin1(const std::string& encoding) {
    return encoding == "iso-8859-1" || encoding == "latin1" || encoding == "windows-1252";
}

}  // namespace

int XmlElement::line() const {
    return document_ == nullptr ? 0 : document_->line_of(node_.offset_debug());
}

std::string XmlElement::source() const {
    std::ostringstream text;
    node_.print(text, "", pugi::format_raw);
    return std::move(text).str();
}

XmlElement XmlElement::skip_text(pugi::xml_node node) const {
    while (!node.empty() && node.type() != pugi::node_element) node = node.next_sibling();
    return {node, document_};
}

std::optional<std::string_view> XmlElement::attribute(const char* name) const {
    const pugi::xml_attribute found = node_.attribute(name);
    if (found.empty()) return std::nullopt;
    return std::string_view(found.value());
}

void XmlElement::attributes(std::vector<Attribute>& list) const {
    for (const pugi::xml_attribute& attribute : node_.attributes())
        list.push_back({attribute.name(), attribute.value()});
}

XmlDocument::XmlDocument(std::string_view text, std::string place) : place_(std::move(place)) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    if (text.size() > largest_document)
        throw InputError(place_, "is larger than 512 MiB", "no real description is that large");
    const auto items =
        std::count_if(text.begin(), text.end(), [](char c) { return c == '<' || c == '='; });
    if (items > most_items)
        throw InputError(place_, "has more than 20 million elements and attributes",
                         "no real description has that many");
    std::string converted;
    if (is_latin1(declared_encoding(text))) text = converted = from_latin1(text);
    find_lines(text);
    check_bytes(text);
    const pugi::xml_parse_result result = document_.load_buffer(
        text.data(), text.size(), pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
    if (!result)
        refuse(result.offset, std::string("is not well-formed XML: ") + result.description(),
               "correct the file, or export it again");
    for (const pugi::xml_node& node : document_.children())
        if (node.type() == pugi::node_doctype)
            refuse(0, "contains a document type declaration, which is not accepted",
                   "remove <!DOCTYPE ...> from the file");
    check_depth();
}

void XmlDocument::find_lines(std::string_view text) {
    line_starts_.push_back(0);
    for (auto at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
        line_starts_.push_back(at + 1);
}

int XmlDocument::line_of(std::ptrdiff_t offset) const {
    const auto at = static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0));
    const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), at);
    return static_cast<int>(after - line_starts_.begin());
}

void XmlDocument::check_bytes(std::string_view text) const {
    if (text.starts_with("\xFE\xFF") || text.starts_with("\xFF\xFE") ||
        (text.size() > 1 && (text[0] == '\0' || text[1] == '\0')))
        refuse(0, "is encoded in UTF-16 or UTF-32, but must be UTF-8",
               "convert it, e.g. with iconv");
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (byte >= 0x20U && byte < 0x80U) {
            ++at;
            continue;
        }
        const bool blank = byte == '\t' || byte == '\n' || byte == '\r';
        const std::size_t length = utf8_length(text, at);
        const auto offset = static_cast<std::ptrdiff_t>(at);
        if (length == 0) refuse(offset, "is not valid UTF-8", "convert it, e.g. with iconv");
        if (byte < 0x20U && !blank)
            refuse(offset, "contains a control character (byte " + std::to_string(byte) + ")",
                   "XML does not allow it; correct the file, or export it again");
        at += length;
    }
}

void XmlDocument::check_depth() const {
    int depth = 0;
    pugi::xml_node node = document_.document_element();
    while (!node.empty()) {
        if (depth > deepest_element)
            refuse(node.offset_debug(), "nests its elements deeper than 256 levels",
                   "no real description does that; correct the file, or export it again");
        if (node.first_child()) {
            node = node.first_child();
            ++depth;
            continue;
        }
        while (!node.next_sibling() && depth > 0) {
            node = node.parent();
            --depth;
        }
        if (depth == 0) return;
        node = node.next_sibling();
    }
}

void XmlDocument::refuse(std::ptrdiff_t offset, const std::string& problem,
                         const std::string& hint) const {
    throw InputError(place_ + ":" + std::to_string(line_of(offset)), problem, hint);
}

}  // namespace tandem
