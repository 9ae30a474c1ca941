#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

class XmlDocument;

/// An element of a document, as cheap to copy as two pointers; lives as long as the document.
/// A default one, or a child that does not exist, is false and has neither children nor attributes.
class XmlElement {
public:
    XmlElement() = default;
    explicit operator bool() const { return !node_.empty(); }

    std::string_view name() const { return node_.name(); }
    std::string_view text() const { return node_.child_value(); }
    int line() const;
    /// The element with all it contains, as XML.
    std::string source() const;
    XmlElement child(const char* name) const { return {node_.child(name), document_}; }
    /// The first child that is an element, and the element after this one.
    XmlElement first_child() const { return skip_text(node_.first_child()); }
    XmlElement next() const { return skip_text(node_.next_sibling()); }
    std::optional<std::string_view> attribute(const char* name) const;

    struct Attribute {
        std::string_view name;
        std::string_view value;
    };
    /// Appends all attributes in their order.
    void attributes(std::vector<Attribute>& list) const;

    class Iterator;
    struct Children;
    Children children() const;

private:
    friend class XmlDocument;
    XmlElement(pugi::xml_node node, const XmlDocument* document)
        : node_(node), document_(document) {}
    XmlElement skip_text(pugi::xml_node node) const;

    pugi::xml_node node_;
    const XmlDocument* document_ = nullptr;
};

class XmlElement::Iterator {
public:
    explicit Iterator(XmlElement at) : at_(at) {}
    XmlElement operator*() const { return at_; }
    Iterator& operator++() {
        at_ = at_.next();
        return *this;
    }
    bool operator!=(const Iterator& other) const { return at_.node_ != other.at_.node_; }

private:
    XmlElement at_;
};

struct XmlElement::Children {
    XmlElement first;
    Iterator begin() const { return Iterator(first); }
    Iterator end() const { return Iterator(XmlElement{}); }
};

inline XmlElement::Children XmlElement::children() const { return {first_child()}; }

/// A document read from memory. Only what is harmless: UTF-8, no document type declaration (so no
/// entities of its own), no control characters, limited depth and size.
class XmlDocument {
public:
    /// Throws InputError at `place`:line for anything else.
    XmlDocument(std::string_view text, std::string place);
    XmlDocument(const XmlDocument&) = delete;
    XmlDocument& operator=(const XmlDocument&) = delete;

    XmlElement root() const { return {document_.document_element(), this}; }
    const std::string& place() const { return place_; }
    int line_of(std::ptrdiff_t offset) const;

private:
    void find_lines(std::string_view text);
    void check_bytes(std::string_view text) const;
    void check_depth() const;
    [[noreturn]] void refuse(std::ptrdiff_t offset, const std::string& problem,
                             const std::string& hint) const;

    std::string place_;
    std::vector<std::size_t> line_starts_;
    pugi::xml_document document_;
};

}  // namespace tandem
