#include "ode/host/held_course.hpp"

#include <algorithm>

#include "tandem/error.hpp"

namespace tandem::ode {

HeldCourse::HeldCourse(std::size_t inputs, int expected_order) : values_(inputs, 0.0) {
    derivatives_.reserve(inputs * static_cast<std::size_t>(expected_order));
}

void HeldCourse::set(const InputCourse& course, double begin) {
    expects(course.values.size() == values_.size(), "a course has a value for each input");
    expects(course.derivatives.size() == values_.size() * static_cast<std::size_t>(course.order),
            "a course has `order` derivatives for each input");
    begin_ = begin;
    std::ranges::copy(course.values, values_.begin());
    derivatives_.assign(course.derivatives.begin(), course.derivatives.end());
    order_ = course.order;
    law_ = course.law;
    rounded_law_ = dynamic_cast<const RoundedTime*>(law_);
}

/// Horner's scheme for u_i = values_i + s (d1_i + s/2 (d2_i + s/3 (d3_i + ...))), s = t - begin.
void HeldCourse::evaluate(const LawPoint& point, std::span<double> inputs, double remainder) const {
    if (rounded_law_ != nullptr) rounded_law_->set_remainder(remainder);
    if (law_ != nullptr) return law_->evaluate(point, inputs);
    const double s = point.t - begin_ + remainder;
    const std::size_t n = values_.size();
    for (std::size_t i = 0; i < n; ++i) {
        double tail = 0.0;
        for (int k = order_; k >= 1; --k)
            tail = s / k * (derivatives_[static_cast<std::size_t>(k - 1) * n + i] + tail);
        inputs[i] = values_[i] + tail;
    }
}

}  // namespace tandem::ode
