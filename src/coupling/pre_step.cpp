#include "coupling/pre_step.hpp"

#include "coupling/step_tasks.hpp"

namespace tandem::coupling {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool is_fed(const System& system, int s) {
    return !system.links_into(s).empty() || !system.functions_into(s).empty();
}

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
            is_fed(system, s) && !Linearisation::has_states(system.at(s), options_.linearisation);
    return needs;
}

bool PreStep::is_linear() const {
    return options_.optimisation == PreStepInputs::linear ||
           options_.optimisation == PreStepInputs::variational_linear;
}

void PreStep::prepare(System& system) {
    linearisation_.prepare(system, options_.linearisation);
    const NetworkModel& network = linearisation_.network();
    errors_.prepare(system, network, options_.lines);
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
    std::vector<std::vector<int>> steps;
    for (int s = 0; s < system.size(); ++s) {
        is_fed_.push_back(is_fed(system, s));
        steps.push_back({s});
        const int taken = system.at(s).interface().capabilities.input_derivatives;
        if (is_fed(system, s) && taken == 0) order_ = 2;
    }
    courses_.resize(at(system.size()));
    results_.resize(at(system.size()));
    readings_ = 0;
    tasks_ = system.executor().prepare(step_tasks(system, steps, Reads::nothing));
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

StepResult PreStep::step_all(System& system, Interval interval) {
    const auto one = [&](int s) {
        results_[at(s)] = system.step(s, interval, courses_[at(s)]);
        return static_cast<bool>(results_[at(s)]);
    };
    const int stopped = system.executor().run(tasks_, one);
    if (stopped == Executor::all_done) return {Outcome::complete, interval.end};
    system.note_stopped(stopped);
    return results_[at(stopped)];
}

StepResult PreStep::advance(System& system, Interval interval) {
    begin_step(system, interval);
    const StepResult result = step_all(system, interval);
    if (result && estimates_)
        errors_.end_step(system, linearisation_.network(), {interval, courses_});
    return result;
}

/// States may have jumped, and what they lack with them in a way that no linear model tells. What
/// is lacking is given up; the subsystems go on from where they are.
void PreStep::forget() {
    linearisation_.forget();
    errors_.clear();
}

}  // namespace tandem::coupling
