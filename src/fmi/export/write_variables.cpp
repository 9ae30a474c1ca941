#include <algorithm>
#include <cmath>

#include "fmi/export/write_parts.hpp"

namespace tandem::fmi::exporting {
namespace {

const char* old_type_name(ValueType type) {
    switch (type) {
        case ValueType::float64: return "Real";
        case ValueType::boolean: return "Boolean";
        case ValueType::string: return "String";
        case ValueType::enumeration: return "Enumeration";
        default: return "Integer";
    }
}

void write_limit(XmlWriter& xml, const char* name, ValueType type,
                 const std::optional<double>& limit) {
    if (!limit) return;
    if (storage_of(type) == Storage::reals) return xml.attribute(name, *limit);
    xml.attribute(name, std::to_string(std::llround(*limit)));
}

void write_attributes(XmlWriter& xml, const Variable& v) {
    const bool number = v.type != ValueType::boolean && v.type != ValueType::string &&
                        v.type != ValueType::binary && v.type != ValueType::clock;
    if (!v.declared_type.empty()) xml.attribute("declaredType", v.declared_type);
    if (!number) return;
    xml.optional("quantity", v.attributes.quantity);
    write_limit(xml, "min", v.type, v.attributes.min);
    write_limit(xml, "max", v.type, v.attributes.max);
    if (storage_of(v.type) != Storage::reals) return;
    xml.optional("unit", v.attributes.unit);
    xml.optional("displayUnit", v.attributes.display_unit);
    xml.flag("relativeQuantity", v.attributes.relative_quantity);
    xml.optional("nominal", v.attributes.nominal);
}

std::string start_text(const Variable& v) {
    std::string text;
    for (std::size_t i = 0; i < v.start->size(v.type); ++i)
        text += (i > 0 ? " " : "") + to_text(v.type, *v.start, i);
    return text;
}

const char* old_causality(const Variable& v) {
    if (v.causality == Causality::input) return "input";
    return v.causality == Causality::output ? "output" : "internal";
}

const char* old_variability(const Variable& v) {
    switch (v.variability) {
        case Variability::constant: return "constant";
        case Variability::fixed:
        case Variability::tunable: return "parameter";
        case Variability::discrete: return "discrete";
        case Variability::continuous: return "continuous";
    }
    return "continuous";
}

// FMI 1.0 names the inputs an output depends on; without the element it depends on all.
void write_direct_dependency(XmlWriter& xml, const ModelDescription& model, std::size_t index) {
    const auto& outputs = model.structure.outputs;
    const auto unknown = std::ranges::find(outputs, index, &Unknown::variable);
    if (unknown == outputs.end() || !unknown->dependencies) return;
    xml.open("DirectDependency");
    for (const Dependency& dependency : *unknown->dependencies) {
        const Variable& known = model.variables[dependency.variable];
        if (known.causality == Causality::input) xml.text_element("Name", known.name);
    }
    xml.close();
}

void write_scalar_head(XmlWriter& xml, const Variable& v) {
    xml.open("ScalarVariable");
    xml.attribute("name", v.name);
    xml.attribute("valueReference", std::size_t{v.reference});
    xml.optional("description", v.description);
}

void write_variable_1(XmlWriter& xml, const ModelDescription& model, std::size_t index) {
    const Variable& v = model.variables[index];
    write_scalar_head(xml, v);
    xml.attribute("variability", old_variability(v));
    xml.attribute("causality", old_causality(v));
    xml.open(old_type_name(v.type));
    write_attributes(xml, v);
    if (v.start) xml.attribute("start", start_text(v));
    const bool constant = v.variability == Variability::constant;
    if (v.start && v.causality != Causality::input && !constant) xml.attribute("fixed", true);
    xml.close();
    if (v.causality == Causality::output) write_direct_dependency(xml, model, index);
    xml.close();
}

void write_roles(XmlWriter& xml, const Variable& v) {
    xml.attribute("causality", to_string(v.causality));
    xml.attribute("variability", to_string(v.variability));
    if (v.initial != Initial::none) xml.attribute("initial", to_string(v.initial));
}

void write_variable_2(XmlWriter& xml, const Variable& v) {
    write_scalar_head(xml, v);
    write_roles(xml, v);
    xml.flag("canHandleMultipleSetPerTimeInstant", v.can_handle_multiple_set);
    xml.open(old_type_name(v.type));
    write_attributes(xml, v);
    if (v.start) xml.attribute("start", start_text(v));
    if (v.derivative_of) xml.attribute("derivative", *v.derivative_of + 1);
    xml.flag("reinit", v.reinit);
    xml.close();
    xml.close();
}

void write_clock(XmlWriter& xml, const ClockAttributes& clock) {
    xml.attribute("intervalVariability", clock.interval_variability);
    xml.flag("canBeDeactivated", clock.can_be_deactivated);
    xml.optional("intervalDecimal", clock.interval_decimal);
    xml.optional("shiftDecimal", clock.shift_decimal);
}

void write_dimensions(XmlWriter& xml, const Variable& v) {
    for (const Dimension& dimension : v.dimensions) {
        xml.open("Dimension");
        if (dimension.parameter)
            xml.attribute("valueReference", std::size_t{*dimension.parameter});
        else
            xml.attribute("start", std::to_string(dimension.size));
        xml.close();
    }
}

void write_variable_3(XmlWriter& xml, const ModelDescription& model, const Variable& v) {
    xml.open(to_string(v.type));
    xml.attribute("name", v.name);
    xml.attribute("valueReference", std::size_t{v.reference});
    xml.optional("description", v.description);
    write_roles(xml, v);
    xml.flag("intermediateUpdate", v.intermediate_update);
    write_attributes(xml, v);
    const bool start_elements = storage_of(v.type) == Storage::strings;
    if (v.start && !start_elements) xml.attribute("start", start_text(v));
    if (v.derivative_of)
        xml.attribute("derivative", std::size_t{model.variables[*v.derivative_of].reference});
    xml.flag("reinit", v.reinit);
    xml.optional("mimeType", v.mime_type);
    if (v.clock) write_clock(xml, *v.clock);
    write_dimensions(xml, v);
    for (std::size_t i = 0; v.start && start_elements && i < v.start->strings.size(); ++i) {
        xml.open("Start");
        xml.attribute("value", to_text(v.type, *v.start, i));
        xml.close();
    }
    xml.close();
}

const char* name_of(DependencyKind kind) {
    switch (kind) {
        case DependencyKind::dependent: return "dependent";
        case DependencyKind::constant: return "constant";
        case DependencyKind::fixed: return "fixed";
        case DependencyKind::tunable: return "tunable";
        case DependencyKind::discrete: return "discrete";
    }
    return "dependent";
}

void write_unknown(XmlWriter& xml, const ModelDescription& model, const char* name,
                   const Unknown& unknown) {
    const bool v3 = model.version == Version::v3;
    const auto number = [&](std::size_t variable) {
        return v3 ? std::size_t{model.variables[variable].reference} : variable + 1;
    };
    xml.open(name);
    xml.attribute(v3 ? "valueReference" : "index", number(unknown.variable));
    if (unknown.dependencies) {
        std::string list, kinds;
        for (const Dependency& dependency : *unknown.dependencies) {
            list += (list.empty() ? "" : " ") + std::to_string(number(dependency.variable));
            kinds += (kinds.empty() ? "" : " ") + std::string(name_of(dependency.kind));
        }
        xml.attribute("dependencies", list);
        xml.attribute("dependenciesKind", kinds);
    }
    xml.close();
}

void write_section(XmlWriter& xml, const ModelDescription& model, const char* section,
                   const std::vector<Unknown>& unknowns) {
    if (unknowns.empty()) return;
    xml.open(section);
    for (const Unknown& unknown : unknowns) write_unknown(xml, model, "Unknown", unknown);
    xml.close();
}

}  // namespace

void write_variables(XmlWriter& xml, const ModelDescription& model) {
    xml.open("ModelVariables");
    for (std::size_t i = 0; i < model.variables.size(); ++i) {
        switch (model.version) {
            case Version::v1: write_variable_1(xml, model, i); break;
            case Version::v2: write_variable_2(xml, model.variables[i]); break;
            case Version::v3: write_variable_3(xml, model, model.variables[i]); break;
        }
    }
    xml.close();
}

void write_structure(XmlWriter& xml, const ModelDescription& model) {
    const ModelStructure& structure = model.structure;
    xml.open("ModelStructure");
    if (model.version == Version::v2) {
        write_section(xml, model, "Outputs", structure.outputs);
        write_section(xml, model, "Derivatives", structure.derivatives);
        write_section(xml, model, "InitialUnknowns", structure.initial_unknowns);
    } else {
        const auto each = [&](const char* name, const std::vector<Unknown>& unknowns) {
            for (const Unknown& unknown : unknowns) write_unknown(xml, model, name, unknown);
        };
        each("Output", structure.outputs);
        each("ContinuousStateDerivative", structure.derivatives);
        each("ClockedState", structure.clocked_states);
        each("InitialUnknown", structure.initial_unknowns);
        each("EventIndicator", structure.event_indicators);
    }
    xml.close();
}

}  // namespace tandem::fmi::exporting
