#include <algorithm>

#include "subsystem/cs_fmu.hpp"

namespace tandem::subsystem {
namespace {

/// Rows of a trace that the first step need not make room for.
constexpr std::size_t expected_rows = 1024;

}  // namespace

bool CsFmu::at_intermediate_point(const fmi::IntermediatePoint& point) {
    if (point.inputs_may_be_set && follows_course_inside_) set_inputs_inside(point);
    if (keeps_trace_ && point.outputs_may_be_read && point.step_finished) trace_row(point.time);
    return false;
}

/// Where nothing may be read, states and outputs are those of the last point where it was allowed.
void CsFmu::set_inputs_inside(const fmi::IntermediatePoint& point) {
    const Law* law = now_.course.law();
    if (law == nullptr && now_.course.numbers().order == 0) return;
    if (law != nullptr && point.outputs_may_be_read) read_inside();
    const bool tells_outputs = interface_.capabilities.law_outputs;
    now_.course.evaluate(
        {point.time, inside_states_, {}, tells_outputs ? &inside_outputs_ : nullptr},
        inside_values_);
    inputs_->set(inside_values_);
}

/// What a law may ask for.
void CsFmu::read_inside() {
    if (linear_model_ != nullptr) linear_model_->read_states(inside_states_);
    if (!interface_.capabilities.law_outputs) return;
    inside_outputs_.values.resize(outputs_->size());
    outputs_->get(inside_outputs_.values);
}

void CsFmu::InsideOutputs::read(const LawPoint& /*point*/, std::span<const double> /*inputs*/,
                                std::span<double> outputs) const {
    std::ranges::copy(values, outputs.begin());
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
