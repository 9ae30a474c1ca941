#include "tandem/extend/port_variables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tandem/error.hpp"

namespace tandem {

void PortVariables::prepare(Subsystem& subsystem) {
    subsystem_ = &subsystem;
    list_.clear();
    const Interface& interface = subsystem.interface();
    const auto add = [this](const Port& port, bool is_input) {
        VariableInfo info;
        info.name = port.name;
        info.unit = port.unit;
        info.is_input = is_input;
        info.is_output = !is_input;
        info.is_continuous = true;
        list_.push_back(std::move(info));
    };
    for (const Port& port : interface.inputs) add(port, true);
    for (const Port& port : interface.outputs) add(port, false);
    inputs_.assign(interface.inputs.size(), 0.0);
    outputs_.resize(interface.outputs.size());
}

void PortVariables::keep_inputs(std::span<const double> inputs) {
    std::ranges::copy(inputs, inputs_.begin());
}

VariableGroup PortVariables::group(std::span<const std::size_t> variables) const {
    VariableGroup group;
    group.variables.assign(variables.begin(), variables.end());
    group.size = variables.size();
    return group;
}

void PortVariables::read(const VariableGroup& group, Values& values) {
    const auto is_output = [this](std::size_t i) { return i >= inputs_.size(); };
    if (std::ranges::any_of(group.variables, is_output)) subsystem_->get_outputs(outputs_);
    for (std::size_t k = 0; k < group.variables.size(); ++k) {
        const std::size_t i = group.variables[k];
        values.reals[k] = is_output(i) ? outputs_[i - inputs_.size()] : inputs_[i];
    }
}

void PortVariables::write(const VariableGroup& group, const Values& values) {
    for (std::size_t k = 0; k < group.variables.size(); ++k) {
        const std::size_t i = group.variables[k];
        if (i >= inputs_.size())
            throw InputError(fmt::format("{}.{}", subsystem_->name(), list_[i].name),
                             "is an output and cannot be set");
        inputs_[i] = values.reals[k];
    }
    subsystem_->set_inputs({.values = inputs_});
}

}  // namespace tandem
