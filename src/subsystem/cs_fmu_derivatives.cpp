#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/log.hpp"
#include "subsystem/cs_fmu.hpp"
#include "subsystem/fmu_query_guard.hpp"

namespace tandem::subsystem {
namespace {

constexpr const char* derivatives_that_move =
    "directional derivatives change states or inputs of the FMU, which is put back and not asked "
    "for them again";

}  // namespace

/// FMI lets an importer set inputs and read outputs between two steps. An FMU that computes its
/// outputs in steps only gives them as they were. A law counts inside steps, and comes anew before
/// the next one.
bool CsFmu::evaluate_with(std::span<const double> inputs) {
    if (phase_ != Phase::step || !read_inputs_before()) return false;
    if (std::ranges::equal(inputs, inputs_before_)) return false;
    inputs_->set(inputs);
    return true;
}

bool CsFmu::read_inputs_before() {
    if (shows_inputs_ && !inputs_->try_get(inputs_before_)) {
        shows_inputs_ = false;
        log(LogLevel::warning,
            fmt::format("{}: the FMU does not let its inputs be read; results show its outputs as "
                        "they were at the end of its steps",
                        name()));
    }
    return shows_inputs_;
}

void CsFmu::read_reevaluated(std::span<double> outputs) { outputs_->get(outputs); }
void CsFmu::evaluate_as_before() { inputs_->set(inputs_before_); }

/// An FMU tells slopes at the end of its last step; before the first one many answer anything.
/// Behind a discontinuity, where inputs were set since then, they are the slopes of before.
bool CsFmu::get_output_derivatives(int order, std::span<double> derivatives) {
    const bool is_known = now_.has_stepped ? !now_.inputs_are_new : is_of_kit_;
    if (!is_known || !tells_slopes_) return false;
    std::fill(output_orders_.begin(), output_orders_.end(), order);
    tells_slopes_ =
        instance_->get_output_derivatives(outputs_->references(), output_orders_, derivatives) &&
        std::ranges::all_of(derivatives, [](double slope) { return std::isfinite(slope); });
    if (!tells_slopes_)
        log(LogLevel::warning,
            fmt::format("{}: the FMU gives no output derivatives although it says so; the coupling "
                        "goes on with past outputs instead",
                        name()));
    return tells_slopes_;
}

/// Whether the FMU is as before the question; if not, it is put back. Asked the first time only,
/// and not of our own FMUs: to save a state makes their solvers start afresh.
template <class Question>
bool CsFmu::stays_the_same(const Question& question) {
    if (std::exchange(queries_are_tried_, true)) {
        question();
        return true;
    }
    const bool has_states = linear_model_ != nullptr;
    FmuQueryGuard guard(*instance_, *inputs_,
                        has_states ? linear_model_->states() : outputs_->references(),
                        has_states ? linear_model_->state_count() : outputs_->size());
    question();
    if (guard.finds_no_change()) return true;
    continue_as_restored();
    return false;
}

void CsFmu::jacobian_times(std::span<const double> d_inputs, std::span<double> d_outputs) {
    finish_event();
    if (gives_derivatives_ && directional_times(d_inputs, d_outputs)) return;
    difference_times(d_inputs, d_outputs);
}

bool CsFmu::directional_times(std::span<const double> d_inputs, std::span<double> d_outputs) {
    const bool keeps_states = stays_the_same([&] {
        gives_derivatives_ = instance_->directional_derivative(
            outputs_->references(), inputs_->references(), d_inputs, d_outputs);
    });
    if (gives_derivatives_ && keeps_states) return true;
    log(LogLevel::warning,
        fmt::format("{}: {}; differences of its outputs between steps are used instead", name(),
                    keeps_states ? "the FMU gives no directional derivatives although it says so"
                                 : derivatives_that_move));
    return gives_derivatives_ = false;
}

/// Zeros for an FMU that computes its outputs in steps only.
void CsFmu::difference_times(std::span<const double> d_inputs, std::span<double> d_outputs) {
    std::ranges::fill(d_outputs, 0.0);
    if (!read_inputs_before()) return;
    static const double root_of_epsilon = std::sqrt(std::numeric_limits<double>::epsilon());
    outputs_before_.resize(d_outputs.size());
    outputs_moved_.resize(d_outputs.size());
    outputs_->get(outputs_before_);
    for (std::size_t i = 0; i < d_inputs.size(); ++i) {
        if (d_inputs[i] == 0.0) continue;
        const double value = inputs_before_[i];
        const double increment =
            root_of_epsilon * std::max(std::abs(value), interface_.inputs[i].nominal);
        inputs_before_[i] += increment;
        inputs_->set(inputs_before_);
        inputs_before_[i] = value;
        outputs_->get(outputs_moved_);
        for (std::size_t k = 0; k < d_outputs.size(); ++k)
            d_outputs[k] += d_inputs[i] * (outputs_moved_[k] - outputs_before_[k]) / increment;
    }
    inputs_->set(inputs_before_);
}

void CsFmu::linearise(LinearModel& model, LinearParts parts) {
    finish_event();
    if (parts != LinearParts::all)
        linear_model_->read(model, parts);
    else if (!stays_the_same([&] { linear_model_->read(model, parts); })) {
        linear_model_->drop_derivatives(model);
        log(LogLevel::warning, fmt::format("{}: {}; its states are taken to go on with their "
                                           "rates, whatever the inputs do",
                                           name(), derivatives_that_move));
    }
    gives_derivatives_ = gives_derivatives_ && linear_model_->gives_derivatives();
    interface_.capabilities.linear_model = linear_model_->gives_derivatives();
}

}  // namespace tandem::subsystem
