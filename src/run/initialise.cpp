#include "run/initialise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"
#include "ode/algebraic_solver.hpp"
#include "run/port_values.hpp"
#include "run/system_graph.hpp"

namespace tandem::run {
namespace {

constexpr double tolerance = 1e-10;
constexpr int spare_sweeps = 20;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// Evaluates y = g(u) and u = L y on a system at one instant.
class Network {
public:
    Network(System& system, double t, std::string place)
        : system_(system),
          t_(t),
          place_(std::move(place)),
          given_(system.inputs().begin(), system.inputs().end()),
          is_evaluated_(index(system.size()), 0) {}

    /// From here on outputs may be others with the same inputs.
    void begin_pass() { std::ranges::fill(is_evaluated_, 0); }
    void evaluate(int s) {
        const auto inputs = system_.inputs_of(s);
        const auto given = std::span(given_).subspan(index(system_.input_begin(s)), inputs.size());
        if (is_evaluated_[index(s)] != 0 && std::ranges::equal(inputs, given)) return;
        is_evaluated_[index(s)] = 1;
        std::ranges::copy(inputs, given.begin());
        system_.at(s).set_inputs({.values = inputs});
        system_.read_outputs(s);
    }
    /// The input as the links would have it.
    double routed(int input) {
        const double kept = system_.inputs()[index(input)];
        system_.route_input(input, t_);
        return std::exchange(system_.inputs()[index(input)], kept);
    }
    double nominal(int input) const { return system_.input_port(input).nominal; }
    std::string name(int input) const {
        const int s = system_.subsystem_of_input(input);
        return system_.at(s).name() + "." + system_.input_port(input).name;
    }
    System& system() { return system_; }
    double time() const { return t_; }
    /// Begins the messages.
    const std::string& place() const { return place_; }

private:
    System& system_;
    double t_;
    std::string place_;
    std::vector<double> given_;  // to each subsystem that is evaluated
    std::vector<char> is_evaluated_;
};

/// r(u) = u - L g(u) for the inputs of one loop.
class Loop final : public ode::AlgebraicProblem {
public:
    Loop(Network& network, std::vector<int> inputs)
        : network_(network), inputs_(std::move(inputs)) {
        // Elimination rounds differently in another order: names do not depend on the listing.
        std::ranges::sort(inputs_, {}, [&](int input) { return network_.name(input); });
        for (const int input : inputs_)
            subsystems_.push_back(network_.system().subsystem_of_input(input));
        std::ranges::sort(subsystems_);
        const auto repeated = std::ranges::unique(subsystems_);
        subsystems_.erase(repeated.begin(), repeated.end());
    }

    int size() const override { return static_cast<int>(inputs_.size()); }
    bool residual(std::span<const double> u, std::span<double> r) override {
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            network_.system().inputs()[index(inputs_[i])] = u[i];
        for (const int s : subsystems_) network_.evaluate(s);
        for (std::size_t i = 0; i < inputs_.size(); ++i) r[i] = u[i] - network_.routed(inputs_[i]);
        return true;
    }

    void solve() {
        std::vector<double> u, nominals;
        for (const int input : inputs_) {
            u.push_back(network_.system().inputs()[index(input)]);
            nominals.push_back(network_.nominal(input));
        }
        ode::AlgebraicSolver solver(*this, nominals, {.tolerance = tolerance});
        const ode::AlgebraicResult result = solver.solve(u);
        if (!result.converged) report(result);
    }

private:
    [[noreturn]] void report(const ode::AlgebraicResult& result) const {
        std::string names;
        for (std::size_t i = 0; i < std::min<std::size_t>(inputs_.size(), 6); ++i)
            names += (i > 0 ? ", " : "") + network_.name(inputs_[i]);
        if (inputs_.size() > 6) names += fmt::format(" and {} more", inputs_.size() - 6);
        throw NumericsError(fmt::format(
            "{}: the algebraic loop through {} {} (residual {:.3g} after {} "
            "iterations)\n  hint: check the connections of the loop, or give its inputs start "
            "values nearer to the solution",
            network_.place(), names, result.singular ? "is singular" : "did not converge",
            result.residual, result.iterations));
    }

    Network& network_;
    std::vector<int> inputs_;
    std::vector<int> subsystems_;
};

struct Residual {
    double size = 0.0;
    int input = -1;  ///< where it is
};

Residual largest_residual(Network& network) {
    System& system = network.system();
    Residual largest;
    for (int input = 0; input < static_cast<int>(system.inputs().size()); ++input) {
        const double size = std::abs(network.routed(input) - system.inputs()[index(input)]) /
                            network.nominal(input);
        if (!(size <= largest.size)) largest = {size, input};  // also what is no number
    }
    return largest;
}

[[noreturn]] void report_unsettled(const Network& network, const Residual& residual, int sweeps) {
    const std::string what =
        !(residual.size <= tolerance)
            ? fmt::format("'{}' (it still moves by {:.3g} of its nominal value)",
                          network.name(residual.input), residual.size)
            : "the discrete values (integers, booleans, texts) that are passed around";
    throw NumericsError(fmt::format(
        "{}: {} did not settle within {} passes\n  hint: look for a loop of "
        "connections "
        "through values that are not continuous, and break it or start it nearer to its solution",
        network.place(), what, sweeps));
}

/// One pass over the components, sources first.
void resolve(Network& network, const Graph& graph, InitialiseReport& report) {
    System& system = network.system();
    const int inputs = static_cast<int>(system.inputs().size());
    network.begin_pass();
    report.loops = 0;
    for (const auto& members : strongly_connected_components(graph).members) {
        if (!is_cycle(graph, members)) {
            const int node = members.front();
            if (node < inputs)
                system.route_input(node, network.time());
            else
                network.evaluate(system.subsystem_of_output(node - inputs));
            continue;
        }
        std::vector<int> loop_inputs;
        std::ranges::copy_if(members, std::back_inserter(loop_inputs),
                             [&](int node) { return node < inputs; });
        ++report.loops;
        report.largest_loop = std::max(report.largest_loop, static_cast<int>(loop_inputs.size()));
        Loop(network, std::move(loop_inputs)).solve();
    }
    // Also those that feed nobody: what they show beside their ports depends on their inputs.
    for (int s = 0; s < system.size(); ++s)
        system.at(s).set_inputs({.values = system.inputs_of(s)});
}

}  // namespace

InitialiseReport initialise(System& system, const Experiment& experiment, TypedLinks* typed_links,
                            const std::function<void()>& on_consistent) {
    InitialiseReport report;
    Network network(system, experiment.start, "initialisation");
    for (int s = 0; s < system.size(); ++s) {
        system.at(s).enter_initialisation(experiment);
        read_inputs(system.at(s), system.inputs_of(s));
        system.read_outputs(s);
    }
    const Graph graph = variable_graph(system);
    if (typed_links != nullptr) typed_links->start(system.inputs());
    // Declared dependencies are about stepping; at the start more may depend on inputs (a state
    // whose start value is one). So the pass is repeated until nothing moves. A discrete value goes
    // one subsystem further in each pass.
    const int most_sweeps = spare_sweeps + system.size();
    for (int sweep = 1;; ++sweep) {
        resolve(network, graph, report);
        const Residual residual = largest_residual(network);
        report.residual = residual.size;
        const bool changed = typed_links != nullptr && typed_links->exchange();
        if (report.residual <= tolerance && !changed) break;
        if (sweep == most_sweeps) report_unsettled(network, residual, sweep);
    }
    if (on_consistent) on_consistent();
    for (int s = 0; s < system.size(); ++s) system.at(s).exit_initialisation();
    for (int s = 0; s < system.size(); ++s) system.read_outputs(s);
    system.route(experiment.start);
    return report;
}

FeedThroughSolver::FeedThroughSolver(System& system)
    : system_(system), graph_(variable_graph(system)) {}

void FeedThroughSolver::solve(double t) {
    InitialiseReport report;
    Network network(system_, t, fmt::format("behind the discontinuity at t = {:.9g}", t));
    resolve(network, graph_, report);
}

}  // namespace tandem::run
