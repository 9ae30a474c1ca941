#include "coupling/iterative/cycle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "tandem/extend/index.hpp"
#include "tandem/extend/step_tasks.hpp"

namespace tandem::coupling {
namespace {

constexpr std::size_t residuals_told = 6;
/// Part of the way of a step by which a solution that goes on misses its extrapolation at most.
constexpr double expected_miss = 0.3;
/// With newton, which sees most by itself: ways that are shorter are no jumps.
constexpr double way_of_jump = 0.5;

std::vector<int> unknowns_of(const System& system, const std::vector<int>& members) {
    std::vector<char> is_member(index(system.size()), 0);
    for (const int s : members) is_member[index(s)] = 1;
    const auto comes_from_inside = [&](int output) {
        return is_member[index(system.subsystem_of_output(output))] != 0;
    };
    std::vector<int> unknowns;
    for (const int s : members) {
        for (const Link& link : system.links_into(s))
            if (comes_from_inside(link.output)) unknowns.push_back(link.input);
        for (const FunctionLink& function : system.functions_into(s))
            if (std::ranges::any_of(function.outputs, comes_from_inside))
                unknowns.push_back(function.input);
    }
    std::ranges::sort(unknowns);
    return unknowns;
}

}  // namespace

SteppedOnce::SteppedOnce(const System& system) : is_once_(index(system.size()), 0) {
    const numerics::Graph real = system.subsystem_graph();
    const numerics::Components cycles = numerics::strongly_connected_components(real);
    for (const std::vector<int>& members : cycles.members)
        for (const int s : members)
            is_once_[index(s)] = numerics::is_cycle(real, members) &&
                                 !system.at(s).interface().capabilities.rollback;
    cycle_ = cycles.of_node;
}

bool SteppedOnce::empty() const {
    return std::ranges::none_of(is_once_, [](char is_once) { return is_once != 0; });
}

bool SteppedOnce::delays(int s, int fed) const {
    return contains(s) && cycle_[index(s)] == cycle_[index(fed)] && (!contains(fed) || fed <= s);
}

std::vector<std::vector<int>> parts_in_order(const System& system) {
    const numerics::Graph real = system.subsystem_graph();
    const numerics::Components all = numerics::strongly_connected_components(system.flow_graph());
    const SteppedOnce once(system);
    std::vector<std::pair<int, int>> inside;
    for (int s = 0; s < system.size(); ++s)
        for (const int next : real.successors(s))
            if (all.of_node[index(s)] == all.of_node[index(next)] && !once.delays(s, next))
                inside.emplace_back(s, next);
    std::vector<std::vector<int>> parts =
        numerics::strongly_connected_components({system.size(), std::move(inside)}).members;
    std::ranges::stable_sort(
        parts, {}, [&](const std::vector<int>& part) { return all.of_node[index(part.front())]; });
    return parts;
}

Cycle::Cycle(System& system, EndInputs& inputs, std::vector<int> members,
             const CycleOptions& options)
    : system_(system),
      inputs_(inputs),
      members_(std::move(members)),
      options_(options),
      unknowns_(unknowns_of(system_, members_)),
      solver_(unknowns_.size(), nominals(), options_.solver),
      branch_(unknowns_.size()),
      jumps_(system_, inputs_, members_) {
    if (options_.sweep == Sweep::gauss_seidel)
        for (const int input : unknowns_)
            if (is_fed_before(input)) fed_in_sweep_.push_back(input);
    for (const int s : members_)
        for (const Link& link : system_.links_into(s)) {
            const auto place = std::ranges::lower_bound(unknowns_, link.input);
            if (place == unknowns_.end() || *place != link.input || link.gain == 0.0) continue;
            links_.push_back(link);
            links_.back().input = static_cast<int>(place - unknowns_.begin());
        }
    for (std::vector<double>* work : {&z_, &z_begin_, &increments_, &value_, &moved_})
        work->resize(unknowns_.size());
    for (const int input : unknowns_)
        columns_.emplace_back(system_.outputs_of(system_.subsystem_of_input(input)).size());
    seed_.resize(system_.inputs().size());
    outputs_.resize(system_.outputs().size());
    results_.resize(members_.size());
    std::vector<std::vector<int>> steps;
    for (const int s : members_) steps.push_back({s});
    const Reads reads = options_.sweep == Sweep::jacobi ? Reads::nothing : Reads::outputs;
    sweep_tasks_ = system_.schedule().executor().prepare(step_tasks(system_, steps, reads));
    own_tasks_ = system_.schedule().executor().prepare(step_tasks(system_, steps, Reads::nothing));
}

/// Calls body(member) by position, several at a time where the tasks allow it.
template <class Body>
bool Cycle::for_each_member(int tasks, Body body) {
    const int stopped = system_.schedule().executor().run(
        tasks, [&](int task) { return body(static_cast<std::size_t>(task)); });
    if (stopped == Executor::all_done) return true;
    stopped_ = results_[index(stopped)];
    stopped_by_ = members_[index(stopped)];
    return false;
}

std::vector<double> Cycle::nominals() const {
    std::vector<double> nominals;
    for (const int input : unknowns_) nominals.push_back(system_.input_port(input).nominal);
    return nominals;
}

/// In a sweep: by members that have stepped already in the same evaluation, and by no others.
bool Cycle::is_fed_before(int input) const {
    const int s = system_.subsystem_of_input(input);
    const auto position = [&](int member) { return std::ranges::find(members_, member); };
    const auto is_not_after = [&](int output) {
        const auto source = position(system_.subsystem_of_output(output));
        return source == members_.end() || source < position(s);
    };
    for (const Link& link : system_.links_into(s))
        if (link.input == input) return is_not_after(link.output);
    for (const FunctionLink& function : system_.functions_into(s))
        if (function.input == input) return std::ranges::all_of(function.outputs, is_not_after);
    return false;
}

StepResult Cycle::advance(Interval interval) {
    begin(interval);
    last_ = solver_.solve(*this, z_);
    if (last_.converged && is_suspicious()) examine();
    jacobians_ += last_.jacobians;
    if (last_.converged && follow_branch()) {
        ++steps_;
        evaluations_ += last_.evaluations;
        most_evaluations_ = std::max(most_evaluations_, last_.evaluations);
        jumps_.end_step(interval);
        correct();
        return {Outcome::complete, interval.end};
    }
    ++failures_;
    if (!stopped_) return stopped_;
    if (!last_.converged && may_go_on() && go_on_unconverged())
        return {Outcome::complete, interval.end};
    return {Outcome::not_converged, interval.begin};
}

/// Where the end of a step is at a jump that nobody tells of, no value agrees with what it brings
/// about, however short the step is: one of the values around the jump is taken.
bool Cycle::may_go_on() {
    return options_.on_failure == OnFailure::go_on ||
           (options_.on_failure == OnFailure::halve && interval_.length() > 0.0 &&
            std::isfinite(options_.shortest_step) && interval_.length() <= options_.shortest_step &&
            jumps_.has_met_one(interval_));
}

/// The members are where their last trial brought them, which need not be that of z_.
bool Cycle::go_on_unconverged() {
    const auto is_finite = [](double value) { return std::isfinite(value); };
    if (!std::ranges::all_of(z_, is_finite) || !evaluate(z_, value_)) return false;
    if (!std::ranges::all_of(value_, is_finite)) return false;
    if (unconverged_++ == 0) first_unconverged_ = interval_.begin;
    ++steps_;
    reset_history();
    return true;
}

/// Whether a Jacobian is needed to tell where the iteration has come to.
bool Cycle::is_suspicious() {
    const bool is_newton = options_.solver.accelerator == numerics::Accelerator::newton;
    if (!is_newton && !branch_.is_trusted(interval_)) return true;
    if (!branch_.knows_begin()) return false;
    const SolutionBranch::Distances distances = branch_.distances(interval_.end, z_);
    const double way = solver_.size_of(distances.way);
    return way >= (is_newton ? way_of_jump : numerics::shortest_way) &&
           !(solver_.size_of(distances.miss) < expected_miss * way);
}

void Cycle::examine() {
    last_.converged = solver_.examine(*this, last_);
    if (last_.converged) stopped_ = {};
}

/// False if the solution is perhaps another one than that at the start of the step, and a shorter
/// step may tell.
bool Cycle::follow_branch() {
    const SolutionBranch::Arrival arrival{z_, last_.orientation, last_.bend};
    loses_branch_ = !branch_.continues(arrival) && interval_.length() > options_.shortest_step;
    if (loses_branch_) {
        branch_.doubt(interval_);
        solver_.reset_history();
    } else if (branch_.is_lost(arrival)) {
        branch_.accept_loss(loss(), arrival);
    } else {
        branch_.accept(interval_, arrival);
    }
    return !loses_branch_;
}

SolutionBranch::Loss Cycle::loss() const {
    const SolutionBranch::Arrival arrival{z_, last_.orientation, last_.bend};
    SolutionBranch::Loss loss{interval_, branch_.is_singular(arrival), -1, 0.0, 0.0};
    if (loss.is_singular) loss.interval.begin = branch_.oriented_at();
    double furthest = -1.0;
    for (std::size_t i = 0; i < z_.size(); ++i) {
        const double nominal = system_.input_port(unknowns_[i]).nominal;
        const double way = std::abs(z_[i] - z_begin_[i]) / (nominal + std::abs(z_[i]));
        if (!(way > furthest)) continue;
        furthest = way;
        loss.unknown = static_cast<int>(i);
        loss.from = z_begin_[i];
        loss.to = z_[i];
    }
    return loss;
}

std::string Cycle::sentence(const SolutionBranch::Loss& loss) const {
    constexpr const char* hint =
        "\n  hint: look at the loop at this time; what follows may belong to another solution";
    const std::string step =
        fmt::format("between {:.9g} and {:.9g}", loss.interval.begin, loss.interval.end);
    const std::string way = fmt::format("{} goes from {:.6g} to {:.6g}",
                                        name_of(index(loss.unknown)), loss.from, loss.to);
    if (loss.is_singular)
        return fmt::format(
            "{} the Jacobian of the loop is singular (det(I - J) changes its sign), "
            "and {}{}",
            step, way, hint);
    return fmt::format(
        "{} the solution of the loop does not go on (a fold or a discontinuity), "
        "and {}{}",
        step, way, hint);
}

std::vector<std::string> Cycle::warnings() const {
    constexpr std::size_t most = 5;
    const std::vector<SolutionBranch::Loss>& losses = branch_.losses();
    std::vector<std::string> sentences = jumps_.warnings();
    if (unconverged_ > 0)
        sentences.push_back(fmt::format(
            "in {} of {} steps, the first from {:.9g} on, the iteration of '{}' and those it "
            "depends on did not converge, and the run went on with the values it had",
            unconverged_, steps_, first_unconverged_, system_.at(members_.front()).name()));
    for (std::size_t i = 0; i < std::min(losses.size(), most); ++i)
        sentences.push_back(sentence(losses[i]));
    if (losses.size() > most)
        sentences.push_back(
            fmt::format("{} more times the solution of the loop of {} does not go "
                        "on",
                        losses.size() - most, system_.at(members_.front()).name()));
    return sentences;
}

/// The values that are exchanged become the solution, as far as the Jacobian knows it. A gain
/// multiplies what is left of the corrections, and rounding errors, in the outputs of the step.
void Cycle::correct() {
    const std::span<const double> corrections = solver_.corrections();
    if (corrections.empty()) return;
    for (std::size_t i = 0; i < z_.size(); ++i)
        system_.inputs()[index(unknowns_[i])] = z_[i] += corrections[i];
    for (const Link& link : links_)
        system_.outputs()[index(link.output)] = (z_[index(link.input)] - link.offset) / link.gain;
}

/// Saves the members and sets the inputs that come from outside. What the solver has learnt in a
/// step that was rejected is taken back: steps repeat bit for bit.
void Cycle::begin(Interval interval) {
    solver_.begin(interval.begin);
    interval_ = interval;
    stopped_ = {};
    loses_branch_ = false;
    branch_.begin(interval.begin);
    jumps_.begin_step();
    for (const int s : members_) {
        if (system_.exchange_discrete_inputs(s)) reset_history();
        system_.at(s).save(StateSlot::trial);
        system_.route_to(s, interval.end);
    }
    for (std::size_t i = 0; i < z_.size(); ++i) z_[i] = system_.inputs()[index(unknowns_[i])];
    z_begin_ = z_;
}

void Cycle::set(std::span<const double> guess) {
    for (std::size_t i = 0; i < guess.size(); ++i) system_.inputs()[index(unknowns_[i])] = guess[i];
}

bool Cycle::evaluate(std::span<const double> guess, std::span<double> g) {
    set(guess);
    const bool done = for_each_member(sweep_tasks_, [&](std::size_t member) {
        for (const int input : fed_in_sweep_)
            if (system_.subsystem_of_input(input) == members_[member])
                system_.route_input(input, interval_.end);
        return repeat(member);
    });
    if (done) collect(g);
    return done;
}

/// The step of one member from its saved state.
bool Cycle::repeat(std::size_t member) {
    const int s = members_[member];
    system_.restart(s);
    results_[member] = inputs_.step(system_, s, interval_);
    return static_cast<bool>(results_[member]);
}

/// The inputs as the outputs would have them.
void Cycle::collect(std::span<double> g) {
    for (std::size_t i = 0; i < g.size(); ++i) {
        double& input = system_.inputs()[index(unknowns_[i])];
        const double kept = input;
        system_.route_input(unknowns_[i], interval_.end);
        g[i] = std::exchange(input, kept);
    }
}

bool Cycle::jacobian(std::span<const double> guess, std::span<const double> g,
                     std::span<const double> sizes, std::span<double> matrix) {
    for (std::size_t j = 0; j < guess.size(); ++j)
        increments_[j] = numerics::difference_increment * sizes[j];
    if (options_.sweep == Sweep::gauss_seidel) return sweep_columns(guess, g, matrix);
    keep_outputs();
    const bool done = for_each_member(own_tasks_, [&](std::size_t member) {
        if (options_.jacobian == JacobianSource::differences) return step_columns(member, guess);
        differentiate(members_[member]);
        return true;
    });
    if (!done) return false;
    for (std::size_t j = 0; j < size(); ++j) fill_column(j, g, matrix);
    return true;
}

/// An input moves the outputs of its own subsystem only: no other repeats its step.
bool Cycle::step_columns(std::size_t member, std::span<const double> guess) {
    const int s = members_[member];
    for (std::size_t j = 0; j < size(); ++j) {
        if (system_.subsystem_of_input(unknowns_[j]) != s) continue;
        double& input = system_.inputs()[index(unknowns_[j])];
        input = guess[j] + increments_[j];
        if (!repeat(member)) return false;
        std::ranges::copy(system_.outputs_of(s), columns_[j].begin());
        input = guess[j];
    }
    return true;
}

/// y + dy/du * increment, column by column.
void Cycle::differentiate(int s) {
    const auto seed =
        std::span(seed_).subspan(index(system_.input_begin(s)), system_.inputs_of(s).size());
    const auto outputs = system_.outputs_of(s);
    for (std::size_t j = 0; j < size(); ++j) {
        if (system_.subsystem_of_input(unknowns_[j]) != s) continue;
        std::ranges::fill(seed, 0.0);
        seed[index(unknowns_[j] - system_.input_begin(s))] = increments_[j];
        system_.at(s).jacobian_times(seed, columns_[j]);
        for (std::size_t i = 0; i < outputs.size(); ++i) columns_[j][i] += outputs[i];
    }
}

/// What becomes of the moved outputs on their way to the unknowns.
void Cycle::fill_column(std::size_t j, std::span<const double> g, std::span<double> matrix) {
    put_outputs_back();
    const int s = system_.subsystem_of_input(unknowns_[j]);
    std::ranges::copy(columns_[j], system_.outputs_of(s).begin());
    collect(value_);
    for (std::size_t i = 0; i < g.size(); ++i)
        matrix[j * g.size() + i] = (value_[i] - g[i]) / increments_[j];
    put_outputs_back();
}

/// Those of the members only: others may be stepping meanwhile.
void Cycle::keep_outputs() {
    for (const int s : members_)
        std::ranges::copy(system_.outputs_of(s), outputs_.begin() + system_.output_begin(s));
}

void Cycle::put_outputs_back() {
    for (const int s : members_)
        std::copy_n(outputs_.begin() + system_.output_begin(s), system_.outputs_of(s).size(),
                    system_.outputs_of(s).begin());
}

/// In a sweep an input moves the outputs of all that come later.
bool Cycle::sweep_columns(std::span<const double> guess, std::span<const double> g,
                          std::span<double> matrix) {
    std::ranges::copy(guess, moved_.begin());
    for (std::size_t j = 0; j < size(); ++j) {
        moved_[j] = guess[j] + increments_[j];
        if (!evaluate(moved_, value_)) return false;
        for (std::size_t i = 0; i < g.size(); ++i)
            matrix[j * g.size() + i] = (value_[i] - g[i]) / increments_[j];
        moved_[j] = guess[j];
    }
    return true;
}

std::string Cycle::name_of(std::size_t unknown) const {
    const int input = unknowns_[unknown];
    return fmt::format("{}.{}", system_.at(system_.subsystem_of_input(input)).name(),
                       system_.input_port(input).name);
}

std::string Cycle::failure_reason() const {
    if (loses_branch_) return sentence(loss());
    if (last_.singular) {
        std::string names;
        for (std::size_t i = 0; i < std::min(unknowns_.size(), residuals_told); ++i)
            names += (i > 0 ? ", " : "") + name_of(i);
        return fmt::format(
            "the loop through {} is singular: the connections determine these values not at all or "
            "more than once",
            names);
    }
    const auto residuals = solver_.residuals();
    for (std::size_t i = 0; i < residuals.size(); ++i)
        if (!std::isfinite(residuals[i]))
            return fmt::format("what feeds {} is no finite number", name_of(i));
    std::vector<std::size_t> order(residuals.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::greater{},
                             [&](std::size_t i) { return std::abs(residuals[i]); });
    std::string words;
    for (std::size_t k = 0; k < std::min(order.size(), residuals_told); ++k)
        words += fmt::format("{}{} by {:.3g}", k > 0 ? ", " : "", name_of(order[k]),
                             residuals[order[k]]);
    return fmt::format("after {} iterations {} still differ", last_.evaluations, words);
}

IterationStatistics Cycle::statistics() const {
    return {members_,
            {{"steps", static_cast<double>(steps_)},
             {"iterations", static_cast<double>(evaluations_)},
             {"most in a step", static_cast<double>(most_evaluations_)},
             {"not converged", static_cast<double>(failures_)},
             {"jacobians", static_cast<double>(jacobians_)},
             {"unknowns", static_cast<double>(unknowns_.size())}}};
}

}  // namespace tandem::coupling
