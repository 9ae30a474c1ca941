#pragma once

#include <string>
#include <utility>
#include <vector>

#include "coupling/network/error_equation.hpp"
#include "coupling/network/input_optimisation.hpp"
#include "coupling/network/input_prediction.hpp"
#include "coupling/network/linearisation.hpp"
#include "tandem/extend/coupling.hpp"
#include "tandem/extend/step_tasks.hpp"

namespace tandem::coupling {

/// How the inputs of a step follow from where the network is expected to go.
enum class PreStepInputs {
    linear,              ///< the straight line nearest to the expected signals
    mean,                ///< their mean
    interpolated,        ///< the straight line from start to end
    terminal,            ///< constants that lead each subsystem to where it is expected at the end
    variational,         ///< constants that keep it near over the step
    variational_linear,  ///< straight lines that do
};
enum class PreStepError {
    /// Where all that feeds another tells what its outputs did inside a step, where what is
    /// estimated dies out (subsystems are led to where they should be, or return by themselves),
    /// and where nothing is known to make the estimate do harm.
    automatic,
    off,
};

struct PreStepOptions {
    PreStepError error = PreStepError::automatic;  ///< whether it is estimated
    /// What outputs did between the points of their traces, for the estimate.
    OutputTraces::Lines lines = OutputTraces::Lines::curved;
    FlowMethod extrapolation;
    PreStepInputs optimisation = PreStepInputs::linear;
    int nodes = 5;  ///< of variational forms: points of a step at which the distance counts
    LinearisationOptions linearisation;
};

/// Model-based pre-step stabilisation. Before each step
///   1. what the coupling did wrong so far is estimated by the linear model (ErrorEquation),
///   2. from there, the linear model of the network says where everything would go,
///   3. the inputs are chosen that lead the subsystems there.
class PreStep final : public Coupling {
public:
    explicit PreStep(PreStepOptions options) : options_(std::move(options)) {}

    CouplingNeeds needs(const System& system) const override;
    CouplingTraits traits() const override;
    void prepare(System& system, double longest_step) override;
    StepResult advance(System& system, Interval interval) override;
    void reset_history(Interruption interruption) override;
    CouplingReport report(const System& system) const override;

private:
    std::vector<Fallback> fallbacks(const System& system) const;
    bool optimises() const { return options_.optimisation >= PreStepInputs::terminal; }
    bool is_linear() const;
    void find_drifting(const System& system);
    void find_harmful(System& system);
    int reached_order(System& system) const;
    void begin_step(System& system, Interval interval);

    PreStepOptions options_;
    double longest_step_ = 0.0;
    Linearisation linearisation_;
    ErrorEquation errors_;
    InputPrediction prediction_;
    InputOptimisation optimisation_;
    bool estimates_ = true;
    long readings_ = 0;  // of the matrices that the optimisation knows
    int order_ = 2;
    StepsAtOnce steps_;
    std::vector<char> is_fed_;       // of each subsystem
    std::vector<char> is_drifting_;  // alone, it does not return to where it was
    std::vector<char> is_harmful_;   // its outputs make the estimate worse than none
    std::vector<InputCourse> courses_;
};

}  // namespace tandem::coupling
