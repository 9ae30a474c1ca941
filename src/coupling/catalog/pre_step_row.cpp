#include "coupling/catalog/rows.hpp"
#include "coupling/network/pre_step.hpp"

namespace tandem::coupling {

static std::vector<OptionSpec> describe(PreStepOptions& options) {
    using Lines = OutputTraces::Lines;
    std::vector<OptionSpec> specs = {
        choice_option(
            "error", &options.error,
            "whether the error of the coupling is estimated and corrected; automatic, "
            "on: where all sources tell what their outputs did inside a step, and nothing "
            "is known to make that worse than no estimate",
            {{"automatic", PreStepError::automatic},
             {"on", PreStepError::automatic},
             {"off", PreStepError::off}}),
        choice_option("extrapolation", &options.extrapolation.rule,
                      "of the linear model over the step",
                      {{"exact", FlowRule::exact},
                       {"trapezoidal", FlowRule::trapezoidal},
                       {"micro_steps", FlowRule::backward_euler}}),
        {"micro_steps", &options.extrapolation.steps,
         "in each step, of extrapolation = micro_steps", 1, 1e6},
        choice_option("optimisation", &options.optimisation,
                      "inputs: nearest to the expected signals (linear, mean, interpolated), or "
                      "leading subsystems to where they are expected (terminal, variational, "
                      "variational_linear)",
                      {{"linear", PreStepInputs::linear},
                       {"mean", PreStepInputs::mean},
                       {"interpolated", PreStepInputs::interpolated},
                       {"terminal", PreStepInputs::terminal},
                       {"variational", PreStepInputs::variational},
                       {"variational_linear", PreStepInputs::variational_linear}}),
        {"nodes", &options.nodes, "points of a step that count, of variational forms", 2, 1e4},
        choice_option("traces", &options.lines,
                      "how outputs go between the points known of them, for the error",
                      {{"straight", Lines::straight}, {"curved", Lines::curved}})};
    for (OptionSpec& spec : describe(options.linearisation)) specs.push_back(std::move(spec));
    return specs;
}

CouplingRow pre_step_row() {
    PreStepOptions defaults;
    defaults.extrapolation.steps = 50;
    return coupling_row(
        "pre_step", "the linear model says where subsystems should go, and inputs lead them there",
        defaults, [](PreStepOptions options, const Choice& choice, Diagnostics& findings) {
            take_jacobians(choice, options.linearisation, findings);
            return std::make_unique<PreStep>(std::move(options));
        });
}

}  // namespace tandem::coupling
