#include "coupling/network/input_prediction.hpp"

#include <algorithm>
#include <array>

#include "tandem/extend/index.hpp"

namespace tandem::coupling {
namespace {

constexpr int largest_order = 3;

}  // namespace

int order_of(PredictedForm form) {
    switch (form) {
        case PredictedForm::automatic:
        case PredictedForm::mean: return 0;
        case PredictedForm::linear:
        case PredictedForm::interpolated: return 1;
        case PredictedForm::hermite: return largest_order;
    }
    return 0;
}

void InputPrediction::prepare(System& system, const NetworkModel& network, PredictedForm form,
                              FlowMethod method) {
    form_ = form;
    flow_.prepare(network, method);
    partners_.assign(index(system.size()), {});
    for (int s = 0; s < system.size(); ++s) {
        PerSubsystem& partner = partners_[index(s)];
        partner.form = form == PredictedForm::automatic ? PredictedForm::linear : form;
        if (system.at(s).interface().capabilities.input_derivatives < order_of(partner.form))
            partner.form = PredictedForm::mean;
        partner.values.resize(system.inputs_of(s).size());
        partner.derivatives.resize(partner.values.size() * index(order_of(partner.form)));
    }
    rates_.resize(index(network.states()));
    for (auto* signals : {&begin_, &mean_, &moment_, &end_, &begin_rate_, &end_rate_})
        *signals = network.make_signals();
}

/// Inputs are linear in (v, s): their mean, moment and rates follow from those of v and s.
void InputPrediction::predict(System& system, const NetworkModel& network, double h,
                              std::span<const double> start) {
    h_ = h;
    flow_.follow(network, h, start);
    if (start.empty()) {
        std::ranges::fill(begin_.w, 0.0);
    } else {
        network.signals(start, 0.0, begin_);
    }
    network.signals(flow_.mean(), h / 2.0, mean_);
    network.signals(flow_.moment(), h / 3.0, moment_);
    network.signals(flow_.end(), h, end_);
    if (form_ == PredictedForm::hermite) {
        flow_.begin_rates(network, rates_);
        network.signals(rates_, 1.0, begin_rate_);
        flow_.end_rates(network, rates_);
        network.signals(rates_, 1.0, end_rate_);
    }
    for (int s = 0; s < system.size(); ++s)
        tell(partners_[index(s)], index(system.input_begin(s)), system.inputs_of(s));
}

void InputPrediction::tell(PerSubsystem& partner, std::size_t first_input,
                           std::span<const double> now) {
    const std::size_t n = now.size();
    std::array<double, largest_order> derivatives{};
    for (std::size_t i = 0; i < n; ++i) {
        partner.values[i] = now[i] + shape(partner, first_input + i, derivatives);
        for (std::size_t k = 0; k * n < partner.derivatives.size(); ++k)
            partner.derivatives[k * n + i] = derivatives[k];
    }
}

/// The change of one input at the start of the step, and its derivatives.
double InputPrediction::shape(const PerSubsystem& partner, std::size_t input,
                              std::span<double> derivatives) const {
    const double begin = begin_.w[input];
    const double mean = mean_.w[input];
    const double end = end_.w[input];
    switch (partner.form) {
        case PredictedForm::automatic:
        case PredictedForm::mean: return mean;
        case PredictedForm::linear: {
            // The first Legendre coefficient: 12 times the integral of (x - 1/2) u over 0 < x < 1.
            const double rise = 12.0 * (moment_.w[input] - 0.5 * mean);
            derivatives[0] = rise / h_;
            return mean - 0.5 * rise;
        }
        case PredictedForm::interpolated: derivatives[0] = (end - begin) / h_; return begin;
        case PredictedForm::hermite: {
            // begin + d1 s + d2 s^2 / 2 + d3 s^3 / 6 with the given value and slope at s = h.
            const double first = begin_rate_.w[input];
            const double last = end_rate_.w[input];
            const double chord = (end - begin) / h_;
            derivatives[0] = first;
            derivatives[1] = 2.0 / h_ * (3.0 * chord - 2.0 * first - last);
            derivatives[2] = 6.0 / (h_ * h_) * (first + last - 2.0 * chord);
            return begin;
        }
    }
    return 0.0;
}

InputCourse InputPrediction::course(int s) const {
    const PerSubsystem& partner = partners_[index(s)];
    return {partner.values, partner.derivatives, order_of(partner.form)};
}

}  // namespace tandem::coupling
