#pragma once

#include <string>

#include "record/run_record.hpp"

namespace tandem::report {

/// The system of a run as an SVG element for the page of the report, styled by its style sheet:
/// a box per subsystem with its share of the time, one curve per pair of connected subsystems,
/// cycles and priorities marked. What a curve or a box stands for is in its data-tip.
std::string system_svg(const RunRecord& record);

/// The same as a file of its own that any viewer shows, with a title and a caption.
std::string system_svg_file(const RunRecord& record);

/// True if the graph of the record has a cycle.
bool has_cycle(const RunRecord& record);

}  // namespace tandem::report
