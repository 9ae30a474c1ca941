#include "tandem/extend/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/names.hpp"

namespace tandem {
namespace {

bool in_range(double value, const OptionSpec& spec) {
    return value >= spec.min && value <= spec.max;
}

/// A list as the command line writes it: "wheel,chassis".
std::vector<std::string> split_at_commas(const std::string& text) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        std::size_t first = begin, last = end;
        while (first < last && text[first] == ' ') ++first;
        while (last > first && text[last - 1] == ' ') --last;
        if (last > first) parts.push_back(text.substr(first, last - first));
        begin = end + 1;
    }
    return parts;
}

/// Each returns what is wanted when the value does not fit, and nothing when it was stored.
struct Assign {
    const OptionSpec& spec;
    const OptionValue& value;

    std::string operator()(bool* target) const {
        const bool* given = std::get_if<bool>(&value);
        if (given == nullptr) return "true or false";
        *target = *given;
        return {};
    }
    std::string operator()(int* target) const {
        const auto* given = std::get_if<std::int64_t>(&value);
        if (given == nullptr || !in_range(static_cast<double>(*given), spec) ||
            *given != static_cast<int>(*given))
            return "a whole number" + range();
        *target = static_cast<int>(*given);
        return {};
    }
    std::string operator()(double* target) const {
        const auto* whole = std::get_if<std::int64_t>(&value);
        const auto* real = std::get_if<double>(&value);
        if (whole == nullptr && real == nullptr) return "a number" + range();
        const double given = whole != nullptr ? static_cast<double>(*whole) : *real;
        if (!in_range(given, spec)) return "a number" + range();
        *target = given;
        return {};
    }
    template <class Number>
    std::string operator()(std::optional<Number>* target) const {
        Number number{};
        const std::string wanted = (*this)(&number);
        if (wanted.empty()) *target = number;
        return wanted;
    }
    std::string operator()(std::string* target) const {
        const auto* given = std::get_if<std::string>(&value);
        if (given == nullptr) return "a text";
        if (spec.choices.empty()) {
            *target = *given;
            return {};
        }
        const auto choice = choice_of(*given);
        if (choice == spec.choices.end() && !spec.is_open) return one_of_choices();
        *target = choice == spec.choices.end() ? *given : *choice;
        return {};
    }
    std::string operator()(const NamedValue& target) const {
        const auto* given = std::get_if<std::string>(&value);
        const auto choice = given == nullptr ? spec.choices.end() : choice_of(*given);
        if (choice == spec.choices.end()) return one_of_choices();
        target.set(static_cast<std::size_t>(choice - spec.choices.begin()));
        return {};
    }
    std::string operator()(std::vector<std::string>* target) const {
        const auto* given = std::get_if<std::vector<std::string>>(&value);
        const auto* text = std::get_if<std::string>(&value);
        if (given == nullptr && text == nullptr) return "a list of texts";
        if (text != nullptr) {
            *target = split_at_commas(*text);
            return {};
        }
        *target = *given;
        return {};
    }

    std::vector<std::string>::const_iterator choice_of(const std::string& given) const {
        const auto alias =
            std::ranges::find(spec.aliases, given, &std::pair<std::string, std::string>::first);
        return std::ranges::find(spec.choices, alias == spec.aliases.end() ? given : alias->second);
    }
    std::string one_of_choices() const {
        return fmt::format("one of {}", fmt::join(spec.choices, ", "));
    }

    std::string range() const {
        const bool above = std::isfinite(spec.min);
        const bool below = spec.max < std::numeric_limits<double>::max();
        if (spec.min == std::numeric_limits<double>::min() && !below) return " greater than 0";
        if (above && below) return fmt::format(" from {} to {}", spec.min, spec.max);
        if (above) return fmt::format(" of at least {}", spec.min);
        if (below) return fmt::format(" of at most {}", spec.max);
        return {};
    }
};

std::vector<std::string> names_of(std::span<const OptionSpec> specs) {
    std::vector<std::string> names;
    for (const OptionSpec& spec : specs) names.push_back(spec.name);
    return names;
}

std::string known_names(std::span<const OptionSpec> specs) {
    if (specs.empty()) return "it has no options";
    return fmt::format("it has {}", fmt::join(names_of(specs), ", "));
}

template <class T>
bool reads_as(const std::string& text, T& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

}  // namespace

void assign_options(std::span<const OptionSpec> specs, std::span<const GivenOption> given,
                    const std::string& owner, Diagnostics& findings) {
    for (const GivenOption& option : given) {
        const auto spec = std::ranges::find(specs, option.name, &OptionSpec::name);
        if (spec == specs.end()) {
            findings.push_back({Severity::error, option.place,
                                fmt::format("{} has no option '{}'", owner, option.name),
                                did_you_mean(option.name, names_of(specs), known_names(specs))});
            continue;
        }
        const std::string wanted = std::visit(Assign{*spec, option.value}, spec->target);
        if (!wanted.empty())
            findings.push_back({Severity::error, option.place,
                                fmt::format("option '{}' of {} must be {}, not {}", option.name,
                                            owner, wanted, to_text(option.value)),
                                spec->choices.empty()
                                    ? fmt::format("it is: {}", spec->help)
                                    : did_you_mean(to_text(option.value), spec->choices,
                                                   fmt::format("it is: {}", spec->help))});
    }
}

GivenOption parse_option(const std::string& text, const std::string& place) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
        throw InputError(place, fmt::format("'{}' is not an option", text), "write name=value");
    GivenOption option{text.substr(0, equals), {}, place};
    const std::string value = text.substr(equals + 1);
    std::int64_t whole = 0;
    double real = 0.0;
    if (value == "true" || value == "false")
        option.value = value == "true";
    else if (reads_as(value, whole))
        option.value = whole;
    else if (reads_as(value, real))
        option.value = real;
    else
        option.value = value;
    return option;
}

namespace {

template <class T>
std::string text_of(const std::optional<T>& value) {
    return value ? fmt::format("{}", *value) : "";
}

template <class T>
std::string text_of(const T& value) {
    if constexpr (std::is_same_v<T, std::vector<std::string>>)
        return fmt::format("[{}]", fmt::join(value, ", "));
    else
        return fmt::format("{}", value);
}

}  // namespace

std::string to_text(const OptionValue& value) {
    return std::visit([](const auto& held) { return text_of(held); }, value);
}

std::vector<std::string> choices_of(const OptionSpec& spec) {
    constexpr double few = 4.0;
    if (std::holds_alternative<bool*>(spec.target)) return {"false", "true"};
    if (!std::holds_alternative<int*>(spec.target) || spec.max - spec.min >= few)
        return spec.choices;
    std::vector<std::string> numbers;
    for (double value = spec.min; value <= spec.max; ++value)
        numbers.push_back(fmt::format("{}", value));
    return numbers;
}

std::string value_text(const OptionSpec& spec) {
    return std::visit(
        [&](const auto& target) {
            if constexpr (std::is_pointer_v<std::decay_t<decltype(target)>>)
                return text_of(*target);
            else
                return spec.choices[target.get()];
        },
        spec.target);
}

std::vector<OptionInfo> infos_of(std::span<const OptionSpec> specs) {
    std::vector<OptionInfo> infos;
    for (const OptionSpec& spec : specs)
        infos.push_back({spec.name, value_text(spec), spec.help, choices_of(spec)});
    return infos;
}

}  // namespace tandem
