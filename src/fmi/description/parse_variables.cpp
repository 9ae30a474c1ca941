#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "fmi/description/parse_parts.hpp"

namespace tandem::fmi {
namespace {

/// Names must differ; some tools export several variables of one name all the same. The first one
/// keeps it.
void index_names(ParseContext& context) {
    ModelDescription& model = context.model;
    model.index_by_name.reserve(model.variables.size());
    std::unordered_map<std::string, int> numbers;  // given last, for each name
    const auto add = [&](std::string& name, std::size_t index) {
        const auto [at, inserted] = model.index_by_name.emplace(name, index);
        if (inserted) return;
        const std::string shared = name;
        int& number = numbers.try_emplace(shared, 1).first->second;
        do {
            name = fmt::format("{}#{}", shared, ++number);
        } while (!model.index_by_name.emplace(name, index).second);
        model.variables[at->second].shares_name = true;
        context.warn(model.variables[index].line,
                     fmt::format("the variable {} is defined twice, first in line {}; here it is "
                                 "called {}",
                                 quoted(shared), model.variables[at->second].line, quoted(name)),
                     "the names of variables must differ");
    };
    for (std::size_t i = 0; i < model.variables.size(); ++i) {
        add(model.variables[i].name, i);
        for (Alias& alias : model.variables[i].aliases) add(alias.name, i);
    }
}

void index_references(ParseContext& context) {
    const ModelDescription& model = context.model;
    context.reference_index.reserve(model.variables.size());
    for (std::size_t i = 0; i < model.variables.size(); ++i) {
        const Variable& variable = model.variables[i];
        const auto [at, inserted] = context.reference_index.emplace(variable.reference, i);
        if (!inserted)
            context.refuse(variable.line,
                           fmt::format("the variables {} and {} have the same value reference {}",
                                       quoted(model.variables[at->second].name),
                                       quoted(variable.name), variable.reference),
                           "value references of FMI 3.0 must differ; use <Alias> for aliases");
    }
}

/// The readers leave in `derivative_of` what the file says: an index from 1 in FMI 2.0, a value
/// reference in FMI 3.0.
void resolve_derivatives(ParseContext& context) {
    ModelDescription& model = context.model;
    for (Variable& variable : model.variables) {
        if (!variable.derivative_of) continue;
        const std::size_t stated = *variable.derivative_of;
        std::size_t state = stated - 1;  // wraps for 0, which the next test catches
        if (model.version == Version::v3) {
            const auto found = context.reference_index.find(static_cast<ValueReference>(stated));
            state = found == context.reference_index.end() ? model.variables.size() : found->second;
        }
        if (state >= model.variables.size())
            context.refuse(variable.line,
                           fmt::format("{} is the derivative of variable {}, which does not exist",
                                       quoted(variable.name), stated),
                           "correct the attribute 'derivative'");
        variable.derivative_of = state;
    }
}

/// Higher derivatives form chains, which must end.
void check_derivative_chains(ParseContext& context) {
    const std::vector<Variable>& variables = context.model.variables;
    std::vector<std::size_t> visited_from(variables.size(), variables.size());
    for (std::size_t start = 0; start < variables.size(); ++start) {
        for (std::optional<std::size_t> at = start; at; at = variables[*at].derivative_of) {
            if (visited_from[*at] == start)
                context.refuse(
                    variables[*at].line,
                    fmt::format("{} is the derivative of itself", quoted(variables[*at].name)),
                    "correct the attribute 'derivative'");
            if (visited_from[*at] != variables.size()) break;
            visited_from[*at] = start;
        }
    }
}

void check_references(ParseContext& context) {
    for (const Variable& variable : context.model.variables) {
        const auto require = [&](ValueReference reference, const char* attribute) {
            const auto found = context.reference_index.find(reference);
            if (found == context.reference_index.end())
                context.refuse(variable.line,
                               fmt::format("the attribute '{}' of {} refers to variable {}, "
                                           "which does not exist",
                                           attribute, quoted(variable.name), reference),
                               "correct the value reference");
            return found->second;
        };
        if (variable.previous) require(*variable.previous, "previous");
        for (const ValueReference clock : variable.clocks)
            if (context.model.variables[require(clock, "clocks")].type != ValueType::clock)
                context.warn(variable.line,
                             fmt::format("{} names variable {} as its clock, which is none",
                                         quoted(variable.name), clock),
                             "correct the attribute 'clocks'");
    }
}

}  // namespace

void append_start(ParseContext& context, Variable& variable, std::string_view text) {
    if (!variable.start) variable.start.emplace();
    if (append_text(variable.type, text, *variable.start)) return;
    context.warn(variable.line,
                 fmt::format("the start value {} of {} is no {}", quoted(text),
                             quoted(variable.name), to_string(variable.type)),
                 "it is ignored; the FMU starts with a value of its own");
    variable.start.reset();
}

void read_declared_type(ParseContext& context, Attributes& attributes, Variable& variable) {
    variable.declared_type = attributes.text("declaredType");
    static const TypeAttributes nothing;
    const TypeAttributes* inherited = &nothing;
    if (!variable.declared_type.empty()) {
        const auto found = context.type_index.find(variable.declared_type);
        const TypeDefinition* type =
            found == context.type_index.end() ? nullptr : &context.model.types[found->second];
        if (type != nullptr && type->type == variable.type)
            inherited = &type->attributes;
        else
            context.warn(variable.line,
                         fmt::format("the type {} of {} is {}", quoted(variable.declared_type),
                                     quoted(variable.name),
                                     type == nullptr ? "not defined" : "of another kind"),
                         "nothing is inherited from it");
    } else if (variable.type == ValueType::enumeration && context.model.version != Version::v1) {
        context.warn(variable.line,
                     fmt::format("the enumeration {} has no declaredType", quoted(variable.name)),
                     "its items are not known, only numbers can be given");
    }
    variable.attributes = read_type_attributes(attributes, *inherited);
    variable.reinit = attributes.flag("reinit");
}

void read_variables(ParseContext& context, XmlElement root) {
    const XmlElement section = root.child("ModelVariables");
    const bool v3 = context.model.version == Version::v3;
    if (!section && context.model.version != Version::v1)
        context.refuse(root.line(), "there is no <ModelVariables>", "export the FMU again");
    for (const XmlElement element : section.children()) {
        std::optional<Variable> variable =
            v3 ? read_typed_variable(context, element) : read_scalar_variable(context, element);
        if (variable) context.model.variables.push_back(std::move(*variable));
    }
    index_names(context);
    if (v3) index_references(context);
    resolve_derivatives(context);
    check_derivative_chains(context);
    if (v3) {
        check_references(context);
        resolve_dimensions(context);
    }
}

}  // namespace tandem::fmi
