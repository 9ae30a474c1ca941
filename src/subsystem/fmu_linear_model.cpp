#include "subsystem/fmu_linear_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/log.hpp"
#include "fmi/import/fmu.hpp"

namespace tandem::subsystem {

std::unique_ptr<FmuLinearModel> FmuLinearModel::make(fmi::Instance& instance,
                                                     const FmuVariables& variables,
                                                     const FmuPorts& inputs,
                                                     const FmuPorts& outputs) {
    const fmi::ModelDescription& description = instance.fmu().description();
    if (!instance.info().provides_directional_derivatives || !inputs.is_plain() ||
        !outputs.is_plain() || description.structure.derivatives.empty())
        return nullptr;
    std::unique_ptr<FmuLinearModel> model(new FmuLinearModel(instance));
    for (const fmi::Unknown& unknown : description.structure.derivatives) {
        const fmi::Variable& derivative = description.variables[unknown.variable];
        if (!derivative.derivative_of || derivative.type != ValueType::float64) return nullptr;
        const fmi::Variable& state = description.variables[*derivative.derivative_of];
        model->states_.push_back(state.reference);
        model->derivatives_.push_back(derivative.reference);
        const std::size_t size = variables.size(unknown.variable);
        const double nominal = std::abs(state.attributes.nominal.value_or(1.0));
        model->nominals_.resize(model->nominals_.size() + size, nominal > 0.0 ? nominal : 1.0);
        for (std::string& name : FmuPorts::names(state, size))
            model->state_names_.push_back(std::move(name));
    }
    model->state_count_ = model->nominals_.size();
    model->input_count_ = inputs.size();
    model->output_count_ = outputs.size();
    model->knowns_ = model->states_;
    model->knowns_.insert(model->knowns_.end(), inputs.references().begin(),
                          inputs.references().end());
    model->unknowns_ = model->derivatives_;
    auto derivatives =
        output_derivatives(output_rows(instance, variables, outputs), variables, outputs);
    if (!derivatives) return nullptr;
    model->outputs_ = std::move(*derivatives);
    model->unknowns_.insert(model->unknowns_.end(), model->outputs_.unknowns.begin(),
                            model->outputs_.unknowns.end());
    model->seed_.resize(model->state_count_ + model->input_count_);
    model->sensitivity_.resize(model->state_count_ + model->outputs_.ports.size());
    return model;
}

void FmuLinearModel::set_nominals(const NamedSizes& nominals) {
    for (std::size_t i = 0; i < nominals_.size(); ++i)
        if (const double nominal = nominals.of(state_names_[i]); nominal > 0.0)
            nominals_[i] = nominal;
}

void FmuLinearModel::read(LinearModel& model, LinearParts parts) {
    if (parts == LinearParts::all) model.resize(state_count_, input_count_, output_count_);
    instance_.get(states_, model.states);
    instance_.get(derivatives_, model.rates);
    for (auto* slopes : {&model.rate_slopes, &model.output_slopes}) std::ranges::fill(*slopes, 0.0);
    if (parts != LinearParts::all) return;
    std::ranges::copy(nominals_, model.nominals.begin());
    read_columns(model);
}

void FmuLinearModel::read_states(std::vector<double>& states) {
    states.resize(state_count_);
    instance_.get(states_, states);
}

bool FmuLinearModel::derivatives_along(std::size_t column) {
    if (!gives_derivatives_) return false;
    seed_[column] = 1.0;
    gives_derivatives_ = instance_.directional_derivative(unknowns_, knowns_, seed_, sensitivity_);
    seed_[column] = 0.0;
    if (!gives_derivatives_)
        log(LogLevel::warning,
            fmt::format("{}: the FMU gives no directional derivatives although it says so; the "
                        "coupling does without its linear model",
                        instance_.name()));
    return gives_derivatives_;
}

void FmuLinearModel::drop_derivatives(LinearModel& model) {
    gives_derivatives_ = false;
    read_columns(model);
}

/// One directional derivative for each state and each input.
void FmuLinearModel::read_columns(LinearModel& model) {
    for (auto* matrix : {&model.a, &model.b, &model.c, &model.d}) std::ranges::fill(*matrix, 0.0);
    std::ranges::fill(seed_, 0.0);
    for (std::size_t column = 0; column < seed_.size(); ++column) {
        if (!derivatives_along(column)) {
            for (auto* matrix : {&model.a, &model.b, &model.c, &model.d})
                std::ranges::fill(*matrix, 0.0);
            break;
        }
        const bool is_state = column < state_count_;
        const std::size_t j = is_state ? column : column - state_count_;
        std::copy_n(
            sensitivity_.begin(), state_count_,
            (is_state ? model.a : model.b).begin() + static_cast<std::ptrdiff_t>(j * state_count_));
        for (std::size_t i = 0; i < outputs_.ports.size(); ++i)
            (is_state ? model.c : model.d)[j * output_count_ + outputs_.ports[i]] =
                sensitivity_[state_count_ + i];
    }
    for (const auto& [port, state] : outputs_.states) model.c[state * output_count_ + port] = 1.0;
}

}  // namespace tandem::subsystem
