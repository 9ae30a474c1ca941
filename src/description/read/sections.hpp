#pragma once

#include <string_view>

#include "description/description.hpp"
#include "description/read/read_context.hpp"
#include "description/table_reader.hpp"

/// The parts of a system that SSP has no words for. They stand in a system file as they are, and in
/// an SSD inside a vendor annotation.
namespace tandem::description {

/// The type of the vendor annotation of an SSD, a system or a subsystem that holds such parts.
inline constexpr std::string_view settings_annotation = "org.tandem-cosim.settings";

/// [experiment], [coupling], [step_control], [record], [[plots]] and [report]. Files are meant from
/// the folder of the description.
void read_run_sections(TableReader& reader, SystemDescription& description, ReadContext& context);
/// [[functions]], [[sources]], [[events]], [[bonds]] and [[tlm]].
void read_system_sections(TableReader& reader, NestedSystem& system);
/// solver, tolerance, step_ratio ...
void read_options(TableReader& reader, std::vector<Setting>& options);

/// The same sections as tables, to be written; empty if there is nothing to say.
Setting run_sections(const SystemDescription& description);
Setting system_sections(const NestedSystem& system);
Setting option_section(const std::vector<Setting>& options);

/// "a.x -> b.y" cut at the arrow; nothing (and a report) if it has another form.
std::optional<std::pair<Endpoint, Endpoint>> parse_arrow(const std::string& text,
                                                         const Place& place, Diagnostics& findings);

}  // namespace tandem::description
