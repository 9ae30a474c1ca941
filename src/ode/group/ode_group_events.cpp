#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ode/group/ode_group_impl.hpp"

#include "tandem/extend/index.hpp"

namespace tandem::ode {
bool OdeGroup::indicators(std::span<double> z) {
    const std::vector<int>& begin = impl_->indicator_begin;
    for (int m = 0; m < size(); ++m) {
        const auto own =
            z.subspan(index(begin[index(m)]), index(begin[index(m) + 1] - begin[index(m)]));
        if (!own.empty() && !impl_->members[index(m)]->indicators(own)) return false;
    }
    const auto external = index(impl_->events.indicator_count());
    impl_->events.indicators(impl_->t, z.subspan(index(begin.back()), external));
    impl_->switches.indicators(impl_->t, impl_->y, z.subspan(index(begin.back()) + external));
    return true;
}

std::string OdeGroup::indicator_name(int i) const {
    const std::vector<int>& begin = impl_->indicator_begin;
    const int external = impl_->events.indicator_count();
    if (i >= begin.back() + external)
        return "the expression " + impl_->switches.indicator_name(i - begin.back() - external);
    if (i >= begin.back())
        return "the external event '" + impl_->events.indicator_name(i - begin.back()) + "'";
    const auto m = std::ranges::upper_bound(begin, i) - begin.begin() - 1;
    const auto member = static_cast<std::size_t>(m);
    return impl_->members[member]->indicator_name(i - begin[member]);
}

CompletedStep OdeGroup::completed_step() {
    CompletedStep all;
    impl_->events.arm(impl_->t);
    for (const auto& model : impl_->members) {
        if (!model->shape().needs_completed_step) continue;
        const CompletedStep one = model->completed_step();
        all.enter_event_mode = all.enter_event_mode || one.enter_event_mode;
        all.terminate = all.terminate || one.terminate;
    }
    return all;
}

/// Continuous values that are rounded on their way are sampled where steps begin.
bool OdeGroup::has_waiting_writes() const {
    return std::ranges::any_of(impl_->members,
                               [](const auto& model) { return model->has_waiting_writes(); }) ||
           impl_->typed.is_any_rounded_differently();
}

/// States can be set only while members are in continuous mode, so external events come first.
void OdeGroup::enter_event_mode() {
    Impl& group = *impl_;
    const auto changes = group.events.happen(group.t);
    for (const GroupEvents::Change& change : changes) {
        if (change.state >= 0) group.x[index(change.state)] = change.value;
        if (change.input >= 0) group.u[index(change.input)] = change.value;
        group.external_change = group.external_change || change.state >= 0;
    }
    if (!changes.empty() && !group.resolve()) group.fail("after an external event");
    for (const auto& model : group.members) model->enter_event_mode();
    group.phase = Impl::Phase::event;
    group.is_resolved = false;
    group.is_first_update = group.is_behind_event = true;
    group.events.write();
}

/// Discrete values, real inputs and relations follow what members say now. A value goes one
/// connection further in each pass; what does not converge is left to the event iteration. True if
/// anything changed.
bool OdeGroup::Impl::exchange_at_event() {
    bool any = false;
    const int most = spare_passes + net->size();
    for (int pass = 0; pass < most; ++pass) {
        const bool exchanged = typed.exchange();
        const std::vector<double> before = u;
        // A Jacobian of before an event would not tell that a loop is singular behind it.
        if (is_behind_event) forget_loops();
        if (!resolve()) fail("at an event");
        const bool changed = exchanged || has_moved(u, before, net->input_nominals);
        const bool switched = switches.update(t, y);
        any = any || changed || switched;
        if (!switched && (!changed || typed.empty())) break;
    }
    return any;
}

/// Since the connections were followed last.
bool OdeGroup::Impl::has_new_outputs(int m) {
    return !members[index(m)]->outputs(outputs_of(m)) ||
           !std::ranges::equal(outputs_of(m), slice(y, net->output_begin, m));
}

/// Each member sees what others have come to before it, in this update already.
EventUpdate OdeGroup::Impl::update_members() {
    EventUpdate all;
    double next = std::min(events.next_time(), switches.next_switch(t));
    bool is_new = false;
    const auto& updates = std::exchange(is_first_update, false) ? first_updates : later_updates;
    for (const std::vector<int>& batch : updates) {
        if (std::exchange(is_new, false)) all.again = exchange_at_event() || all.again;
        for (const int m : batch) {
            const EventUpdate one = members[index(m)]->update_discrete();
            all.again = all.again || one.again;
            all.terminate = all.terminate || one.terminate;
            all.states_changed = all.states_changed || one.states_changed;
            all.nominals_changed = all.nominals_changed || one.nominals_changed;
            next = std::min(next, one.next_event_time.value_or(next));
        }
        if (&batch == &updates.back()) break;
        const bool exchanged = typed.exchange();
        all.again = all.again || exchanged;
        is_new =
            exchanged || std::ranges::any_of(batch, [this](int m) { return has_new_outputs(m); });
    }
    if (next < std::numeric_limits<double>::infinity()) all.next_event_time = next;
    return all;
}

/// The connections, then all members, then the connections again; once more while a member wants
/// it, a connected value has changed, or an external event follows from what has happened.
EventUpdate OdeGroup::update_discrete() {
    Impl& group = *impl_;
    group.exchange_at_event();
    EventUpdate all = group.update_members();
    all.states_changed = std::exchange(group.external_change, false) || all.states_changed;
    if (all.terminate) return all;
    all.again = group.exchange_at_event() || all.again;
    if (const std::string* next_one = all.again ? nullptr : group.events.due(group.t)) {
        all.again = true;
        group.failure_reason = "the last one was the external event '" + *next_one + "'";
        for (const auto& model : group.members) model->enter_continuous_mode();
        group.phase = Impl::Phase::continuous;
        enter_event_mode();
    }
    return all;
}

double OdeGroup::next_kink(double t) const {
    double next = impl_->switches.next_kink(t);
    for (const Kinked* one : impl_->kinked) next = std::min(next, one->next_kink(t));
    return next;
}

std::span<const int> OdeGroup::kink_indicators() const { return impl_->kink_indicators; }

void OdeGroup::enter_continuous_mode() {
    for (const auto& model : impl_->members) model->enter_continuous_mode();
    impl_->phase = Impl::Phase::continuous;
    impl_->is_behind_event = false;
    impl_->failure_reason.clear();
    impl_->events.finish_event(impl_->t);
}

}  // namespace tandem::ode
