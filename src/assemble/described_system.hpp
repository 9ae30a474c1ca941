#pragma once

#include <string>
#include <vector>

#include "assemble/system_graph.hpp"
#include "description/flatten.hpp"
#include "record/run_record.hpp"

namespace tandem::assemble {

/// A system as far as its files describe it, without any code of FMUs and libraries.
struct DescribedSystem {
    description::FlatSystem flat;
    Diagnostics findings;                    ///< of reading, linking, and of the FMUs themselves
    std::vector<std::string> not_looked_at;  ///< libraries, of which only the uses are known
    SystemGraph graph;                       ///< empty if there are errors
    RunRecord record;                        ///< who feeds whom, likewise
};

/// Reads a system and the descriptions of its FMUs, and compares what they say: names, types, units
/// of connections and functions. What only code can tell (parameters, couplings, events) is not
/// looked at.
DescribedSystem describe_system(const std::string& file);

}  // namespace tandem::assemble
