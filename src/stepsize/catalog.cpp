#include "stepsize/catalog.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "stepsize/power_residual.hpp"
#include "stepsize/prediction_error.hpp"
#include "stepsize/richardson.hpp"

namespace tandem::stepsize {

std::vector<OptionSpec> describe(ControlOptions& options) {
    constexpr double largest = std::numeric_limits<double>::infinity();
    constexpr double smallest = std::numeric_limits<double>::min();
    return {{"tolerance", &options.tolerance, "of errors, by nominal and size", smallest, largest},
            {"first_step", &options.first_step, "0: the communication step", 0.0, largest},
            {"min_step", &options.min_step, "0: 1e-6 of the communication step", 0.0, largest},
            {"max_step", &options.max_step, "0: from one communication point to the next", 0.0,
             largest}};
}

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

namespace {

Control fixed(const ControlChoice& choice, Diagnostics& findings) {
    std::vector<std::string> others = controls().names();
    std::erase(others, "fixed");
    for (const GivenOption& option : choice.options)
        findings.push_back(
            {Severity::error, option.place,
             fmt::format("step control 'fixed' has no option '{}'", option.name),
             fmt::format("choose a method that has it: {}", fmt::join(others, ", "))});
    return {};
}

ControlRow power_residual_row() {
    ControlRow row = control_row(
        "power_residual", "steps follow the power that bonds lose or make between subsystems",
        ControlOptions{}, [](const ControlOptions& options) {
            return std::make_unique<PowerResidual>(options.tolerance);
        });
    row.aliases = {"energy"};
    row.make = [make = row.make](const ControlChoice& choice, Diagnostics& findings) {
        Control control = make(choice, findings);
        control.needs_bonds = true;
        return control;
    };
    return row;
}

ControlRow prediction_error_row() {
    ControlRow row = control_row(
        "prediction_error", "steps follow how well outputs could be foreseen; none is repeated",
        ControlOptions{}, [](const ControlOptions& options) {
            return std::make_unique<PredictionError>(options.tolerance);
        });
    row.aliases = {"predictor"};
    return row;
}

}  // namespace

Registry<ControlRow>& controls() {
    static Registry<ControlRow> rows(
        "step control",
        {{"fixed", "all steps have the given length", {}, {}, fixed},
         power_residual_row(),
         prediction_error_row(),
         control_row("richardson",
                     "each step is compared with two halves, and repeated if it is too long",
                     ControlOptions{}, [](const ControlOptions& options) {
                         return std::make_unique<Richardson>(options.tolerance);
                     })});
    return rows;
}

Control make_control(const ControlChoice& choice, Diagnostics& findings) {
    const ControlRow* row = controls().find(choice.method, choice.place, findings);
    return row == nullptr ? Control{} : row->make(choice, findings);
}

}  // namespace tandem::stepsize
