#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::fmi::exporting {

/// Writes indented XML. An element is open from `open` to `close`; attributes come first.
class XmlWriter {
public:
    void open(std::string_view name);
    void close();
    void attribute(std::string_view name, std::string_view value);
    void attribute(std::string_view name, const char* value) {
        attribute(name, std::string_view(value));
    }
    void attribute(std::string_view name, bool value) { attribute(name, value ? "true" : "false"); }
    void attribute(std::string_view name, double value);
    void attribute(std::string_view name, std::size_t value) {
        attribute(name, std::string_view(std::to_string(value)));
    }
    /// Only if there is something to say.
    void optional(std::string_view name, std::string_view value) {
        if (!value.empty()) attribute(name, value);
    }
    void optional(std::string_view name, const std::optional<double>& value) {
        if (value) attribute(name, *value);
    }
    void flag(std::string_view name, bool value) {
        if (value) attribute(name, true);
    }
    /// An element with nothing but text.
    void text_element(std::string_view name, std::string_view text);
    std::string take();

private:
    void end_start_tag();
    void escape(std::string_view text);

    std::string text_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    std::vector<std::string> open_;
    bool in_start_tag_ = false;
};

}  // namespace tandem::fmi::exporting
