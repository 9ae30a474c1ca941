#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "base/registry.hpp"
#include "stepsize/step_control.hpp"

namespace tandem::stepsize {

/// What the file or the command line chose.
struct ControlChoice {
    std::string method = "fixed";
    std::vector<GivenOption> options = {};
    std::string place = {};  ///< of the method's name
};

/// Null with "fixed".
struct Control {
    std::unique_ptr<StepControl> control;
    ControlOptions options;
    bool needs_bonds = false;
};

struct ControlRow {
    std::string name;
    std::string summary;  ///< one line
    std::vector<std::string> aliases = {};
    std::vector<OptionInfo> options = {};
    /// Options that do not fit become errors in the findings.
    std::function<Control(const ControlChoice&, Diagnostics&)> make = {};
};

/// All step controls.
Registry<ControlRow>& controls();

/// Those of every control but "fixed".
std::vector<OptionSpec> describe(ControlOptions& options);

/// A row whose control `make` makes of the options, which start as `defaults` and which
/// describe(options) describes; they are ControlOptions, or have more.
template <class Options, class Make>
ControlRow control_row(std::string name, std::string summary, Options defaults, Make make) {
    ControlRow row{std::move(name), std::move(summary)};
    row.options = infos_of(describe(defaults));
    row.make = [defaults = std::move(defaults), make](const ControlChoice& choice,
                                                      Diagnostics& findings) {
        Options options = defaults;
        assign_options(describe(options), choice.options, "step control '" + choice.method + "'",
                       findings);
        check_limits(options, choice, findings);
        return Control{make(options), options};
    };
    return row;
}

/// Steps must have room between their limits.
void check_limits(const ControlOptions& options, const ControlChoice& choice,
                  Diagnostics& findings);

/// An unknown name becomes an error.
Control make_control(const ControlChoice& choice, Diagnostics& findings);

}  // namespace tandem::stepsize
