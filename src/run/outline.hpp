#pragma once

#include "assemble/assemble.hpp"
#include "description/flatten.hpp"
#include "record/run_record.hpp"

namespace tandem::run {

/// What the record of a run says before anything has run: subsystems with their priorities,
/// connections, functions, bonds, the coupling, what became one (in the order of
/// `Assembly::groups`), and after that the cycles of the graph.
RunRecord outline(const description::FlatSystem& flat, const assemble::Assembly& assembly);

}  // namespace tandem::run
