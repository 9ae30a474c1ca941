#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "stepsize/step_control.hpp"

namespace tandem::stepsize {

/// What the file or the command line chose.
struct ControlChoice {
    std::string method = "fixed";
    std::vector<GivenOption> options = {};
    std::string place = {};  ///< of the method's name
};

struct ControlEntry {
    std::string name;
    std::string summary;  ///< one line
};

const std::vector<ControlEntry>& catalog();
/// Those of every control but "fixed".
std::vector<OptionSpec> describe(ControlOptions& options);

/// Nothing for "fixed". Unknown names and wrong options become errors.
struct Control {
    std::unique_ptr<StepControl> control;
    ControlOptions options;
};
Control make_control(const ControlChoice& choice, Diagnostics& findings);

}  // namespace tandem::stepsize
