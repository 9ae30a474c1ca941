#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "coupling/catalog_entries.hpp"
#include "coupling/stabilised.hpp"

namespace tandem::coupling {
namespace {

/// The options of a stabilised coupling as users write them.
struct StabilisedText {
    StabilisedOptions options;
    LinearisationText linearisation;
    std::string form = "deriv", rule = "backward_euler", inputs = "automatic";

    std::vector<OptionSpec> describe() {
        std::vector<OptionSpec> specs;
        const auto add_choice = [&](const char* name, std::string* value, const char* help,
                                    std::vector<std::string> choices) {
            specs.push_back({name, value, help});
            specs.back().choices = std::move(choices);
        };
        if (options.law == StabilisedLaw::neighbours) {
            add_choice("form", &form,
                       "what the implicit rule gives: the derivative of inputs, the same with its "
                       "matrix frozen over a step, or the values of inputs",
                       {"deriv", "frozen", "value"});
            add_choice("rule", &rule, "for the neighbours' states",
                       {"backward_euler", "trapezoidal"});
        }
        if (options.law == StabilisedLaw::none)
            add_choice("inputs", &inputs,
                       "over a step: one mean value, the nearest straight line, the one from begin "
                       "to end, or a cubic",
                       {"automatic", "mean", "linear", "interpolated", "hermite"});
        for (OptionSpec& spec : describe_linearisation(options.linearisation, linearisation))
            specs.push_back(std::move(spec));
        return specs;
    }

    void take_choices() {
        if (form == "frozen") options.neighbours.form = NeighbourForm::frozen;
        if (form == "value") options.neighbours.form = NeighbourForm::value;
        if (rule == "trapezoidal") options.neighbours.theta = 0.5;
        if (inputs == "mean") options.inputs = PredictedForm::mean;
        if (inputs == "linear") options.inputs = PredictedForm::linear;
        if (inputs == "interpolated") options.inputs = PredictedForm::interpolated;
        if (inputs == "hermite") options.inputs = PredictedForm::hermite;
    }
};

CatalogEntry stabilised_entry(StabilisedLaw law, std::string name, std::string summary) {
    StabilisedText defaults;
    defaults.options.law = law;
    CatalogEntry entry{std::move(name), std::move(summary), {}, {}};
    for (const OptionSpec& spec : defaults.describe())
        entry.options.push_back({spec.name, value_text(spec), spec.help});
    entry.make = [law](const Choice& choice, Diagnostics& findings) {
        StabilisedText text;
        text.options.law = law;
        assign_options(text.describe(), choice.options, fmt::format("coupling '{}'", choice.method),
                       findings);
        text.take_choices();
        take_linearisation(text.linearisation, choice, text.options.linearisation);
        refuse_ratios(choice, findings);
        return std::make_unique<Stabilised>(text.options);
    };
    return entry;
}

}  // namespace

namespace {

/// In the order of InterfaceSource.
const std::vector<std::string> interface_sources = {"automatic", "slopes", "given", "differences",
                                                    "identified"};

}  // namespace

std::vector<OptionSpec> describe_linearisation(LinearisationOptions& options,
                                               LinearisationText& text) {
    std::vector<OptionSpec> specs = {
        {"refresh", &options.every, "macro steps from one reading of the Jacobians to the next", 1,
         1e9},
        {"drift", &options.drift,
         "part of its size that a rate may be off what the Jacobians say before they are read "
         "again; 0: only by counting",
         0.0, std::numeric_limits<double>::infinity()},
        {"interface", &text.interface,
         "of subsystems that give no linear model: outputs go on with their slopes, or Jacobians "
         "of the interface are given, found by differences of short steps, or identified from the "
         "steps so far; automatic: given, else differences, else slopes"}};
    specs.back().choices = interface_sources;
    return specs;
}

void take_linearisation(const LinearisationText& text, const Choice& choice,
                        LinearisationOptions& options) {
    const auto source = std::ranges::find(interface_sources, text.interface);
    if (source != interface_sources.end())
        options.interface = static_cast<InterfaceSource>(source - interface_sources.begin());
    options.given = choice.jacobians;
}

CatalogEntry linear_implicit_entry() {
    return stabilised_entry(StabilisedLaw::neighbours, "linear_implicit",
                            "inputs answer to the subsystem inside the step, by one implicit step "
                            "of its neighbours' linear models");
}

CatalogEntry lti_entry() {
    return stabilised_entry(StabilisedLaw::network, "lti",
                            "inputs answer to the subsystem inside the step, by the linear models "
                            "of all others integrated with it");
}

CatalogEntry predictor_entry() {
    return stabilised_entry(StabilisedLaw::none, "predictor",
                            "the linear model of the whole network says what inputs will do");
}

}  // namespace tandem::coupling
