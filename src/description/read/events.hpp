#pragma once

#include <vector>

#include "description/description.hpp"
#include "description/table_reader.hpp"

/// The events of a system and the signals that events and functions share, as tables.
namespace tandem::description {

/// [[events]].
void read_events(TableReader& reader, std::vector<SystemEvent>& events);
Setting events_setting(const std::vector<SystemEvent>& events);

/// What makes an event meaningless, whoever wrote it: it has no way to happen or two, or times that
/// do not ascend (`times_place` is where they stand); ...
void check_trigger(const SystemEvent& event, const Place& times_place, Diagnostics& findings);
/// ... or it has nothing to do.
void check_actions(const SystemEvent& event, Diagnostics& findings);

/// signals = { a = "wheel.x" }.
std::vector<NamedSignal> read_signals(const Setting& table, TableReader& reader);
Setting signals_setting(const std::vector<NamedSignal>& signals);

}  // namespace tandem::description
