#include "subsystem/cs_fmu.hpp"

namespace tandem::subsystem {
namespace {

/// Rows of a trace that the first step need not make room for.
constexpr std::size_t expected_rows = 1024;

}  // namespace

bool CsFmu::at_intermediate_point(const fmi::IntermediatePoint& point) {
    if (point.inputs_may_be_set && follows_course_inside_) set_inputs_inside(point.time);
    if (keeps_trace_ && point.outputs_may_be_read && point.step_finished) trace_row(point.time);
    return false;
}

void CsFmu::set_inputs_inside(double t) {
    const Law* law = now_.course.law();
    if (law == nullptr && now_.course.numbers().order == 0) return;
    if (law != nullptr) linear_model_->read_states(inside_states_);
    now_.course.evaluate({t, inside_states_, {}, &inside_outputs_}, inside_values_);
    inputs_->set(inside_values_);
}

void CsFmu::InsideOutputs::read(const LawPoint& /*point*/, std::span<const double> /*inputs*/,
                                std::span<double> outputs) const {
    owner.outputs_->get(outputs);
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
