#include <algorithm>
#include <cmath>
#include <limits>

#include "core/times.hpp"
#include "ode/host/hosted_ode_impl.hpp"
#include "tandem/error.hpp"

namespace tandem::ode {
namespace {

const double root_of_epsilon = std::sqrt(std::numeric_limits<double>::epsilon());
/// Of the scale of time, in differences.
constexpr double shortest_part = 1e-10;
/// Differences below this part of the outputs are rounding, or what iterations inside leave.
constexpr double rounding_of_outputs = 1e-9;

/// The largest |d_i| / max(|v_i|, nominal_i): how fast a direction leaves the point.
double relative_speed(std::span<const double> direction, std::span<const double> values,
                      std::span<const double> nominals) {
    double speed = 0.0;
    for (std::size_t i = 0; i < direction.size(); ++i)
        speed =
            std::max(speed, std::abs(direction[i]) / std::max(std::abs(values[i]), nominals[i]));
    return speed;
}

}  // namespace

/// Towards later times; towards earlier ones where those are behind the end of the run, at which
/// an FMU may refuse to be evaluated.
double HostedOde::Impl::difference_in_time(double wanted) const {
    return end_of_run && now.t + wanted > *end_of_run ? -wanted : wanted;
}

/// dy/dt = C f + D u' + dg/dt as one difference along the solution, with a small time s:
///   (g(t+s, x+s f, u(t+s)) - g(t, x, u)) / s
/// s moves no state by more than sqrt(eps) of its size, and time by sqrt(eps) of its scale. Where s
/// is little against the rounding of t, what time does by itself is a difference of its own.
bool HostedOde::Impl::output_derivatives(std::span<double> dy) {
    if (!problem->derivatives(now.t, x, f_trial)) return false;
    const bool late = is_late(now.t, now.interval_length);
    const double speed = relative_speed(f_trial, x, nominals);
    const double scale =
        late ? now.interval_length : std::max(std::abs(now.t), now.interval_length);
    const double wanted =
        std::max(root_of_epsilon / std::max(speed, 1.0 / scale), shortest_part * scale);
    const double later = late ? now.t : now.t + difference_in_time(wanted);
    const double s = late ? wanted : later - now.t;
    for (std::size_t i = 0; i < x.size(); ++i) x_trial[i] = x[i] + s * f_trial[i];
    course.evaluate(point(later, x_trial), u_trial, s - (later - now.t));
    synchronise();
    if (!model->outputs(y)) return false;
    if (!model->set_point({later, std::span(x_trial).first(model_states()), u_trial}) ||
        !model->outputs(y_trial))
        return false;
    for (std::size_t i = 0; i < y.size(); ++i) dy[i] = (y_trial[i] - y[i]) / s;
    return !late || add_slopes_in_time(dy);
}

/// Adds dg/dt. `y` has the outputs here.
bool HostedOde::Impl::add_slopes_in_time(std::span<double> dy) {
    const double later =
        now.t + difference_in_time(width_of_difference(now.t, now.interval_length));
    if (!model->set_point({later, own_states(), u}) || !model->outputs(y_trial)) return false;
    for (std::size_t i = 0; i < y.size(); ++i) dy[i] += (y_trial[i] - y[i]) / (later - now.t);
    return true;
}

/// D d_u, exactly or as one difference in the direction of d_u.
bool HostedOde::Impl::feed_through_times(std::span<const double> d_u, std::span<double> d_y) {
    synchronise();
    if (model->shape().exact_jacobian) {
        std::ranges::fill(x_trial, 0.0);
        return model->jacobian_times(std::span(x_trial).first(model_states()), d_u,
                                     std::span(f_trial).first(model_states()), d_y);
    }
    std::ranges::fill(d_y, 0.0);
    const double speed = relative_speed(d_u, u, input_nominals);
    if (speed == 0.0) return true;
    const double s = root_of_epsilon / speed;
    for (std::size_t i = 0; i < u.size(); ++i) u_trial[i] = u[i] + s * d_u[i];
    if (!model->outputs(y)) return false;
    if (!model->set_point({now.t, own_states(), u_trial}) || !model->outputs(y_trial)) return false;
    for (std::size_t i = 0; i < y.size(); ++i) d_y[i] = (y_trial[i] - y[i]) / s;
    return true;
}

bool HostedOde::get_output_derivatives(int order, std::span<double> derivatives) {
    expects(order == 1, "output derivatives are asked for within the capabilities");
    const bool good = impl_->output_derivatives(derivatives);
    impl_->synchronise();
    if (!good)
        impl_->fail("the derivatives of the outputs cannot be evaluated",
                    "use a coupling without output derivatives");
    return true;
}

void HostedOde::jacobian_times(std::span<const double> d_inputs, std::span<double> d_outputs) {
    const bool good = impl_->feed_through_times(d_inputs, d_outputs);
    impl_->synchronise();
    if (!good)
        impl_->fail("the Jacobian cannot be evaluated",
                    "look at the model's equations near this time");
}

void HostedOde::jacobian(Block block, std::span<double> matrix) {
    Impl& host = *impl_;
    const bool good = host.blocks->evaluate(block, {host.now.t, host.own_states(), host.u}, matrix);
    host.synchronise();
    if (!good)
        host.fail("the Jacobian cannot be evaluated",
                  "look at the model's equations near this time");
}

bool HostedOde::Impl::linearise(LinearModel& linear, LinearParts parts) {
    const auto states = own_states();
    if (parts == LinearParts::all) linear.resize(states.size(), u.size(), y.size());
    std::ranges::copy(states, linear.states.begin());
    synchronise();
    if (!model->derivatives(linear.rates)) return false;
    if (!slopes_in_time(linear)) return false;
    if (parts == LinearParts::point) return true;
    std::copy_n(nominals.begin(), states.size(), linear.nominals.begin());
    const OdePoint here{now.t, states, u};
    return blocks->evaluate(JacobianBlock::a, here, linear.a) &&
           blocks->evaluate(JacobianBlock::b, here, linear.b) &&
           blocks->evaluate(JacobianBlock::c, here, linear.c) &&
           blocks->evaluate(JacobianBlock::d, here, linear.d);
}

/// What time alone does to derivatives and outputs, as one difference.
bool HostedOde::Impl::slopes_in_time(LinearModel& linear) {
    const double later =
        now.t + difference_in_time(width_of_difference(now.t, now.interval_length));
    const double s = later - now.t;
    synchronise();
    if (!model->outputs(y)) return false;
    if (!model->set_point({later, own_states(), u}) || !model->outputs(y_trial) ||
        !model->derivatives(linear.rate_slopes))
        return false;
    for (std::size_t i = 0; i < linear.rates.size(); ++i)
        linear.rate_slopes[i] = (linear.rate_slopes[i] - linear.rates[i]) / s;
    for (std::size_t i = 0; i < y.size(); ++i) linear.output_slopes[i] = (y_trial[i] - y[i]) / s;
    return true;
}

bool HostedOde::Impl::outputs_on_line(const OutputLine& line, double distance,
                                      std::span<double> values) {
    const auto moved = [&](double value, double nominal, std::size_t i) {
        const double direction = std::cos(line.phase + 2.3 * static_cast<double>(i));
        return value + distance * line.part * direction * std::max(std::abs(value), nominal);
    };
    const std::size_t states = model_states();
    for (std::size_t i = 0; i < states; ++i) x_trial[i] = moved(x[i], nominals[i], i);
    for (std::size_t i = 0; i < u.size(); ++i)
        u_trial[i] = moved(u[i], input_nominals[i], states + i);
    return model->set_point(
               {now.t + distance * line.step, std::span(x_trial).first(states), u_trial}) &&
           model->outputs(values);
}

/// g(3) - g(0) is 3 (g(1) - g(0)) where g is affine. Points on one side: odd functions have no
/// second differences about 0.
bool HostedOde::Impl::are_outputs_affine_along(const OutputLine& line) {
    std::vector<double> here(y.size()), near(y.size()), far(y.size());
    if (!outputs_on_line(line, 0.0, here) || !outputs_on_line(line, 1.0, near) ||
        !outputs_on_line(line, 3.0, far))
        return false;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double size = std::abs(here[i]) + std::abs(near[i]) + std::abs(far[i]);
        const double bend = std::abs(far[i] - here[i] - 3.0 * (near[i] - here[i]));
        if (!(bend <= rounding_of_outputs * size)) return false;
    }
    return true;
}

/// In time alone, too: what states do may hide it.
bool HostedOde::has_affine_outputs(double step) {
    constexpr double part = 1e-2;
    Impl& host = *impl_;
    const double third = (step > 0.0 ? step : host.now.interval_length) / 3.0;
    bool all = host.are_outputs_affine_along({third, 0.0, 0.0});
    for (const double phase : {0.4, 1.1, 2.9})
        all = all && host.are_outputs_affine_along({third, part, phase});
    host.synchronise();
    return all;
}

void HostedOde::linearise(LinearModel& model, LinearParts parts) {
    const bool good = impl_->linearise(model, parts);
    impl_->synchronise();
    if (!good)
        impl_->fail("the linear model cannot be evaluated",
                    "look at the model's equations near this time");
}

long HostedOde::jacobian_evaluations() const {
    return impl_->blocks ? impl_->blocks->evaluations() : 0;
}

}  // namespace tandem::ode
