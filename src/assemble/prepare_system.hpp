#pragma once

#include <functional>
#include <string>
#include <vector>

#include "assemble/assemble.hpp"
#include "description/flatten.hpp"

namespace tandem::assemble {

struct PrepareOptions {
    AssembleOptions assemble;         ///< without a tolerance that of the file is used
    std::vector<std::string> record;  ///< patterns instead of those of the file
    std::string exchange;             ///< of all transmission lines instead of those of the file
    /// FMUs of both kinds may be taken as Model Exchange although nobody says so.
    bool chooses_kinds = true;
    std::vector<std::string> plugins = {};  ///< besides those of the file
    std::string input = {};                 ///< table with columns subsystem.variable; empty: none
    /// Called when the file is understood, before any code of FMUs and libraries runs.
    std::function<void(const description::FlatSystem&)> before_loading = {};
};

/// A system from its file, as far as it could be understood.
struct PreparedSystem {
    description::FlatSystem flat;
    Assembly assembly;     ///< without a system if there are errors
    Diagnostics findings;  ///< everything that reading, loading and linking found
};

/// Reads, loads and links a system and looks for everything that is wrong, whatever comes first.
/// Of a system beyond the limits nothing is loaded.
PreparedSystem prepare_system(const std::string& file, const PrepareOptions& options);
/// The same for a system that has been read; `findings` of that come first.
PreparedSystem prepare_system(const description::SystemDescription& description,
                              Diagnostics findings, const PrepareOptions& options);

}  // namespace tandem::assemble
