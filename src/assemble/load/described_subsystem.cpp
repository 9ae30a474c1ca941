#include "assemble/load/described_subsystem.hpp"

#include <fmt/format.h>

#include "subsystem/variable_infos.hpp"
#include "tandem/error.hpp"

namespace tandem::assemble {
namespace {

/// Some ports of a list, which lie side by side.
struct Range {
    std::size_t first = 0, count = 0;
};

Range add_ports(const VariableInfo& info, std::vector<Port>& ports) {
    const Range range{ports.size(), info.size};
    for (std::size_t k = 0; k < info.size; ++k)
        ports.push_back(
            {info.size == 1 ? info.name : fmt::format("{}[{}]", info.name, k + 1), info.unit, 1.0});
    return range;
}

void depend(const Range& output, const Range& input, Interface& interface) {
    for (std::size_t o = 0; o < output.count; ++o)
        for (std::size_t i = 0; i < input.count; ++i)
            interface.feed_through.push_back(
                {static_cast<int>(output.first + o), static_cast<int>(input.first + i)});
}

bool is_real(const VariableInfo& info) { return storage_of(info.type) == Storage::reals; }

}  // namespace

void DescribedSubsystem::refuse() {
    throw ContractViolation("a subsystem that is only described is run (a bug in Tandem)");
}

void DescribedSubsystem::select_ports(const PortSelection& selection) {
    for (const VariableInfo& info : variables_.list()) {
        if (info.is_input || info.is_output || !is_real(info)) continue;
        const bool is_selected =
            selection.outputs.contains(info.name) ||
            selection.outputs.lower_bound(info.name + "[") !=
                selection.outputs.lower_bound(info.name + "\\");  // the letter behind [
        if (!is_selected) continue;
        const Range ports = add_ports(info, interface_.outputs);
        if (!states_.contains(info.name)) depend(ports, {0, interface_.inputs.size()}, interface_);
    }
}

StepResult DescribedSubsystem::step(Interval) {
    refuse();
    return {};
}

VariableGroup DescribedSubsystem::List::group(std::span<const std::size_t> variables) const {
    VariableGroup group;
    for (const std::size_t index : variables) {
        group.type = list_[index].type;
        group.variables.push_back(index);
        group.references.push_back(static_cast<std::uint32_t>(index));
        group.size += list_[index].size;
    }
    return group;
}

std::unique_ptr<Subsystem> describe_fmu(std::string name, const fmi::ModelDescription& fmu,
                                        fmi::Kind kind) {
    std::vector<VariableInfo> infos = subsystem::variable_infos(fmu);
    const bool by_events = kind == fmi::Kind::model_exchange ||
                           (fmu.co_simulation && fmu.co_simulation->has_event_mode);
    Interface interface;
    std::vector<Range> inputs(fmu.variables.size()), outputs(fmu.variables.size());
    for (std::size_t i = 0; i < fmu.variables.size(); ++i) {
        if (!is_real(infos[i])) continue;
        if (infos[i].is_input && (infos[i].is_continuous || !by_events))
            inputs[i] = add_ports(infos[i], interface.inputs);
        if (infos[i].is_output) outputs[i] = add_ports(infos[i], interface.outputs);
    }
    for (const fmi::Unknown& unknown : fmu.structure.outputs) {
        if (!unknown.dependencies) {
            depend(outputs[unknown.variable], {0, interface.inputs.size()}, interface);
            continue;
        }
        for (const fmi::Dependency& dependency : *unknown.dependencies)
            depend(outputs[unknown.variable], inputs[dependency.variable], interface);
    }
    std::set<std::string> states;
    for (const fmi::Unknown& unknown : fmu.structure.derivatives)
        if (const auto state = fmu.variables[unknown.variable].derivative_of)
            states.insert(fmu.variables[*state].name);
    return std::make_unique<DescribedSubsystem>(std::move(name), std::move(infos),
                                                std::move(interface), std::move(states));
}

std::unique_ptr<Subsystem> describe_by_use(std::string name, std::vector<VariableInfo> used) {
    Interface interface;
    for (const VariableInfo& info : used) {
        if (info.is_input && is_real(info)) add_ports(info, interface.inputs);
        if (info.is_output && is_real(info)) add_ports(info, interface.outputs);
    }
    depend({0, interface.outputs.size()}, {0, interface.inputs.size()}, interface);
    return std::make_unique<DescribedSubsystem>(std::move(name), std::move(used),
                                                std::move(interface));
}

}  // namespace tandem::assemble
