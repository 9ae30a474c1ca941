#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tandem/extend/options.hpp"
#include "tandem/extend/registry.hpp"
#include "tandem/extend/subsystem.hpp"

namespace tandem::subsystem {

/// What a system file says of a subsystem whose type is a row of sources().
struct SourceRequest {
    std::string name;                  ///< of the subsystem
    std::string source;                ///< the path, absolute; may be empty
    std::vector<GivenOption> options;  ///< of its table `options`
    std::string place;                 ///< in the file
};

/// A type of subsystems besides FMUs, model libraries, tables and systems.
struct SourceRow {
    std::string name;     ///< as in type = "name"
    std::string summary;  ///< one line
    std::vector<std::string> aliases = {};
    std::vector<OptionInfo> options = {};
    /// Throws InputError; what is wrong with options may become findings instead.
    std::function<std::unique_ptr<Subsystem>(const SourceRequest&, Diagnostics&)> make = {};
};

/// All of them; plug-ins add theirs.
Registry<SourceRow>& sources();

}  // namespace tandem::subsystem
