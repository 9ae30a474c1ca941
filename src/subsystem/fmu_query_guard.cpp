#include "subsystem/fmu_query_guard.hpp"

#include <algorithm>
#include <cmath>

#include "base/rollback_error.hpp"

namespace tandem::subsystem {
namespace {

bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

FmuQueryGuard::FmuQueryGuard(fmi::Instance& instance, FmuPorts& inputs,
                             std::span<const fmi::ValueReference> others, std::size_t count)
    : instance_(instance), inputs_(inputs), others_(others) {
    for (Values* values : {&before_, &after_}) {
        values->inputs.resize(inputs.size());
        values->others.resize(count);
    }
    read(before_);
    if (!instance.can_go_back()) return;
    try {
        instance.get_state(state_);
        has_state_ = true;
    } catch (const RollbackError&) {  // only needed if something moves
    }
}

void FmuQueryGuard::read(Values& values) {
    shows_inputs_ = shows_inputs_ && inputs_.try_get(values.inputs);
    instance_.get(others_, values.others);
}

bool FmuQueryGuard::Values::are_same(const Values& other) const {
    return std::ranges::equal(inputs, other.inputs, is_same) &&
           std::ranges::equal(others, other.others, is_same);
}

bool FmuQueryGuard::finds_no_change() {
    read(after_);
    if (!shows_inputs_) after_.inputs = before_.inputs;
    if (after_.are_same(before_)) return true;
    if (has_state_) instance_.set_state(state_);
    if (shows_inputs_) inputs_.set(before_.inputs);
    read(after_);
    if (!after_.are_same(before_))
        throw FmuError(
            instance_.name(), "directional derivatives",
            "change states or inputs of the FMU, and it cannot be put back\n  hint: use a "
            "coupling without linear models, such as jacobi or gauss_seidel");
    return false;
}

}  // namespace tandem::subsystem
