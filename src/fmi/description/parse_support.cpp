#include "fmi/description/parse_support.hpp"

#include <fmt/format.h>

#include <limits>

namespace tandem::fmi {
namespace {

constexpr std::size_t warnings_kept = 10;
constexpr std::size_t most_attributes = 64;
constexpr std::size_t longest_required = 4096;

}  // namespace

std::string quoted(std::string_view text) {
    constexpr std::size_t longest = 80;
    std::string result = "'";
    for (const char c : text.substr(0, longest))
        result.push_back(static_cast<unsigned char>(c) < 32 || c == 127 ? '?' : c);
    return result + (text.size() > longest ? "...'" : "'");
}

void ParseContext::refuse(int line, const std::string& problem, const std::string& hint) const {
    throw InputError(place_ + ":" + std::to_string(line), problem, hint);
}

void ParseContext::warn(int line, std::string problem, std::string hint) {
    if (++warnings_by_hint_[hint] > warnings_kept) return;
    findings_.push_back({Severity::warning, place_ + ":" + std::to_string(line), std::move(problem),
                         std::move(hint)});
}

void ParseContext::summarize_warnings() {
    for (const auto& [hint, count] : warnings_by_hint_)
        if (count > warnings_kept)
            findings_.push_back({Severity::warning, place_,
                                 fmt::format("{} more warnings of one kind", count - warnings_kept),
                                 hint});
}

bool ParseContext::read(std::string_view text, double& value) {
    scratch_.reals.clear();
    if (!append_text(ValueType::float64, text, scratch_)) return false;
    value = scratch_.reals.front();
    return true;
}

template <class T>
bool ParseContext::read_integer(ValueType type, std::string_view text, T& value) {
    scratch_.integers.clear();
    if (!append_text(type, text, scratch_)) return false;
    value = static_cast<T>(scratch_.integers.front());
    return true;
}

bool ParseContext::read(std::string_view text, std::int64_t& value) {
    return read_integer(ValueType::int64, text, value);
}
bool ParseContext::read(std::string_view text, std::uint64_t& value) {
    return read_integer(ValueType::uint64, text, value);
}
bool ParseContext::read(std::string_view text, std::uint32_t& value) {
    return read_integer(ValueType::uint32, text, value);
}
bool ParseContext::read(std::string_view text, std::int32_t& value) {
    return read_integer(ValueType::int32, text, value);
}
bool ParseContext::read(std::string_view text, bool& value) {
    return read_integer(ValueType::boolean, text, value);
}

std::vector<std::string_view> words_of(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    std::vector<std::string_view> words;
    for (auto at = text.find_first_not_of(blanks); at != std::string_view::npos;) {
        const auto end = std::min(text.find_first_of(blanks, at), text.size());
        words.push_back(text.substr(at, end - at));
        at = text.find_first_not_of(blanks, end);
    }
    return words;
}

Attributes::Attributes(ParseContext& context, XmlElement element)
    : context_(context), element_(element) {
    attributes_.reserve(16);
    element.attributes(attributes_);
    if (attributes_.size() > most_attributes)
        context.refuse(
            line(),
            fmt::format("<{}> has more than {} attributes", element.name(), most_attributes),
            "export the FMU again");
    for (std::size_t i = 0; i < attributes_.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (attributes_[i].name == attributes_[j].name)
                context.refuse(line(),
                               fmt::format("<{}> has the attribute {} twice", element.name(),
                                           quoted(attributes_[i].name)),
                               "XML does not allow it; remove one of them");
}

std::optional<std::string_view> Attributes::find(std::string_view name) {
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
        if (attributes_[i].name != name) continue;
        asked_ |= std::uint64_t{1} << i;
        return attributes_[i].value;
    }
    return std::nullopt;
}

std::string Attributes::required(std::string_view name) {
    const auto found = find(name);
    if (!found)
        context_.refuse(line(), fmt::format("<{}> has no attribute '{}'", element_.name(), name),
                        "the FMU cannot be used without it; export it again");
    if (found->size() > longest_required)
        context_.refuse(line(),
                        fmt::format("the attribute '{}' of <{}> is {} characters long", name,
                                    element_.name(), found->size()),
                        fmt::format("at most {} are accepted", longest_required));
    return std::string(*found);
}

bool Attributes::flag(std::string_view name, bool otherwise) {
    return number<bool>(name).value_or(otherwise);
}

void Attributes::ignore(std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) find(name);
}

void Attributes::finish() {
    for (std::size_t i = 0; i < attributes_.size(); ++i) {
        const std::string_view name = attributes_[i].name;
        if ((asked_ >> i & 1U) != 0 || name.find(':') != std::string_view::npos || name == "xmlns")
            continue;
        context_.warn(line(),
                      fmt::format("the attribute {} of <{}> is unknown and ignored", quoted(name),
                                  quoted(element_.name())),
                      fmt::format("FMI {} does not define it", to_string(context_.model.version)));
    }
}

void Attributes::warn_malformed(std::string_view name, std::string_view value) {
    context_.warn(line(),
                  fmt::format("the attribute '{}' of <{}> cannot be {}; it is ignored", name,
                              element_.name(), quoted(value)),
                  "correct the value, or export the FMU again");
}

void Attributes::refuse_malformed(std::string_view name, std::string_view value) const {
    context_.refuse(line(),
                    fmt::format("the attribute '{}' of <{}> cannot be {}", name, element_.name(),
                                quoted(value)),
                    "correct the value, or export the FMU again");
}

}  // namespace tandem::fmi
