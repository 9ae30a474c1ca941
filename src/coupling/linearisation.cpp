#include "coupling/linearisation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "coupling/interface_model.hpp"

namespace tandem::coupling {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Of algebraic loops, first with the derivatives that were read last, then with new ones.
constexpr int chord_iterations = 10;
constexpr int newton_iterations = 30;
constexpr double loop_tolerance = 1e-12;

const GivenJacobian* given_for(const Subsystem& subsystem, const LinearisationOptions& options) {
    const auto given =
        std::ranges::find(options.given, subsystem.name(), &GivenJacobian::subsystem);
    return given == options.given.end() ? nullptr : &*given;
}

}  // namespace

Linearisation::Linearisation() = default;
Linearisation::~Linearisation() = default;
Linearisation::Linearisation(Linearisation&&) noexcept = default;
Linearisation& Linearisation::operator=(Linearisation&&) noexcept = default;

bool Linearisation::has_states(const Subsystem& subsystem, const LinearisationOptions& options) {
    return subsystem.interface().capabilities.linear_model ||
           InterfaceModel::source_of(subsystem, options.interface, given_for(subsystem, options)) !=
               InterfaceSource::slopes;
}

void Linearisation::prepare(System& system, LinearisationOptions options) {
    options_ = std::move(options);
    insiders_.clear();
    outsiders_.clear();
    outsider_of_.assign(at(system.size()), -1);
    drifting_.clear();
    std::vector<LinearModel> models(at(system.size()));
    for (int s = 0; s < system.size(); ++s) prepare_model(system, s, models[at(s)]);
    network_.prepare(system, std::move(models));
    prepare_settling(system);
    const auto n = at(network_.states());
    for (auto* work : {&reference_.states, &reference_.rates, &sizes_}) work->assign(n, 0.0);
    reference_.inputs.assign(at(network_.inputs()), 0.0);
    forget();
}

/// What the user gives counts more than what the subsystem says.
void Linearisation::prepare_model(System& system, int s, LinearModel& model) {
    Subsystem& subsystem = system.at(s);
    const GivenJacobian* given = given_for(subsystem, options_);
    const InterfaceSource source = InterfaceModel::source_of(subsystem, options_.interface, given);
    if (subsystem.interface().capabilities.linear_model && source != InterfaceSource::given) {
        insiders_.push_back(s);
        drifting_.push_back(s);
        subsystem.linearise(model, LinearParts::all);
        return;
    }
    outsider_of_[at(s)] = static_cast<int>(outsiders_.size());
    outsiders_.push_back(std::make_unique<InterfaceModel>());
    outsiders_.back()->prepare(system, s, source, model);
    if (source == InterfaceSource::given) outsiders_.back()->take(subsystem.interface(), *given);
    if (source == InterfaceSource::differences) drifting_.push_back(s);
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
        if (feeds.is_loop) largest = std::max(largest, feeds.outputs.size());
    }
    loop_.assign(3 * largest, 0.0);
    first_outputs_.assign(loop_.empty() ? 0 : at(network_.outputs()), 0.0);
}

void Linearisation::forget() {
    wants_matrices_ = true;
    for (auto& outsider : outsiders_) outsider->forget();
}

void Linearisation::begin_step(System& system, Interval interval) {
    const double t = interval.begin;
    settle(system, interval, t);
    give_all_inputs(system, t);
    const bool repeats = t <= begin_;
    begin_ = t;
    ++steps_since_;
    if (wants_matrices_ || repeats || steps_since_ >= options_.every) {
        read(system, interval, LinearParts::all);
    } else {
        read(system, interval, LinearParts::point);
        if (is_outdated(system, t)) read(system, interval, LinearParts::all);
    }
}

void Linearisation::end_step(System& system, Interval interval) {
    settle(system, interval, interval.end);
}

bool Linearisation::is_outdated(System& system, double t) {
    for (auto& outsider : outsiders_)
        if (outsider->is_outdated()) return true;
    return options_.drift > 0.0 && has_drifted(system, t);
}

void Linearisation::keep_course(int s, const InputCourse& course, double length) {
    if (const int i = outsider_of_[at(s)]; i >= 0) outsiders_[at(i)]->keep_course(course, length);
}

void Linearisation::give_inputs(System& system, int s, double t) {
    system.route_to(s, t);
    system.at(s).set_inputs({.values = system.inputs_of(s)});
}

void Linearisation::give_all_inputs(System& system, double t) {
    for (int s = 0; s < system.size(); ++s) give_inputs(system, s, t);
}

/// Old derivatives mostly do; where loops bend too much since, every iteration reads them anew.
void Linearisation::settle(System& system, Interval interval, double t) {
    if (loop_.empty()) {
        settle_outputs(system, t, 0);
        return;
    }
    std::ranges::copy(system.outputs(), first_outputs_.begin());
    if (settle_outputs(system, t, chord_iterations)) return;
    std::ranges::copy(first_outputs_, system.outputs().begin());
    for (int iteration = 0; iteration < newton_iterations; ++iteration) {
        give_all_inputs(system, t);
        read(system, interval, LinearParts::all);
        if (settle_outputs(system, t, 1)) return;
    }
    const auto loop =
        std::ranges::find_if(settling_, [](const Settling& s) { return s.loop >= 0; });
    const int first = network_.feed_blocks()[at(loop->loop)].outputs.front();
    throw NumericsError(fmt::format(
        "at t = {:.9g} the algebraic loop through {}.{} does not settle\n  hint: look at the "
        "system "
        "at this time; the couplings iterative and aggregate solve loops inside their steps",
        t, system.at(system.subsystem_of_output(first)).name(), system.output_port(first).name));
}

/// False: a loop has not settled in so many iterations.
bool Linearisation::settle_outputs(System& system, double t, int iterations) {
    bool settled = true;
    for (const Settling& settling : settling_) {
        if (settling.loop >= 0) {
            settled = settle_loop(system, settling, t, iterations) && settled;
            continue;
        }
        give_inputs(system, settling.subsystem, t);
        system.read_outputs(settling.subsystem);
    }
    return settled;
}

/// Newton's iteration for y = g(K y), with the derivatives that were read last.
bool Linearisation::settle_loop(System& system, const Settling& settling, double t,
                                int iterations) {
    const auto block = at(settling.loop);
    const std::vector<int>& members = network_.feed_blocks()[block].outputs;
    const std::size_t size = members.size();
    const auto before = std::span(loop_).first(size);
    const auto residuals = std::span(loop_).subspan(size, size);
    const auto changes = std::span(loop_).subspan(2 * size, size);
    const std::span<double> outputs = system.outputs();
    for (int iteration = 0; iteration <= iterations; ++iteration) {
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
        if (agrees) return true;
        if (iteration == iterations) break;
        network_.solve_loop(block, residuals, changes);
        for (std::size_t i = 0; i < size; ++i) outputs[at(members[i])] = before[i] + changes[i];
    }
    return false;
}

void Linearisation::read(System& system, Interval interval, LinearParts parts) {
    for (const int s : insiders_) system.at(s).linearise(network_.of(s), parts);
    for (auto& outsider : outsiders_)
        outsider->read(system, interval, network_.of(outsider->subsystem()), parts);
    network_.join(system, interval);
    if (parts != LinearParts::all) return;
    ++readings_;
    steps_since_ = 0;
    wants_matrices_ = false;
    if (options_.drift > 0.0) keep_reference(system, interval.begin);
}

std::vector<Note> Linearisation::notes(const System& system) const {
    std::vector<Note> notes;
    for (const auto& outsider : outsiders_) {
        const int s = outsider->subsystem();
        std::string text = outsider->note();
        if (!text.empty() && !system.at(s).interface().outputs.empty())
            notes.push_back({s, std::move(text)});
    }
    return notes;
}

std::vector<SolvedTogether> Linearisation::extra_steps() const {
    std::vector<SolvedTogether> all;
    for (const auto& outsider : outsiders_)
        if (const long steps = outsider->extra_steps(); steps > 0)
            all.push_back({{outsider->subsystem()},
                           {{"short steps for Jacobians", static_cast<double>(steps)}}});
    return all;
}

void Linearisation::keep_reference(System& system, double t) {
    reference_.t = t;
    for (const int s : drifting_) {
        std::ranges::copy(network_.of(s).states,
                          reference_.states.begin() + network_.state_begin(s));
        std::ranges::copy(network_.of(s).rates, reference_.rates.begin() + network_.state_begin(s));
    }
    std::ranges::copy(system.inputs(), reference_.inputs.begin());
}

/// Whether the rates are what the matrices say of the way from where they were read.
bool Linearisation::has_drifted(System& system, double t) {
    bool drifted = false;
    for (const int s : drifting_) {
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
