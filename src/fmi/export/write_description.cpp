#include <algorithm>
#include <array>

#include "fmi/export/exported_instance.hpp"
#include "fmi/export/write_parts.hpp"

namespace tandem::fmi {
namespace exporting {
namespace {

void write_identity(XmlWriter& xml, const ModelDescription& model) {
    const bool v3 = model.version == Version::v3;
    xml.attribute("fmiVersion", to_string(model.version));
    xml.attribute("modelName", model.model_name);
    xml.attribute(v3 ? "instantiationToken" : "guid", model.instantiation_token);
    xml.optional("description", model.description);
    xml.optional("author", model.author);
    xml.optional("version", model.model_version);
    if (model.version != Version::v1) {
        xml.optional("copyright", model.copyright);
        xml.optional("license", model.license);
    }
    xml.optional("generationTool", model.generation_tool);
    xml.optional("generationDateAndTime", model.generation_time);
    xml.attribute("variableNamingConvention", model.structured_names ? "structured" : "flat");
    if (model.version == Version::v1) xml.attribute("numberOfContinuousStates", model.state_count);
    if (!v3) xml.attribute("numberOfEventIndicators", model.event_indicator_count);
}

void write_common_capabilities(XmlWriter& xml, const KindInfo& kind, Version version) {
    const bool v3 = version == Version::v3;
    xml.attribute("modelIdentifier", kind.model_identifier);
    xml.flag("needsExecutionTool", kind.needs_execution_tool);
    xml.flag("canBeInstantiatedOnlyOncePerProcess", kind.only_once_per_process);
    xml.flag(v3 ? "canGetAndSetFMUState" : "canGetAndSetFMUstate", kind.can_get_and_set_state);
    xml.flag(v3 ? "canSerializeFMUState" : "canSerializeFMUstate", kind.can_serialize_state);
    xml.flag(v3 ? "providesDirectionalDerivatives" : "providesDirectionalDerivative",
             kind.provides_directional_derivatives);
    if (!v3) return;
    xml.flag("providesAdjointDerivatives", kind.provides_adjoint_derivatives);
    xml.flag("providesPerElementDependencies", kind.per_element_dependencies);
}

void write_model_exchange(XmlWriter& xml, const KindInfo& kind, Version version) {
    xml.open("ModelExchange");
    write_common_capabilities(xml, kind, version);
    if (version == Version::v3) {
        xml.flag("needsCompletedIntegratorStep", kind.needs_completed_integrator_step);
        xml.flag("providesEvaluateDiscreteStates", kind.provides_evaluate_discrete_states);
    } else {
        xml.flag("completedIntegratorStepNotNeeded", kind.completed_integrator_step_not_needed);
    }
    xml.close();
}

void write_co_simulation(XmlWriter& xml, const KindInfo& kind, Version version) {
    xml.open("CoSimulation");
    write_common_capabilities(xml, kind, version);
    xml.flag("canHandleVariableCommunicationStepSize", kind.can_handle_variable_step);
    xml.attribute("maxOutputDerivativeOrder", std::size_t{kind.max_output_derivative_order});
    if (version == Version::v3) {
        xml.optional("fixedInternalStepSize", kind.fixed_internal_step_size);
        xml.flag("providesIntermediateUpdate", kind.provides_intermediate_update);
        xml.flag("mightReturnEarlyFromDoStep", kind.might_return_early_from_step);
        xml.flag("canReturnEarlyAfterIntermediateUpdate", kind.can_return_early);
        xml.flag("hasEventMode", kind.has_event_mode);
        xml.flag("providesEvaluateDiscreteStates", kind.provides_evaluate_discrete_states);
    } else {
        xml.flag("canInterpolateInputs", kind.can_interpolate_inputs);
        xml.flag("canRunAsynchronuously", kind.can_run_asynchronously);
    }
    xml.close();
}

// FMI 1.0 says all about Co-Simulation in one element at the end.
void write_implementation(XmlWriter& xml, const KindInfo& kind) {
    xml.open("Implementation");
    xml.open("CoSimulation_StandAlone");
    xml.open("Capabilities");
    xml.attribute("canHandleVariableCommunicationStepSize", kind.can_handle_variable_step);
    xml.attribute("canHandleEvents", true);
    xml.attribute("canInterpolateInputs", kind.can_interpolate_inputs);
    xml.attribute("maxOutputDerivativeOrder", std::size_t{kind.max_output_derivative_order});
    xml.close();
    xml.close();
    xml.close();
}

constexpr std::array<const char*, 8> base_units = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};

void write_base_unit(XmlWriter& xml, const BaseUnit& base) {
    xml.open("BaseUnit");
    for (std::size_t i = 0; i < base_units.size(); ++i)
        if (base.exponents[i] != 0) xml.attribute(base_units[i], std::to_string(base.exponents[i]));
    if (base.factor != 1.0) xml.attribute("factor", base.factor);
    if (base.offset != 0.0) xml.attribute("offset", base.offset);
    xml.close();
}

void write_units(XmlWriter& xml, const ModelDescription& model) {
    if (model.units.empty()) return;
    xml.open("UnitDefinitions");
    for (const Unit& unit : model.units) {
        if (model.version == Version::v1) {
            xml.open("BaseUnit");
            xml.attribute("unit", unit.name);
        } else {
            xml.open("Unit");
            xml.attribute("name", unit.name);
            if (unit.base) write_base_unit(xml, *unit.base);
        }
        xml.close();
    }
    xml.close();
}

void write_enumeration(XmlWriter& xml, const TypeDefinition& type, Version version) {
    if (version != Version::v3) {
        xml.open(version == Version::v1 ? "Type" : "SimpleType");
        xml.attribute("name", type.name);
        xml.optional("description", type.description);
    }
    xml.open(version == Version::v2 ? "Enumeration" : "EnumerationType");
    if (version == Version::v3) {
        xml.attribute("name", type.name);
        xml.optional("description", type.description);
    }
    for (const EnumerationItem& item : type.items) {
        xml.open("Item");
        xml.attribute("name", item.name);
        if (version != Version::v1) xml.attribute("value", std::to_string(item.value));
        xml.optional("description", item.description);
        xml.close();
    }
    xml.close();
    if (version != Version::v3) xml.close();
}

void write_types(XmlWriter& xml, const ModelDescription& model) {
    if (model.types.empty()) return;
    xml.open("TypeDefinitions");
    for (const TypeDefinition& type : model.types) write_enumeration(xml, type, model.version);
    xml.close();
}

void write_log_categories(XmlWriter& xml, const ModelDescription& model) {
    if (model.log_categories.empty() || model.version == Version::v1) return;
    xml.open("LogCategories");
    for (const LogCategory& category : model.log_categories) {
        xml.open("Category");
        xml.attribute("name", category.name);
        xml.optional("description", category.description);
        xml.close();
    }
    xml.close();
}

void write_experiment(XmlWriter& xml, const ModelDescription& model) {
    xml.open("DefaultExperiment");
    xml.optional("startTime", model.experiment.start_time);
    xml.optional("stopTime", model.experiment.stop_time);
    xml.optional("tolerance", model.experiment.tolerance);
    if (model.version != Version::v1) xml.optional("stepSize", model.experiment.step_size);
    xml.close();
}

}  // namespace
}  // namespace exporting

std::string write_model_description(const ModelDescription& model, Kind kind) {
    using namespace exporting;
    XmlWriter xml;
    xml.open("fmiModelDescription");
    write_identity(xml, model);
    if (model.version == Version::v1) {
        const KindInfo* info = model.kind(kind);
        if (info != nullptr) xml.attribute("modelIdentifier", info->model_identifier);
    } else {
        if (model.model_exchange) write_model_exchange(xml, *model.model_exchange, model.version);
        if (model.co_simulation) write_co_simulation(xml, *model.co_simulation, model.version);
    }
    write_units(xml, model);
    write_types(xml, model);
    write_log_categories(xml, model);
    write_experiment(xml, model);
    write_variables(xml, model);
    if (model.version != Version::v1) write_structure(xml, model);
    if (model.version == Version::v1 && kind == Kind::co_simulation && model.co_simulation)
        write_implementation(xml, *model.co_simulation);
    xml.close();
    return xml.take();
}

}  // namespace tandem::fmi
