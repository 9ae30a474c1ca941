#include <fmt/format.h>

#include <algorithm>

#include "assemble/connect/connect.hpp"

namespace tandem::assemble {

/// Events that a system adds concern models that Tandem integrates.
bool Connector::is_model(const Signal& signal, const std::string& place) const {
    if (loaded_[signal.subsystem].hosted != nullptr) return true;
    signals_.error(place,
                   fmt::format("'{}' belongs to no Model Exchange or native model, so an event "
                               "can neither look at it nor change it",
                               signal.text),
                   "use kind = \"me\" if its FMU offers Model Exchange");
    return false;
}

bool Connector::is_state(const Signal& signal) const {
    const auto& states = loaded_[signal.subsystem].hosted->model().shape().states;
    return std::ranges::find(states, signal.name, &Port::name) != states.end();
}

std::optional<Connector::EventSignals> Connector::event_signals(
    const description::FlatEvent& event) const {
    EventSignals found;
    for (const description::FlatSignal& signal : event.signals) {
        const auto source = signals_.find(signal.variable, event.place);
        if (!source) return std::nullopt;
        const LoadedSubsystem& part = loaded_[source->subsystem];
        if (part.table == nullptr && !is_model(*source, event.place)) return std::nullopt;
        if (source->elements.size() != 1 || storage_of(source->info->type) == Storage::strings) {
            signals_.error(event.place, fmt::format("'{}' is not one number", source->text),
                           "events look at numbers, or single elements of arrays");
            return std::nullopt;
        }
        const auto map = map_signal(signal, *source, event.place);
        if (!map) return std::nullopt;
        found.names.push_back(signal.name);
        found.elements.push_back(
            {static_cast<int>(source->subsystem), source->variable, source->elements.front()});
        found.maps.push_back(*map);
    }
    return found;
}

/// A state, an input that nothing else feeds, or a parameter that may change.
bool Connector::can_be_set(const Signal& target, const std::string& place) {
    if (is_state(target)) return true;
    if (target.info->is_input) {
        const FedElement element{target.subsystem, target.variable, target.elements.front()};
        if (fed_by_events_.contains(element)) return true;
        if (!claim(target, place)) return false;
        fed_by_events_.insert(element);
        return true;
    }
    if (target.info->is_parameter && loaded_[target.subsystem].is_tunable(target.info->name))
        return true;
    signals_.error(place,
                   fmt::format("'{}' is neither a state, an input nor a tunable parameter, so an "
                               "event cannot change it",
                               target.text),
                   "set what it follows from");
    return false;
}

std::optional<ode::GroupEvent::Action> Connector::event_action(
    const description::FlatEvent& event, const description::FlatAction& action,
    const EventSignals& signals) {
    const auto target = signals_.find(action.target.variable, event.place);
    if (!target || !is_model(*target, event.place)) return std::nullopt;
    if (target->elements.size() != 1 || storage_of(target->info->type) == Storage::strings) {
        signals_.error(event.place, fmt::format("'{}' is not one number", target->text),
                       "actions set numbers, or single elements of arrays");
        return std::nullopt;
    }
    if (!can_be_set(*target, event.place)) return std::nullopt;
    const description::FoldedStages folded = description::fold(
        action.target.stages,
        {description::unit_before(action.target.stages, target->unit), target->unit},
        signals_.units_of(target->subsystem));
    if (!folded.problem.empty()) {
        signals_.error(event.place, fmt::format("event for '{}': {}", target->text, folded.problem),
                       "set a variable whose unit converts");
        return std::nullopt;
    }
    Evaluator value = action.callable ? action.callable
                                      : evaluator(action.expression, signals.names, event.place);
    if (!value) return std::nullopt;
    const auto input = signals_.input_port(*target, target->elements.front());
    return ode::GroupEvent::Action{
        {static_cast<int>(target->subsystem), target->variable, target->elements.front()},
        with_units(std::move(value), signals.maps, folded.map),
        input ? first_input(target->subsystem) + *input : -1};
}

void Connector::connect(const std::vector<description::FlatEvent>& external, bool aggregates) {
    if (aggregates)
        for (const description::FlatEvent& event : external) connect(event);
    else if (!external.empty())
        signals_.error(external.front().place,
                       "only models that are solved together can have events between them",
                       "choose the coupling \"aggregate\"");
}

void Connector::connect(const description::FlatEvent& event) {
    const bool is_incomplete =  // which is a finding already
        event.actions.empty() || (!event.has_times() && event.indicator.empty() && !event.callable);
    if (is_incomplete) return;
    const auto signals = event_signals(event);
    if (!signals) return;
    ode::GroupEvent built;
    built.name = event.name;
    built.times = event.times;
    built.signals = signals->elements;
    switch (event.direction) {
        case description::Direction::rising:
            built.direction = ode::GroupEvent::Direction::rising;
            break;
        case description::Direction::falling:
            built.direction = ode::GroupEvent::Direction::falling;
            break;
        default: break;
    }
    if (!event.has_times()) {
        Evaluator indicator = event.callable
                                  ? event.callable
                                  : evaluator(event.indicator, signals->names, event.place);
        if (!indicator) return;
        built.indicator = with_units(std::move(indicator), signals->maps, {});
    }
    for (const description::FlatAction& action : event.actions)
        if (auto one = event_action(event, action, *signals))
            built.actions.push_back(std::move(*one));
    if (built.actions.size() == event.actions.size()) events.push_back(std::move(built));
}

}  // namespace tandem::assemble
