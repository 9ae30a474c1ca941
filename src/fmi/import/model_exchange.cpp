#include <algorithm>
#include <cmath>

#include "fmi/abi/fmi1.hpp"
#include "fmi/import/import_instance.hpp"
#include "fmi/time_limit.hpp"

namespace tandem::fmi {

BoundModelExchange::BoundModelExchange(std::shared_ptr<Fmu> fmu, const InstanceOptions& options)
    : BoundInstance(std::move(fmu), Kind::model_exchange, options),
      sizes_{description().state_count, description().event_indicator_count} {}

/// Structural parameters may have changed the sizes.
void BoundModelExchange::exit_configuration_mode() {
    BoundInstance::exit_configuration_mode();
    require(binding_->ask_sizes(sizes_));
}

void BoundModelExchange::enter_continuous_time_mode() {
    require(binding_->enter_continuous_time_mode());
}

bool BoundModelExchange::evaluated(Status status) const {
    if (status == Status::discard) return false;
    require(status);
    return true;
}

bool BoundModelExchange::set_time(double time) {
    if (setup_.stop && time > *setup_.stop) {
        if (is_beyond(time, *setup_.stop)) return false;
        time = *setup_.stop;
    }
    return evaluated(binding_->set_time(time));
}

bool BoundModelExchange::set_continuous_states(std::span<const double> states) {
    return states.empty() || evaluated(binding_->set_continuous_states(states));
}

bool BoundModelExchange::get_derivatives(std::span<double> derivatives) {
    return derivatives.empty() || evaluated(binding_->get_derivatives(derivatives));
}

bool BoundModelExchange::get_event_indicators(std::span<double> indicators) {
    return indicators.empty() || evaluated(binding_->get_event_indicators(indicators));
}

void BoundModelExchange::get_continuous_states(std::span<double> states) {
    if (!states.empty()) require(binding_->get_continuous_states(states));
}

void BoundModelExchange::get_nominals(std::span<double> nominals) {
    std::fill(nominals.begin(), nominals.end(), 1.0);
    if (!nominals.empty()) require(binding_->get_nominals(nominals));
    for (double& nominal : nominals)
        if (nominal == 0.0 || !std::isfinite(nominal)) nominal = 1.0;
}

CompletedStep BoundModelExchange::completed_integrator_step() {
    CompletedStep completed;
    require(binding_->completed_integrator_step(!has_saved_state(), completed));
    return completed;
}

/// Many FMI 1.0 FMUs refuse to tell; then the states stay without names.
std::vector<std::optional<ValueReference>> BoundModelExchange::ask_state_references() {
    std::vector<ValueReference> references(state_count(), abi1::undefined_reference);
    std::vector<std::optional<ValueReference>> states(references.size());
    if (references.empty()) return states;
    caller_.sink().mute(true);
    const Status status = binding_->get_state_references(references);
    caller_.sink().mute(false);
    if (status == Status::fatal) require(status);
    caller_.forgive();
    if (status != Status::ok && status != Status::warning) return states;
    for (std::size_t i = 0; i < states.size(); ++i)
        if (references[i] != abi1::undefined_reference) states[i] = references[i];
    return states;
}

std::vector<std::optional<ValueReference>> BoundModelExchange::state_references() {
    if (description().version == Version::v1) return ask_state_references();
    std::vector<std::optional<ValueReference>> states;
    for (const Unknown& unknown : description().structure.derivatives) {
        const auto state = description().variables[unknown.variable].derivative_of;
        const auto reference =
            state ? std::optional(description().variables[*state].reference) : std::nullopt;
        const std::size_t size = description().variables[unknown.variable].size();
        states.insert(states.end(), size, reference);
    }
    states.resize(state_count());
    return states;
}

}  // namespace tandem::fmi
