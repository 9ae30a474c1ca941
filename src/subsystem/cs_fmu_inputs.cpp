#include "subsystem/cs_fmu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "tandem/error.hpp"

namespace tandem::subsystem {
namespace {

/// Orders of the input polynomial that an FMU is given. FMI 1.0 and 2.0 do not say how many it
/// takes; as a law and through intermediate points any is possible.
constexpr int order_by_derivatives = 1;
constexpr int highest_order = 3;
InputCourse held(const InputCourse& course) { return {.values = course.values}; }

}  // namespace

bool CsFmu::inputs_are_continuous() const {
    return std::ranges::all_of(inputs_->variables(), [&](std::size_t index) {
        return variables_->variable(index).variability == fmi::Variability::continuous;
    });
}

int CsFmu::highest_order_of_inputs() const {
    if (follows_course_inside_ || interface_.capabilities.law_states) return highest_order;
    return takes_derivatives() ? order_by_derivatives : 0;
}

bool CsFmu::takes_derivatives() const {
    return !follows_course_inside_ && inputs_->is_plain() &&
           instance_->info().can_interpolate_inputs &&
           instance_->fmu().description().version != fmi::Version::v3;
}

void CsFmu::prepare_derivatives() {
    derivative_references_.clear();
    derivative_orders_.clear();
    const bool by_calls = takes_derivatives();
    for (const std::size_t index : inputs_->variables()) {
        const fmi::Variable& variable = variables_->variable(index);
        if (!by_calls || variable.variability != fmi::Variability::continuous) continue;
        derivative_references_.push_back(variable.reference);
        derivative_orders_.push_back(1);
    }
    derivative_values_.resize(derivative_references_.size());
    now_.course = ode::HeldCourse(inputs_->size(), highest_order);
    inside_values_.resize(inputs_->size());
    inputs_before_.resize(inputs_->size());
    output_orders_.resize(outputs_->size());
}

void CsFmu::set_inputs(const InputCourse& course) {
    inputs_->set(course.values);
    if (phase_ == Phase::initialisation) return;
    now_.inputs_are_new = now_.has_stepped;
    const bool is_law = needs_law(course);
    if (!derivative_references_.empty()) set_input_derivatives(is_law ? held(course) : course);
    if (!follows_course_inside_ && !takes_laws_ && takes_slopes_) return;
    now_.course.set(course, now_.t);
    if (is_law)
        follow_law();
    else
        drop_law();
}

/// Slopes go by calls of FMI where it has them, which is the cheapest way.
bool CsFmu::needs_law(const InputCourse& course) const {
    if (!interface_.capabilities.law_states) return false;
    const int order_by_calls = derivative_references_.empty() ? 0 : order_by_derivatives;
    return course.law != nullptr || course.order > order_by_calls;
}

void CsFmu::expect_law(std::span<const double> nominals) {
    if (!interface_.capabilities.law_states) {
        expects(nominals.empty(), "laws at intermediate points have no states of their own");
        return;
    }
    finish_event();
    instance_->expect_input_law(inputs_->references(), inputs_->size(), nominals);
    law_is_expected_ = true;
}

void CsFmu::follow_law() {
    if (!law_is_expected_) expect_law({});
    now_.law_is_set = true;
    instance_->set_input_law(&law_);
}

void CsFmu::drop_law() {
    if (!std::exchange(now_.law_is_set, false)) return;
    instance_->set_input_law(nullptr);
}

/// FMUs keep a derivative until it is set again, so a course without one sets zeros.
void CsFmu::set_input_derivatives(const InputCourse& course) {
    if (course.order == 0 && now_.order_set == 0) return;
    now_.order_set = course.order > 0 ? 1 : 0;
    std::size_t next = 0;
    for (const std::size_t index : inputs_->variables()) {
        if (variables_->variable(index).variability != fmi::Variability::continuous) continue;
        const std::size_t port = inputs_->range(index).first;
        derivative_values_[next++] = now_.order_set > 0 ? course.derivatives[port] : 0.0;
    }
    if (!takes_slopes_) return;
    takes_slopes_ = send_slopes();
    took_slopes_ = took_slopes_ || takes_slopes_;
    if (takes_slopes_) return;
    drop_slopes();
    log(LogLevel::warning,
        fmt::format("{}: the FMU takes no input derivatives although it says so; its inputs are "
                    "held in each step, at the values of its middle",
                    name()));
}

bool CsFmu::send_slopes() {
    return instance_->set_input_derivatives(derivative_references_, derivative_orders_,
                                            derivative_values_);
}

/// Those that it took before must not stay.
void CsFmu::drop_slopes() {
    if (!took_slopes_) return;
    std::ranges::fill(derivative_values_, 0.0);
    if (!send_slopes())
        throw FmuError(name(), "input derivatives",
                       "were taken before and are refused now, so that old ones stay");
}

/// Of an FMU that was to follow lines and does not: the input at a time, held from now on.
void CsFmu::hold_inputs_of(double t) {
    if (takes_slopes_ || now_.order_set == 0) return;
    now_.course.evaluate({t, {}}, inside_values_);
    inputs_->set(inside_values_);
}

/// An FMU state need not hold the slopes of inputs: the next course sends them, even if zero. Where
/// they are not taken any more, it may hold some.
void CsFmu::expect_old_slopes() {
    const bool sends = takes_slopes_ && !derivative_references_.empty();
    now_.order_set = sends ? order_by_derivatives : 0;
    if (!takes_slopes_) drop_slopes();
}

}  // namespace tandem::subsystem
