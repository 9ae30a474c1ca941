#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "subsystem/fmu_ode.hpp"

namespace tandem::subsystem {

void FmuOde::select_ports(const PortSelection& selection) {
    selection_ = selection;
    build_shape();
}

void FmuOde::set_scales(const Scales& scales) {
    scales_ = scales;
    build_shape();
}

void FmuOde::build_shape() {
    const fmi::KindInfo& info = instance_->info();
    const bool version3 = instance_->fmu().description().version == fmi::Version::v3;
    inputs_ = std::make_unique<FmuPorts>(*instance_, *variables_, FmuPorts::Side::continuous_inputs,
                                         selection_ ? &selection_->inputs : nullptr);
    outputs_ = std::make_unique<FmuPorts>(*instance_, *variables_, FmuPorts::Side::outputs,
                                          selection_ ? &selection_->outputs : nullptr);
    shape_ = {};
    shape_.inputs = inputs_->ports();
    shape_.outputs = outputs_->ports();
    shape_.indicators = static_cast<int>(instance_->event_indicator_count());
    shape_.needs_completed_step = version3 ? info.needs_completed_integrator_step
                                           : !info.completed_integrator_step_not_needed;
    shape_.can_save = instance_->can_roll_back();
    shape_.can_serialise = shape_.can_save && info.can_serialize_state;
    name_states();
    given_nominals_ = take_scales(scales_, shape_);
    build_patterns();
    prepare_jacobian();
}

/// A state is called after the variable whose derivative is listed; FMI 1.0 tells its reference.
void FmuOde::name_states() {
    const auto& variables = instance_->fmu().description().variables;
    const auto references = instance_->state_references();
    state_references_.clear();
    for (const auto& reference : references)
        if (reference) state_references_.push_back(*reference);
    const auto variable_of = [&](std::size_t i) -> const fmi::Variable* {
        if (i >= references.size() || !references[i]) return nullptr;
        for (const fmi::Variable& variable : variables)
            if (variable.reference == *references[i] && !variable.negated_alias &&
                storage_of(variable.type) == Storage::reals)
                return &variable;
        return nullptr;
    };
    std::size_t element = 0;
    const fmi::Variable* previous = nullptr;
    for (std::size_t i = 0; i < instance_->state_count(); ++i) {
        const fmi::Variable* variable = variable_of(i);
        element = variable && variable == previous ? element + 1 : 1;
        previous = variable;
        Port port;
        port.name = !variable                      ? fmt::format("state[{}]", i + 1)
                    : variable->dimensions.empty() ? variable->name
                                                   : fmt::format("{}[{}]", variable->name, element);
        if (variable) port.unit = variable->attributes.unit;
        const double nominal =
            variable ? std::abs(variable->attributes.nominal.value_or(1.0)) : 1.0;
        port.nominal = nominal > 0.0 && std::isfinite(nominal) ? nominal : 1.0;
        shape_.states.push_back(port);
    }
}

FmuPorts::Range FmuOde::columns(std::size_t variable, bool states) const {
    if (!states) return inputs_->range(variable);
    for (std::size_t i = 0; i < state_variables_.size(); ++i)
        if (state_variables_[i] == variable) return state_ranges_[i];
    return {};
}

/// The entries of one block that the declared dependencies allow.
ode::Pattern FmuOde::pattern(const std::vector<fmi::Unknown>& rows, bool of_states,
                             bool by_states) {
    ode::Pattern result{std::vector<std::pair<int, int>>{}};
    const auto fill = [&](FmuPorts::Range row, FmuPorts::Range column) {
        for (std::size_t r = row.first; r < row.first + row.count; ++r)
            for (std::size_t c = column.first; c < column.first + column.count; ++c)
                result.entries->emplace_back(static_cast<int>(r), static_cast<int>(c));
    };
    const std::size_t width = by_states ? shape_.states.size() : shape_.inputs.size();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const FmuPorts::Range row =
            of_states ? state_ranges_[i] : outputs_->range(rows[i].variable);
        if (!rows[i].dependencies) {
            fill(row, {0, width});
            continue;
        }
        for (const fmi::Dependency& dependency : *rows[i].dependencies)
            fill(row, columns(dependency.variable, by_states));
    }
    return result;
}

void FmuOde::build_patterns() {
    const fmi::ModelDescription& description = instance_->fmu().description();
    const fmi::ModelStructure& structure = description.structure;
    state_ranges_.clear();
    state_variables_.clear();
    std::size_t first = 0;
    for (const fmi::Unknown& unknown : structure.derivatives) {
        const std::size_t size = variables_->size(unknown.variable);
        state_ranges_.push_back({first, size});
        state_variables_.push_back(
            description.variables[unknown.variable].derivative_of.value_or(unknown.variable));
        first += size;
    }
    rows_ = output_rows(*instance_, *variables_, *outputs_, state_references_);
    std::vector<fmi::Unknown> outputs;
    for (const OutputRow& row : rows_) outputs.push_back(row.unknown);
    const bool lists_states =
        description.version != fmi::Version::v1 && first == shape_.states.size();
    // FMI 1.0 tells on which inputs an output depends, and nothing about states.
    shape_.d = pattern(outputs, false, false);
    if (!lists_states) return;
    shape_.a = pattern(structure.derivatives, true, true);
    shape_.b = pattern(structure.derivatives, true, false);
    shape_.c = pattern(outputs, false, true);
    const auto is_constant = [](const fmi::Unknown& unknown) {
        return unknown.dependencies &&
               std::ranges::all_of(*unknown.dependencies, [](const fmi::Dependency& dependency) {
                   return dependency.kind == fmi::DependencyKind::constant ||
                          dependency.kind == fmi::DependencyKind::fixed;
               });
    };
    shape_.constant_jacobian = std::ranges::all_of(structure.derivatives, is_constant) &&
                               std::ranges::all_of(outputs, is_constant);
}

void FmuOde::prepare_jacobian() {
    const fmi::ModelDescription& description = instance_->fmu().description();
    knowns_.clear();
    unknowns_.clear();
    bool known = instance_->info().provides_directional_derivatives && inputs_->is_plain() &&
                 outputs_->is_plain() && state_ranges_.size() == state_variables_.size();
    for (const fmi::Unknown& unknown : description.structure.derivatives) {
        const auto state = description.variables[unknown.variable].derivative_of;
        known = known && state.has_value();
        if (!known) return;
        knowns_.push_back(description.variables[*state].reference);
        unknowns_.push_back(description.variables[unknown.variable].reference);
    }
    if (!known) return;
    knowns_.insert(knowns_.end(), inputs_->references().begin(), inputs_->references().end());
    auto derivatives = output_derivatives(rows_, *variables_, *outputs_);
    if (!derivatives) return;
    output_derivatives_ = std::move(*derivatives);
    unknowns_.insert(unknowns_.end(), output_derivatives_.unknowns.begin(),
                     output_derivatives_.unknowns.end());
    seed_.resize(shape_.states.size() + shape_.inputs.size());
    sensitivity_.resize(shape_.states.size() + output_derivatives_.ports.size());
    shape_.exact_jacobian = true;
}

}  // namespace tandem::subsystem
