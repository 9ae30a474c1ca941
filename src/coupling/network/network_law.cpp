#include "coupling/network/network_law.hpp"

#include <algorithm>

namespace tandem::coupling {

NetworkLaw::NetworkLaw(const NetworkModel& network, int s)
    : network_(network),
      s_(s),
      first_(static_cast<std::size_t>(network.state_begin(s))),
      count_(network.of(s).states.size()),
      signals_(network.make_signals()) {
    for (auto* work : {&v_, &dv_, &rates_})
        work->resize(static_cast<std::size_t>(network.states()));
}

void NetworkLaw::begin_step(double begin, std::span<const double> inputs) {
    begin_ = begin;
    inputs_.assign(inputs.begin(), inputs.end());
    network_.rates(rates_);
}

std::vector<double> NetworkLaw::nominals() const {
    std::vector<double> nominals;
    for (int other = 0; other < network_.subsystems(); ++other)
        if (other != s_)
            nominals.insert(nominals.end(), network_.of(other).nominals.begin(),
                            network_.of(other).nominals.end());
    return nominals;
}

int NetworkLaw::state_count() const { return static_cast<int>(v_.size() - count_); }

void NetworkLaw::start(std::span<double> own) const { std::ranges::fill(own, 0.0); }

/// The deviations of all states: those of s from its states, the others are the law's own.
void NetworkLaw::gather(const LawPoint& point) const {
    const std::vector<double>& begin = network_.of(s_).states;
    std::copy_n(point.own.begin(), first_, v_.begin());
    for (std::size_t i = 0; i < count_; ++i) v_[first_ + i] = point.states[i] - begin[i];
    std::copy_n(point.own.begin() + static_cast<std::ptrdiff_t>(first_),
                v_.size() - first_ - count_,
                v_.begin() + static_cast<std::ptrdiff_t>(first_ + count_));
}

void NetworkLaw::evaluate(const LawPoint& point, std::span<double> inputs) const {
    gather(point);
    network_.signals(v_, point.t - begin_ + remainder(), signals_);
    const auto changes = network_.of_inputs(s_, signals_.w);
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = inputs_[i] + changes[i];
}

void NetworkLaw::rates(const LawPoint& point, std::span<const double>,
                       std::span<double> own_rates) const {
    gather(point);
    network_.apply(v_, point.t - begin_ + remainder(), signals_, dv_);
    std::size_t next = 0;
    for (std::size_t i = 0; i < dv_.size(); ++i) {
        if (i >= first_ && i < first_ + count_) continue;
        own_rates[next++] = rates_[i] + dv_[i];
    }
}

}  // namespace tandem::coupling
