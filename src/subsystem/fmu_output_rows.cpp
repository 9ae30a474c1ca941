#include "subsystem/fmu_output_rows.hpp"

#include <algorithm>
#include <unordered_map>

namespace tandem::subsystem {
namespace {

/// By references: variables with one reference are one under several names (FMI 1.0 and 2.0).
class RowFinder {
public:
    RowFinder(const fmi::ModelDescription& description, const FmuVariables& variables,
              std::span<const fmi::ValueReference> states)
        : variables_(variables), unlisted_states_(states) {
        const auto reference_of = [&](std::size_t variable) {
            return description.variables[variable].reference;
        };
        const auto list = [&](const fmi::Unknown& unknown) {
            if (storage_of(description.variables[unknown.variable].type) == Storage::reals)
                listed_.emplace(reference_of(unknown.variable), &unknown);
        };
        std::ranges::for_each(description.structure.outputs, list);
        std::ranges::for_each(description.structure.derivatives, list);
        std::size_t first = 0;
        for (const fmi::Unknown& derivative : description.structure.derivatives) {
            if (const auto state = description.variables[derivative.variable].derivative_of)
                states_.emplace(reference_of(*state), State{*state, first});
            first += variables.size(derivative.variable);
        }
    }

    OutputRow row(std::size_t index) const {
        const fmi::Variable& variable = variables_.variable(index);
        OutputRow row{OutputRow::Kind::other, {index, std::nullopt}};
        const bool is_output = variable.causality == fmi::Causality::output;
        const bool is_held = variable.variability != fmi::Variability::continuous ||
                             variable.causality == fmi::Causality::independent;
        const auto listed = listed_.find(variable.reference);
        const auto state = states_.find(variable.reference);
        if (is_output) {
            row.kind = is_held ? OutputRow::Kind::held : OutputRow::Kind::listed;
            if (listed != listed_.end()) row.unknown.dependencies = listed->second->dependencies;
        } else if (is_held) {
            row.kind = OutputRow::Kind::held;
            row.unknown.dependencies.emplace();
        } else if (listed != listed_.end()) {
            row.kind = OutputRow::Kind::listed;
            row.unknown.dependencies = listed->second->dependencies;
        } else if (state != states_.end()) {
            row.kind = OutputRow::Kind::state;
            row.first_state = state->second.first;
            row.unknown.dependencies = {{state->second.variable, fmi::DependencyKind::constant}};
        } else if (std::ranges::find(unlisted_states_, variable.reference) !=
                   unlisted_states_.end()) {
            row.kind = OutputRow::Kind::state;
            row.unknown.dependencies.emplace();
        }
        return row;
    }

private:
    struct State {
        std::size_t variable = 0, first = 0;
    };

    const FmuVariables& variables_;
    std::span<const fmi::ValueReference> unlisted_states_;
    std::unordered_map<fmi::ValueReference, const fmi::Unknown*> listed_;
    std::unordered_map<fmi::ValueReference, State> states_;
};

}  // namespace

std::vector<OutputRow> output_rows(const fmi::Instance& instance, const FmuVariables& variables,
                                   const FmuPorts& outputs,
                                   std::span<const fmi::ValueReference> states) {
    const RowFinder finder(instance.fmu().description(), variables, states);
    std::vector<OutputRow> rows;
    for (const std::size_t index : outputs.variables()) rows.push_back(finder.row(index));
    return rows;
}

std::optional<OutputDerivatives> output_derivatives(std::span<const OutputRow> rows,
                                                    const FmuVariables& variables,
                                                    const FmuPorts& outputs) {
    OutputDerivatives result;
    for (const OutputRow& row : rows) {
        if (row.kind == OutputRow::Kind::other) return std::nullopt;
        if (row.kind == OutputRow::Kind::listed)
            result.unknowns.push_back(variables.variable(row.unknown.variable).reference);
        const FmuPorts::Range range = outputs.range(row.unknown.variable);
        for (std::size_t k = 0; k < range.count; ++k) {
            if (row.kind == OutputRow::Kind::listed) result.ports.push_back(range.first + k);
            if (row.kind == OutputRow::Kind::state)
                result.states.emplace_back(range.first + k, row.first_state + k);
        }
    }
    return result;
}

}  // namespace tandem::subsystem
