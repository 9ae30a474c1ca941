#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "coupling/network/input_prediction.hpp"
#include "coupling/network/linearisation.hpp"
#include "coupling/network/neighbour_law.hpp"
#include "coupling/network/network_law.hpp"
#include "tandem/extend/coupling.hpp"
#include "tandem/extend/step_tasks.hpp"

namespace tandem::coupling {

/// What inputs follow where a subsystem takes laws.
enum class StabilisedLaw {
    none,        ///< the prediction, for all subsystems
    neighbours,  ///< one linearly implicit step of the neighbours' linear models
    network,     ///< the linear models of all others, integrated with the subsystem
};

struct StabilisedOptions {
    StabilisedLaw law = StabilisedLaw::none;
    NeighbourLawOptions neighbours;
    PredictedForm inputs = PredictedForm::automatic;  ///< of what follows no law
    LinearisationOptions linearisation;
};

/// Couplings that read the linear model of the network at the beginning of each step and let the
/// inputs of each subsystem answer to what it says: as a law inside the step, or as a prediction.
class Stabilised final : public Coupling {
public:
    explicit Stabilised(StabilisedOptions options) : options_(std::move(options)) {}

    CouplingNeeds needs(const System& system) const override;
    CouplingTraits traits() const override;
    void prepare(System& system, double longest_step) override;
    StepResult advance(System& system, Interval interval) override;
    void reset_history(Interruption interruption) override;
    CouplingReport report(const System& system) const override;

private:
    std::vector<Fallback> fallbacks() const;
    struct PerSubsystem {
        bool is_fed = false;
        std::optional<NeighbourLaw> neighbours;
        std::optional<NetworkLaw> network;
    };
    bool takes_law(const Capabilities& can) const;
    void prepare_law(System& system, int s);
    void begin_step(System& system, Interval interval);
    InputCourse course(System& system, int s) const;
    int order_of_law() const;
    static bool hears_of_others(const System& system, int s);

    StabilisedOptions options_;
    double longest_step_ = 0.0;
    Linearisation linearisation_;
    InputPrediction prediction_;
    bool predicts_ = true;  // for some subsystem
    int order_ = 1;
    StepsAtOnce steps_;
    std::vector<PerSubsystem> partners_;
    std::vector<double> rates_;
    NetworkModel::Signals output_rates_;
};

}  // namespace tandem::coupling
