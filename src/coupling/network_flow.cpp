#include "coupling/network_flow.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"

namespace tandem::coupling {
namespace {

constexpr int max_terms = 30;
constexpr int max_parts = 64;
constexpr double rounding = 1e-17;

}  // namespace

void NetworkFlow::prepare(const NetworkModel& network) {
    const auto n = static_cast<std::size_t>(network.states());
    for (auto* work : {&end_, &mean_, &moment_, &coefficient_, &next_, &largest_, &part_mean_,
                       &part_moment_, &start_})
        work->assign(n, 0.0);
    signals_ = network.make_signals();
    parts_ = 1;
}

void NetworkFlow::follow(const NetworkModel& network, double h) {
    h_ = h;
    while (parts_ <= max_parts && !follow_in_parts(network, h)) parts_ *= 2;
    expects(parts_ <= max_parts, "the series converge");
    // Fewer parts may do for the next step.
    if (terms_ < max_terms / 2 && parts_ > 1) parts_ /= 2;
}

bool NetworkFlow::follow_in_parts(const NetworkModel& network, double h) {
    for (auto* sum : {&end_, &mean_, &moment_}) std::ranges::fill(*sum, 0.0);
    terms_ = 0;
    const double length = h / parts_;
    for (int part = 0; part < parts_; ++part) {
        if (!add_series(network, length * part, length)) return false;
        add_moments(length * part, length);
    }
    return true;
}

void NetworkFlow::rates_at(const NetworkModel& network, double s, std::span<double> rates) {
    network.apply(end_, s, signals_, rates);
    network.rates(next_);
    for (std::size_t i = 0; i < end_.size(); ++i) rates[i] += next_[i];
}

void NetworkFlow::end_rates(const NetworkModel& network, std::span<double> rates) {
    rates_at(network, h_, rates);
}

/// From v at `begin`: with c_1 = v', c_2 = v'', ..., which follow from each other because the
/// right side is linear in (v, s), whose derivative with respect to s is (v', 1), then (v'', 0):
///   v(begin + s) = v + sum over j of c_j s^j / j!
/// Of the part's length, its mean gets 1 / (j + 1) of each term, its moment 1 / (j + 2).
bool NetworkFlow::add_series(const NetworkModel& network, double begin, double length) {
    std::ranges::copy(end_, start_.begin());
    rates_at(network, begin, coefficient_);
    for (auto* work : {&part_mean_, &part_moment_, &largest_}) std::ranges::fill(*work, 0.0);
    double factor = 1.0;
    bool was_negligible = false;
    for (int j = 1; j <= max_terms; ++j) {
        factor *= length / j;
        for (std::size_t i = 0; i < end_.size(); ++i) {
            const double term = factor * coefficient_[i];
            end_[i] += term;
            part_mean_[i] += term / (j + 1);
            part_moment_[i] += term / (j + 2);
        }
        terms_ = std::max(terms_, j);
        const bool negligible = is_negligible(factor);
        if (negligible && was_negligible) return true;
        was_negligible = negligible;
        network.apply(coefficient_, j == 1 ? 1.0 : 0.0, signals_, next_);
        std::swap(coefficient_, next_);
    }
    return false;
}

/// Value by value: each term of a value against its largest, so that units do not matter.
bool NetworkFlow::is_negligible(double factor) {
    bool negligible = true;
    for (std::size_t i = 0; i < largest_.size(); ++i) {
        const double size = std::abs(factor * coefficient_[i]);
        largest_[i] = std::max(largest_[i], size);
        negligible = negligible && size <= rounding * largest_[i];
    }
    return negligible;
}

void NetworkFlow::add_moments(double begin, double length) {
    const double share = length / h_;
    for (std::size_t i = 0; i < end_.size(); ++i) {
        const double mean = start_[i] + part_mean_[i];
        mean_[i] += share * mean;
        moment_[i] += share * (begin / h_ * mean + share * (0.5 * start_[i] + part_moment_[i]));
    }
}

}  // namespace tandem::coupling
