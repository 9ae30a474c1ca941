#include "subsystem/cs_fmu.hpp"
#include "subsystem/plain_bytes.hpp"

namespace tandem::subsystem {

void CsFmu::save(StateSlot slot) {
    finish_event();
    states_->save(slot, now_.t);
    now_.ticks = clocks_->ticks();
    saved_[static_cast<int>(slot)] = now_;
}

void CsFmu::restore(StateSlot slot) {
    states_->restore(slot);
    now_ = saved_[static_cast<int>(slot)];
    clocks_->set_ticks(now_.ticks);
    phase_ = Phase::step;
    continue_as_restored();
}

/// An FMU state need not hold what is not of FMI's own variables.
void CsFmu::continue_as_restored() {
    expect_old_slopes();
    if (now_.law_is_set) follow_law();
}

void CsFmu::serialise(std::vector<std::byte>& bytes) {
    finish_event();
    append_plain(bytes, now_.t);
    append_plain(bytes, now_.next_event);
    for (const FmuClocks::Tick& tick : clocks_->ticks()) append_plain(bytes, tick);
    states_->serialise(bytes);
}

void CsFmu::deserialise(std::span<const std::byte> bytes) {
    take_plain(bytes, now_.t);
    take_plain(bytes, now_.next_event);
    now_.ticks.resize(clocks_->size());
    for (FmuClocks::Tick& tick : now_.ticks) take_plain(bytes, tick);
    clocks_->set_ticks(now_.ticks);
    states_->deserialise(bytes);
    now_.order_set = 0;
    expect_old_slopes();
    now_.law_is_set = false;
    phase_ = Phase::step;
}

}  // namespace tandem::subsystem
