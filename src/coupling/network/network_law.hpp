#pragma once

#include <span>
#include <vector>

#include "core/network_model.hpp"
#include "core/rounded_time.hpp"

namespace tandem::coupling {

/// The linear model of all other subsystems, integrated beside s: what they do in answer to s, to
/// the accuracy of its solver. Exact if they are linear.
class NetworkLaw final : public Law, public RoundedTime {
public:
    NetworkLaw(const NetworkModel& network, int s);

    /// `inputs` are those of s at the start of the step.
    void begin_step(double begin, std::span<const double> inputs);
    /// Of its states: those of the others.
    std::vector<double> nominals() const;

    int state_count() const override;
    void start(std::span<double> own) const override;
    void evaluate(const LawPoint& point, std::span<double> inputs) const override;
    void rates(const LawPoint& point, std::span<const double> state_rates,
               std::span<double> own_rates) const override;

private:
    void gather(const LawPoint& point) const;

    const NetworkModel& network_;
    int s_;
    std::size_t first_, count_;  // the states of s among all
    double begin_ = 0.0;
    std::vector<double> inputs_;
    // A law is asked by one subsystem, on one thread.
    mutable std::vector<double> v_, dv_, rates_;
    mutable NetworkModel::Signals signals_;
};

}  // namespace tandem::coupling
