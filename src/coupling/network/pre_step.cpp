#include "coupling/network/pre_step.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "coupling/direct_outputs.hpp"
#include "tandem/extend/index.hpp"
#include "tandem/extend/step_tasks.hpp"

namespace tandem::coupling {
namespace {

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

/// Eigenvalues below this part of the largest entry are 0 but for rounding: two that are equal
/// differ by its root.
constexpr double rounding_of_eigenvalues = 1e-6;

/// An error of x' = A x neither dies out nor swings about 0: some eigenvalue is 0 or has a positive
/// real part.
bool drifts(const Eigen::MatrixXd& a) {
    if (a.size() == 0) return false;
    const double near = rounding_of_eigenvalues * a.cwiseAbs().maxCoeff();
    const Eigen::VectorXcd values = a.eigenvalues();
    return std::ranges::any_of(values, [&](const std::complex<double>& value) {
        return value.real() > near || std::abs(value) <= near;
    });
}

Eigen::Map<const Eigen::MatrixXd> matrix_of(const std::vector<double>& entries, Eigen::Index rows) {
    return {entries.data(), rows, rows == 0 ? 0 : std::ssize(entries) / rows};
}

/// With inputs that are right.
bool drifts_alone(const LinearModel& model) {
    return drifts(matrix_of(model.a, std::ssize(model.states)));
}

/// With inputs that keep an error out of outputs: those of the zero dynamics A - B D^+ C.
bool drifts_behind_outputs(const LinearModel& model) {
    const auto n = std::ssize(model.states), outputs = std::ssize(model.output_slopes);
    const Eigen::MatrixXd d = matrix_of(model.d, outputs);
    if (n == 0 || d.isZero(0.0)) return false;
    return drifts(matrix_of(model.a, n) - matrix_of(model.b, n) *
                                              d.completeOrthogonalDecomposition().pseudoInverse() *
                                              matrix_of(model.c, outputs));
}

}  // namespace

CouplingNeeds PreStep::needs(const System& system) const {
    CouplingNeeds needs{.capabilities = std::vector<Capabilities>(index(system.size())),
                        .solves_loops = true};
    for (int s = 0; s < system.size(); ++s)
        needs.capabilities[index(s)].linear_model =
            system.is_fed(s) && !Linearisation::has_states(system.at(s), options_.linearisation);
    return needs;
}

CouplingTraits PreStep::traits() const { return linearisation_.traits(order_); }

bool PreStep::is_linear() const {
    return options_.optimisation == PreStepInputs::linear ||
           options_.optimisation == PreStepInputs::variational_linear;
}

void PreStep::prepare(System& system, double longest_step) {
    longest_step_ = longest_step;
    linearisation_.prepare(system, options_.linearisation);
    const NetworkModel& network = linearisation_.network();
    if (options_.error != PreStepError::off) errors_.prepare(system, network, options_.lines);
    find_drifting(system);
    find_harmful(system);
    const bool helps = std::ranges::find(is_drifting_, 1) == is_drifting_.end() &&
                       std::ranges::find(is_harmful_, 1) == is_harmful_.end();
    estimates_ = options_.error == PreStepError::automatic && errors_.knows_traces(system) && helps;
    if (optimises()) {
        optimisation_.prepare(system, network, optimised_form(options_), options_.extrapolation,
                              linearisation_.doubts());
    } else {
        prediction_.prepare(system, network, predicted_form(options_.optimisation),
                            options_.extrapolation);
    }
    is_fed_.clear();
    for (int s = 0; s < system.size(); ++s) is_fed_.push_back(system.is_fed(s));
    order_ = reached_order(system);
    courses_.resize(index(system.size()));
    readings_ = 0;
    steps_.prepare(system);
}

/// Inputs that lead subsystems to where they should be need not be what their sources say, even on
/// the mean over a step; with the estimate the next step makes up for it. Straight lines instead of
/// traces do not tell enough for the third order, nor do linear models of signals that are
/// not linear, unless subsystems are led by what these signals really came to.
int PreStep::reached_order(System& system) const {
    const bool is_rough = options_.extrapolation.rule == FlowRule::backward_euler ||
                          (estimates_ && options_.lines == OutputTraces::Lines::straight);
    const int of_model = linearisation_.order(system, longest_step_);
    const int most = of_model == 1 ? 1 : is_rough ? 2 : 3;
    bool are_lines = is_linear();
    for (int s = 0; s < system.size(); ++s)
        if (is_fed_[index(s)] && system.at(s).interface().capabilities.input_derivatives == 0)
            are_lines = false;
    if (optimises()) return std::min(most, (are_lines ? 2 : 1) + (estimates_ ? 1 : 0));
    return std::min(most, are_lines && of_model == 3 ? 3 : 2);
}

CouplingReport PreStep::report(const System& system) const {
    CouplingReport report = linearisation_.report(system);
    for (Fallback& fallback : fallbacks(system)) report.fallbacks.push_back(std::move(fallback));
    return report;
}

std::vector<Fallback> PreStep::fallbacks(const System& system) const {
    std::vector<Fallback> fallbacks;
    for (int s = 0; s < std::ssize(is_fed_); ++s) {
        const Capabilities& can = system.at(s).interface().capabilities;
        if (is_linear() && is_fed_[index(s)] && can.input_derivatives == 0)
            fallbacks.push_back({s, "input derivatives are not taken, inputs are constants"});
        if (options_.error != PreStepError::automatic) continue;
        if (is_drifting_[index(s)] != 0)
            fallbacks.push_back(
                {s,
                 "alone it does not return to where it was, the error of the coupling "
                 "is not estimated"});
        else if (!estimates_ && !can.dense_traces && !system.at(s).interface().outputs.empty())
            fallbacks.push_back({s,
                                 "outputs inside a step are not told in full, the error of the "
                                 "coupling is not estimated"});
        else if (is_harmful_[index(s)] != 0)
            fallbacks.push_back(
                {s, optimises() ? "outputs follow inputs directly, by which errors may grow, "
                                  "the error of the coupling is not estimated"
                                : "outputs are not affine in time, states and inputs, the "
                                  "error of the coupling is not estimated"});
    }
    return fallbacks;
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
        if (!is_fed_[index(s)]) {
            courses_[index(s)] = {.values = system.inputs_of(s)};
        } else {
            courses_[index(s)] = optimises() ? optimisation_.course(s) : prediction_.course(s);
        }
        linearisation_.keep_course(s, courses_[index(s)], interval.length());
    }
}

StepResult PreStep::advance(System& system, Interval interval) {
    begin_step(system, interval);
    const StepResult result =
        steps_.step(system, interval, [&](int s) { return courses_[index(s)]; });
    if (result && estimates_)
        errors_.end_step(system, linearisation_.network(), {interval, courses_});
    if (result) linearisation_.end_step(system, interval);
    return result;
}

/// Inputs that are nearest to what the network says are right for where subsystems should be, and
/// do not bring them there: what they lack follows x' = A x for each alone. A free body would drift
/// away for good. Forms that lead subsystems make up for it.
void PreStep::find_drifting(const System& system) {
    is_drifting_.assign(index(system.size()), 0);
    if (optimises()) return;
    for (int s = 0; s < system.size(); ++s)
        if (system.is_fed(s) && system.at(s).interface().capabilities.linear_model)
            is_drifting_[index(s)] = drifts_alone(linearisation_.network().of(s)) ? 1 : 0;
}

/// Forms that lead subsystems match outputs that follow inputs directly: an error of states is kept
/// out of them, and goes on by the zero dynamics of the subsystem. Where these do not let it die
/// out, it grows from step to step. The other forms expect signals from the linear model at states
/// that are off the present ones, which is no better than from the present ones where signals are
/// not affine.
void PreStep::find_harmful(System& system) {
    is_harmful_.assign(index(system.size()), 0);
    for (int s = 0; s < system.size(); ++s) {
        if (system.outputs_of(s).empty()) continue;
        const bool is_affine = linearisation_.has_affine_outputs(system, s, longest_step_);
        is_harmful_[index(s)] =
            !is_affine || (optimises() && drifts_behind_outputs(linearisation_.network().of(s)));
        if (optimises() && !feeds_through(system, s)) is_harmful_[index(s)] = 0;
    }
}

/// States may have jumped, and what they lack with them in a way that no linear model tells. What
/// is lacking is given up; the subsystems go on from where they are.
void PreStep::reset_history(Interruption interruption) {
    if (interruption == Interruption::jump) linearisation_.reset_history();
    errors_.clear();
}

}  // namespace tandem::coupling
