#include "description/read/events.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "base/names.hpp"

namespace tandem::description {
namespace {

using Type = Setting::Type;

constexpr const char* title = "[[events]]";

/// A name with dots and without quotes is read as tables within tables.
void read_actions(const Setting& table, const std::string& prefix, TableReader& reader,
                  std::vector<EventAction>& actions) {
    for (const Setting& entry : table.entries) {
        const std::string name = prefix + entry.key;
        if (entry.type == Type::table)
            read_actions(entry, name + ".", reader, actions);
        else if (entry.type != Type::text)
            reader.refuse(
                entry,
                fmt::format("action on '{}' must be a text, but is {}", name, noun(entry.type)),
                fmt::format("write actions = {{ \"{}\" = \"0\" }}", name));
        else
            actions.push_back({{{}, name}, entry.as_text(), {}, entry.place});
    }
}

void read_times(const Setting& list, TableReader& reader, SystemEvent& event) {
    for (const Setting& entry : list.entries) {
        if (entry.is_number())
            event.times.push_back(entry.as_real());
        else
            reader.refuse(entry, fmt::format("'times' must be numbers, not {}", noun(entry.type)),
                          "write times = [1.0, 2.0]");
    }
}

void read_direction(TableReader& reader, SystemEvent& event) {
    const std::map<std::string, Direction> known = {
        {"rising", Direction::rising}, {"falling", Direction::falling}, {"both", Direction::both}};
    const auto name = reader.text("direction");
    if (!name) return;
    const Setting& setting = *reader.table().find("direction");
    if (reader.table().find("times") != nullptr && reader.table().find("indicator") == nullptr)
        reader.refuse(setting, "'direction' is for an indicator, not for times", "remove it");
    else if (const auto found = known.find(*name); found != known.end())
        event.direction = found->second;
    else
        reader.refuse(
            setting, fmt::format("unknown direction '{}'", *name),
            did_you_mean(*name, {"rising", "falling", "both"}, "use rising, falling or both"));
}

void read_event(const Setting& entry, std::vector<SystemEvent>& events, Diagnostics& findings) {
    if (entry.type != Type::table) {
        report(findings, entry.place, fmt::format("{}: must be a table", title),
               "write { indicator = \"x\", signals = { x = \"a.x\", v = \"a.v\" }, "
               "actions = { \"a.v\" = \"-v\" } }");
        return;
    }
    TableReader reader(entry, title, findings);
    SystemEvent event;
    event.place = entry.place;
    event.name = reader.text("name").value_or("");
    // A value of a wrong type is read as absent; that it is absent needs no second report.
    std::size_t problems = findings.size();
    event.indicator = reader.text("indicator").value_or("");
    const Setting* times = reader.list("times");
    if (times != nullptr) read_times(*times, reader, event);
    if (findings.size() == problems)
        check_trigger(event, times == nullptr ? entry.place : times->place, findings);
    read_direction(reader, event);
    if (const Setting* signals = reader.table("signals"))
        event.signals = read_signals(*signals, reader);
    problems = findings.size();
    if (const Setting* actions = reader.table("actions"))
        read_actions(*actions, {}, reader, event.actions);
    if (findings.size() == problems) check_actions(event, findings);
    reader.finish();
    events.push_back(std::move(event));
}

void check_times(const SystemEvent& event, const Place& place, Diagnostics& findings) {
    for (std::size_t i = 0; i < event.times.size(); ++i) {
        const double t = event.times[i];
        if (!std::isfinite(t))
            report(findings, place, fmt::format("event: {} is not a time", t),
                   "give finite numbers");
        else if (i > 0 && t <= event.times[i - 1])
            report(findings, place,
                   fmt::format("event: the times must ascend, but {} follows {}", t,
                               event.times[i - 1]),
                   "sort them");
    }
}

}  // namespace

void check_trigger(const SystemEvent& event, const Place& times_place, Diagnostics& findings) {
    const bool has_indicator = !event.indicator.empty() || event.callable;
    if (has_indicator && !event.times.empty())
        report(findings, event.place, "event: has both an indicator and times",
               "make two events of it");
    if (!has_indicator && event.times.empty())
        report(findings, event.place,
               "event: has neither an indicator nor times, so it never happens",
               "add indicator = \"x\" (an expression of signals and t), or times = [1.0]");
    check_times(event, times_place, findings);
}

void check_actions(const SystemEvent& event, Diagnostics& findings) {
    if (event.actions.empty())
        report(findings, event.place, "event: does nothing", "add actions = { \"a.v\" = \"-v\" }");
    for (const EventAction& action : event.actions)
        if (action.expression.empty() && !action.callable)
            report(findings, action.place,
                   fmt::format("event: the action on '{}' has no expression", action.target.text()),
                   "say what it is set to");
}

void read_events(TableReader& reader, std::vector<SystemEvent>& events) {
    const Setting* list = reader.list("events");
    if (list == nullptr) return;
    for (const Setting& entry : list->entries) read_event(entry, events, reader.findings());
    std::map<std::string, Place> names;
    for (const SystemEvent& event : events) {
        if (event.name.empty()) continue;
        const auto [first, is_new] = names.emplace(event.name, event.place);
        if (!is_new)
            report(reader.findings(), event.place,
                   fmt::format("{}: two are called '{}', here and at {}", title, event.name,
                               first->second),
                   "rename one of them");
    }
}

Setting events_setting(const std::vector<SystemEvent>& events) {
    Setting list = group("events", Type::list, {});
    for (const SystemEvent& event : events) {
        Setting table = group({}, Type::table, {});
        if (!event.name.empty()) table.entries.push_back(text_setting("name", event.name));
        if (!event.indicator.empty())
            table.entries.push_back(text_setting("indicator", event.indicator));
        if (event.direction != Direction::both)
            table.entries.push_back(text_setting(
                "direction", event.direction == Direction::rising ? "rising" : "falling"));
        Setting times = group("times", Type::list, {});
        for (const double t : event.times) times.entries.push_back(real_setting({}, t));
        add_group(table, std::move(times));
        add_group(table, signals_setting(event.signals));
        Setting actions = group("actions", Type::table, {});
        for (const EventAction& action : event.actions)
            actions.entries.push_back(text_setting(action.target.text(), action.expression));
        add_group(table, std::move(actions));
        list.entries.push_back(std::move(table));
    }
    return list;
}

std::vector<NamedSignal> read_signals(const Setting& table, TableReader& reader) {
    std::vector<NamedSignal> signals;
    for (const Setting& entry : table.entries) {
        if (entry.type != Type::text)
            reader.refuse(entry,
                          fmt::format("signal '{}' must be a text like \"wheel.x\"", entry.key));
        else
            signals.push_back({entry.key, {{}, entry.as_text()}, entry.place});
    }
    return signals;
}

Setting signals_setting(const std::vector<NamedSignal>& signals) {
    Setting table = group("signals", Type::table, {});
    for (const NamedSignal& signal : signals)
        table.entries.push_back(text_setting(signal.name, signal.signal.text()));
    return table;
}

}  // namespace tandem::description
