#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "fmi/description/parse_parts.hpp"

namespace tandem::fmi {
namespace {

bool needs_start(const Variable& variable) {
    if (variable.type == ValueType::clock) return false;
    return variable.causality == Causality::input || variable.initial == Initial::exact ||
           variable.initial == Initial::approx;
}

void check_name(ParseContext& context, const Variable& variable) {
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; };
    if (variable.name.empty())
        context.warn(variable.line, "a variable has an empty name", "it cannot be asked for");
    else if (std::any_of(variable.name.begin(), variable.name.end(), is_control))
        context.warn(variable.line,
                     fmt::format("the name {} contains control characters", quoted(variable.name)),
                     "it is hard to ask for; rename it");
    else if (context.model.structured_names && !is_structured_name(variable.name))
        context.warn(variable.line,
                     fmt::format("{} is not a structured name", quoted(variable.name)),
                     "the model declares structured names, like a.b[1].c or der(x)");
}

void check_start(ParseContext& context, const Variable& variable) {
    if (needs_start(variable) && !variable.start)
        context.warn(variable.line, fmt::format("{} needs a start value", quoted(variable.name)),
                     "the FMU starts with a value of its own");
    if (!needs_start(variable) && variable.start && variable.type != ValueType::clock &&
        context.model.version != Version::v1)
        context.warn(variable.line,
                     fmt::format("{} is calculated or independent and must not have a start value",
                                 quoted(variable.name)),
                     "the start value has no meaning there");
}

void check_limits(ParseContext& context, const Variable& variable) {
    const TypeAttributes& attributes = variable.attributes;
    if (attributes.min && attributes.max && *attributes.min > *attributes.max) {
        context.warn(variable.line,
                     fmt::format("the minimum {} of {} exceeds its maximum {}", *attributes.min,
                                 quoted(variable.name), *attributes.max),
                     "no value can satisfy both");
        return;
    }
    if (attributes.nominal && !(*attributes.nominal > 0.0))
        context.warn(variable.line,
                     fmt::format("the nominal value {} of {} is not positive", *attributes.nominal,
                                 quoted(variable.name)),
                     "1 is used where its magnitude cannot be");
    if (!variable.start) return;
    const auto outside = [&](double value) {
        return (attributes.min && value < *attributes.min) ||
               (attributes.max && value > *attributes.max);
    };
    const auto& reals = variable.start->reals;
    const auto& integers = variable.start->integers;
    if (std::any_of(reals.begin(), reals.end(), outside) ||
        std::any_of(integers.begin(), integers.end(),
                    [&](std::int64_t value) { return outside(static_cast<double>(value)); }))
        context.warn(variable.line,
                     fmt::format("{} starts outside of its limits", quoted(variable.name)),
                     "correct the start value, the minimum or the maximum");
}

/// Each unit that is not defined is complained of once.
class UnitChecker {
public:
    explicit UnitChecker(ParseContext& context) : context_(context) {
        for (const Unit& unit : context.model.units) {
            known_.insert(unit.name);
            for (const DisplayUnit& display : unit.display_units) known_.insert(display.name);
        }
    }
    void check(const Variable& variable) {
        check(variable, variable.attributes.unit);
        check(variable, variable.attributes.display_unit);
    }

private:
    void check(const Variable& variable, const std::string& unit) {
        if (unit.empty() || !known_.insert(unit).second) return;
        context_.warn(
            variable.line,
            fmt::format("the unit {} of {} is not defined", quoted(unit), quoted(variable.name)),
            "define it in <UnitDefinitions>; until then it cannot be converted");
    }

    ParseContext& context_;
    std::unordered_set<std::string> known_;
};

/// FMI 1.0 and 2.0: variables with the same type and reference are one value.
void check_aliases(ParseContext& context) {
    const std::vector<Variable>& variables = context.model.variables;
    std::unordered_map<std::uint64_t, std::size_t> first;
    first.reserve(variables.size());
    for (std::size_t i = 0; i < variables.size(); ++i) {
        // Enumerations are read and written as integers.
        const ValueType type =
            variables[i].type == ValueType::enumeration ? ValueType::int32 : variables[i].type;
        const auto key = static_cast<std::uint64_t>(type) << 32U | variables[i].reference;
        const auto [at, inserted] = first.emplace(key, i);
        if (inserted) continue;
        const Variable& one = variables[at->second];
        const Variable& other = variables[i];
        if (one.type != other.type)
            context.warn(other.line,
                         fmt::format("{} and {} are one value but differ in type", quoted(one.name),
                                     quoted(other.name)),
                         "aliases should have the same type");
        if (one.attributes.unit != other.attributes.unit && !one.attributes.unit.empty() &&
            !other.attributes.unit.empty())
            context.warn(other.line,
                         fmt::format("{} and {} are one value but differ in unit", quoted(one.name),
                                     quoted(other.name)),
                         "aliases should have the same unit");
    }
}

/// Makes the list of outputs agree with the variables.
void repair_outputs(ParseContext& context, int line) {
    ModelDescription& model = context.model;
    std::vector<Unknown>& outputs = model.structure.outputs;
    std::vector<bool> listed(model.variables.size(), false);
    std::erase_if(outputs, [&](const Unknown& output) {
        const Variable& variable = model.variables[output.variable];
        const bool wrong = variable.causality != Causality::output;
        const bool drop = wrong || listed[output.variable];
        if (drop)
            context.warn(line,
                         fmt::format("the model structure lists {} as output {}",
                                     quoted(variable.name), wrong ? "but it is none" : "twice"),
                         "the entry is ignored");
        listed[output.variable] = true;
        return drop;
    });
    for (std::size_t i = 0; i < model.variables.size(); ++i) {
        const Variable& variable = model.variables[i];
        if (variable.causality != Causality::output || listed[i]) continue;
        if (variable.type == ValueType::clock) continue;
        context.warn(
            variable.line,
            fmt::format("the model structure does not list the output {}", quoted(variable.name)),
            "it is taken to depend on every input");
        outputs.push_back({i, std::nullopt});
    }
}

void check_derivatives(ParseContext& context, int line) {
    const ModelDescription& model = context.model;
    std::set<std::size_t> listed;
    for (const Unknown& unknown : model.structure.derivatives) {
        const Variable& variable = model.variables[unknown.variable];
        if (!listed.insert(unknown.variable).second)
            context.refuse(line,
                           fmt::format("the model structure lists the derivative {} twice",
                                       quoted(variable.name)),
                           "the number of states is not clear; remove one entry");
        if (storage_of(variable.type) != Storage::reals)
            context.refuse(line,
                           fmt::format("the derivative {} is a {}, not a real number",
                                       quoted(variable.name), to_string(variable.type)),
                           "correct the model structure");
        if (!variable.derivative_of)
            context.warn(
                variable.line,
                fmt::format("{} is listed as derivative, but of no state", quoted(variable.name)),
                "the names of the states are not known");
    }
    const auto is_derivative = [](const Variable& each) { return each.derivative_of.has_value(); };
    if (model.model_exchange && listed.empty() &&
        std::any_of(model.variables.begin(), model.variables.end(), is_derivative))
        context.warn(line, "some variables are derivatives, but the model structure lists none",
                     "the model is taken to have no continuous states");
}

void check_independent(ParseContext& context) {
    bool found = false;
    for (const Variable& variable : context.model.variables) {
        if (variable.causality != Causality::independent) continue;
        if (found)
            context.warn(variable.line,
                         fmt::format("{} is a second independent variable", quoted(variable.name)),
                         "only time is independent");
        found = true;
    }
}

}  // namespace

void check_model(ParseContext& context, XmlElement root) {
    const bool v1 = context.model.version == Version::v1;
    UnitChecker units(context);
    for (const Variable& variable : context.model.variables) {
        check_name(context, variable);
        check_start(context, variable);
        check_limits(context, variable);
        if (!v1) units.check(variable);
    }
    check_independent(context);
    if (context.model.version != Version::v3) check_aliases(context);
    if (v1) return;
    const XmlElement structure = root.child("ModelStructure");
    const int line = structure ? structure.line() : root.line();
    repair_outputs(context, line);
    check_derivatives(context, line);
}

}  // namespace tandem::fmi
