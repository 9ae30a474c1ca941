#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "files/xml.hpp"
#include "fmi/description/model_description.hpp"
#include "tandem/error.hpp"

namespace tandem::fmi {

/// What all parts of the parser share: the model being filled, where complaints go, and indices
/// that make every lookup by name or reference cheap.
class ParseContext {
public:
    ParseContext(std::string place, ModelDescription& description, Diagnostics& findings)
        : model(description), place_(std::move(place)), findings_(findings) {}

    ModelDescription& model;
    std::unordered_map<std::string, std::size_t> type_index;
    /// What clocks and binaries inherit from their type, by the name of the type.
    std::unordered_map<std::string, ClockAttributes> clock_types;
    std::unordered_map<std::string, std::string> mime_types;
    std::unordered_map<ValueReference, std::size_t> reference_index;  ///< FMI 3.0: unique
    /// FMI 1.0: <DirectDependency> elements by the variable they belong to.
    std::vector<std::pair<std::size_t, XmlElement>> direct_dependencies;

    [[noreturn]] void refuse(int line, const std::string& problem, const std::string& hint) const;
    /// The hint tells the kind of a warning: of each kind only the first ten are kept.
    void warn(int line, std::string problem, std::string hint);
    /// Adds one line for each kind of warning of which some were left out.
    void summarize_warnings();

    /// Reads one number; false if it is none. Uses the rules of append_text.
    bool read(std::string_view text, double& value);
    bool read(std::string_view text, std::int64_t& value);
    bool read(std::string_view text, std::uint64_t& value);
    bool read(std::string_view text, std::uint32_t& value);
    bool read(std::string_view text, std::int32_t& value);
    bool read(std::string_view text, bool& value);

private:
    template <class T>
    bool read_integer(ValueType type, std::string_view text, T& value);

    std::string place_;
    Diagnostics& findings_;
    std::unordered_map<std::string, std::size_t> warnings_by_hint_;
    Values scratch_;
};

/// The words between blanks.
std::vector<std::string_view> words_of(std::string_view text);

template <class T>
using Choices = std::span<const std::pair<std::string_view, T>>;

/// The attributes of one element. Each is asked for by name; finish() warns of those that nobody
/// asked for.
class Attributes {
public:
    Attributes(ParseContext& context, XmlElement element);

    int line() const { return element_.line(); }
    std::optional<std::string_view> find(std::string_view name);
    /// Empty if missing.
    std::string text(std::string_view name) { return std::string(find(name).value_or("")); }
    /// Refuses the model if it is missing.
    std::string required(std::string_view name);
    bool flag(std::string_view name, bool otherwise = false);
    /// Nothing if missing; a warning and nothing if malformed.
    template <class T>
    std::optional<T> number(std::string_view name) {
        const auto found = find(name);
        if (!found) return std::nullopt;
        T value{};
        if (context_.read(*found, value)) return value;
        warn_malformed(name, *found);
        return std::nullopt;
    }
    /// Refuses the model if it is malformed.
    template <class T>
    std::optional<T> strict_number(std::string_view name) {
        const auto found = find(name);
        if (!found) return std::nullopt;
        T value{};
        if (!context_.read(*found, value)) refuse_malformed(name, *found);
        return value;
    }
    /// Refuses the model if one of the numbers is malformed.
    template <class T>
    std::optional<std::vector<T>> list(std::string_view name) {
        const auto found = find(name);
        if (!found) return std::nullopt;
        std::vector<T> values;
        for (const std::string_view word : words_of(*found)) {
            T value{};
            if (!context_.read(word, value)) refuse_malformed(name, word);
            values.push_back(value);
        }
        return values;
    }
    /// Nothing if missing; a warning and nothing if it is none of the choices.
    template <class T>
    std::optional<T> choice(std::string_view name, Choices<T> choices) {
        const auto found = find(name);
        if (!found) return std::nullopt;
        for (const auto& [word, value] : choices)
            if (word == *found) return value;
        warn_malformed(name, *found);
        return std::nullopt;
    }
    void ignore(std::initializer_list<std::string_view> names);
    void finish();

private:
    void warn_malformed(std::string_view name, std::string_view value);
    [[noreturn]] void refuse_malformed(std::string_view name, std::string_view value) const;

    ParseContext& context_;
    XmlElement element_;
    std::vector<XmlElement::Attribute> attributes_;
    std::uint64_t asked_ = 0;  ///< one bit for each attribute
};

/// Shortened and free of control characters: fit for a message.
std::string quoted(std::string_view text);

}  // namespace tandem::fmi
