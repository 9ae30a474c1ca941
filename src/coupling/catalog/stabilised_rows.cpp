#include <limits>

#include "coupling/catalog/rows.hpp"
#include "coupling/network/stabilised.hpp"

namespace tandem::coupling {

static std::vector<OptionSpec> describe(StabilisedOptions& options) {
    std::vector<OptionSpec> specs;
    if (options.law == StabilisedLaw::neighbours) {
        specs.push_back(
            choice_option("form", &options.neighbours.form,
                          "what the implicit rule gives: the derivative of inputs, the same with "
                          "its matrix frozen over a step, or the values of inputs",
                          {{"deriv", NeighbourForm::derivative},
                           {"frozen", NeighbourForm::frozen},
                           {"value", NeighbourForm::value}}));
        specs.push_back(choice_option("rule", &options.neighbours.theta,
                                      "for the neighbours' states",
                                      {{"backward_euler", 1.0}, {"trapezoidal", 0.5}}));
    }
    if (options.law == StabilisedLaw::none)
        specs.push_back(choice_option("inputs", &options.inputs,
                                      "over a step: one mean value, the nearest straight line, the "
                                      "one from start to end, or a cubic",
                                      {{"automatic", PredictedForm::automatic},
                                       {"mean", PredictedForm::mean},
                                       {"linear", PredictedForm::linear},
                                       {"interpolated", PredictedForm::interpolated},
                                       {"hermite", PredictedForm::hermite}}));
    for (OptionSpec& spec : describe(options.linearisation)) specs.push_back(std::move(spec));
    return specs;
}

static CouplingRow stabilised_row(StabilisedLaw law, std::string name, std::string summary) {
    StabilisedOptions defaults;
    defaults.law = law;
    return coupling_row(std::move(name), std::move(summary), std::move(defaults),
                        [](StabilisedOptions options, const Choice& choice, Diagnostics& findings) {
                            take_jacobians(choice, options.linearisation, findings);
                            return std::make_unique<Stabilised>(std::move(options));
                        });
}

std::vector<OptionSpec> describe(LinearisationOptions& options) {
    return {{"refresh", &options.every, "macro steps from one reading of the Jacobians to the next",
             1, 1e9},
            {"drift", &options.drift,
             "part of its size that a rate may be off what the Jacobians say before they are read "
             "again; 0: only by counting",
             0.0, std::numeric_limits<double>::infinity()},
            choice_option("interface", &options.interface,
                          "of subsystems that give no linear model: outputs go on with their "
                          "slopes, or Jacobians of the interface are given, found by differences "
                          "of short steps, or identified from the steps so far; automatic: given, "
                          "else differences, else slopes",
                          {{"automatic", InterfaceSource::automatic},
                           {"slopes", InterfaceSource::slopes},
                           {"given", InterfaceSource::given},
                           {"differences", InterfaceSource::differences},
                           {"identified", InterfaceSource::identified}})};
}

void take_jacobians(const Choice& choice, LinearisationOptions& options, Diagnostics& findings) {
    options.given = choice.jacobians;
    if (options.interface == InterfaceSource::given && options.given.empty())
        findings.push_back({Severity::error, choice.place,
                            "interface = \"given\": the file gives no Jacobian of any subsystem",
                            "add interface_jacobian to a subsystem, see docs/couplings"});
}

CouplingRow linear_implicit_row() {
    return stabilised_row(StabilisedLaw::neighbours, "linear_implicit",
                          "inputs answer to the subsystem inside the step, by one implicit step "
                          "of its neighbours' linear models");
}

CouplingRow lti_row() {
    return stabilised_row(StabilisedLaw::network, "lti",
                          "inputs answer to the subsystem inside the step, by the linear models "
                          "of all others integrated with it");
}

CouplingRow predictor_row() {
    return stabilised_row(StabilisedLaw::none, "predictor",
                          "the linear model of the whole network says what inputs will do");
}

}  // namespace tandem::coupling
