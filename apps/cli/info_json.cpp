#include <nlohmann/json.hpp>

#include <cmath>

#include "info.hpp"

namespace tandem::cli {
namespace {

using Json = nlohmann::ordered_json;
using fmi::KindInfo;
using fmi::ModelDescription;
using fmi::Variable;

void put(Json& json, const char* key, const std::string& value) {
    if (!value.empty()) json[key] = value;
}

template <class T>
void put(Json& json, const char* key, const std::optional<T>& value) {
    if (value) json[key] = *value;
}

/// JSON has no infinity: such numbers become text.
Json real(double value) {
    if (std::isfinite(value)) return value;
    return std::isnan(value) ? "NaN" : value > 0 ? "INF" : "-INF";
}

Json value_at(ValueType type, const Values& values, std::size_t i) {
    switch (type) {
        case ValueType::float32:
        case ValueType::float64: return real(values.reals[i]);
        case ValueType::boolean:
        case ValueType::clock: return values.integers[i] != 0;
        case ValueType::uint64: return static_cast<std::uint64_t>(values.integers[i]);
        case ValueType::string:
        case ValueType::binary: return to_text(type, values, i);
        default: return values.integers[i];
    }
}

Json start_of(const Variable& variable) {
    const std::size_t count = variable.start->size(variable.type);
    if (variable.dimensions.empty() && count == 1)
        return value_at(variable.type, *variable.start, 0);
    Json list = Json::array();
    for (std::size_t i = 0; i < count; ++i)
        list.push_back(value_at(variable.type, *variable.start, i));
    return list;
}

Json json_of(const KindInfo& kind) {
    Json json;
    json["modelIdentifier"] = kind.model_identifier;
    json["needsExecutionTool"] = kind.needs_execution_tool;
    json["onlyOncePerProcess"] = kind.only_once_per_process;
    json["canGetAndSetState"] = kind.can_get_and_set_state;
    json["canSerializeState"] = kind.can_serialize_state;
    json["providesDirectionalDerivatives"] = kind.provides_directional_derivatives;
    json["providesAdjointDerivatives"] = kind.provides_adjoint_derivatives;
    json["perElementDependencies"] = kind.per_element_dependencies;
    return json;
}

Json co_simulation_of(const KindInfo& kind) {
    Json json = json_of(kind);
    json["canHandleVariableStep"] = kind.can_handle_variable_step;
    json["canInterpolateInputs"] = kind.can_interpolate_inputs;
    json["maxOutputDerivativeOrder"] = kind.max_output_derivative_order;
    json["canRunAsynchronously"] = kind.can_run_asynchronously;
    json["providesIntermediateUpdate"] = kind.provides_intermediate_update;
    json["mightReturnEarlyFromStep"] = kind.might_return_early_from_step;
    json["canReturnEarly"] = kind.can_return_early;
    json["hasEventMode"] = kind.has_event_mode;
    put(json, "fixedInternalStepSize", kind.fixed_internal_step_size);
    return json;
}

Json model_exchange_of(const KindInfo& kind) {
    Json json = json_of(kind);
    json["needsCompletedIntegratorStep"] =
        kind.needs_completed_integrator_step && !kind.completed_integrator_step_not_needed;
    json["providesEvaluateDiscreteStates"] = kind.provides_evaluate_discrete_states;
    return json;
}

Json clock_of(const fmi::ClockAttributes& clock) {
    Json json;
    put(json, "intervalVariability", clock.interval_variability);
    put(json, "interval", clock.interval_decimal);
    put(json, "shift", clock.shift_decimal);
    put(json, "resolution", clock.resolution);
    put(json, "intervalCounter", clock.interval_counter);
    put(json, "shiftCounter", clock.shift_counter);
    put(json, "priority", clock.priority);
    json["supportsFraction"] = clock.supports_fraction;
    json["canBeDeactivated"] = clock.can_be_deactivated;
    return json;
}

void put_attributes(Json& json, const fmi::TypeAttributes& attributes) {
    put(json, "quantity", attributes.quantity);
    put(json, "unit", attributes.unit);
    put(json, "displayUnit", attributes.display_unit);
    if (attributes.min) json["min"] = real(*attributes.min);
    if (attributes.max) json["max"] = real(*attributes.max);
    put(json, "nominal", attributes.nominal);
}

Json dimensions_of(const Variable& variable) {
    Json list = Json::array();
    for (const fmi::Dimension& dimension : variable.dimensions) {
        Json json{{"size", dimension.size}};
        put(json, "structuralParameter", dimension.parameter);
        list.push_back(json);
    }
    return list;
}

Json aliases_of(const Variable& variable) {
    Json list = Json::array();
    for (const fmi::Alias& alias : variable.aliases) {
        Json json{{"name", alias.name}};
        put(json, "description", alias.description);
        put(json, "displayUnit", alias.display_unit);
        list.push_back(json);
    }
    return list;
}

Json json_of(const Variable& variable, const ModelDescription& description) {
    Json json{{"name", variable.name}, {"valueReference", variable.reference}};
    put(json, "description", variable.description);
    json["type"] = to_string(variable.type);
    put(json, "declaredType", variable.declared_type);
    json["causality"] = to_string(variable.causality);
    json["variability"] = to_string(variable.variability);
    if (variable.initial != fmi::Initial::none) json["initial"] = to_string(variable.initial);
    put_attributes(json, variable.attributes);
    if (variable.start) json["start"] = start_of(variable);
    if (!variable.dimensions.empty()) json["dimensions"] = dimensions_of(variable);
    if (!variable.aliases.empty()) json["aliases"] = aliases_of(variable);
    if (variable.derivative_of)
        json["derivativeOf"] = description.variables[*variable.derivative_of].name;
    if (!variable.clocks.empty()) json["clocks"] = variable.clocks;
    if (variable.clock) json["clock"] = clock_of(*variable.clock);
    put(json, "mimeType", variable.mime_type);
    return json;
}

constexpr const char* dependency_names[] = {"dependent", "constant", "fixed", "tunable",
                                            "discrete"};

Json unknowns_of(const std::vector<fmi::Unknown>& unknowns, const ModelDescription& description) {
    Json list = Json::array();
    for (const fmi::Unknown& unknown : unknowns) {
        Json json{{"name", description.variables[unknown.variable].name}};
        if (unknown.dependencies) {
            json["dependencies"] = Json::array();
            for (const fmi::Dependency& dependency : *unknown.dependencies)
                json["dependencies"].push_back(
                    {{"name", description.variables[dependency.variable].name},
                     {"kind", dependency_names[static_cast<std::size_t>(dependency.kind)]}});
        }
        list.push_back(json);
    }
    return list;
}

Json structure_of(const ModelDescription& description) {
    const fmi::ModelStructure& structure = description.structure;
    return {{"outputs", unknowns_of(structure.outputs, description)},
            {"derivatives", unknowns_of(structure.derivatives, description)},
            {"clockedStates", unknowns_of(structure.clocked_states, description)},
            {"initialUnknowns", unknowns_of(structure.initial_unknowns, description)},
            {"eventIndicators", unknowns_of(structure.event_indicators, description)}};
}

Json units_of(const ModelDescription& description) {
    constexpr const char* bases[] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    Json list = Json::array();
    for (const fmi::Unit& unit : description.units) {
        Json json{{"name", unit.name}};
        if (unit.base) {
            Json base{{"factor", unit.base->factor}, {"offset", unit.base->offset}};
            for (std::size_t i = 0; i < unit.base->exponents.size(); ++i)
                if (unit.base->exponents[i] != 0) base[bases[i]] = unit.base->exponents[i];
            json["baseUnit"] = base;
        }
        for (const fmi::DisplayUnit& display : unit.display_units)
            json["displayUnits"].push_back({{"name", display.name},
                                            {"factor", display.factor},
                                            {"offset", display.offset},
                                            {"inverse", display.inverse}});
        list.push_back(json);
    }
    return list;
}

Json types_of(const ModelDescription& description) {
    Json list = Json::array();
    for (const fmi::TypeDefinition& type : description.types) {
        Json json{{"name", type.name}, {"type", to_string(type.type)}};
        put(json, "description", type.description);
        put_attributes(json, type.attributes);
        for (const fmi::EnumerationItem& item : type.items)
            json["items"].push_back({{"name", item.name}, {"value", item.value}});
        list.push_back(json);
    }
    return list;
}

Json experiment_of(const fmi::DefaultExperiment& experiment) {
    Json json = Json::object();
    put(json, "startTime", experiment.start_time);
    put(json, "stopTime", experiment.stop_time);
    put(json, "stepSize", experiment.step_size);
    put(json, "tolerance", experiment.tolerance);
    return json;
}

Json kinds_of(const ModelDescription& description) {
    Json json = Json::object();
    if (description.co_simulation)
        json["coSimulation"] = co_simulation_of(*description.co_simulation);
    if (description.model_exchange)
        json["modelExchange"] = model_exchange_of(*description.model_exchange);
    if (description.scheduled_execution)
        json["scheduledExecution"] = json_of(*description.scheduled_execution);
    return json;
}

}  // namespace

std::string info_as_json(const fmi::Fmu& fmu) {
    const ModelDescription& description = fmu.description();
    Json json{{"file", fmu.path().string()},
              {"fmi_version", description.version_text},
              {"modelName", description.model_name}};
    put(json, "description", description.description);
    put(json, "modelVersion", description.model_version);
    put(json, "author", description.author);
    put(json, "copyright", description.copyright);
    put(json, "license", description.license);
    put(json, "generationTool", description.generation_tool);
    put(json, "generationTime", description.generation_time);
    put(json, "instantiationToken", description.instantiation_token);
    json["platforms"] = platforms_of(fmu);
    json["sources"] = sources_of(fmu);
    json["states"] = description.state_count;
    json["eventIndicators"] = description.event_indicator_count;
    json["kinds"] = kinds_of(description);
    json["defaultExperiment"] = experiment_of(description.experiment);
    json["units"] = units_of(description);
    json["types"] = types_of(description);
    json["logCategories"] = Json::array();
    for (const fmi::LogCategory& category : description.log_categories)
        json["logCategories"].push_back(
            {{"name", category.name}, {"description", category.description}});
    json["variables"] = Json::array();
    for (const Variable& variable : description.variables)
        json["variables"].push_back(json_of(variable, description));
    json["modelStructure"] = structure_of(description);
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tandem::cli
