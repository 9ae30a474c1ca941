#include <fmt/format.h>

#include <algorithm>

#include "coupling/catalog_entries.hpp"
#include "coupling/pre_step.hpp"

namespace tandem::coupling {
namespace {

/// The options of "pre_step" as users write them.
struct PreStepText {
    PreStepOptions options;
    LinearisationText linearisation;
    std::string error = "automatic", extrapolation = "exact", optimisation = "linear",
                traces = "curved";
    int micro_steps = 50;

    std::vector<OptionSpec> describe() {
        std::vector<OptionSpec> specs = {
            {"error", &error,
             "whether the error of the coupling is estimated and made up for; automatic: where all "
             "sources tell what their outputs did inside a step"},
            {"extrapolation", &extrapolation, "of the linear model over the step"},
            {"micro_steps", &micro_steps, "in each step, of extrapolation = micro_steps", 1, 1e6},
            {"optimisation", &optimisation,
             "inputs: nearest to the expected signals (linear, mean, interpolated), or leading "
             "subsystems to where they are expected (terminal, variational, variational_linear)"},
            {"nodes", &options.nodes, "points of a step that count, of variational forms", 2, 1e4},
            {"traces", &traces, "how outputs go between the points known of them, for the error"}};
        specs[0].choices = {"automatic", "on", "off"};
        specs[1].choices = {"exact", "trapezoidal", "micro_steps"};
        specs[3].choices = {"linear",   "mean",        "interpolated",
                            "terminal", "variational", "variational_linear"};
        specs[5].choices = {"straight", "curved"};
        for (OptionSpec& spec : describe_linearisation(options.linearisation, linearisation))
            specs.push_back(std::move(spec));
        return specs;
    }

    void take_choices() {
        const auto position = [](const OptionSpec& spec, const std::string& value) {
            return static_cast<int>(std::ranges::find(spec.choices, value) - spec.choices.begin());
        };
        const std::vector<OptionSpec> specs = describe();
        options.error = static_cast<PreStepError>(position(specs[0], error));
        options.extrapolation = {static_cast<FlowRule>(position(specs[1], extrapolation)),
                                 micro_steps};
        options.lines = static_cast<OutputTraces::Lines>(position(specs[5], traces));
        options.optimisation = static_cast<PreStepInputs>(position(specs[3], optimisation));
    }
};

}  // namespace

CatalogEntry pre_step_entry() {
    CatalogEntry entry{
        "pre_step",
        "the linear model says where subsystems should go, and inputs lead them there",
        {},
        {}};
    PreStepText defaults;
    for (const OptionSpec& spec : defaults.describe())
        entry.options.push_back({spec.name, value_text(spec), spec.help});
    entry.make = [](const Choice& choice, Diagnostics& findings) {
        PreStepText text;
        assign_options(text.describe(), choice.options, fmt::format("coupling '{}'", choice.method),
                       findings);
        text.take_choices();
        take_linearisation(text.linearisation, choice, text.options.linearisation);
        refuse_ratios(choice, findings);
        return std::make_unique<PreStep>(text.options);
    };
    return entry;
}

}  // namespace tandem::coupling
