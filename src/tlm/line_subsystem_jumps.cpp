#include <algorithm>
#include <cmath>

#include "tlm/line_subsystem.hpp"

#include "tandem/extend/index.hpp"

/// What straight lines between rows miss of flows that answer a jump: by the linear model, with
/// jumps g1, g2, g3 of the derivatives of the states x, and rows h apart,
///   integral - trapezoidal sum = C (h^2 / 12 g1 - h^4 / 720 g3 + ...)
/// (Euler and Maclaurin), here as h^2 / 12 r1 / (1 + h^2 / 60 r3 / r1) with r = C g, which is good
/// for states that answer faster than in h, too.
namespace tandem::tlm {
namespace {

/// Of the denominator: flows that oscillate within h have no such sum.
constexpr double least_denominator = 0.5;

}  // namespace

/// Tables are inputs of another kind than what arrives.
bool TlmSubsystem::can_tell_missed(const TlmEnd& end) const {
    return interface_.capabilities.linear_model && !end.ports().efforts.empty();
}

/// Some models cannot be evaluated behind the end of the run, which differences need.
bool TlmSubsystem::can_linearise(double t) const {
    const double step = t - begin_;
    return linear_.c.empty() || t + 0.5 * step < stop_;
}

void TlmSubsystem::end_jump(double t) {
    if (interface_.capabilities.linear_model) {
        if (can_linearise(t)) inner_->linearise(linear_, LinearParts::all);
        std::vector<double>& rates = rate_jumps_[0];
        rates.assign(linear_.states.size(), 0.0);
        for (std::size_t u = 0; u < values_.size(); ++u) {
            const double jump = values_[u] - inputs_before_[u];
            for (std::size_t j = 0; j < rates.size() && jump != 0.0; ++j)
                rates[j] += linear_.b[u * rates.size() + j] * jump;
        }
        find_rate_jumps();
    }
    for (TlmEnd& end : ends_) {
        const bool can_tell = can_tell_missed(end);
        const TlmEnd::Vector missed = can_tell ? missed_at(end) : TlmEnd::Vector{};
        if (end.jumps())
            end.end_jump(outputs_, can_tell ? &missed : nullptr);
        else if (can_tell)
            end.owe(missed);
    }
}

/// Flows that are not 0 at the start change from then on.
void TlmSubsystem::owe_start() {
    if (!interface_.capabilities.linear_model ||
        std::ranges::none_of(ends_, &TlmEnd::starts_with_jump))
        return;
    for (const TlmEnd& end : ends_) end.put_now(values_);
    inner_->set_inputs({.values = values_});
    inner_->linearise(linear_, LinearParts::all);
    rate_jumps_[0] = linear_.rates;
    find_rate_jumps();
    for (TlmEnd& end : ends_)
        if (end.starts_with_jump() && can_tell_missed(end)) end.owe(missed_at(end));
}

void TlmSubsystem::find_rate_jumps() {
    for (std::size_t k = 1; k < rate_jumps_.size(); ++k) {
        rate_jumps_[k].resize(linear_.states.size());
        find_rates(rate_jumps_[k - 1], rate_jumps_[k]);
    }
}

/// A x, and where efforts follow flows inside steps B Z C x besides.
void TlmSubsystem::find_rates(std::span<const double> states, std::span<double> rates) const {
    const std::size_t n = states.size(), outputs = outputs_.size();
    std::ranges::fill(rates, 0.0);
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i < n; ++i) rates[i] += linear_.a[j * n + i] * states[j];
    for (const TlmEnd& end : ends_) {
        const TlmPorts& ports = end.ports();
        if (ports.takes_waves || !is_law()) continue;
        for (std::size_t k = 0; k < ports.efforts.size(); ++k) {
            double flow = 0.0;
            for (std::size_t j = 0; j < n; ++j)
                flow += linear_.c[j * outputs + index(ports.flows[k])] * states[j];
            for (std::size_t i = 0; i < n; ++i)
                rates[i] +=
                    linear_.b[index(ports.efforts[k]) * n + i] * end.effort_by_flow(k) * flow;
        }
    }
}

TlmEnd::Vector TlmSubsystem::missed_at(const TlmEnd& end) const {
    const double h = end.row_spacing();
    const std::size_t outputs = outputs_.size();
    TlmEnd::Vector missed{};
    for (std::size_t k = 0; k < end.ports().flows.size(); ++k) {
        double first = 0.0, third = 0.0;
        for (std::size_t j = 0; j < linear_.states.size(); ++j) {
            const double c = linear_.c[j * outputs + index(end.ports().flows[k])];
            first += c * rate_jumps_[0][j];
            third += c * rate_jumps_[2][j];
        }
        if (first == 0.0) continue;
        const double denominator = 1.0 + h * h / 60.0 * third / first;
        missed[k] = h * h / 12.0 * first / std::max(denominator, least_denominator);
    }
    return missed;
}

}  // namespace tandem::tlm
