#include "coupling/iterative/end_inputs.hpp"

#include <algorithm>

#include "tandem/extend/index.hpp"

namespace tandem::coupling {
void EndInputs::prepare(System& system, InputForm form) {
    forms_.clear();
    feeds_through_.clear();
    order_ = 2;
    for (int s = 0; s < system.size(); ++s) {
        forms_.push_back(form_of(system, s, form));
        feeds_through_.push_back(!system.at(s).interface().feed_through.empty());
        if (forms_.back() == InputForm::constant && system.is_fed(s)) order_ = 1;
    }
    at_begin_.assign(system.inputs().begin(), system.inputs().end());
    work_.assign(at_begin_.size(), 0.0);
}

InputForm EndInputs::form_of(const System& system, int s, InputForm wanted) const {
    if (wanted == InputForm::constant || wanted == InputForm::mean) return wanted;
    const bool takes_slopes = system.at(s).interface().capabilities.input_derivatives > 0;
    if (takes_slopes) return InputForm::linear;
    // Events are where inputs cross a value, which their mean may not do.
    const Interface& interface = system.at(s).interface();
    const bool needs_end = interface.may_stop_inside || interface.uses_end_inputs;
    return needs_end ? InputForm::constant : InputForm::mean;
}

void EndInputs::begin_step(System& system, double begin) {
    if (has_jumped_) system.route(begin);
    std::ranges::copy(system.inputs(), at_begin_.begin());
    has_jumped_ = false;
}

InputCourse EndInputs::course(System& system, int s, Interval interval) {
    const auto ends = system.inputs_of(s);
    if (forms_[index(s)] == InputForm::constant || interval.length() <= 0.0)
        return {.values = ends};
    const auto first = index(system.input_begin(s));
    const auto begins = std::span(at_begin_).subspan(first, ends.size());
    const auto work = std::span(work_).subspan(first, ends.size());
    const bool is_linear = forms_[index(s)] == InputForm::linear;
    for (std::size_t i = 0; i < ends.size(); ++i)
        work[i] = is_linear ? (ends[i] - begins[i]) / interval.length()
                            : begins[i] + 0.5 * (ends[i] - begins[i]);
    if (!is_linear) return {.values = work};
    return {.values = begins, .derivatives = work, .order = 1};
}

StepResult EndInputs::step(System& system, int s, Interval interval) {
    const StepResult result = system.step(s, interval, course(system, s, interval));
    const bool are_means = forms_[index(s)] == InputForm::mean && interval.length() > 0.0;
    if (!result || !are_means || feeds_through_[index(s)] == 0) return result;
    system.at(s).set_inputs({.values = system.inputs_of(s)});
    system.at(s).get_outputs(system.outputs_of(s));
    return result;
}

}  // namespace tandem::coupling
