#include <stdexcept>
#include <string>
#include <utility>

#include "kit/cs_stepper.hpp"
#include "kit/elements.hpp"

namespace tandem::kit {
namespace {

constexpr int max_event_iterations = 100;
constexpr int max_events_per_instant = 1000;

}  // namespace

void CsStepper::start() {
    handle_event();
    keep_reached();
}

void CsStepper::event_handled() {
    request_restart(0.0);
    begins_with_event_ = false;
    keep_reached();
}

/// Where the indicators cannot be evaluated, nothing is known of their signs.
void CsStepper::keep_reached() {
    reached_.discrete.clear();
    for (const Slot& slot : discrete_slots_)
        reached_.discrete.push_back(read_real(engine_.records()[slot.record], slot.first));
    reached_.signs.clear();
    if (z_.empty()) return;
    try {
        engine_.get_indicators(z_);
    } catch (const Discard&) {
        return;
    }
    for (const double z : z_) reached_.signs.push_back(z > 0.0 ? 1 : 0);
}

CsStepper::Reached CsStepper::reached() const {
    Reached result = reached_;
    result.event_is_due = begins_with_event_;
    return result;
}

void CsStepper::go_on_from(Reached reached) {
    begins_with_event_ = reached.event_is_due;
    reached_ = std::move(reached);
}

/// Between two steps inputs may jump: an indicator that changes its sign with them is an event, and
/// so is a change of a discrete input.
bool CsStepper::begins_with_event() {
    const bool changed = std::exchange(begins_with_event_, false) || discrete_inputs_changed();
    return changed || signs_changed();
}

bool CsStepper::discrete_inputs_changed() const {
    if (reached_.discrete.size() != discrete_slots_.size()) return false;
    for (std::size_t i = 0; i < discrete_slots_.size(); ++i) {
        const Slot& slot = discrete_slots_[i];
        if (read_real(engine_.records()[slot.record], slot.first) != reached_.discrete[i])
            return true;
    }
    return false;
}

bool CsStepper::signs_changed() {
    if (z_.empty() || reached_.signs.size() != z_.size()) return false;
    accepted_ = x_;
    engine_.get_states(std::span(accepted_).first(engine_.state_count()));
    if (!indicators(engine_.time(), accepted_, z_)) return false;
    for (std::size_t i = 0; i < z_.size(); ++i)
        if ((z_[i] > 0.0) != (reached_.signs[i] != 0)) return true;
    return false;
}

void CsStepper::watch_for_chattering() {
    if (events_.admits(engine_.time(), max_events_per_instant)) return;
    refuse_events("more than " + std::to_string(max_events_per_instant) +
                  " events at (nearly) this time: the model chatters, or its events accumulate "
                  "(Zeno behaviour)");
}

/// Names the indicators of the last state event.
void CsStepper::refuse_events(const std::string& why) const {
    std::string which;
    const auto roots = solver_->roots();
    for (std::size_t i = 0; i < roots.size(); ++i)
        if (roots[i] != 0)
            which += (which.empty() ? ", event indicator " : ", ") + std::to_string(i + 1);
    throw std::runtime_error("at t = " + std::to_string(engine_.time()) + which + ": " + why +
                             "; give its switching conditions a hysteresis, or the model a state "
                             "of rest");
}

bool CsStepper::handle_event() {
    request_restart(0.0);
    for (int i = 0; i < max_event_iterations; ++i) {
        const Update update = engine_.update();
        if (update.terminate) return false;
        if (!update.again) return true;
    }
    throw std::runtime_error("the event iteration at t = " + std::to_string(engine_.time()) +
                             " does not end");
}

}  // namespace tandem::kit
