#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/log.hpp"
#include "subsystem/fmu_ode.hpp"

namespace tandem::subsystem {

/// An FMU may answer with an error although it says that it has directional derivatives. Where
/// differences fail as well, the fault is with the point.
bool FmuOde::jacobian_times(std::span<const double> d_x, std::span<const double> d_u,
                            std::span<double> d_dx, std::span<double> d_y) {
    std::copy(d_u.begin(), d_u.end(), std::copy(d_x.begin(), d_x.end(), seed_.begin()));
    if (!gives_derivatives_) return difference_times(d_dx, d_y);
    if (!instance_->directional_derivative(unknowns_, knowns_, seed_, sensitivity_)) {
        if (!difference_times(d_dx, d_y)) return false;
        gives_derivatives_ = false;
        log(LogLevel::warning,
            fmt::format("{}: the FMU gives no directional derivatives although it says so; "
                        "differences are used instead",
                        name()));
        return true;
    }
    std::copy_n(sensitivity_.begin(), d_dx.size(), d_dx.begin());
    std::fill(d_y.begin(), d_y.end(), 0.0);
    const std::vector<std::size_t>& ports = output_derivatives_.ports;
    for (std::size_t i = 0; i < ports.size(); ++i) d_y[ports[i]] = sensitivity_[d_dx.size() + i];
    for (const auto& [port, state] : output_derivatives_.states) d_y[port] = d_x[state];
    return true;
}

/// One difference for each entry of the seed, each with an increment of its own.
bool FmuOde::difference_times(std::span<double> d_dx, std::span<double> d_y) {
    const std::size_t states = d_dx.size(), results = states + d_y.size();
    for (auto* values : {&base_, &moved_, &product_}) values->resize(results);
    point_.resize(seed_.size());
    instance_->get_continuous_states(std::span(point_).first(states));
    if (!inputs_->try_get(std::span(point_).subspan(states))) return false;
    std::ranges::fill(product_, 0.0);
    bool good = evaluate_at_point(base_);
    for (std::size_t i = 0; i < seed_.size() && good; ++i)
        if (seed_[i] != 0.0) good = add_difference(i);
    good = evaluate_at_point(base_) && good;
    std::copy_n(product_.begin(), states, d_dx.begin());
    std::copy_n(product_.begin() + static_cast<std::ptrdiff_t>(states), d_y.size(), d_y.begin());
    return good;
}

/// Where the model ends on one side, the other one is tried.
bool FmuOde::add_difference(std::size_t column) {
    static const double root_of_epsilon = std::sqrt(std::numeric_limits<double>::epsilon());
    const std::size_t states = shape_.states.size();
    const double nominal =
        column < states ? shape_.states[column].nominal : shape_.inputs[column - states].nominal;
    const double value = point_[column];
    const double increment = root_of_epsilon * std::max(std::abs(value), std::abs(nominal));
    for (const double change : {increment, -increment}) {
        point_[column] = value + change;
        const double moved_by = point_[column] - value;
        const bool good = evaluate_at_point(moved_);
        point_[column] = value;
        if (!good) continue;
        for (std::size_t k = 0; k < product_.size(); ++k)
            product_[k] += seed_[column] * (moved_[k] - base_[k]) / moved_by;
        return true;
    }
    return false;
}

/// (dx, y) at point_.
bool FmuOde::evaluate_at_point(std::span<double> results) {
    const std::size_t states = shape_.states.size();
    const std::span<const double> point(point_);
    return set_point({now_.t, point.first(states), point.subspan(states)}) &&
           derivatives(results.first(states)) && outputs(results.subspan(states));
}

}  // namespace tandem::subsystem
