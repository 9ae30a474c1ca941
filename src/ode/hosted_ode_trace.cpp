#include <algorithm>
#include <cmath>

#include "ode/hosted_ode_impl.hpp"

namespace tandem::ode {
namespace {

/// Straight lines between the ends of long internal steps would miss the curvature: the trace has
/// rows at least this part of the interval apart.
constexpr double longest_part = 1.0 / 8.0;
/// Room that the first step need not make.
constexpr std::size_t expected_rows = 64;

}  // namespace

void HostedOde::Impl::begin_trace() {
    trace.times.clear();
    trace.values.clear();
    trace_row(now.t, x);
}

/// The internal step that has come from `from` to where the host is. Euler's method knows nothing
/// between its steps.
void HostedOde::Impl::trace_solution(double from) {
    const double length = now.t - from;
    const double parts = std::ceil(length / (longest_part * now.interval_length) - 1e-6);
    const int count = trace.held ? 1 : static_cast<int>(parts);
    for (int k = 1; k < count; ++k) {
        const double t = from + length * k / count;
        if (solver->interpolate(t, x_trial)) trace_row(t, x_trial);
    }
    trace_row(now.t, x);
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
