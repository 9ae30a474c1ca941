#include "coupling/iterative.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace tandem::coupling {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Of a difference over a step, by the size of the value.
constexpr double increment_factor = 1e-6;

}  // namespace

class Iterative::Cycle final : public FixedPointProblem {
public:
    Cycle(Iterative& coupling, System& system, std::vector<int> members)
        : members_(std::move(members)), coupling_(coupling), system_(system) {
        find_unknowns();
        std::vector<double> nominals;
        for (const int input : unknowns_) {
            const int s = system_.subsystem_of_input(input);
            nominals.push_back(
                system_.at(s).interface().inputs[at(input - system_.input_begin(s))].nominal);
        }
        z.resize(unknowns_.size());
        solver = std::make_unique<FixedPointSolver>(unknowns_.size(), std::move(nominals),
                                                    coupling_.options_.solver);
        outputs_.resize(system_.outputs().size());
    }

    /// Saves the members and sets the inputs that come from outside.
    void begin(Interval interval) {
        interval_ = interval;
        stopped = {};
        for (const int s : members_) {
            system_.carry_to(s);
            system_.at(s).save(StateSlot::trial);
            system_.route_to(s, interval.end);
        }
        for (std::size_t i = 0; i < z.size(); ++i) z[i] = system_.inputs()[at(unknowns_[i])];
    }

    std::size_t size() const override { return unknowns_.size(); }

    bool evaluate(std::span<const double> guess, std::span<double> g) override {
        for (std::size_t i = 0; i < guess.size(); ++i)
            system_.inputs()[at(unknowns_[i])] = guess[i];
        for (const int s : members_)
            if (!repeat(s)) return false;
        collect(g);
        return true;
    }

    /// Column by column: an input moves the outputs of its own subsystem only, unless the sweep
    /// hands them on.
    bool jacobian(std::span<const double> guess, std::span<const double> g,
                  std::span<double> matrix) override {
        const std::size_t n = size();
        std::vector<double> moved(guess.begin(), guess.end()), value(n);
        std::ranges::copy(system_.outputs(), outputs_.begin());
        for (std::size_t j = 0; j < n; ++j) {
            const double increment = increment_factor * (1.0 + std::abs(guess[j]));
            moved[j] = guess[j] + increment;
            if (!column(j, moved, value)) return false;
            for (std::size_t i = 0; i < n; ++i) matrix[j * n + i] = (value[i] - g[i]) / increment;
            moved[j] = guess[j];
            std::ranges::copy(outputs_, system_.outputs().begin());
        }
        return true;
    }

    /// The inputs that differ most from what feeds them: "s0.u1 by 3e-2, s1.u by 1e-3".
    std::string residuals_in_words() const {
        const auto residuals = solver->residuals();
        std::vector<std::size_t> order(residuals.size());
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::sort(order, std::greater{},
                          [&](std::size_t i) { return std::abs(residuals[i]); });
        std::string words;
        for (std::size_t k = 0; k < std::min<std::size_t>(order.size(), 6); ++k) {
            const int input = unknowns_[order[k]];
            const int s = system_.subsystem_of_input(input);
            words += fmt::format(
                "{}{}.{} by {:.3g}", k > 0 ? ", " : "", system_.at(s).name(),
                system_.at(s).interface().inputs[at(input - system_.input_begin(s))].name,
                residuals[order[k]]);
        }
        return words;
    }

    std::vector<double> z;
    std::unique_ptr<FixedPointSolver> solver;
    StepResult stopped;  ///< of a member that did not complete its step

private:
    void find_unknowns() {
        std::vector<char> is_member(at(system_.size()), 0);
        for (const int s : members_) is_member[at(s)] = 1;
        const auto comes_from_inside = [&](int output) {
            return is_member[at(system_.subsystem_of_output(output))] != 0;
        };
        for (const int s : members_) {
            for (const Link& link : system_.links_into(s))
                if (comes_from_inside(link.output)) unknowns_.push_back(link.input);
            for (const FunctionLink& function : system_.functions_into(s))
                if (std::ranges::any_of(function.outputs, comes_from_inside))
                    unknowns_.push_back(function.input);
        }
        std::ranges::sort(unknowns_);
    }

    /// The step of one member from its saved state.
    bool repeat(int s) {
        if (coupling_.options_.sweep == Sweep::gauss_seidel)
            for (const int input : unknowns_)
                if (system_.subsystem_of_input(input) == s && is_fed_before(input, s))
                    system_.route_input(input, interval_.end);
        system_.at(s).restore(StateSlot::trial);
        const StepResult result = coupling_.step(system_, s, interval_);
        if (!result) stopped = result;
        return static_cast<bool>(result);
    }

    /// In a sweep: from a member that has stepped already in this evaluation.
    bool is_fed_before(int input, int s) const {
        const auto is_before = [&](int output) {
            const int source = system_.subsystem_of_output(output);
            const auto position = std::ranges::find(members_, source);
            return position != members_.end() && position < std::ranges::find(members_, s);
        };
        for (const Link& link : system_.links_into(s))
            if (link.input == input) return is_before(link.output);
        for (const FunctionLink& function : system_.functions_into(s))
            if (function.input == input) return std::ranges::any_of(function.outputs, is_before);
        return false;
    }

    bool column(std::size_t j, std::span<const double> moved, std::span<double> value) {
        if (coupling_.options_.sweep == Sweep::gauss_seidel) return evaluate(moved, value);
        for (std::size_t i = 0; i < moved.size(); ++i)
            system_.inputs()[at(unknowns_[i])] = moved[i];
        if (!repeat(system_.subsystem_of_input(unknowns_[j]))) return false;
        collect(value);
        return true;
    }

    /// The inputs as the outputs would have them.
    void collect(std::span<double> g) {
        for (std::size_t i = 0; i < g.size(); ++i) {
            double& input = system_.inputs()[at(unknowns_[i])];
            const double kept = input;
            system_.route_input(unknowns_[i], interval_.end);
            g[i] = std::exchange(input, kept);
        }
    }

    std::vector<int> members_;
    std::vector<int> unknowns_;  ///< inputs that members feed
    Iterative& coupling_;
    System& system_;
    Interval interval_;
    std::vector<double> outputs_;
};

Iterative::Iterative(IterativeOptions options) : options_(std::move(options)) {}
Iterative::~Iterative() = default;

void Iterative::prepare(System& system) {
    parts_.clear();
    const Graph graph = system.subsystem_graph();
    for (const auto& members : strongly_connected_components(graph).members) {
        Part part;
        if (is_cycle(graph, members))
            part.cycle = std::make_unique<Cycle>(*this, system, members);
        else
            part.subsystem = members.front();
        parts_.push_back(std::move(part));
    }
    is_linear_.assign(at(system.size()), 0);
    for (int s = 0; s < system.size(); ++s)
        is_linear_[at(s)] = options_.inputs != InputForm::constant &&
                            system.at(s).interface().capabilities.input_derivatives > 0;
    begin_inputs_.assign(system.inputs().begin(), system.inputs().end());
    slopes_.assign(begin_inputs_.size(), 0.0);
    begin_ = std::numeric_limits<double>::quiet_NaN();
}

void Iterative::forget() {
    for (Part& part : parts_)
        if (part.cycle) part.cycle->solver->forget();
}

/// inputs() hold the values at the end.
InputCourse Iterative::course_of(System& system, int s, Interval interval) {
    const auto inputs = system.inputs_of(s);
    if (!is_linear_[at(s)] || interval.length() <= 0.0) return {.values = inputs};
    const auto first = at(system.input_begin(s));
    const auto begins = std::span(begin_inputs_).subspan(first, inputs.size());
    const auto slopes = std::span(slopes_).subspan(first, inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i)
        slopes[i] = (inputs[i] - begins[i]) / interval.length();
    return {.values = begins, .derivatives = slopes, .order = 1};
}

StepResult Iterative::step(System& system, int s, Interval interval) {
    const StepResult result = system.step(s, interval, course_of(system, s, interval));
    if (!result) system.note_stopped(s);
    return result;
}

StepResult Iterative::iterate(Cycle& cycle, Interval interval) {
    cycle.begin(interval);
    const FixedPointResult result = cycle.solver->solve(cycle, cycle.z);
    statistics_.evaluations += result.evaluations;
    statistics_.jacobians += result.jacobians;
    statistics_.most_evaluations = std::max(statistics_.most_evaluations, result.evaluations);
    if (result.converged) return {Outcome::complete, interval.end};
    if (!result.evaluated && cycle.stopped.outcome != Outcome::complete) return cycle.stopped;
    trouble_ = fmt::format("after {} iterations {} still differ", result.evaluations,
                           cycle.residuals_in_words());
    return {Outcome::not_converged, interval.begin};
}

StepResult Iterative::advance(System& system, Interval interval) {
    if (interval.begin != begin_)
        begin_inputs_.assign(system.inputs().begin(), system.inputs().end());
    else
        std::ranges::copy(begin_inputs_, system.inputs().begin());
    begin_ = interval.begin;
    for (Part& part : parts_) {
        if (!part.cycle) {
            system.carry_to(part.subsystem);
            system.route_to(part.subsystem, interval.end);
        }
        const StepResult result =
            part.cycle ? iterate(*part.cycle, interval) : step(system, part.subsystem, interval);
        if (!result) return result;
    }
    ++statistics_.steps;
    return {Outcome::complete, interval.end};
}

}  // namespace tandem::coupling
