#include <algorithm>
#include <cmath>

#include "ode/group/ode_group_impl.hpp"

#include "tandem/extend/index.hpp"

namespace tandem::ode {
namespace {

bool is_bad(double value) { return !std::isfinite(value); }

}  // namespace

std::string OdeGroup::Impl::input_name(int input) const {
    const int m = net->member_of_input(input);
    return members[index(m)]->name() + "." +
           net->shapes[index(m)]->inputs[index(input - net->input_begin[index(m)])].name;
}

void OdeGroup::Impl::note_bad(std::uint32_t function) {
    const std::size_t size = net->functions[function].outputs.size();
    const auto given = std::span(signals).first(size);
    if (std::ranges::any_of(given, is_bad)) return;
    bad.function = static_cast<int>(function);
    bad.t = t;
    bad.signals.assign(given.begin(), given.end());
}

/// A solver that cannot get beyond it stands at that time or before it; later, it was passed.
std::optional<NotFinite> OdeGroup::Impl::bad_function() const {
    if (bad.function < 0 || bad.t < t) return {};
    const FunctionLink& function = net->functions[index(bad.function)];
    NotFinite found{input_name(function.input), true, {}};
    for (std::size_t i = 0; i < bad.signals.size(); ++i)
        found.signals.emplace_back(output_name(function.outputs[i]), bad.signals[i]);
    return found;
}

/// Of a member whose inputs are all finite.
std::optional<NotFinite> OdeGroup::Impl::bad_output() const {
    for (int m = 0; m < net->size(); ++m) {
        const auto inputs = std::span(u).subspan(
            index(net->input_begin[index(m)]),
            index(net->input_begin[index(m) + 1] - net->input_begin[index(m)]));
        if (std::ranges::any_of(inputs, is_bad)) continue;
        for (int i = net->output_begin[index(m)]; i < net->output_begin[index(m) + 1]; ++i)
            if (is_bad(y[index(i)])) return NotFinite{output_name(i), false, {}};
    }
    return {};
}

std::optional<NotFinite> OdeGroup::not_finite() const {
    const auto function = impl_->bad_function();
    return function ? function : impl_->bad_output();
}

/// Loops tell it themselves, unless it is one of their members.
std::string OdeGroup::failure_reason() const {
    for (const auto& model : impl_->members)
        if (const std::string own = model->failure_reason(); !own.empty())
            return model->name() + ": " + own;
    return impl_->failure_reason;
}

}  // namespace tandem::ode
