#include "coupling/linearisation.hpp"

#include <algorithm>
#include <cmath>

namespace tandem::coupling {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

constexpr int max_loop_iterations = 10;
constexpr double loop_tolerance = 1e-12;

}  // namespace

void Linearisation::prepare(System& system, LinearisationOptions options) {
    options_ = options;
    insiders_.clear();
    outsiders_.clear();
    std::vector<LinearModel> models(at(system.size()));
    for (int s = 0; s < system.size(); ++s) {
        const Interface& interface = system.at(s).interface();
        if (interface.capabilities.linear_model) {
            insiders_.push_back(s);
            system.at(s).linearise(models[at(s)], LinearParts::all);
            continue;
        }
        models[at(s)].resize(0, interface.inputs.size(), interface.outputs.size());
        Outsider outsider{s, interface.capabilities.output_derivatives > 0, {}};
        outsider.history.prepare(static_cast<int>(interface.outputs.size()), 1, 2);
        outsiders_.push_back(std::move(outsider));
    }
    network_.prepare(system, std::move(models));
    prepare_settling(system);
    const auto n = at(network_.states());
    for (auto* work : {&reference_.states, &reference_.rates, &sizes_}) work->assign(n, 0.0);
    reference_.inputs.assign(at(network_.inputs()), 0.0);
    forget();
}

/// Outputs without feed-through do not change with the inputs; the others are read again in the
/// order in which they depend on each other.
void Linearisation::prepare_settling(const System& system) {
    settling_.clear();
    std::size_t largest = 0;
    for (std::size_t block = 0; block < network_.feed_blocks().size(); ++block) {
        const NetworkModel::FeedBlock& feeds = network_.feed_blocks()[block];
        const int s = system.subsystem_of_output(feeds.outputs.front());
        const int loop = feeds.is_loop ? static_cast<int>(block) : -1;
        const bool repeats = !settling_.empty() && settling_.back().loop < 0 && loop < 0 &&
                             settling_.back().subsystem == s;
        if (!repeats) settling_.push_back({s, loop});
        largest = std::max(largest, feeds.outputs.size());
    }
    loop_.assign(3 * largest, 0.0);
}

void Linearisation::forget() {
    wants_matrices_ = true;
    for (Outsider& outsider : outsiders_) outsider.history.clear();
}

void Linearisation::begin_step(System& system, double t) {
    settle(system, t);
    const bool repeats = t <= begin_;
    begin_ = t;
    ++steps_since_;
    if (wants_matrices_ || repeats || steps_since_ >= options_.every) {
        read(system, t, LinearParts::all);
    } else {
        read(system, t, LinearParts::point);
        if (options_.drift > 0.0 && has_drifted(system, t)) read(system, t, LinearParts::all);
    }
}

void Linearisation::give_inputs(System& system, int s, double t) {
    system.route_to(s, t);
    system.at(s).set_inputs({.values = system.inputs_of(s)});
}

void Linearisation::settle(System& system, double t) {
    for (const Settling& settling : settling_) {
        if (settling.loop >= 0) {
            settle_loop(system, at(settling.loop), t);
            continue;
        }
        give_inputs(system, settling.subsystem, t);
        system.read_outputs(settling.subsystem);
    }
    for (int s = 0; s < system.size(); ++s) give_inputs(system, s, t);
}

/// Newton's iteration for y = g(K y), with the derivatives that were read last.
void Linearisation::settle_loop(System& system, std::size_t block, double t) {
    const std::vector<int>& members = network_.feed_blocks()[block].outputs;
    const std::size_t size = members.size();
    const auto before = std::span(loop_).first(size);
    const auto residuals = std::span(loop_).subspan(size, size);
    const auto changes = std::span(loop_).subspan(2 * size, size);
    const std::span<double> outputs = system.outputs();
    for (int iteration = 0; iteration < max_loop_iterations; ++iteration) {
        for (std::size_t i = 0; i < size; ++i) before[i] = outputs[at(members[i])];
        for (const int output : members) give_inputs(system, system.subsystem_of_output(output), t);
        for (const int output : members) system.read_outputs(system.subsystem_of_output(output));
        bool agrees = true;
        for (std::size_t i = 0; i < size; ++i) {
            residuals[i] = outputs[at(members[i])] - before[i];
            const double scale =
                std::abs(before[i]) + std::abs(system.output_port(members[i]).nominal);
            agrees = agrees && std::abs(residuals[i]) <= loop_tolerance * scale;
        }
        if (agrees) return;
        network_.solve_loop(block, residuals, changes);
        for (std::size_t i = 0; i < size; ++i) outputs[at(members[i])] = before[i] + changes[i];
    }
}

void Linearisation::read(System& system, double t, LinearParts parts) {
    for (const int s : insiders_) system.at(s).linearise(network_.of(s), parts);
    for (Outsider& outsider : outsiders_) read_outsider(system, outsider, t);
    if (parts != LinearParts::all) return;
    network_.join(system, t);
    ++readings_;
    steps_since_ = 0;
    wants_matrices_ = false;
    if (options_.drift > 0.0) keep_reference(system, t);
}

void Linearisation::read_outsider(System& system, Outsider& outsider, double t) {
    Subsystem& subsystem = system.at(outsider.subsystem);
    std::vector<double>& slopes = network_.of(outsider.subsystem).output_slopes;
    if (outsider.tells_slopes) return subsystem.get_output_derivatives(1, slopes);
    outsider.history.truncate(t);
    if (outsider.history.samples() == 0 || outsider.history.time() < t)
        outsider.history.add(t, system.outputs_of(outsider.subsystem));
    outsider.history.derivatives(slopes);
}

void Linearisation::keep_reference(System& system, double t) {
    reference_.t = t;
    for (const int s : insiders_) {
        std::ranges::copy(network_.of(s).states,
                          reference_.states.begin() + network_.state_begin(s));
        std::ranges::copy(network_.of(s).rates, reference_.rates.begin() + network_.state_begin(s));
    }
    std::ranges::copy(system.inputs(), reference_.inputs.begin());
}

/// Whether the rates are what the matrices say of the way from where they were read.
bool Linearisation::has_drifted(System& system, double t) {
    bool drifted = false;
    for (const int s : insiders_) {
        const LinearModel& model = network_.of(s);
        const std::size_t n = model.states.size();
        const std::size_t first = at(network_.state_begin(s));
        const std::size_t first_input = at(network_.input_begin(s));
        for (std::size_t i = 0; i < n; ++i) {
            double expected =
                reference_.rates[first + i] + model.rate_slopes[i] * (t - reference_.t);
            for (std::size_t j = 0; j < n; ++j)
                expected += model.a[j * n + i] * (model.states[j] - reference_.states[first + j]);
            for (std::size_t j = 0; j < system.inputs_of(s).size(); ++j)
                expected += model.b[j * n + i] *
                            (system.inputs_of(s)[j] - reference_.inputs[first_input + j]);
            double& size = sizes_[first + i];
            size = std::max(size, std::abs(model.rates[i]));
            drifted = drifted || std::abs(model.rates[i] - expected) > options_.drift * size;
        }
    }
    return drifted;
}

}  // namespace tandem::coupling
