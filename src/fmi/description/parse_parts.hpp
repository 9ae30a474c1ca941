#pragma once

#include "fmi/description/parse_support.hpp"

namespace tandem::fmi {

// The parts of parse_model_description, in the order they run. Each reads one section of the file
// in all versions of FMI.
void read_kinds(ParseContext& context, XmlElement root, Attributes& root_attributes);
void read_units(ParseContext& context, XmlElement root);
void read_types(ParseContext& context, XmlElement root);
void read_variables(ParseContext& context, XmlElement root);
void read_structure(ParseContext& context, XmlElement root);
/// Looks for slips that concern more than one element.
void check_model(ParseContext& context, XmlElement root);

/// One <ScalarVariable> of FMI 1.0 or 2.0; nothing if it had to be left out.
std::optional<Variable> read_scalar_variable(ParseContext& context, XmlElement element);
/// One <Float64>, <Clock>, ... of FMI 3.0; nothing if it had to be left out.
std::optional<Variable> read_typed_variable(ParseContext& context, XmlElement element);
/// Finds the parameters that size the arrays, and fills or checks start values accordingly.
void resolve_dimensions(ParseContext& context);

/// The type an element stands for: "Real", "RealType", "Float64", "Float64Type" ...
std::optional<ValueType> type_of_element(Version version, std::string_view name);

/// Unit, limits and the like; what the element does not say is taken from `inherited`.
TypeAttributes read_type_attributes(Attributes& attributes, const TypeAttributes& inherited);

/// Reads declaredType and what comes with the type: attributes, limits, reinit.
void read_declared_type(ParseContext& context, Attributes& attributes, Variable& variable);

/// Appends one start value; a malformed one is dropped with a warning, together with the others.
void append_start(ParseContext& context, Variable& variable, std::string_view text);

/// Interval and priority of a clock, from the element of a variable or of a type.
ClockAttributes read_clock(Attributes& attributes, const ClockAttributes& inherited);

/// Whether a name follows the structured naming convention (a.b[1].c, der(x), 'quoted').
bool is_structured_name(std::string_view name);

}  // namespace tandem::fmi
