#include "run/not_finite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tandem::run {
namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// Ports of a group have the names of its members already.
std::string name_of(const Assembly& assembly, int s, const Port& port) {
    const bool is_group = index(s) < assembly.groups.size();
    return is_group ? port.name : fmt::format("{}.{}", assembly.system->at(s).name(), port.name);
}

std::string input_name(const Assembly& assembly, int input) {
    const System& system = *assembly.system;
    return name_of(assembly, system.subsystem_of_input(input), system.input_port(input));
}

std::string output_name(const Assembly& assembly, int output) {
    const System& system = *assembly.system;
    return name_of(assembly, system.subsystem_of_output(output), system.output_port(output));
}

/// As the file has it; empty for a function in C++.
std::string expression_of(const Assembly& assembly, const std::string& input) {
    for (const FunctionRecord& record : assembly.functions)
        if (record.to.subsystem + "." + record.to.variable == input) return record.expression;
    return {};
}

std::string about(const Assembly& assembly, const FunctionLink& function, const std::string& when) {
    const std::string input = input_name(assembly, function.input);
    std::string signals;
    for (const int output : function.outputs)
        signals +=
            fmt::format("{}{} = {}", signals.empty() ? "" : ", ", output_name(assembly, output),
                        assembly.system->outputs()[index(output)]);
    const std::string expression = expression_of(assembly, input);
    return fmt::format("the coupling function of {}{} gives no finite number {}{}", input,
                       expression.empty() ? "" : fmt::format(", \"{}\",", expression), when,
                       signals.empty() ? "" : fmt::format(" with {}", signals));
}

bool is_bad(double value) { return !std::isfinite(value); }

/// An output of a subsystem whose inputs are all finite, or else any.
std::optional<std::string> about_outputs(const Assembly& assembly, const std::string& when) {
    System& system = *assembly.system;
    std::optional<std::string> any;
    for (int s = 0; s < system.size(); ++s)
        for (std::size_t i = 0; i < system.outputs_of(s).size(); ++i) {
            if (!is_bad(system.outputs_of(s)[i])) continue;
            const std::string sentence =
                fmt::format("the output {} is no finite number {}",
                            name_of(assembly, s, system.at(s).interface().outputs[i]), when);
            if (std::ranges::none_of(system.inputs_of(s), is_bad)) return sentence;
            if (!any) any = sentence;
        }
    return any;
}

}  // namespace

std::optional<std::string> source_of_not_finite(const Assembly& assembly, Interval step) {
    const std::string when = fmt::format("in the step from {:.9g} to {:.9g}", step.begin, step.end);
    System& system = *assembly.system;
    for (const FunctionLink& function : system.functions()) {
        const bool has_good_signals = std::ranges::none_of(
            function.outputs, [&](int output) { return is_bad(system.outputs()[index(output)]); });
        if (has_good_signals && is_bad(system.inputs()[index(function.input)]))
            return about(assembly, function, when);
    }
    return about_outputs(assembly, when);
}

}  // namespace tandem::run
