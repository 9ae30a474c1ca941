#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "fmi/import/fmu.hpp"
#include "tandem/extend/subsystem.hpp"

namespace tandem::subsystem {

/// Saved FMU states, one for each slot, freed with the instance.
class FmuStates {
public:
    explicit FmuStates(fmi::Instance& instance) : instance_(instance) {}
    /// The state at time t.
    void save(StateSlot slot, double t);
    void restore(StateSlot slot);
    void release(StateSlot slot) { slots_[static_cast<int>(slot)].t.reset(); }
    void serialise(std::vector<std::byte>& bytes);
    void deserialise(std::span<const std::byte> bytes);
    /// One from before that time may still be restored.
    bool has_state_before(double t) const;

private:
    struct Slot {
        fmi::FmuState state = nullptr;  ///< an FMU may call its state null
        std::optional<double> t;        ///< none: it will not be restored
    };

    fmi::Instance& instance_;
    Slot slots_[state_slot_count];
    fmi::FmuState transit_ = nullptr;
};

}  // namespace tandem::subsystem
