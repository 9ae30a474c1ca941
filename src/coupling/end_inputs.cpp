#include "coupling/end_inputs.hpp"

#include <algorithm>

namespace tandem::coupling {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void EndInputs::prepare(System& system, InputForm form) {
    is_linear_.assign(at(system.size()), 0);
    are_linear_ = true;
    for (int s = 0; s < system.size(); ++s) {
        const bool is_linear = form != InputForm::constant &&
                               system.at(s).interface().capabilities.input_derivatives > 0;
        is_linear_[at(s)] = is_linear ? 1 : 0;
        are_linear_ = are_linear_ && (is_linear || !system.is_fed(s));
    }
    at_begin_.assign(system.inputs().begin(), system.inputs().end());
    slopes_.assign(at_begin_.size(), 0.0);
}

void EndInputs::begin_step(System& system, double begin) {
    if (has_jumped_) system.route(begin);
    std::ranges::copy(system.inputs(), at_begin_.begin());
    has_jumped_ = false;
}

InputCourse EndInputs::course(System& system, int s, Interval interval) {
    const auto ends = system.inputs_of(s);
    if (is_linear_[at(s)] == 0 || interval.length() <= 0.0) return {.values = ends};
    const auto first = at(system.input_begin(s));
    const auto begins = std::span(at_begin_).subspan(first, ends.size());
    const auto slopes = std::span(slopes_).subspan(first, ends.size());
    for (std::size_t i = 0; i < ends.size(); ++i)
        slopes[i] = (ends[i] - begins[i]) / interval.length();
    return {.values = begins, .derivatives = slopes, .order = 1};
}

}  // namespace tandem::coupling
