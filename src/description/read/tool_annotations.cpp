#include "description/read/tool_annotations.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tandem::description {

bool ToolAnnotations::read(XmlElement annotation, NestedSystem* system, bool is_outermost) {
    const std::string type = reader_.text(annotation, "type");
    if (type != "org.openmodelica" && type != "com.opensimulationplatform") return false;
    read_parts(annotation, system, is_outermost);
    return true;
}

/// OMSimulator: <SimulationInformation> with the solver of a system of Model Exchange FMUs or the
/// master of a system of Co-Simulation FMUs. Open Simulation Platform: <Algorithm>.
void ToolAnnotations::read_parts(XmlElement parent, NestedSystem* system, bool is_outermost) {
    for (const XmlElement part : parent.children()) {
        const std::string_view name = local_name(part);
        if (name == "Annotations" || name == "Algorithm")
            read_parts(part, system, is_outermost);
        else if (name == "SimulationInformation") {
            read_information(part);
            read_parts(part, system, is_outermost);
        } else if (name == "FixedStepMaster" && is_outermost)
            read_master(part, "stepSize");
        else if (name == "VariableStepMaster" && is_outermost)
            read_variable_master(part);
        else if (name == "VariableStepSolver" && system != nullptr)
            read_solver(part, *system);
        else if (name == "FixedStepAlgorithm" && is_outermost)
            step_ = positive(part, "baseStepSize");
        else
            reader_.ignore(part);
    }
}

/// OMSimulator writes an interval of 0 where each step is recorded.
void ToolAnnotations::read_information(XmlElement element) {
    const auto interval = reader_.real(element, "loggingInterval");
    if (interval && *interval > 0.0 && std::isfinite(*interval)) output_interval_ = interval;
}

void ToolAnnotations::read_master(XmlElement element, const char* step) {
    step_ = positive(element, step);
    if (const auto tolerance = positive(element, "relativeTolerance")) tolerance_ = tolerance;
}

void ToolAnnotations::read_variable_master(XmlElement element) {
    read_master(element, "maximumStepSize");
    if (!step_) return;
    warn(reader_.findings(), reader_.place(element),
         fmt::format("the step control of OMSimulator is not taken over: all communication steps "
                     "have the length {}, its largest",
                     *step_),
         "choose a step control with --step-control, or another step with --step");
}

void ToolAnnotations::read_solver(XmlElement element, NestedSystem& system) {
    const bool is_euler = reader_.text(element, "description") == "euler";
    solver_ = {text_setting("solver", is_euler ? "euler" : "cvode")};
    const auto add = [&](const char* key, const char* attribute) {
        if (const auto value = positive(element, attribute))
            solver_.push_back(real_setting(key, *value));
    };
    add(is_euler ? "step" : "max_step", "maximumStepSize");
    if (!is_euler) add("first_step", "initialStepSize");
    for (Setting& setting : solver_) setting.place = reader_.place(element);
    if (const auto tolerance = positive(element, "relativeTolerance")) tolerance_ = tolerance;
    for (SubsystemDescription& subsystem : system.subsystems)
        if (subsystem.type == SourceType::fmu && subsystem.kind == PreferredKind::any)
            subsystem.kind = PreferredKind::model_exchange;
}

std::optional<double> ToolAnnotations::positive(XmlElement element, const char* attribute) {
    const auto value = reader_.real(element, attribute);
    if (!value || (*value > 0.0 && std::isfinite(*value))) return value;
    warn(reader_.findings(), reader_.place(element),
         fmt::format("'{}' of <{}> is {} and so not used", attribute, local_name(element), *value),
         "it must be positive");
    return std::nullopt;
}

void ToolAnnotations::use_as_defaults(SystemDescription& description) const {
    Experiment& experiment = description.experiment;
    if (!experiment.step) experiment.step = step_ ? step_ : output_interval_;
    if (!experiment.tolerance) experiment.tolerance = tolerance_;
    MethodChoice& coupling = description.coupling;
    if (solver_.empty() || !coupling.method.empty() || !coupling.options.empty()) return;
    coupling = {"aggregate", solver_, solver_.front().place};
}

}  // namespace tandem::description
