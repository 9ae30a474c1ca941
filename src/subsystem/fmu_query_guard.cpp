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
    if (!instance.can_roll_back()) return;
    try {
        instance.get_state(state_);
        has_state_ = true;
    } catch (const RollbackError&) {  // only needed if something moves
    }
}

void FmuQueryGuard::read(Values& values) {
    shows_inputs_ = shows_inputs_ && inputs_.try_get(values.inputs);
    shows_others_ = shows_others_ && instance_.try_get(others_, values.others);
}

/// As far as it can be read.
bool FmuQueryGuard::is_as_before() const {
    return (!shows_inputs_ || std::ranges::equal(before_.inputs, after_.inputs, is_same)) &&
           (!shows_others_ || std::ranges::equal(before_.others, after_.others, is_same));
}

FmuQueryGuard::~FmuQueryGuard() {
    try {
        instance_.free_state(state_);
    } catch (const FmuError&) {  // the next call says that the FMU has failed
    }
}

bool FmuQueryGuard::finds_no_change() {
    read(after_);
    if (is_as_before()) return true;
    if (has_state_) instance_.set_state(state_);
    if (shows_inputs_) inputs_.set(before_.inputs);
    read(after_);
    if (!is_as_before())
        throw FmuError(
            instance_.name(), "directional derivatives",
            "change states or inputs of the FMU, and it cannot be put back\n  hint: use a "
            "coupling without linear models, such as jacobi or gauss_seidel");
    return false;
}

}  // namespace tandem::subsystem
