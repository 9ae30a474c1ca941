#include "subsystem/fmu_states.hpp"

#include <algorithm>

#include "tandem/error.hpp"

namespace tandem::subsystem {

/// What was tried inside a step does not last longer than the step.
void FmuStates::save(StateSlot slot, double t) {
    Slot& saved = slots_[static_cast<int>(slot)];
    instance_.get_state(saved.state);
    saved.t = t;
    if (slot == StateSlot::step_begin) release(StateSlot::trial);
}

void FmuStates::restore(StateSlot slot) {
    const Slot& saved = slots_[static_cast<int>(slot)];
    expects(saved.t.has_value(), "a state is restored only after it was saved");
    instance_.set_state(saved.state);
}

bool FmuStates::has_state_before(double t) const {
    return std::ranges::any_of(slots_, [t](const Slot& slot) { return slot.t && *slot.t < t; });
}

void FmuStates::serialise(std::vector<std::byte>& bytes) {
    instance_.get_state(transit_);
    const std::vector<std::byte> state = instance_.serialize(transit_);
    bytes.insert(bytes.end(), state.begin(), state.end());
}

/// The handle is freed first: FMUs disagree about what to do with one that is handed in.
void FmuStates::deserialise(std::span<const std::byte> bytes) {
    instance_.free_state(transit_);
    instance_.deserialize(bytes, transit_);
    instance_.set_state(transit_);
}

}  // namespace tandem::subsystem
