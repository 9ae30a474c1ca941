#include <fmt/format.h>

#include <array>

#include "fmi/description/parse_parts.hpp"
#include "fmi/description/parse_roles.hpp"

namespace tandem::fmi {
namespace {

enum class AliasKind { none, alias, negated };

constexpr std::array<std::pair<std::string_view, AliasKind>, 3> alias_kinds = {{
    {"noAlias", AliasKind::none},
    {"alias", AliasKind::alias},
    {"negatedAlias", AliasKind::negated},
}};

/// The child that tells the type: <Real>, <Integer>, ...
XmlElement type_element_of(ParseContext& context, XmlElement element, Variable& variable) {
    for (const XmlElement child : element.children()) {
        const auto type = type_of_element(context.model.version, child.name());
        if (!type) continue;
        variable.type = *type;
        return child;
    }
    context.refuse(element.line(),
                   fmt::format("the variable {} has no type", quoted(variable.name)),
                   "it needs one of <Real>, <Integer>, <Boolean>, <String>, <Enumeration>");
}

void read_type_element(ParseContext& context, Attributes& attributes, Variable& variable) {
    read_declared_type(context, attributes, variable);
    if (const auto start = attributes.find("start")) append_start(context, variable, *start);
    if (const auto state = attributes.strict_number<std::uint32_t>("derivative"))
        variable.derivative_of = *state;
}

void read_children(ParseContext& context, XmlElement element, XmlElement type_element) {
    for (const XmlElement child : element.children()) {
        if (child.line() == type_element.line() && child.name() == type_element.name()) continue;
        if (child.name() == "DirectDependency")
            context.direct_dependencies.emplace_back(context.model.variables.size(), child);
        else if (child.name() != "Annotations" && child.name() != "VendorAnnotations")
            context.warn(
                child.line(),
                fmt::format("the element <{}> is unknown and ignored", quoted(child.name())),
                "FMI does not define it there");
    }
}

}  // namespace

std::optional<Variable> read_scalar_variable(ParseContext& context, XmlElement element) {
    if (element.name() != "ScalarVariable") {
        context.warn(element.line(),
                     fmt::format("<ModelVariables> contains <{}>", quoted(element.name())),
                     "only <ScalarVariable> is read");
        return std::nullopt;
    }
    Variable variable;
    Attributes outer(context, element);
    variable.line = element.line();
    variable.name = outer.required("name");
    variable.description = outer.text("description");
    outer.required("valueReference");
    variable.reference = *outer.strict_number<std::uint32_t>("valueReference");
    variable.can_handle_multiple_set = outer.flag("canHandleMultipleSetPerTimeInstant", true);

    const XmlElement type_element = type_element_of(context, element, variable);
    Attributes inner(context, type_element);
    read_type_element(context, inner, variable);
    if (context.model.version == Version::v1) {
        variable.negated_alias =
            outer.choice<AliasKind>("alias", alias_kinds) == AliasKind::negated;
        read_fmi1_roles(context, outer, variable, inner.flag("fixed", true));
    } else {
        read_roles(context, outer, variable);
    }
    inner.finish();
    outer.finish();
    read_children(context, element, type_element);
    return variable;
}

}  // namespace tandem::fmi
