#include "coupling/network/stabilised.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tandem/extend/index.hpp"
#include "tandem/extend/step_tasks.hpp"

namespace tandem::coupling {
CouplingNeeds Stabilised::needs(const System& system) const {
    CouplingNeeds needs{.capabilities = std::vector<Capabilities>(index(system.size())),
                        .solves_loops = true};
    for (int s = 0; s < system.size(); ++s)
        if (options_.law == StabilisedLaw::none && system.is_fed(s))
            needs.capabilities[index(s)].input_derivatives = order_of(options_.inputs);
    return needs;
}

CouplingTraits Stabilised::traits() const { return linearisation_.traits(order_); }

void Stabilised::reset_history(Interruption interruption) {
    if (interruption == Interruption::jump) linearisation_.reset_history();
}

void Stabilised::prepare(System& system, double longest_step) {
    longest_step_ = longest_step;
    linearisation_.prepare(system, options_.linearisation);
    const NetworkModel& network = linearisation_.network();
    prediction_.prepare(system, network, options_.inputs);
    partners_.clear();
    partners_.resize(index(system.size()));
    predicts_ = false;
    // A linear model is off by the third power of the step where derivatives are not linear, and so
    // is the input; the fourth power is what that adds to a state. Signals that are not linear
    // themselves are off by the second power.
    order_ = linearisation_.order(system, longest_step_);
    for (int s = 0; s < system.size(); ++s) {
        partners_[index(s)].is_fed = system.is_fed(s);
        if (partners_[index(s)].is_fed) prepare_law(system, s);
    }
    steps_.prepare(system);
    rates_.resize(index(network.states()));
    output_rates_ = network.make_signals();
}

/// Only the values of inputs follow without states of the law. Laws are about the states of the
/// linear model.
bool Stabilised::takes_law(const Capabilities& can) const {
    const bool is_value = options_.law == StabilisedLaw::neighbours &&
                          options_.neighbours.form == NeighbourForm::value;
    return options_.law != StabilisedLaw::none && can.laws && can.linear_model &&
           (is_value || can.law_states);
}

void Stabilised::prepare_law(System& system, int s) {
    PerSubsystem& partner = partners_[index(s)];
    const NetworkModel& network = linearisation_.network();
    const Interface& interface = system.at(s).interface();
    if (!takes_law(interface.capabilities)) {
        predicts_ = true;
        const PredictedForm form = prediction_.form(s);
        const bool is_mean = form == PredictedForm::mean || form == PredictedForm::interpolated;
        if (is_mean) order_ = std::min(order_, 2);
        return;
    }
    order_ = std::min(order_, order_of_law());
    if (options_.law == StabilisedLaw::neighbours && hears_of_others(system, s))
        order_ = std::min(order_, 2);
    std::vector<double> nominals;
    if (options_.law == StabilisedLaw::network) {
        partner.network.emplace(network, s);
        nominals = partner.network->nominals();
    } else {
        partner.neighbours.emplace(network, s, options_.neighbours);
        if (partner.neighbours->state_count() > 0)
            for (const Port& input : interface.inputs) nominals.push_back(input.nominal);
    }
    system.at(s).expect_law(nominals);
}

/// What third parties tell a neighbour of s goes on with its slope, which errs by the second power
/// of the step, and comes to s within the instant where the neighbour feeds it through.
bool Stabilised::hears_of_others(const System& system, int s) {
    const auto is_fed_by_another = [&](int input) {
        const int owner = system.subsystem_of_input(input);
        const auto is_other = [&](int output) { return system.subsystem_of_output(output) != s; };
        return std::ranges::any_of(system.links_into(owner),
                                   [&](const Link& link) {
                                       return link.input == input && is_other(link.output);
                                   }) ||
               std::ranges::any_of(system.functions_into(owner), [&](const FunctionLink& function) {
                   return function.input == input &&
                          std::ranges::any_of(function.outputs, is_other);
               });
    };
    const auto feeds_through = [&](int output) {
        const int owner = system.subsystem_of_output(output);
        return owner != s &&
               std::ranges::any_of(
                   system.at(owner).interface().feed_through, [&](const FeedThrough& feed) {
                       return feed.output == output - system.output_begin(owner) &&
                              is_fed_by_another(system.input_begin(owner) + feed.input);
                   });
    };
    return std::ranges::any_of(system.links_into(s),
                               [&](const Link& link) { return feeds_through(link.output); }) ||
           std::ranges::any_of(system.functions_into(s), [&](const FunctionLink& function) {
               return std::ranges::any_of(function.outputs, feeds_through);
           });
}

/// Backward Euler is of order 2, the trapezoidal rule of order 3 as values; as derivatives, where
/// the rule stands for the derivative of what it is meant for, it is the other way round.
int Stabilised::order_of_law() const {
    if (options_.law == StabilisedLaw::network) return 3;
    const bool is_backward = options_.neighbours.theta == 1.0;
    switch (options_.neighbours.form) {
        case NeighbourForm::derivative: return is_backward ? 3 : 2;
        case NeighbourForm::frozen: return 2;
        case NeighbourForm::value: return is_backward ? 2 : 3;
    }
    return 2;
}

CouplingReport Stabilised::report(const System& system) const {
    CouplingReport report = linearisation_.report(system);
    for (Fallback& fallback : fallbacks()) report.fallbacks.push_back(std::move(fallback));
    return report;
}

std::vector<Fallback> Stabilised::fallbacks() const {
    std::vector<Fallback> fallbacks;
    for (int s = 0; s < std::ssize(partners_); ++s) {
        const PerSubsystem& partner = partners_[index(s)];
        if (!partner.is_fed || partner.neighbours || partner.network) continue;
        const bool is_mean = prediction_.form(s) == PredictedForm::mean;
        if (options_.law != StabilisedLaw::none)
            fallbacks.push_back({s, fmt::format("laws are not taken, inputs are predicted as {}",
                                                is_mean ? "one mean value" : "straight lines")});
        else if (is_mean && options_.inputs == PredictedForm::automatic)
            fallbacks.push_back(
                {s,
                 "input derivatives are not taken, inputs are predicted as one mean "
                 "value"});
    }
    return fallbacks;
}

void Stabilised::begin_step(System& system, Interval interval) {
    linearisation_.begin_step(system, interval);
    const NetworkModel& network = linearisation_.network();
    if (predicts_) prediction_.predict(system, network, interval.length());
    if (options_.law == StabilisedLaw::neighbours) {
        network.rates(rates_);
        network.signals(rates_, 1.0, output_rates_);
    }
    for (int s = 0; s < system.size(); ++s) {
        PerSubsystem& partner = partners_[index(s)];
        if (partner.neighbours)
            partner.neighbours->begin_step(interval, output_rates_.e, system.inputs_of(s));
        if (partner.network) partner.network->begin_step(interval.begin, system.inputs_of(s));
        linearisation_.keep_course(s, course(system, s), interval.length());
    }
}

InputCourse Stabilised::course(System& system, int s) const {
    const PerSubsystem& partner = partners_[index(s)];
    if (!partner.is_fed) return {.values = system.inputs_of(s)};
    if (partner.neighbours) return {.values = system.inputs_of(s), .law = &*partner.neighbours};
    if (partner.network) return {.values = system.inputs_of(s), .law = &*partner.network};
    return prediction_.course(s);
}

StepResult Stabilised::advance(System& system, Interval interval) {
    begin_step(system, interval);
    const StepResult result =
        steps_.step(system, interval, [&](int s) { return course(system, s); });
    if (result) linearisation_.end_step(system, interval);
    return result;
}

}  // namespace tandem::coupling
