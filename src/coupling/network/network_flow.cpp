#include "coupling/network/network_flow.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tandem::coupling {
namespace {

constexpr int max_terms = 30;
constexpr int max_parts = 64;
constexpr double same_length = 1e-9;

/// A network that was stiff probably stays so.
constexpr int stiff_runs = 100;
constexpr int stiff_parts = 16;

/// The L-stable singly diagonally implicit method of order 4 with 5 stages of Hairer and Wanner,
/// Solving Ordinary Differential Equations II, table 6.5; the last row are the weights, too.
constexpr double gamma = 0.25;
constexpr std::size_t stages = 5;
constexpr std::array<double, stages> nodes = {1.0 / 4, 3.0 / 4, 11.0 / 20, 1.0 / 2, 1.0};
constexpr std::array<std::array<double, stages>, stages> tableau = {
    {{gamma},
     {1.0 / 2, gamma},
     {17.0 / 50, -1.0 / 25, gamma},
     {371.0 / 1360, -137.0 / 2720, 15.0 / 544, gamma},
     {25.0 / 24, -49.0 / 48, 125.0 / 16, -85.0 / 12, gamma}}};

}  // namespace

void NetworkFlow::prepare(const NetworkModel& network, FlowMethod method) {
    method_ = method;
    const auto n = static_cast<std::size_t>(network.states());
    for (auto* work : {&end_, &mean_, &moment_, &coefficient_, &next_, &largest_, &part_mean_,
                       &part_moment_, &start_, &zero_, &own_constant_, &own_slope_})
        work->assign(n, 0.0);
    signals_ = network.make_signals();
    stages_.assign(stages, std::vector<double>(n));
    solver_.prepare(network);
    factored_ = 0.0;
    parts_ = 1;
    stiff_runs_ = 0;
}

void NetworkFlow::follow(const NetworkModel& network, double h, std::span<const double> start,
                         double begin) {
    network.apply(zero_, 1.0, signals_, own_slope_);
    network.rates(own_constant_);
    for (std::size_t i = 0; i < own_slope_.size(); ++i) own_constant_[i] += begin * own_slope_[i];
    forget_factors();
    follow_driven(network, h, start.empty() ? zero_ : start, {own_constant_, own_slope_});
}

void NetworkFlow::follow_driven(const NetworkModel& network, double h,
                                std::span<const double> start, Drive drive) {
    h_ = h;
    drive_ = drive;
    first_ = start;
    if (method_.rule == FlowRule::exact) {
        follow_exactly(network);
    } else {
        follow_by_rule(network);
    }
}

void NetworkFlow::follow_exactly(const NetworkModel& network) {
    if (stiff_runs_ > 0) {
        --stiff_runs_;
        return follow_stiffly(network);
    }
    while (!follow_in_parts(network)) {
        if (parts_ < max_parts) {
            parts_ *= 2;
            continue;
        }
        stiff_runs_ = stiff_runs;
        return follow_stiffly(network);
    }
    // Fewer parts may do for the next step.
    if (terms_ < max_terms / 2 && parts_ > 1) parts_ /= 2;
}

void NetworkFlow::start_again() {
    std::ranges::copy(first_, end_.begin());
    for (auto* sum : {&mean_, &moment_}) std::ranges::fill(*sum, 0.0);
}

bool NetworkFlow::follow_in_parts(const NetworkModel& network) {
    start_again();
    terms_ = 0;
    const double length = h_ / parts_;
    for (int part = 0; part < parts_; ++part) {
        if (!add_series(network, length * part, length)) return false;
        add_moments(length * part, length);
    }
    return true;
}

void NetworkFlow::rates_of(const NetworkModel& network, std::span<const double> v, double s,
                           std::span<double> rates) {
    network.apply(v, 0.0, signals_, rates);
    for (std::size_t i = 0; i < v.size(); ++i) rates[i] += drive_.constant[i] + drive_.slope[i] * s;
}

void NetworkFlow::begin_rates(const NetworkModel& network, std::span<double> rates) {
    rates_of(network, first_, 0.0, rates);
}

void NetworkFlow::end_rates(const NetworkModel& network, std::span<double> rates) {
    rates_at(network, h_, rates);
}

/// Factors depend on the length of steps, which rounding alone may change.
void NetworkFlow::factor(const NetworkModel& network, double gamma) {
    if (std::abs(gamma - factored_) <= same_length * gamma) return;
    solver_.factor(network, gamma);
    factored_ = gamma;
}

/// From v at `begin`: with c_1 = v', c_2 = v'' = M c_1 + slope, c_3 = M c_2, ...
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
        network.apply(coefficient_, 0.0, signals_, next_);
        if (j == 1)
            for (std::size_t i = 0; i < next_.size(); ++i) next_[i] += drive_.slope[i];
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
        negligible = negligible && size <= method_.precision * largest_[i];
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

void NetworkFlow::follow_stiffly(const NetworkModel& network) {
    start_again();
    const double length = h_ / stiff_parts;
    factor(network, gamma * length);
    for (int part = 0; part < stiff_parts; ++part) {
        add_stiff_part(network, length * part, length);
        add_moments(length * part, length);
    }
}

/// Stages k_i = v'(s_i, v_i) with v_i = v + length (sum over j < i of a_ij k_j + gamma k_i):
///   (I - gamma length M) k_i = v'(s_i, v + length sum over j < i of a_ij k_j)
void NetworkFlow::add_stiff_part(const NetworkModel& network, double begin, double length) {
    std::ranges::copy(end_, start_.begin());
    for (auto* work : {&part_mean_, &part_moment_}) std::ranges::fill(*work, 0.0);
    const std::size_t n = end_.size();
    for (std::size_t stage = 0; stage < stages; ++stage) {
        for (std::size_t i = 0; i < n; ++i) {
            end_[i] = start_[i];
            for (std::size_t j = 0; j < stage; ++j)
                end_[i] += length * tableau[stage][j] * stages_[j][i];
        }
        rates_at(network, begin + nodes[stage] * length, coefficient_);
        solver_.solve(coefficient_, stages_[stage]);
        const double weight = tableau[stages - 1][stage];
        for (std::size_t i = 0; i < n; ++i) {
            end_[i] += length * gamma * stages_[stage][i];
            part_mean_[i] += weight * (end_[i] - start_[i]);
            part_moment_[i] += weight * nodes[stage] * (end_[i] - start_[i]);
        }
    }
}

void NetworkFlow::follow_by_rule(const NetworkModel& network) {
    start_again();
    const int steps = method_.rule == FlowRule::trapezoidal ? 1 : method_.steps;
    const double length = h_ / steps;
    for (int part = 0; part < steps; ++part) {
        add_rule_part(network, length * part, length);
        add_moments(length * part, length);
    }
}

/// With v' = f(s, v) and theta = 1 for backward Euler, 1/2 for the trapezoidal rule:
///   (I - theta length M) (v_1 - v_0) = length ((1 - theta) f(s_0, v_0) + theta f(s_1, v_0)),
/// and in between, 0 <= x <= 1: v = v_0 + rise x + bend x^2.
void NetworkFlow::add_rule_part(const NetworkModel& network, double begin, double length) {
    const bool is_straight = method_.rule == FlowRule::backward_euler;
    const double theta = is_straight ? 1.0 : 0.5;
    std::ranges::copy(end_, start_.begin());
    rates_at(network, begin, coefficient_);
    for (std::size_t i = 0; i < end_.size(); ++i)
        next_[i] = length * (coefficient_[i] + theta * length * drive_.slope[i]);
    factor(network, theta * length);
    solver_.solve(next_, next_);
    for (std::size_t i = 0; i < end_.size(); ++i) {
        const double rise = is_straight ? next_[i] : length * coefficient_[i];
        const double bend = next_[i] - rise;
        end_[i] += next_[i];
        part_mean_[i] = rise / 2.0 + bend / 3.0;
        part_moment_[i] = rise / 3.0 + bend / 4.0;
    }
}

}  // namespace tandem::coupling
