#include <fmt/format.h>

#include <array>

#include "fmi/description/parse_parts.hpp"

namespace tandem::fmi {
namespace {

struct Flag {
    const char* attribute;
    bool KindInfo::*field;
};

/// Capabilities by their names in any version; a version simply lacks those it does not know.
constexpr std::array flags = {
    Flag{"needsExecutionTool", &KindInfo::needs_execution_tool},
    Flag{"canBeInstantiatedOnlyOncePerProcess", &KindInfo::only_once_per_process},
    Flag{"canGetAndSetFMUstate", &KindInfo::can_get_and_set_state},
    Flag{"canGetAndSetFMUState", &KindInfo::can_get_and_set_state},
    Flag{"canSerializeFMUstate", &KindInfo::can_serialize_state},
    Flag{"canSerializeFMUState", &KindInfo::can_serialize_state},
    Flag{"providesDirectionalDerivative", &KindInfo::provides_directional_derivatives},
    Flag{"providesDirectionalDerivatives", &KindInfo::provides_directional_derivatives},
    Flag{"providesAdjointDerivatives", &KindInfo::provides_adjoint_derivatives},
    Flag{"providesPerElementDependencies", &KindInfo::per_element_dependencies},
    Flag{"completedIntegratorStepNotNeeded", &KindInfo::completed_integrator_step_not_needed},
    Flag{"needsCompletedIntegratorStep", &KindInfo::needs_completed_integrator_step},
    Flag{"providesEvaluateDiscreteStates", &KindInfo::provides_evaluate_discrete_states},
    Flag{"canHandleVariableCommunicationStepSize", &KindInfo::can_handle_variable_step},
    Flag{"canInterpolateInputs", &KindInfo::can_interpolate_inputs},
    Flag{"canRunAsynchronuously", &KindInfo::can_run_asynchronously},
    Flag{"providesIntermediateUpdate", &KindInfo::provides_intermediate_update},
    Flag{"mightReturnEarlyFromDoStep", &KindInfo::might_return_early_from_step},
    Flag{"canReturnEarlyAfterIntermediateUpdate", &KindInfo::can_return_early},
    Flag{"hasEventMode", &KindInfo::has_event_mode},
};

void check_identifier(ParseContext& context, int line, const std::string& identifier) {
    // The identifier becomes the name of a file: it must not lead elsewhere.
    if (identifier.empty() || identifier.find_first_of("/\\") != std::string::npos ||
        identifier == "." || identifier == "..")
        context.refuse(line,
                       fmt::format("the modelIdentifier {} is not a name", quoted(identifier)),
                       "it must be the name of the binary without its ending");
}

/// Reads what the attributes say into `info`.
void read_capabilities(Version version, Attributes& attributes, KindInfo& info) {
    info.needs_completed_integrator_step = version != Version::v3;
    for (const Flag& flag : flags)
        if (const auto value = attributes.number<bool>(flag.attribute)) info.*flag.field = *value;
    if (version == Version::v3)
        info.completed_integrator_step_not_needed = !info.needs_completed_integrator_step;
    else
        info.needs_completed_integrator_step = !info.completed_integrator_step_not_needed;
    info.max_output_derivative_order =
        attributes.number<std::uint32_t>("maxOutputDerivativeOrder").value_or(0);
    info.fixed_internal_step_size = attributes.number<double>("fixedInternalStepSize");
    attributes.ignore({"recommendedIntermediateInputSmoothness",
                       "canNotUseMemoryManagementFunctions", "canHandleEvents", "canRejectSteps",
                       "canSignalEvents"});
}

std::optional<KindInfo> read_kind(ParseContext& context, XmlElement element) {
    if (!element) return std::nullopt;
    KindInfo info;
    Attributes attributes(context, element);
    info.model_identifier = attributes.required("modelIdentifier");
    check_identifier(context, element.line(), info.model_identifier);
    read_capabilities(context.model.version, attributes, info);
    attributes.finish();
    for (const XmlElement file : element.child("SourceFiles").children())
        if (const auto name = file.attribute("name")) info.source_files.emplace_back(*name);
    return info;
}

/// FMI 1.0: one kind only, told by <Implementation>.
void read_fmi1_kind(ParseContext& context, XmlElement root, Attributes& attributes) {
    KindInfo info;
    info.model_identifier = attributes.required("modelIdentifier");
    check_identifier(context, attributes.line(), info.model_identifier);
    const XmlElement implementation = root.child("Implementation");
    if (!implementation) {
        context.model.model_exchange = info;
        return;
    }
    XmlElement form = implementation.child("CoSimulation_StandAlone");
    if (!form) {
        form = implementation.child("CoSimulation_Tool");
        info.needs_execution_tool = true;
    }
    if (!form)
        context.refuse(implementation.line(),
                       "<Implementation> says neither CoSimulation_StandAlone nor _Tool",
                       "export the FMU again");
    if (const XmlElement element = form.child("Capabilities")) {
        const bool needs_tool = info.needs_execution_tool;
        Attributes capabilities(context, element);
        read_capabilities(Version::v1, capabilities, info);
        capabilities.finish();
        info.needs_execution_tool = needs_tool;
    }
    context.model.co_simulation = info;
}

}  // namespace

void read_kinds(ParseContext& context, XmlElement root, Attributes& root_attributes) {
    ModelDescription& model = context.model;
    if (model.version == Version::v1) {
        read_fmi1_kind(context, root, root_attributes);
        return;
    }
    model.model_exchange = read_kind(context, root.child("ModelExchange"));
    model.co_simulation = read_kind(context, root.child("CoSimulation"));
    if (model.version == Version::v3)
        model.scheduled_execution = read_kind(context, root.child("ScheduledExecution"));
    if (!model.model_exchange && !model.co_simulation && !model.scheduled_execution)
        context.refuse(root.line(), "the FMU offers neither Model Exchange nor Co-Simulation",
                       "one of <ModelExchange> and <CoSimulation> is needed");
}

}  // namespace tandem::fmi
