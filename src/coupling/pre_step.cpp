#include "coupling/pre_step.hpp"

#include "coupling/step_tasks.hpp"

namespace tandem::coupling {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

PredictedForm predicted_form(PreStepInputs inputs) {
    switch (inputs) {
        case PreStepInputs::mean: return PredictedForm::mean;
        case PreStepInputs::interpolated: return PredictedForm::interpolated;
        default: return PredictedForm::linear;
    }
}

OptimisedForm optimised_form(const PreStepOptions& options) {
    const bool is_terminal = options.optimisation == PreStepInputs::terminal;
    return {is_terminal ? OptimisedAim::terminal : OptimisedAim::variational,
            options.optimisation == PreStepInputs::variational_linear, options.nodes};
}

}  // namespace

std::vector<Capabilities> PreStep::needs(const System& system) const {
    std::vector<Capabilities> needs(at(system.size()));
    for (int s = 0; s < system.size(); ++s)
        needs[at(s)].linear_model =
            system.is_fed(s) && !Linearisation::has_states(system.at(s), options_.linearisation);
    return needs;
}

bool PreStep::is_linear() const {
    return options_.optimisation == PreStepInputs::linear ||
           options_.optimisation == PreStepInputs::variational_linear;
}

void PreStep::prepare(System& system) {
    linearisation_.prepare(system, options_.linearisation);
    const NetworkModel& network = linearisation_.network();
    if (options_.error != PreStepError::off) errors_.prepare(system, network, options_.lines);
    estimates_ = options_.error == PreStepError::on ||
                 (options_.error == PreStepError::automatic && errors_.knows_traces(system));
    if (optimises()) {
        optimisation_.prepare(system, network, optimised_form(options_), options_.extrapolation);
    } else {
        prediction_.prepare(system, network, predicted_form(options_.optimisation),
                            options_.extrapolation);
    }
    order_ = is_linear() ? 3 : 2;
    // Straight lines instead of traces do not tell enough for the third.
    if (estimates_ && !errors_.knows_traces(system)) order_ = 2;
    is_fed_.clear();
    for (int s = 0; s < system.size(); ++s) {
        is_fed_.push_back(system.is_fed(s));
        const int taken = system.at(s).interface().capabilities.input_derivatives;
        if (system.is_fed(s) && taken == 0) order_ = 2;
    }
    courses_.resize(at(system.size()));
    readings_ = 0;
    steps_.prepare(system);
}

std::vector<Note> PreStep::notes(const System& system) const {
    std::vector<Note> notes = linearisation_.notes(system);
    for (int s = 0; s < system.size(); ++s) {
        const Capabilities& can = system.at(s).interface().capabilities;
        if (is_linear() && is_fed_[at(s)] && can.input_derivatives == 0)
            notes.push_back({s, "input derivatives are not taken, inputs are constants"});
        if (!estimates_ && options_.error == PreStepError::automatic && !can.dense_traces &&
            !system.at(s).interface().outputs.empty())
            notes.push_back({s,
                             "outputs inside a step are not told in full, the error of the "
                             "coupling is not estimated"});
    }
    return notes;
}

void PreStep::begin_step(System& system, Interval interval) {
    linearisation_.begin_step(system, interval);
    const NetworkModel& network = linearisation_.network();
    std::span<const double> start;
    if (estimates_) {
        errors_.begin_step(system, interval.begin);
        start = errors_.delta();
    }
    if (optimises()) {
        const bool has_new_matrices = readings_ != linearisation_.readings();
        readings_ = linearisation_.readings();
        optimisation_.optimise(system, network, {interval.length(), start, has_new_matrices});
    } else {
        prediction_.predict(system, network, interval.length(), start);
    }
    for (int s = 0; s < system.size(); ++s) {
        if (!is_fed_[at(s)]) {
            courses_[at(s)] = {.values = system.inputs_of(s)};
        } else {
            courses_[at(s)] = optimises() ? optimisation_.course(s) : prediction_.course(s);
        }
        linearisation_.keep_course(s, courses_[at(s)], interval.length());
    }
}

StepResult PreStep::advance(System& system, Interval interval) {
    begin_step(system, interval);
    const StepResult result = steps_.step(system, interval, [&](int s) { return courses_[at(s)]; });
    if (result && estimates_)
        errors_.end_step(system, linearisation_.network(), {interval, courses_});
    if (result) linearisation_.end_step(system, interval);
    return result;
}

/// States may have jumped, and what they lack with them in a way that no linear model tells. What
/// is lacking is given up; the subsystems go on from where they are.
void PreStep::forget() {
    linearisation_.forget();
    errors_.clear();
}

}  // namespace tandem::coupling
