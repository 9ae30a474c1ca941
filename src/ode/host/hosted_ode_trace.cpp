#include <algorithm>
#include <cmath>

#include "core/times.hpp"
#include "ode/host/hosted_ode_impl.hpp"

namespace tandem::ode {
namespace {

/// Straight lines between the ends of long internal steps would miss the curvature: the trace has
/// rows at least this part of the interval apart.
constexpr double longest_part = 1.0 / 8.0;
/// Room that the first step need not make.
constexpr std::size_t expected_rows = 1024;

}  // namespace

void HostedOde::Impl::begin_trace() {
    trace.times.clear();
    trace.values.clear();
    trace_row(now.t, x);
}

void HostedOde::Impl::begin_traced_step() {
    t_from = now.t;
    x_from = x;
}

/// The internal step that has come to where the host is. Euler's method knows nothing between its
/// steps.
void HostedOde::Impl::trace_solution() {
    const double length = now.t - t_from;
    const double parts = std::ceil(length / (longest_part * now.interval_length) - 1e-6);
    const int count = trace.held ? 1 : static_cast<int>(parts);
    f_from.clear();
    for (int k = 1; k < count; ++k) {
        const double t = t_from + length * k / count;
        if (t > trace.times.back() && state_inside(t)) trace_row(t, x_trial);
    }
    if (now.t == trace.times.back() && is_late(now.t, now.interval_length)) drop_last_row();
    trace_row(now.t, x);
}

/// Two rows of one time are an event; steps below the spacing of times are none.
void HostedOde::Impl::drop_last_row() {
    trace.times.pop_back();
    trace.values.resize(trace.values.size() - interface.outputs.size());
}

/// x_trial <- x(t). The dense output of dopri5 evaluates the derivatives each time; cubic Hermite
/// interpolation needs them at both ends only and is better than straight lines can show. With
/// s = (t - from) / h:
///   x = (1+2s)(1-s)^2 x0 + s^2(3-2s) x1 + h s(1-s)^2 f0 - h s^2(1-s) f1
bool HostedOde::Impl::state_inside(double t) {
    if (options.solver.method != Method::dopri5 || x.empty())
        return solver->interpolate(t, x_trial);
    if (f_from.empty()) {
        f_from.resize(x.size());
        f_to.resize(x.size());
        if (!problem->derivatives(t_from, x_from, f_from) ||
            !problem->derivatives(now.t, x, f_to)) {
            f_from.clear();
            return solver->interpolate(t, x_trial);
        }
    }
    const double h = now.t - t_from;
    const double s = (t - t_from) / h, r = 1.0 - s;
    for (std::size_t i = 0; i < x.size(); ++i)
        x_trial[i] = (1.0 + 2.0 * s) * r * r * x_from[i] + s * s * (3.0 - 2.0 * s) * x[i] +
                     h * s * r * (r * f_from[i] - s * f_to[i]);
    return true;
}

void HostedOde::Impl::trace_row(double t, std::span<const double> states) {
    course.evaluate(point(t, states), u_trial);
    if (!model->set_point({t, states.first(model_states()), u_trial}))
        fail("the model cannot be evaluated inside its step",
             "look at the model's equations near this time, or tighten the tolerance");
    const std::size_t size = interface.outputs.size();
    trace.times.push_back(t);
    trace.values.resize(trace.values.size() + size);
    outputs_at_point(std::span(trace.values).last(size));
}

void HostedOde::keep_trace(bool on) {
    Impl& host = *impl_;
    host.keeps_trace = on;
    host.trace = {};
    host.trace.held = host.options.solver.method == Method::euler;
    if (!on) return;
    host.trace.times.reserve(expected_rows);
    host.trace.values.reserve(expected_rows * host.interface.outputs.size());
}

const OutputTrace& HostedOde::trace() const { return impl_->trace; }

}  // namespace tandem::ode
