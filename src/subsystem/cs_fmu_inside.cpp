#include "subsystem/cs_fmu.hpp"

namespace tandem::subsystem {
namespace {

/// Rows of a trace that the first step need not make room for.
constexpr std::size_t expected_rows = 64;

}  // namespace

bool CsFmu::at_intermediate_point(const fmi::IntermediatePoint& point) {
    if (point.inputs_may_be_set && now_.order_set > 0) set_inputs_inside(point.time);
    if (keeps_trace_ && point.outputs_may_be_read) trace_row(point.time);
    return false;
}

/// u(t) = sum over k of u^(k)(begin) (t - begin)^k / k!, by Horner's rule.
void CsFmu::set_inputs_inside(double t) {
    const double s = t - now_.course_begin;
    const std::size_t n = inputs_->size();
    for (std::size_t i = 0; i < n; ++i) {
        double value = 0.0;
        for (int k = now_.order_set; k > 0; --k)
            value = (value + now_.course_values[static_cast<std::size_t>(k) * n + i]) * s / k;
        inside_values_[i] = now_.course_values[i] + value;
    }
    inputs_->set(inside_values_);
}

void CsFmu::keep_trace(bool on) {
    keeps_trace_ = on;
    trace_ = {};
    if (!on) return;
    trace_.times.reserve(expected_rows);
    trace_.values.reserve(expected_rows * outputs_->size());
}

void CsFmu::begin_trace() {
    trace_.times.clear();
    trace_.values.clear();
    trace_row(now_.t);
}

void CsFmu::trace_row(double t) {
    trace_.times.push_back(t);
    trace_.values.resize(trace_.values.size() + outputs_->size());
    outputs_->get(std::span(trace_.values).last(outputs_->size()));
}

}  // namespace tandem::subsystem
