#include "run/initialise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "assemble/load/port_values.hpp"
#include "assemble/system_graph.hpp"
#include "numerics/algebraic_solver.hpp"
#include "tandem/error.hpp"
#include "tandem/extend/graph.hpp"
#include "tandem/extend/index.hpp"

namespace tandem::run {
namespace {

constexpr double tolerance = 1e-10;
constexpr int spare_sweeps = 20;

/// y = g(u) and u = L y of a system at one instant. System::outputs() are what the network
/// makes of the values that subsystems say: in an algebraic loop, its solution.
class Network {
public:
    Network(System& system, bool is_start)
        : system_(system),
          is_start_(is_start),
          given_(system.inputs().begin(), system.inputs().end()),
          is_evaluated_(index(system.size()), 0),
          said_(system.outputs().size()),
          is_solved_(system.outputs().size(), 0) {}

    /// From here on outputs may be others with the same inputs, but for those just asked.
    void begin_pass(double t) {
        t_ = t;
        if (!std::exchange(is_just_asked_, false)) std::ranges::fill(is_evaluated_, 0);
    }
    /// Asks all subsystems for their outputs, sources first. An FMU of FMI 1.0 is initialised when
    /// it is first asked, and may take its side of an event then: what comes from outside its cycle
    /// is there before.
    void ask_in_order(double t) {
        t_ = t;
        std::vector<char> is_asked(index(system_.size()), 0);
        for (const auto& members :
             numerics::strongly_connected_components(system_.flow_graph()).members) {
            for (const int s : members) ask(s, is_asked);
            for (const int s : members) is_asked[index(s)] = 1;
        }
        is_just_asked_ = true;
    }
    void route(int input) { system_.route_input(input, t_); }
    /// Asks a subsystem for its outputs, which are in said() then.
    void evaluate(int s) {
        const auto inputs = system_.inputs_of(s);
        const auto given = std::span(given_).subspan(index(system_.input_begin(s)), inputs.size());
        if (is_evaluated_[index(s)] != 0 && std::ranges::equal(inputs, given)) return;
        is_evaluated_[index(s)] = 1;
        std::ranges::copy(inputs, given.begin());
        system_.at(s).set_inputs({.values = inputs});
        system_.at(s).get_outputs(said_of(s));
    }
    double said(int output) const { return said_[index(output)]; }
    double& value(int output) { return system_.outputs()[index(output)]; }
    void put_solution(int output, double y) {
        value(output) = y;
        is_solved_[index(output)] = 1;
    }
    /// All inputs are set. Also those that feed nobody: what they show beside their ports depends
    /// on their inputs; and outputs may depend on more at the start than is declared.
    void evaluate_all() {
        for (int s = 0; s < system_.size(); ++s) evaluate(s);
        for (std::size_t i = 0; i < said_.size(); ++i)
            if (!is_solved_[i]) system_.outputs()[i] = said_[i];
    }
    /// After initialisation: solutions of loops stay, unless the subsystem has changed.
    void take_outputs() {
        const std::vector<double> before = said_;
        for (int s = 0; s < system_.size(); ++s) system_.at(s).get_outputs(said_of(s));
        for (std::size_t i = 0; i < said_.size(); ++i)
            if (!is_solved_[i] || said_[i] != before[i]) system_.outputs()[i] = said_[i];
    }
    /// The input as the links would have it.
    double routed(int input) {
        const double kept = system_.inputs()[index(input)];
        route(input);
        return std::exchange(system_.inputs()[index(input)], kept);
    }
    std::string input_name(int input) const {
        const int s = system_.subsystem_of_input(input);
        return system_.at(s).name() + "." + system_.input_port(input).name;
    }
    std::string output_name(int output) const {
        const int s = system_.subsystem_of_output(output);
        return system_.at(s).name() + "." + system_.output_port(output).name;
    }
    System& system() { return system_; }
    /// Begins the messages.
    std::string place() const {
        return is_start_ ? "initialisation" : fmt::format("at t = {:.9g}", t_);
    }

private:
    void ask(int s, const std::vector<char>& is_asked) {
        const auto inputs = system_.inputs_of(s);
        const int first = system_.input_begin(s);
        bool is_fed = false;
        for (int input = first; input < first + static_cast<int>(inputs.size()); ++input)
            if (comes_from(input, is_asked)) {
                route(input);
                is_fed = true;
            }
        if (is_fed && std::ranges::all_of(inputs, [](double u) { return std::isfinite(u); })) {
            evaluate(s);
            std::ranges::copy(said_of(s), system_.outputs_of(s).begin());
        } else {
            system_.read_outputs(s);
        }
    }
    /// Whether all that the input is made of comes from those subsystems.
    bool comes_from(int input, const std::vector<char>& subsystems) const {
        const auto is_one = [&](int output) {
            return subsystems[index(system_.subsystem_of_output(output))] != 0;
        };
        const int s = system_.subsystem_of_input(input);
        for (const Link& link : system_.links_into(s))
            if (link.input == input) return is_one(link.output);
        for (const FunctionLink& function : system_.functions_into(s))
            if (function.input == input) return std::ranges::all_of(function.outputs, is_one);
        return false;
    }
    std::span<double> said_of(int s) {
        return std::span(said_).subspan(index(system_.output_begin(s)),
                                        system_.outputs_of(s).size());
    }

    System& system_;
    bool is_start_;  ///< otherwise behind a discontinuity
    bool is_just_asked_ = false;
    double t_ = 0.0;
    std::vector<double> given_;  ///< to each subsystem that is evaluated
    std::vector<char> is_evaluated_;
    std::vector<double> said_;
    std::vector<char> is_solved_;  ///< of each output: it belongs to a loop
};

/// r(y) = y - g(L y) for the outputs of one loop.
class Loop final : public numerics::AlgebraicProblem {
public:
    Loop(Network& network, std::vector<int> inputs, std::vector<int> outputs)
        : network_(network), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {
        // Elimination rounds differently in another order: names do not depend on the listing.
        std::ranges::sort(inputs_, {}, [&](int input) { return network_.input_name(input); });
        std::ranges::sort(outputs_, {}, [&](int output) { return network_.output_name(output); });
        for (const int input : inputs_)
            subsystems_.push_back(network_.system().subsystem_of_input(input));
        std::ranges::sort(subsystems_);
        const auto repeated = std::ranges::unique(subsystems_);
        subsystems_.erase(repeated.begin(), repeated.end());
        std::vector<double> nominals;
        for (const int output : outputs_)
            nominals.push_back(network_.system().output_port(output).nominal);
        y_.resize(outputs_.size());
        solver_.emplace(*this, nominals, numerics::AlgebraicOptions{.tolerance = tolerance});
    }

    int size() const override { return static_cast<int>(outputs_.size()); }
    bool residual(std::span<const double> y, std::span<double> r) override {
        put(y);
        for (const int input : inputs_)
            if (!std::isfinite(network_.system().inputs()[index(input)])) return false;
        for (const int s : subsystems_) network_.evaluate(s);
        for (std::size_t i = 0; i < y.size(); ++i) r[i] = y[i] - network_.said(outputs_[i]);
        return true;
    }

    void solve() {
        for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = network_.value(outputs_[i]);
        const numerics::AlgebraicResult result = solver_->solve(y_);
        if (!result.converged) report(result);
        put(y_);
    }

private:
    void put(std::span<const double> y) {
        for (std::size_t i = 0; i < y.size(); ++i) network_.put_solution(outputs_[i], y[i]);
        for (const int input : inputs_) network_.route(input);
    }

    [[noreturn]] void report(const numerics::AlgebraicResult& result) const {
        std::string names;
        for (std::size_t i = 0; i < std::min<std::size_t>(inputs_.size(), 6); ++i)
            names += (i > 0 ? ", " : "") + network_.input_name(inputs_[i]);
        if (inputs_.size() > 6) names += fmt::format(" and {} more", inputs_.size() - 6);
        throw NumericsError(fmt::format(
            "{}: the algebraic loop through {} {} (residual {:.3g} after {} "
            "iterations)\n  hint: check the connections of the loop, or give its inputs start "
            "values nearer to the solution",
            network_.place(), names,
            result.singular ? "is singular: the connections determine these variables not at all "
                              "or more than once"
                            : "did not converge",
            result.residual, result.iterations));
    }

    Network& network_;
    std::vector<int> inputs_, outputs_;
    std::vector<int> subsystems_;
    std::vector<double> y_;
    std::optional<numerics::AlgebraicSolver> solver_;
};

/// How much inputs differ from what feeds them.
struct Residual {
    double relative = 0.0;  ///< the largest, by the size of the values
    double nominal = 0.0;   ///< the largest, by nominals and sizes
    int input = -1;         ///< the one with the largest
};

Residual largest_residual(Network& network) {
    System& system = network.system();
    Residual largest;
    for (int input = 0; input < static_cast<int>(system.inputs().size()); ++input) {
        const double fed = network.routed(input);
        const double here = system.inputs()[index(input)];
        if (fed == here) continue;
        const double size = std::max(std::abs(fed), std::abs(here));
        const double nominal = std::max(size, std::abs(system.input_port(input).nominal));
        const double moved = std::abs(fed - here);
        if (!std::isfinite(moved)) {
            constexpr double none = std::numeric_limits<double>::quiet_NaN();
            return {none, none, input};
        }
        if (!(moved / size <= largest.relative)) largest = {moved / size, largest.nominal, input};
        if (!(moved / nominal <= largest.nominal)) largest.nominal = moved / nominal;
    }
    return largest;
}

[[noreturn]] void report_not_converged(const Network& network, const Residual& residual,
                                       int sweeps) {
    if (std::isnan(residual.relative))
        throw NumericsError(fmt::format(
            "initialisation: '{}' is fed no finite number\n  hint: look at where its value comes "
            "from",
            network.input_name(residual.input)));
    const std::string what =
        !(residual.relative <= tolerance)
            ? fmt::format("'{}' (it still moves by {:.3g} of its value)",
                          network.input_name(residual.input), residual.relative)
            : "the discrete values (integers, booleans, texts) that are passed around";
    throw NumericsError(fmt::format(
        "initialisation: {} did not converge within {} passes\n  hint: look for a loop of "
        "connections "
        "through values that are not continuous, and break it or start it nearer to its solution",
        what, sweeps));
}

/// The components of the graph of variables, sources first, as they are evaluated in one pass.
class Sweep {
public:
    Sweep(Network& network, const numerics::Graph& graph) : network_(network) {
        for (const auto& members : numerics::strongly_connected_components(graph).members)
            if (numerics::is_cycle(graph, members))
                add_loop(members);
            else
                parts_.push_back({members.front(), nullptr});
    }
    void pass(double t) {
        network_.begin_pass(t);
        for (const Part& part : parts_) {
            if (part.loop)
                part.loop->solve();
            else if (part.node < inputs())
                network_.route(part.node);
            else
                take_output(part.node - inputs());
        }
        network_.evaluate_all();
    }
    int loops() const { return loops_; }
    int largest_loop() const { return largest_loop_; }

private:
    struct Part {
        int node;  ///< of one variable
        std::unique_ptr<Loop> loop;
    };

    int inputs() const { return static_cast<int>(network_.system().inputs().size()); }
    void add_loop(const std::vector<int>& members) {
        std::vector<int> loop_inputs, loop_outputs;
        for (const int node : members)
            (node < inputs() ? loop_inputs : loop_outputs)
                .push_back(node < inputs() ? node : node - inputs());
        ++loops_;
        largest_loop_ = std::max(largest_loop_, static_cast<int>(loop_inputs.size()));
        parts_.push_back({-1, std::make_unique<Loop>(network_, std::move(loop_inputs),
                                                     std::move(loop_outputs))});
    }
    void take_output(int output) {
        network_.evaluate(network_.system().subsystem_of_output(output));
        network_.value(output) = network_.said(output);
    }

    Network& network_;
    std::vector<Part> parts_;
    int loops_ = 0, largest_loop_ = 0;
};

}  // namespace

InitialiseReport initialise(System& system, const Experiment& experiment, TypedLinks* typed_links,
                            const std::function<void()>& on_consistent) {
    InitialiseReport report;
    for (int s = 0; s < system.size(); ++s) {
        system.at(s).enter_initialisation(experiment);
        assemble::read_inputs(system.at(s), system.inputs_of(s));
    }
    Network network(system, true);
    network.ask_in_order(experiment.start);
    Sweep all(network, assemble::variable_graph(system));
    report.loops = all.loops();
    report.largest_loop = all.largest_loop();
    if (typed_links != nullptr) typed_links->start(system.inputs());
    // Declared dependencies are about stepping; at the start more may depend on inputs (a state
    // whose start value is one). So the pass is repeated until nothing moves. A discrete value goes
    // one subsystem further in each pass.
    const int most_sweeps = spare_sweeps + system.size();
    for (int sweep = 1;; ++sweep) {
        all.pass(experiment.start);
        const Residual residual = largest_residual(network);
        report.residual = residual.nominal;
        const bool changed = typed_links != nullptr && typed_links->exchange();
        if (residual.relative <= tolerance && !changed) break;
        if (sweep < most_sweeps) continue;
        if (residual.nominal <= tolerance && !changed) break;  // what moves still is noise
        report_not_converged(network, residual, sweep);
    }
    if (on_consistent) on_consistent();
    for (int s = 0; s < system.size(); ++s) system.at(s).exit_initialisation();
    network.take_outputs();
    system.route(experiment.start);
    return report;
}

struct FeedThroughSolver::Impl {
    explicit Impl(System& system)
        : network(system, false), all(network, assemble::variable_graph(system)) {}
    Network network;
    Sweep all;
};

FeedThroughSolver::FeedThroughSolver(System& system) : impl_(std::make_unique<Impl>(system)) {}
FeedThroughSolver::~FeedThroughSolver() = default;

void FeedThroughSolver::solve(double t) { impl_->all.pass(t); }

}  // namespace tandem::run
