#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tandem/error.hpp"

namespace tandem {

/// A value as a file or the command line gives it.
using OptionValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

struct GivenOption {
    std::string name;
    OptionValue value;
    std::string place;
};

/// A variable of any type whose values have names: the position of its value among them.
struct NamedValue {
    std::function<std::size_t()> get;
    std::function<void(std::size_t)> set;
};

/// One option of an algorithm: what it is called and means, and the variable that holds it. The
/// variable's value when described is the default. One description feeds files, the command line,
/// the documentation and the record of a run.
struct OptionSpec {
    using Target = std::variant<bool*, int*, double*, std::optional<int>*, std::optional<double>*,
                                std::string*, std::vector<std::string>*, NamedValue>;

    std::string name;
    Target target;
    std::string help;
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
    std::vector<std::string> choices = {};  ///< the values a text may have; empty: any
    bool is_open = false;  ///< any other text may be a choice, too; who uses it looks it up
    /// Older names of choices, each with the choice it stands for.
    std::vector<std::pair<std::string, std::string>> aliases = {};
};

/// An option as the command line, the documentation and the record of a run show it.
struct OptionInfo {
    std::string name;
    std::string value;  ///< the default, or the one chosen
    std::string help;
    std::vector<std::string> choices = {};  ///< the values it may have, if they are few
};

/// An option that chooses one of some values by name.
template <class Value>
OptionSpec choice_option(std::string name, Value* target, std::string help,
                         std::vector<std::pair<std::string, Value>> choices) {
    OptionSpec spec{std::move(name), NamedValue{}, std::move(help)};
    std::vector<Value> values;
    for (auto& [text, value] : choices) {
        spec.choices.push_back(std::move(text));
        values.push_back(std::move(value));
    }
    spec.target = NamedValue{
        [target, values] {
            return static_cast<std::size_t>(std::ranges::find(values, *target) - values.begin());
        },
        [target, values](std::size_t position) { *target = values[position]; }};
    return spec;
}

/// Stores the given options where the specs say. An unknown name, a wrong type, or a value out of
/// range becomes an error in `findings`; `owner` says whose options these are ("coupling
/// 'jacobi'").
void assign_options(std::span<const OptionSpec> specs, std::span<const GivenOption> given,
                    const std::string& owner, Diagnostics& findings);

/// "name=value" of the command line; the value is read as what it looks like.
GivenOption parse_option(const std::string& text, const std::string& place);

std::string to_text(const OptionValue& value);

/// The values an option may have, as text, if they are few; otherwise none.
std::vector<std::string> choices_of(const OptionSpec& spec);

/// The present value as text.
std::string value_text(const OptionSpec& spec);

/// All of them with their present values.
std::vector<OptionInfo> infos_of(std::span<const OptionSpec> specs);

}  // namespace tandem
