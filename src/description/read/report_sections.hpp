#pragma once

#include "description/description.hpp"
#include "description/read/read_context.hpp"
#include "description/table_reader.hpp"

/// What the report of a run shows: [[plots]] and [report], as tables.
namespace tandem::description {

/// Reports a reference that is no file.
void read_report(TableReader& reader, SystemDescription& description, ReadContext& context);

/// Empty if there is nothing to say. The reference is written as `description` has it.
Setting plots_setting(const ReportChoice& report);
Setting report_setting(const ReportChoice& report);

}  // namespace tandem::description
