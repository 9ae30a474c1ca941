#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace tandem {

/// A value as a file or the command line gives it.
using OptionValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>>;

struct GivenOption {
    std::string name;
    OptionValue value;
    std::string place;
};

/// One option of an algorithm: what it is called and means, and the variable that holds it. The
/// variable's value when described is the default. One description feeds files, the command line,
/// the documentation and the record of a run.
struct OptionSpec {
    using Target = std::variant<bool*, int*, double*, std::string*, std::vector<std::string>*>;

    std::string name;
    Target target;
    std::string help;
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
    std::vector<std::string> choices = {};  ///< the values a text may have; empty: any
};

/// Stores the given options where the specs say. An unknown name, a wrong type, or a value out of
/// range becomes an error in `findings`; `owner` says whose options these are ("coupling
/// 'jacobi'").
void assign_options(std::span<const OptionSpec> specs, std::span<const GivenOption> given,
                    const std::string& owner, Diagnostics& findings);

/// "name=value" of the command line; the value is read as what it looks like.
GivenOption parse_option(const std::string& text, const std::string& place);

std::string to_text(const OptionValue& value);

/// The present value as text.
std::string value_text(const OptionSpec& spec);

}  // namespace tandem
