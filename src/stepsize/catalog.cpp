#include "stepsize/catalog.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "base/names.hpp"
#include "stepsize/power_residual.hpp"
#include "stepsize/prediction_error.hpp"
#include "stepsize/richardson.hpp"

namespace tandem::stepsize {

const std::vector<ControlEntry>& catalog() {
    static const std::vector<ControlEntry> entries = {
        {"energy", "steps follow the power that bonds lose or make between subsystems"},
        {"fixed", "all steps have the given length"},
        {"predictor", "steps follow how well outputs could be foreseen; none is repeated"},
        {"richardson", "each step is compared with two halves, and repeated if it is too long"},
    };
    return entries;
}

std::vector<OptionSpec> describe(ControlOptions& options) {
    constexpr double largest = std::numeric_limits<double>::infinity();
    constexpr double smallest = std::numeric_limits<double>::min();
    return {{"tolerance", &options.tolerance, "of errors, by nominal and size", smallest, largest},
            {"first_step", &options.first_step, "0: the communication step", 0.0, largest},
            {"min_step", &options.min_step, "0: 1e-6 of the communication step", 0.0, largest},
            {"max_step", &options.max_step, "0: from one communication point to the next", 0.0,
             largest}};
}

namespace {

void check_limits(const ControlOptions& options, const ControlChoice& choice,
                  Diagnostics& findings) {
    if (options.max_step == 0.0 ||
        std::max(options.min_step, options.first_step) <= options.max_step)
        return;
    findings.push_back({Severity::error, choice.place,
                        fmt::format("step control '{}': min_step and first_step must not be larger "
                                    "than max_step = {}",
                                    choice.method, options.max_step),
                        ""});
}

}  // namespace

Control make_control(const ControlChoice& choice, Diagnostics& findings) {
    Control made;
    if (choice.method == "richardson" || choice.method == "predictor" ||
        choice.method == "energy") {
        assign_options(describe(made.options), choice.options,
                       fmt::format("step control '{}'", choice.method), findings);
        check_limits(made.options, choice, findings);
        const double tolerance = made.options.tolerance;
        if (choice.method == "richardson")
            made.control = std::make_unique<Richardson>(tolerance);
        else if (choice.method == "predictor")
            made.control = std::make_unique<PredictionError>(tolerance);
        else
            made.control = std::make_unique<PowerResidual>(tolerance);
    } else if (choice.method == "fixed") {
        for (const GivenOption& option : choice.options)
            findings.push_back({Severity::error, option.place,
                                fmt::format("step control 'fixed' has no option '{}'", option.name),
                                "choose a method that has it: richardson, predictor or energy"});
    } else {
        std::vector<std::string> names;
        for (const ControlEntry& known : catalog()) names.push_back(known.name);
        findings.push_back(
            {Severity::error, choice.place,
             fmt::format("there is no step control '{}'", choice.method),
             did_you_mean(choice.method, names, fmt::format("use {}", fmt::join(names, " or ")))});
    }
    return made;
}

}  // namespace tandem::stepsize
