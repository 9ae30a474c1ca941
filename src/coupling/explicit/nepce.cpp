#include "coupling/explicit/nepce.hpp"

#include <algorithm>
#include <array>

#include "coupling/direct_outputs.hpp"
#include "tandem/extend/index.hpp"
#include "tandem/extend/step_tasks.hpp"

namespace tandem::coupling {
namespace {

/// Samples that a step repeated in halves, and then again, takes back.
constexpr int revocable = 2;

}  // namespace

void Nepce::prepare(System& system, double /*longest_step*/) {
    traces_.prepare(system);
    sees_misses_ = true;
    for (int s = 0; s < system.size(); ++s)
        if (!system.at(s).interface().capabilities.dense_traces && feeds_through(system, s))
            sees_misses_ = false;
    fed_.clear();
    for (const Link& link : system.links()) fed_.push_back(link.input);
    for (const FunctionLink& function : system.functions()) fed_.push_back(function.input);
    const int size = static_cast<int>(fed_.size());
    signals_.prepare(size, options_.order, revocable);
    missing_.prepare(size + 1, 0, revocable);
    missing_now_.assign(fed_.size() + 1, 0.0);
    samples_.assign(fed_.size(), 0.0);
    rates_.assign(system.outputs().size(), 0.0);
    slopes_.assign(system.inputs().size(), 0.0);
    accepted_order_.clear();
    for (int s = 0; s < system.size(); ++s)
        accepted_order_.push_back(system.at(s).interface().capabilities.input_derivatives);
    steps_.prepare(system);
}

StepResult Nepce::advance(System& system, Interval interval) {
    begin_step(system, interval);
    correct_inputs(system, interval);
    const StepResult result =
        steps_.step(system, interval, [&](int s) { return course(system, s); });
    if (result) account_for(system, interval);
    return result;
}

/// Takes back what belongs to later times: a step that is repeated finds what was known when it
/// began first.
void Nepce::begin_step(System& system, Interval interval) {
    const double begin = interval.begin;
    traces_.begin_step(system, begin);
    system.route(begin);
    signals_.truncate(begin);
    const bool has_past = signals_.samples() > 0;
    if (!has_past || (!options_.anti_aliasing && signals_.time() < begin))
        signals_.add(begin, routed(system));
    if (!has_past && options_.order > 0) find_first_slopes(system, interval);
    missing_.truncate(begin);
    if (missing_.samples() > 0)
        std::ranges::copy(missing_.value(), missing_now_.begin());
    else
        std::ranges::fill(missing_now_, 0.0);
}

std::span<const double> Nepce::routed(System& system) {
    for (std::size_t k = 0; k < fed_.size(); ++k) samples_[k] = system.inputs()[index(fed_[k])];
    return samples_;
}

/// Without a past, the derivatives of outputs tell how the signals begin; zero where there are
/// none. Functions are followed over the step.
void Nepce::find_first_slopes(System& system, Interval interval) {
    const double h = interval.length();
    for (int s = 0; s < system.size(); ++s) {
        const auto count = system.outputs_of(s).size();
        const auto rates = std::span(rates_).subspan(index(system.output_begin(s)), count);
        const bool can = system.at(s).interface().capabilities.output_derivatives > 0;
        if (!can || !system.at(s).get_output_derivatives(1, rates)) std::ranges::fill(rates, 0.0);
    }
    std::size_t k = 0;
    for (const Link& link : system.links()) samples_[k++] = link.gain * rates_[index(link.output)];
    for (const FunctionLink& function : system.functions()) {
        const std::span<double> ahead = system.signals_of(function);
        for (std::size_t i = 0; i < ahead.size(); ++i) {
            const std::size_t j = index(function.outputs[i]);
            ahead[i] = system.outputs()[j] + h * rates_[j];
        }
        const double end = function.function(interval.end, ahead);
        samples_[k++] = (end - system.inputs()[index(function.input)]) / h;
    }
    signals_.set_first_slope(samples_);
}

/// Inputs that nothing feeds are left alone.
void Nepce::correct_inputs(System& system, Interval interval) {
    const double h = interval.length();
    const double spread = std::max(h, missing_now_.back());
    const double behind = interval.begin - signals_.time();
    std::ranges::fill(samples_, 0.0);
    if (options_.order > 0) signals_.derivatives(samples_);
    for (std::size_t k = 0; k < fed_.size(); ++k) {
        const int s = system.subsystem_of_input(fed_[k]);
        double& value = system.inputs()[index(fed_[k])];
        double& slope = slopes_[index(fed_[k])];
        slope = samples_[k];
        value = signals_.value()[k] + slope * behind + missing_now_[k] / spread;
        if (accepted_order_[index(s)] > 0) continue;
        value += 0.5 * h * slope;  // its mean over the step
        slope = 0.0;
    }
}

InputCourse Nepce::course(System& system, int s) const {
    const auto inputs = system.inputs_of(s);
    const auto slopes = std::span(slopes_).subspan(index(system.input_begin(s)), inputs.size());
    const int order = std::min(options_.order, accepted_order_[index(s)]);
    return {inputs, slopes.first(index(order) * inputs.size()), order};
}

void Nepce::account_for(System& system, Interval interval) {
    const double h = interval.length();
    traces_.end_step(system, interval.end);
    std::size_t k = 0;  // in the order of fed_
    const auto add = [&](OutputTraces::Integral integral) {
        const std::size_t i = index(fed_[k]);
        const double applied = system.inputs()[i] * h + slopes_[i] * integral.time;
        missing_now_[k] += integral.signal - applied;
        samples_[k++] = integral.signal / h;
    };
    for (const Link& link : system.links()) add(traces_.integral(system, link));
    for (const FunctionLink& function : system.functions()) add(traces_.integral(system, function));
    missing_now_.back() = std::max(h, missing_now_.back() - h);
    missing_.add(interval.end, missing_now_);
    if (options_.anti_aliasing) signals_.add(interval.begin + 0.5 * h, samples_);
}

/// What is missing stays so, but before state events; the past does not tell how the signals go on.
void Nepce::reset_history(Interruption interruption) {
    if (interruption == Interruption::event_ahead)
        missing_.clear();
    else
        signals_.clear();
}

// Extrapolated inputs come near the third order until what straight lines between the points of
// traces leave out shows. Without traces, outputs that follow inputs directly are those of
// extrapolated inputs at the ends of steps, too, and what these missed is not seen.
//
// What a step H leaves for the next one to make up for, against what its second half leaves. The
// points of the extrapolation lie H/2 apart before both; with w' = 1 for order 0, w'' = 1 for 1:
//   held:  H^2/2 and (H/2)^2/2;  linear:  7/24 H^3 and 5/12 (H/2)^3.
// From means, which lie in the middles of steps and differ from w there by (H/2)^2/24 w'':
//   held:  3/4 H^2 and (H/2)^2;  linear:  H^3/2 and (H/2)^3.
CouplingTraits Nepce::traits() const {
    constexpr std::array<double, 2> of_values = {4.0, 28.0 / 5.0};
    constexpr std::array<double, 2> of_means = {3.0, 4.0};
    CouplingTraits traits;
    traits.order = sees_misses_ ? 2 : 1;
    traits.half_step_error_ratio =
        (options_.anti_aliasing ? of_means : of_values)[index(options_.order)];
    return traits;
}

}  // namespace tandem::coupling
