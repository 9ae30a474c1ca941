#include "ode/group/group_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tandem/error.hpp"

namespace tandem::ode {
namespace {

double value_of(const Values& values, ValueType type, std::size_t element) {
    return storage_of(type) == Storage::reals ? values.reals[element]
                                              : static_cast<double>(values.integers[element]);
}

void set_value(Values& values, ValueType type, std::size_t element, double value) {
    if (storage_of(type) == Storage::reals)
        values.reals[element] = value;
    else
        values.integers[element] = std::llround(value);
}

/// As the shapes of models call it.
std::string port_name(const VariableInfo& info, std::size_t element) {
    return info.dimensions.empty() ? info.name : fmt::format("{}[{}]", info.name, element + 1);
}

}  // namespace

GroupEvents::GroupEvents(std::vector<GroupEvent> events) : events_(std::move(events)) {
    memory.is_armed.resize(events_.size());
    memory.next.resize(events_.size());
    for (std::size_t e = 0; e < events_.size(); ++e)
        if (events_[e].indicator) with_indicator_.push_back(e);
}

void GroupEvents::prepare(std::span<const std::unique_ptr<OdeModel>> members,
                          const std::vector<int>& state_begin) {
    const auto located = [&](const VariableElement& element) {
        Variables& own = members[static_cast<std::size_t>(element.subsystem)]->variables();
        Signal signal{&own, own.group(std::span(&element.variable, 1)), {}, element.element};
        signal.values.resize(signal.group.type, signal.group.size);
        return signal;
    };
    const auto state_of = [&](const VariableElement& element) {
        OdeModel& model = *members[static_cast<std::size_t>(element.subsystem)];
        const auto& states = model.shape().states;
        const auto found = std::ranges::find(
            states, port_name(model.variables().list()[element.variable], element.element),
            &Port::name);
        return found == states.end() ? -1
                                     : state_begin[static_cast<std::size_t>(element.subsystem)] +
                                           static_cast<int>(found - states.begin());
    };
    prepared_.clear();
    std::size_t most = 0;
    for (const GroupEvent& event : events_) {
        Prepared prepared;
        for (const VariableElement& signal : event.signals)
            prepared.signals.push_back(located(signal));
        for (const GroupEvent::Action& action : event.actions)
            prepared.targets.push_back({state_of(action.target), located(action.target)});
        most = std::max(most, prepared.signals.size());
        prepared_.push_back(std::move(prepared));
    }
    signals_.resize(most);
}

void GroupEvents::start(double t) {
    for (std::size_t e = 0; e < events_.size(); ++e) {
        const std::vector<double>& times = events_[e].times;
        memory.next[e] =
            static_cast<std::size_t>(std::ranges::lower_bound(times, t) - times.begin());
    }
    std::ranges::fill(memory.is_armed, 0);
}

const std::string& GroupEvents::indicator_name(int i) const {
    return events_[with_indicator_[static_cast<std::size_t>(i)]].name;
}

void GroupEvents::read_signals(std::size_t event) {
    std::vector<Signal>& own = prepared_[event].signals;
    for (std::size_t i = 0; i < own.size(); ++i) {
        own[i].of->read(own[i].group, own[i].values);
        signals_[i] = value_of(own[i].values, own[i].group.type, own[i].element);
    }
}

/// An event that waits for rising happens where the negative falls.
double GroupEvents::indicator(std::size_t event, double t) {
    read_signals(event);
    const double z =
        events_[event].indicator(t, std::span(signals_).first(events_[event].signals.size()));
    return events_[event].direction == GroupEvent::Direction::rising ? -z : z;
}

void GroupEvents::indicators(double t, std::span<double> z) {
    for (std::size_t i = 0; i < with_indicator_.size(); ++i) {
        const std::size_t e = with_indicator_[i];
        const bool counts =
            events_[e].direction == GroupEvent::Direction::both || memory.is_armed[e] != 0;
        z[i] = counts ? indicator(e, t) : 1.0;
    }
}

void GroupEvents::finish_event(double t) {
    for (const std::size_t e : with_indicator_) memory.is_armed[e] = indicator(e, t) > 0.0;
}

void GroupEvents::arm(double t) {
    for (const std::size_t e : with_indicator_)
        if (events_[e].direction != GroupEvent::Direction::both && !memory.is_armed[e])
            memory.is_armed[e] = indicator(e, t) > 0.0;
}

bool GroupEvents::is_armed_at_steps() const {
    return std::ranges::any_of(with_indicator_, [this](std::size_t e) {
        return events_[e].direction != GroupEvent::Direction::both;
    });
}

double GroupEvents::next_time() const {
    double next = std::numeric_limits<double>::infinity();
    for (std::size_t e = 0; e < events_.size(); ++e)
        if (memory.next[e] < events_[e].times.size())
            next = std::min(next, events_[e].times[memory.next[e]]);
    return next;
}

/// What happens where an indicator falls waits until it has risen again.
bool GroupEvents::has_happened(std::size_t event, double t) {
    if (!events_[event].indicator) {
        const std::vector<double>& times = events_[event].times;
        std::size_t& next = memory.next[event];
        const std::size_t before = next;
        while (next < times.size() && times[next] <= t) ++next;
        return next != before;
    }
    const bool is_positive = indicator(event, t) > 0.0;
    const bool happened = is_due(event, is_positive);
    memory.is_armed[event] = is_positive;
    return happened;
}

bool GroupEvents::is_due(std::size_t event, bool is_positive) const {
    const bool was_positive = memory.is_armed[event] != 0;
    return events_[event].direction == GroupEvent::Direction::both ? is_positive != was_positive
                                                                   : was_positive && !is_positive;
}

const std::string* GroupEvents::due(double t) {
    for (const std::size_t event : with_indicator_)
        if (is_due(event, indicator(event, t) > 0.0)) return &events_[event].name;
    return nullptr;
}

std::span<const GroupEvents::Change> GroupEvents::happen(double t) {
    changes_.clear();
    writes_.clear();
    for (std::size_t e = 0; e < events_.size(); ++e) {
        if (!has_happened(e, t)) continue;
        read_signals(e);
        const auto signals = std::span<const double>(signals_).first(events_[e].signals.size());
        for (std::size_t a = 0; a < events_[e].actions.size(); ++a) {
            const GroupEvent::Action& action = events_[e].actions[a];
            const double value = action.value(t, signals);
            Target& target = prepared_[e].targets[a];
            if (!std::isfinite(value)) refuse(events_[e], target, t);
            if (target.state >= 0 || action.input >= 0)
                changes_.push_back({target.state, action.input, value});
            else
                writes_.push_back({&target.signal, value});
        }
    }
    return changes_;
}

void GroupEvents::refuse(const GroupEvent& event, const Target& target, double t) {
    throw NumericsError(
        sentence(fmt::format("the external event '{}' at t = {}", event.name, t),
                 fmt::format("its action for '{}' gives no number",
                             target.signal.of->list()[target.signal.group.variables.front()].name),
                 "look at the expression and the signals in it"));
}

void GroupEvents::write() {
    for (const Write& write : writes_) {
        Signal& signal = *write.signal;
        signal.of->read(signal.group, signal.values);
        set_value(signal.values, signal.group.type, signal.element, write.value);
        signal.of->write(signal.group, signal.values);
    }
    writes_.clear();
}

}  // namespace tandem::ode
