#include "run/algebraic_loops.hpp"

#include <Eigen/Dense>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "run/system_graph.hpp"

namespace tandem::run {
namespace {

using Matrix = Eigen::Map<const Eigen::MatrixXd>;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

double increment_of(double value, double nominal) {
    static const double root_epsilon = std::sqrt(std::numeric_limits<double>::epsilon());
    return root_epsilon * std::max(std::abs(value), nominal);
}

/// Differentiates one loop of a system in initialisation.
class Differences {
public:
    Differences(System& system, double t, AlgebraicLoop& loop)
        : system_(system), t_(t), loop_(loop) {}

    void perform() {
        for (const int input : loop_.inputs) add_column_of_feed_through(input);
        for (const int output : loop_.outputs) add_column_of_links(output);
    }

private:
    /// What the subsystem says; System::outputs() stay as they are.
    std::vector<double> outputs_of(int s) {
        std::vector<double> outputs(system_.outputs_of(s).size());
        system_.at(s).set_inputs({.values = system_.inputs_of(s)});
        system_.at(s).get_outputs(outputs);
        return outputs;
    }

    void add_column_of_feed_through(int input) {
        const int s = system_.subsystem_of_input(input);
        double& value = system_.inputs()[index(input)];
        const double kept = value;
        value += increment_of(kept, system_.input_port(input).nominal);
        const double step = value - kept;
        const std::vector<double> after = outputs_of(s);
        value = kept;
        const std::vector<double> before = outputs_of(s);
        for (const int output : loop_.outputs) {
            const bool is_own = system_.subsystem_of_output(output) == s;
            const std::size_t i = is_own ? index(output - system_.output_begin(s)) : 0;
            loop_.feed_through.push_back(is_own ? (after[i] - before[i]) / step : 0.0);
        }
    }

    double routed(int input) {
        const double kept = system_.inputs()[index(input)];
        system_.route_input(input, t_);
        return std::exchange(system_.inputs()[index(input)], kept);
    }

    void add_column_of_links(int output) {
        double& value = system_.outputs()[index(output)];
        const double kept = value;
        std::vector<double> before;
        for (const int input : loop_.inputs) before.push_back(routed(input));
        value += increment_of(kept, system_.output_port(output).nominal);
        for (std::size_t i = 0; i < before.size(); ++i)
            loop_.links.push_back((routed(loop_.inputs[i]) - before[i]) / (value - kept));
        value = kept;
    }

    System& system_;
    double t_;
    AlgebraicLoop& loop_;
};

Eigen::MatrixXd round_trip(const AlgebraicLoop& loop) {
    const auto inputs = static_cast<Eigen::Index>(loop.inputs.size());
    const auto outputs = static_cast<Eigen::Index>(loop.outputs.size());
    return Matrix(loop.links.data(), inputs, outputs) *
           Matrix(loop.feed_through.data(), outputs, inputs);
}

/// In one ring, L D permutes the inputs: its determinant is the product of the gains, with the sign
/// of a cyclic permutation.
double gain_of(const AlgebraicLoop& loop) {
    if (!loop.is_ring) return loop.spectral_radius();
    const double sign = loop.inputs.size() % 2 == 0 ? -1.0 : 1.0;
    return sign * round_trip(loop).determinant();
}

bool is_ring(const Graph& graph, const Components& components, const std::vector<int>& members) {
    const int component = components.of_node[index(members.front())];
    return std::ranges::all_of(members, [&](int node) {
        return std::ranges::count_if(graph.successors(node), [&](int next) {
                   return components.of_node[index(next)] == component;
               }) == 1;
    });
}

}  // namespace

double AlgebraicLoop::spectral_radius() const {
    const Eigen::MatrixXd matrix = round_trip(*this);
    if (!matrix.allFinite()) return std::numeric_limits<double>::infinity();
    return matrix.eigenvalues().cwiseAbs().maxCoeff();
}

std::vector<AlgebraicLoop> linearise_loops(System& system, double t) {
    const Graph graph = variable_graph(system);
    const Components components = strongly_connected_components(graph);
    const int inputs = static_cast<int>(system.inputs().size());
    std::vector<AlgebraicLoop> loops;
    for (const std::vector<int>& members : components.members) {
        if (!is_cycle(graph, members)) continue;
        AlgebraicLoop& loop = loops.emplace_back();
        for (const int node : members)
            (node < inputs ? loop.inputs : loop.outputs)
                .push_back(node < inputs ? node : node - inputs);
        loop.way = way_round(graph, components, members);
        loop.is_ring = is_ring(graph, components, members);
        Differences(system, t, loop).perform();
        loop.gain = gain_of(loop);
    }
    return loops;
}

}  // namespace tandem::run
