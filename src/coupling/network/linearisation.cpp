#include "coupling/network/linearisation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/output_shape.hpp"
#include "coupling/interface/interface_model.hpp"
#include "coupling/network/function_shape.hpp"
#include "numerics/loop_matrix.hpp"
#include "tandem/error.hpp"
#include "tandem/extend/index.hpp"

namespace tandem::coupling {
namespace {

/// Of algebraic loops, first with the derivatives that were read last, then with new ones.
constexpr int chord_iterations = 10;
constexpr int newton_iterations = 30;
/// What is left of corrections after so many of them may be rounding errors.
constexpr int corrections_before_noise = 20;
constexpr double loop_tolerance = 1e-12;

/// A subsystem that brings its own solver cannot be evaluated at another time: its linear model
/// leaves explicit time dependence out.
bool hides_time(const Subsystem& subsystem) {
    return !subsystem.interface().capabilities.dense_traces;
}

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
    with_model_.clear();
    time_slopes_.clear();
    black_boxes_.clear();
    black_box_of_.assign(index(system.size()), -1);
    drifting_.clear();
    names_.clear();
    for (int s = 0; s < system.size(); ++s) names_.push_back(system.at(s).name());
    std::vector<LinearModel> models(index(system.size()));
    for (int s = 0; s < system.size(); ++s) prepare_model(system, s, models[index(s)]);
    network_.prepare(system, std::move(models));
    prepare_settling(system);
    const auto n = index(network_.states());
    for (auto* work : {&reference_.states, &reference_.rates, &sizes_}) work->assign(n, 0.0);
    reference_.inputs.assign(index(network_.inputs()), 0.0);
    reset_history();
}

int Linearisation::order(System& system, double step) const {
    bool are_affine = options_.every <= 1 && are_functions_affine(system);
    for (int s = 0; s < system.size(); ++s) {
        if (system.outputs_of(s).empty()) continue;
        if (!shows_rates(system.at(s))) return 1;
        are_affine = are_affine && has_affine_outputs(system, s, step);
    }
    return are_affine ? 3 : 2;
}

/// With the slope of h/4 ago, the error of a signal is g'' (s h/4 + s^2/2): its mean over a step is
/// to that over two halves as 7/24 to 5/48.
/// Where slopes in time come from the last step, both a step and its first half take them from
/// points half a step apart.
CouplingTraits Linearisation::traits(int order) const {
    constexpr double with_slopes_of_last_step = 2.8;
    const double ratio = std::exp2(order);
    return {.order = falls_back() ? 1 : order,
            .half_step_error_ratio =
                time_slopes_.empty() ? ratio : std::min(ratio, with_slopes_of_last_step)};
}

/// Slopes that a Co-Simulation FMU tells are those of its last step, as are those from what it came
/// to there.
bool Linearisation::shows_rates(const Subsystem& subsystem) const {
    const GivenJacobian* given = given_for(subsystem, options_);
    const InterfaceSource source = InterfaceModel::source_of(subsystem, options_.interface, given);
    const Capabilities& can = subsystem.interface().capabilities;
    if (can.linear_model && source != InterfaceSource::given) return true;
    const bool takes_short_steps =
        source == InterfaceSource::given || source == InterfaceSource::differences;
    return can.dense_traces || (takes_short_steps && can.rollback && can.variable_step);
}

/// Models of interfaces, and those of Co-Simulation FMUs, do not tell explicit time dependence.
bool Linearisation::has_affine_outputs(System& system, int s, double step) const {
    auto* shape = dynamic_cast<OutputShape*>(&system.at(s));
    return black_box_of_[index(s)] < 0 && shape != nullptr && shape->has_affine_outputs(step);
}

/// What the user gives counts more than what the subsystem says.
void Linearisation::prepare_model(System& system, int s, LinearModel& model) {
    Subsystem& subsystem = system.at(s);
    const GivenJacobian* given = given_for(subsystem, options_);
    const InterfaceSource source = InterfaceModel::source_of(subsystem, options_.interface, given);
    const Capabilities& can = subsystem.interface().capabilities;
    const bool is_read = can.linear_model && source != InterfaceSource::given;
    if (is_read) subsystem.linearise(model, LinearParts::all);
    if (is_read && can.linear_model) {  // an FMU may not give what it says
        with_model_.push_back(s);
        drifting_.push_back(s);
        if (hides_time(subsystem)) time_slopes_.emplace_back(system, s, model);
        return;
    }
    black_box_of_[index(s)] = static_cast<int>(black_boxes_.size());
    black_boxes_.push_back(std::make_unique<InterfaceModel>());
    black_boxes_.back()->prepare(system, s, source, model);
    if (source == InterfaceSource::given) black_boxes_.back()->take(subsystem.interface(), *given);
    if (source == InterfaceSource::differences) drifting_.push_back(s);
}

/// Outputs without feed-through do not change with the inputs; the others are read again in the
/// order in which they depend on each other.
void Linearisation::prepare_settling(const System& system) {
    loop_parts_.clear();
    std::size_t largest = 0;
    for (std::size_t block = 0; block < network_.feed_blocks().size(); ++block) {
        const NetworkModel::FeedBlock& feeds = network_.feed_blocks()[block];
        const int s = system.subsystem_of_output(feeds.outputs.front());
        const int loop = feeds.is_loop ? static_cast<int>(block) : -1;
        const bool repeats = !loop_parts_.empty() && loop_parts_.back().loop < 0 && loop < 0 &&
                             loop_parts_.back().subsystem == s;
        if (!repeats) loop_parts_.push_back({s, loop});
        if (!feeds.is_loop) continue;
        std::vector<double> nominals;
        for (const int output : feeds.outputs) {
            nominals.push_back(system.output_port(output).nominal);
            const int black_box = black_box_of_[index(system.subsystem_of_output(output))];
            if (black_box >= 0) black_boxes_[index(black_box)]->join_loop();
        }
        loop_parts_.back().limits.emplace(nominals, loop_tolerance);
        largest = std::max(largest, feeds.outputs.size());
    }
    loop_.resize(largest);
    has_loops_ = largest > 0;
    seed_.assign(index(network_.inputs()), 0.0);
    column_.assign(index(network_.outputs()), 0.0);
    first_outputs_.assign(has_loops_ ? index(network_.outputs()) : 0, 0.0);
}

void Linearisation::reset_history() {
    wants_matrices_ = true;
    feed_through_read_at_ = std::numeric_limits<double>::quiet_NaN();
    for (auto& black_box : black_boxes_) black_box->reset_history();
    for (TimeSlopes& slopes : time_slopes_) slopes.reset_history();
}

void Linearisation::begin_step(System& system, Interval interval) {
    const double t = interval.begin;
    solve_feedthrough(system, interval, t);
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
    solve_feedthrough(system, interval, interval.end);
}

bool Linearisation::is_outdated(System& system, double t) {
    for (auto& black_box : black_boxes_)
        if (black_box->is_outdated()) return true;
    return options_.drift > 0.0 && has_drifted(system, t);
}

void Linearisation::keep_course(int s, const InputCourse& course, double length) {
    if (const int i = black_box_of_[index(s)]; i >= 0)
        black_boxes_[index(i)]->keep_course(course, length);
}

void Linearisation::give_inputs(System& system, int s, double t) {
    system.route_to(s, t);
    system.at(s).set_inputs({.values = system.inputs_of(s)});
}

void Linearisation::give_all_inputs(System& system, double t) {
    for (int s = 0; s < system.size(); ++s) give_inputs(system, s, t);
}

/// Old derivatives mostly do; where loops bend too much since, every iteration reads them anew.
/// Only feed-through is read: at the end of a run there is no later time to ask about.
void Linearisation::solve_feedthrough(System& system, Interval interval, double t) {
    if (!has_loops_) {
        solve_loops(system, t, 0, Accepts::corrections);
        return;
    }
    std::ranges::copy(system.outputs(), first_outputs_.begin());
    if (solve_loops(system, t, chord_iterations, Accepts::corrections)) return;
    std::ranges::copy(first_outputs_, system.outputs().begin());
    for (int iteration = 0; iteration < newton_iterations; ++iteration) {
        give_all_inputs(system, t);
        read_feed_through(system, {t, t + interval.length()});
        if (solve_loops(
                system, t, 1,
                iteration < corrections_before_noise ? Accepts::corrections : Accepts::rounding))
            return;
    }
    const auto loop =
        std::ranges::find_if(loop_parts_, [](const LoopPart& s) { return s.loop >= 0; });
    const int first = network_.feed_blocks()[index(loop->loop)].outputs.front();
    throw NumericsError(fmt::format(
        "at t = {:.9g} Newton's method does not converge for the algebraic loop through {}.{}\n  "
        "hint: look at the equations of the loop at this time: it may have no solution, or jump",
        t, system.at(system.subsystem_of_output(first)).name(), system.output_port(first).name));
}

/// False: a loop has not converged in so many iterations.
bool Linearisation::solve_loops(System& system, double t, int iterations, Accepts accepts) {
    bool converged = true;
    for (LoopPart& part : loop_parts_) {
        if (part.loop >= 0) {
            converged = (solve_loop(system, part, t, iterations) ||
                         (accepts == Accepts::rounding && is_converged_to_rounding(part))) &&
                        converged;
            continue;
        }
        give_inputs(system, part.subsystem, t);
        system.read_outputs(part.subsystem);
    }
    return converged;
}

void Linearisation::Work::resize(std::size_t size) {
    for (auto* values : {&before, &residuals, &residuals_before, &changes}) values->resize(size);
}

/// Newton's iteration for y = g(K y), with the derivatives that were read last. The outputs become
/// those of the last correction: a gain multiplies rounding errors in what subsystems say.
bool Linearisation::solve_loop(System& system, LoopPart& part, double t, int iterations) {
    const auto block = index(part.loop);
    const std::vector<int>& members = network_.feed_blocks()[block].outputs;
    const std::size_t size = members.size();
    loop_.resize(size);
    const std::span<double> outputs = system.outputs();
    for (int iteration = 0; iteration <= iterations; ++iteration) {
        loop_.residuals.swap(loop_.residuals_before);
        for (std::size_t i = 0; i < size; ++i) loop_.before[i] = outputs[index(members[i])];
        for (const int output : members) give_inputs(system, system.subsystem_of_output(output), t);
        for (const int output : members) system.read_outputs(system.subsystem_of_output(output));
        for (std::size_t i = 0; i < size; ++i)
            loop_.residuals[i] = outputs[index(members[i])] - loop_.before[i];
        network_.solve_loop(block, loop_.residuals, loop_.changes);
        part.limits->see(loop_.before);
        for (std::size_t i = 0; i < size; ++i)
            outputs[index(members[i])] = loop_.before[i] + loop_.changes[i];
        if (is_converged(part, t == feed_through_read_at_, iteration > 0)) return true;
    }
    return false;
}

/// Derivatives of an earlier time are believed if the residuals are small by themselves.
bool Linearisation::is_converged(const LoopPart& part, bool are_new, bool was_corrected) const {
    const numerics::CorrectionLimits& limits = *part.limits;
    if (!limits.are_met(loop_.changes, loop_.before)) return false;
    if (limits.are_met(loop_.residuals, loop_.before)) return true;
    const auto before =
        std::span(loop_.residuals_before).first(was_corrected ? loop_.before.size() : 0);
    return are_new && limits.is_proven(network_.loop_matrix(index(part.loop)), loop_.residuals,
                                       before, loop_.before);
}

bool Linearisation::is_converged_to_rounding(const LoopPart& part) const {
    const double condition = network_.loop_matrix(index(part.loop)).condition();
    return part.limits->are_met_by_rounding(loop_.changes, loop_.before, condition) ||
           part.limits->are_noise(loop_.changes, loop_.before, condition);
}

/// The inputs of the system are given to all subsystems.
void Linearisation::read_feed_through(System& system, Interval interval) {
    for (const int s : with_model_) read_feed_through_of(system, s);
    for (auto& black_box : black_boxes_)
        black_box->read_feed_through(system, network_.of(black_box->subsystem()));
    network_.join(system, interval);
    feed_through_read_at_ = interval.begin;
    ++readings_;
}

void Linearisation::read_feed_through_of(System& system, int s) {
    const Interface& interface = system.at(s).interface();
    LinearModel& model = network_.of(s);
    if (!interface.capabilities.jacobians) return system.at(s).linearise(model, LinearParts::all);
    const auto seed = std::span(seed_).first(interface.inputs.size());
    const auto column = std::span(column_).first(interface.outputs.size());
    for (std::size_t j = 0; j < seed.size(); ++j) {
        seed[j] = 1.0;
        system.at(s).jacobian_times(seed, column);
        seed[j] = 0.0;
        std::ranges::copy(column, model.d.begin() + std::ssize(column) * std::ssize(seed.first(j)));
    }
}

void Linearisation::read(System& system, Interval interval, LinearParts parts) {
    for (const int s : with_model_) system.at(s).linearise(network_.of(s), parts);
    for (TimeSlopes& slopes : time_slopes_)
        slopes.estimate(system, interval.begin, network_.of(slopes.subsystem()));
    for (auto& black_box : black_boxes_)
        black_box->read(system, interval, network_.of(black_box->subsystem()), parts);
    network_.join(system, interval);
    network_.limit_slopes(system, interval);
    if (parts != LinearParts::all) return;
    feed_through_read_at_ = interval.begin;
    ++readings_;
    steps_since_ = 0;
    wants_matrices_ = false;
    if (options_.drift > 0.0) keep_reference(system, interval.begin);
}

std::vector<std::span<const double>> Linearisation::doubts() const {
    std::vector<std::span<const double>> all;
    for (const int black_box : black_box_of_)
        all.push_back(black_box < 0 ? std::span<const double>{}
                                    : black_boxes_[index(black_box)]->doubt());
    return all;
}

bool Linearisation::falls_back() const {
    return std::ranges::any_of(black_boxes_,
                               [](const auto& black_box) { return black_box->falls_back(); });
}

CouplingReport Linearisation::report(const System& system) const {
    CouplingReport report;
    for (const auto& black_box : black_boxes_) {
        const int s = black_box->subsystem();
        if (std::string text = black_box->note();
            !text.empty() && !system.at(s).interface().outputs.empty())
            report.fallbacks.push_back({s, std::move(text)});
        if (const std::string text = black_box->warning(); !text.empty())
            report.warnings.push_back(fmt::format("'{}': {}", names_[index(s)], text));
        if (const long steps = black_box->extra_steps(); steps > 0)
            report.iteration_statistics.push_back(
                {{s}, {{"short steps for Jacobians", static_cast<double>(steps)}}});
    }
    return report;
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
        const std::size_t first = index(network_.state_begin(s));
        const std::size_t first_input = index(network_.input_begin(s));
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
