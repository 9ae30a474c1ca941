#include "fmi/description/parse_roles.hpp"

#include <fmt/format.h>

#include <array>

namespace tandem::fmi {
namespace {

constexpr std::array<std::pair<std::string_view, Causality>, 7> causalities = {{
    {"parameter", Causality::parameter},
    {"calculatedParameter", Causality::calculated_parameter},
    {"structuralParameter", Causality::structural_parameter},
    {"input", Causality::input},
    {"output", Causality::output},
    {"local", Causality::local},
    {"independent", Causality::independent},
}};

constexpr std::array<std::pair<std::string_view, Variability>, 5> variabilities = {{
    {"constant", Variability::constant},
    {"fixed", Variability::fixed},
    {"tunable", Variability::tunable},
    {"discrete", Variability::discrete},
    {"continuous", Variability::continuous},
}};

constexpr std::array<std::pair<std::string_view, Initial>, 3> initials = {{
    {"exact", Initial::exact},
    {"approx", Initial::approx},
    {"calculated", Initial::calculated},
}};

enum class Causality1 { input, output, internal, none };

constexpr std::array<std::pair<std::string_view, Causality1>, 4> causalities1 = {{
    {"input", Causality1::input},
    {"output", Causality1::output},
    {"internal", Causality1::internal},
    {"none", Causality1::none},
}};

enum class Variability1 { constant, parameter, discrete, continuous };

constexpr std::array<std::pair<std::string_view, Variability1>, 4> variabilities1 = {{
    {"constant", Variability1::constant},
    {"parameter", Variability1::parameter},
    {"discrete", Variability1::discrete},
    {"continuous", Variability1::continuous},
}};

bool is_parameter(Causality causality) {
    return causality == Causality::parameter || causality == Causality::calculated_parameter ||
           causality == Causality::structural_parameter;
}

bool is_real(ValueType type) { return storage_of(type) == Storage::reals; }

Variability default_variability(const Variable& variable) {
    if (is_parameter(variable.causality)) return Variability::fixed;
    return is_real(variable.type) ? Variability::continuous : Variability::discrete;
}

/// The table of the standards: what `initial` is when the file does not say.
Initial default_initial(Version version, const Variable& variable) {
    switch (variable.causality) {
        case Causality::parameter:
        case Causality::structural_parameter: return Initial::exact;
        case Causality::calculated_parameter: return Initial::calculated;
        case Causality::input: return version == Version::v3 ? Initial::exact : Initial::none;
        case Causality::independent: return Initial::none;
        case Causality::output:
        case Causality::local: break;
    }
    return variable.variability == Variability::constant ? Initial::exact : Initial::calculated;
}

void repair_variability(ParseContext& context, Variable& variable) {
    const auto correct = [&](const char* reason) {
        const Variability right = default_variability(variable);
        context.warn(
            variable.line,
            fmt::format("{} {} {} and declared {}", quoted(variable.name), reason,
                        is_parameter(variable.causality) ? "parameter" : to_string(variable.type),
                        to_string(variable.variability)),
            fmt::format("it is taken as {}", to_string(right)));
        variable.variability = right;
    };
    if (is_parameter(variable.causality)) {
        if (variable.variability != Variability::fixed &&
            variable.variability != Variability::tunable)
            correct("is a");
    } else if (variable.variability == Variability::continuous && !is_real(variable.type)) {
        correct("is of type");
    }
}

}  // namespace

void read_roles(ParseContext& context, Attributes& attributes, Variable& variable) {
    variable.causality =
        attributes.choice<Causality>("causality", causalities).value_or(Causality::local);
    variable.variability = attributes.choice<Variability>("variability", variabilities)
                               .value_or(default_variability(variable));
    repair_variability(context, variable);
    const Initial usual = default_initial(context.model.version, variable);
    const auto stated = attributes.choice<Initial>("initial", initials);
    variable.initial = stated.value_or(usual);
    if (!stated || usual != Initial::none) return;
    context.warn(variable.line,
                 fmt::format("{} is {} and must not have the attribute 'initial'",
                             quoted(variable.name), to_string(variable.causality)),
                 "the attribute is ignored");
    variable.initial = Initial::none;
}

void read_fmi1_roles(ParseContext& context, Attributes& attributes, Variable& variable,
                     bool fixed) {
    const auto causality =
        attributes.choice<Causality1>("causality", causalities1).value_or(Causality1::internal);
    const auto variability = attributes.choice<Variability1>("variability", variabilities1);
    switch (causality) {
        case Causality1::input: variable.causality = Causality::input; break;
        case Causality1::output: variable.causality = Causality::output; break;
        case Causality1::internal:
        case Causality1::none: variable.causality = Causality::local; break;
    }
    if (variability == Variability1::parameter && causality != Causality1::output)
        variable.causality =
            variable.start ? Causality::parameter : Causality::calculated_parameter;
    variable.variability = default_variability(variable);
    if (variability == Variability1::constant) variable.variability = Variability::constant;
    if (variability == Variability1::parameter) variable.variability = Variability::fixed;
    if (variability == Variability1::discrete) variable.variability = Variability::discrete;
    if (variability == Variability1::continuous && attributes.find("variability")) {
        variable.variability = Variability::continuous;
        repair_variability(context, variable);
    }
    if (variable.causality == Causality::input)
        variable.initial = Initial::none;
    else if (variable.start)
        variable.initial = fixed ? Initial::exact : Initial::approx;
    else
        variable.initial = Initial::calculated;
}

}  // namespace tandem::fmi
