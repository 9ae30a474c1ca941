#include "run/watch/not_finite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ode/group/ode_group.hpp"
#include "tandem/extend/index.hpp"

namespace tandem::run {
namespace {

/// Ports of a group have the names of its members already.
std::string name_of(const assemble::Assembly& assembly, int s, const Port& port) {
    const bool is_group = index(s) < assembly.groups.size();
    return is_group ? port.name : fmt::format("{}.{}", assembly.system->at(s).name(), port.name);
}

std::string input_name(const assemble::Assembly& assembly, int input) {
    const System& system = *assembly.system;
    return name_of(assembly, system.subsystem_of_input(input), system.input_port(input));
}

std::string output_name(const assemble::Assembly& assembly, int output) {
    const System& system = *assembly.system;
    return name_of(assembly, system.subsystem_of_output(output), system.output_port(output));
}

/// As the file has it; empty for a function in C++.
std::string expression_of(const assemble::Assembly& assembly, const std::string& input) {
    for (const FunctionRecord& record : assembly.functions)
        if (record.to.subsystem + "." + record.to.variable == input) return record.expression;
    return {};
}

std::string about_output(const std::string& name, const std::string& when) {
    return fmt::format("the output {} is no finite number {}", name, when);
}

std::string about(const assemble::Assembly& assembly, const ode::NotFinite& found,
                  const std::string& when) {
    if (!found.is_of_function) return about_output(found.variable, when);
    std::string signals;
    for (const auto& [name, value] : found.signals)
        signals += fmt::format("{}{} = {}", signals.empty() ? "" : ", ", name, value);
    const std::string expression = expression_of(assembly, found.variable);
    return fmt::format("the coupling function of {}{} gives no finite number {}{}", found.variable,
                       expression.empty() ? "" : fmt::format(", \"{}\",", expression), when,
                       signals.empty() ? "" : fmt::format(" with {}", signals));
}

ode::NotFinite value_of(const assemble::Assembly& assembly, const FunctionLink& function) {
    ode::NotFinite found{input_name(assembly, function.input), true, {}};
    for (const int output : function.outputs)
        found.signals.emplace_back(output_name(assembly, output),
                                   assembly.system->outputs()[index(output)]);
    return found;
}

bool is_bad(double value) { return !std::isfinite(value); }

/// An output of a subsystem whose inputs are all finite, or else any.
std::optional<std::string> about_outputs(const assemble::Assembly& assembly,
                                         const std::string& when) {
    System& system = *assembly.system;
    std::optional<std::string> any;
    for (int s = 0; s < system.size(); ++s)
        for (std::size_t i = 0; i < system.outputs_of(s).size(); ++i) {
            if (!is_bad(system.outputs_of(s)[i])) continue;
            const std::string sentence =
                about_output(name_of(assembly, s, system.at(s).interface().outputs[i]), when);
            if (std::ranges::none_of(system.inputs_of(s), is_bad)) return sentence;
            if (!any) any = sentence;
        }
    return any;
}

}  // namespace

std::optional<std::string> source_of_not_finite(const assemble::Assembly& assembly, Interval step) {
    const std::string when =
        step.length() > 0.0 ? fmt::format("in the step from {:.9g} to {:.9g}", step.begin, step.end)
                            : fmt::format("at t = {:.9g}", step.begin);
    System& system = *assembly.system;
    for (const FunctionLink& function : system.functions()) {
        std::vector<double> signals;
        for (const int output : function.outputs)
            signals.push_back(system.outputs()[index(output)]);
        const bool is_bad_here = is_bad(system.inputs()[index(function.input)]) ||
                                 is_bad(function.function(step.begin, signals));
        if (is_bad_here && std::ranges::none_of(signals, is_bad))
            return about(assembly, value_of(assembly, function), when);
    }
    for (const ode::HostedOde* host : assembly.groups)
        if (const auto* group = dynamic_cast<const ode::OdeGroup*>(&host->model()))
            if (const auto found = group->not_finite()) return about(assembly, *found, when);
    return about_outputs(assembly, when);
}

}  // namespace tandem::run
