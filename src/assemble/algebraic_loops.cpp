#include "assemble/algebraic_loops.hpp"

#include <Eigen/Dense>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "assemble/system_graph.hpp"
#include "core/function_slope.hpp"
#include "tandem/extend/index.hpp"

namespace tandem::assemble {
namespace {

/// Of a Krylov space, which has the largest eigenvalues long before the others.
constexpr Eigen::Index most_directions = 80;

double increment_of(double value, double nominal) {
    static const double root_epsilon = std::sqrt(std::numeric_limits<double>::epsilon());
    return root_epsilon * std::max(std::abs(value), nominal);
}

/// Differentiates one loop of a system in initialisation.
class Differences {
public:
    Differences(System& system, double t, AlgebraicLoop& loop)
        : system_(system), t_(t), loop_(loop) {
        for (std::size_t i = 0; i < loop.outputs.size(); ++i) {
            place_of_output_[loop.outputs[i]] = i;
            outputs_of_[system.subsystem_of_output(loop.outputs[i])].push_back(i);
        }
    }

    void perform() {
        for (std::size_t j = 0; j < loop_.inputs.size(); ++j) add_feed_through(j);
        for (auto& [s, said] : said_) said = outputs_of(s);  // with the inputs of before
        for (std::size_t i = 0; i < loop_.inputs.size(); ++i) add_links(i);
    }

private:
    /// What the subsystem says; System::outputs() stay as they are.
    std::vector<double> outputs_of(int s) {
        std::vector<double> outputs(system_.outputs_of(s).size());
        system_.at(s).set_inputs({.values = system_.inputs_of(s)});
        system_.at(s).get_outputs(outputs);
        return outputs;
    }

    void add_feed_through(std::size_t j) {
        const int input = loop_.inputs[j];
        const int s = system_.subsystem_of_input(input);
        if (!said_.contains(s)) said_[s] = outputs_of(s);
        double& value = system_.inputs()[index(input)];
        const double kept = value;
        value += increment_of(kept, system_.input_port(input).nominal);
        const double step = value - kept;
        const std::vector<double> after = outputs_of(s);
        value = kept;
        for (const std::size_t i : outputs_of_[s]) {
            const std::size_t own = index(loop_.outputs[i] - system_.output_begin(s));
            if (after[own] != said_[s][own])
                loop_.feed_through.push_back({i, j, (after[own] - said_[s][own]) / step});
        }
    }

    void add(std::size_t input, int output, double gain) {
        const auto place = place_of_output_.find(output);
        if (place != place_of_output_.end() && gain != 0.0)
            loop_.links.push_back({input, place->second, gain});
    }

    void add_links(std::size_t i) {
        const int input = loop_.inputs[i];
        const int s = system_.subsystem_of_input(input);
        for (const Link& link : system_.links_into(s))
            if (link.input == input) add(i, link.output, link.gain);
        for (const FunctionLink& function : system_.functions_into(s)) {
            if (function.input != input) continue;
            const std::span<double> signals = system_.signals_of(function);
            for (std::size_t k = 0; k < signals.size(); ++k)
                signals[k] = system_.outputs()[index(function.outputs[k])];
            for (std::size_t k = 0; k < signals.size(); ++k)
                add(i, function.outputs[k],
                    slope_of(function, t_, signals, k,
                             system_.output_port(function.outputs[k]).nominal));
        }
    }

    System& system_;
    double t_;
    AlgebraicLoop& loop_;
    std::map<int, std::size_t> place_of_output_;
    std::map<int, std::vector<std::size_t>> outputs_of_;  // subsystem -> places of outputs
    std::map<int, std::vector<double>> said_;
};

/// What is left of the loop if gains of zero are no connections: other gains have no part in the
/// eigenvalues.
AlgebraicLoop inside_cycles(const AlgebraicLoop& loop) {
    const auto inputs = static_cast<int>(loop.inputs.size());
    const auto nodes = inputs + static_cast<int>(loop.outputs.size());
    const auto node = [](std::size_t place) { return static_cast<int>(place); };
    std::vector<std::pair<int, int>> edges;
    for (const Gain& gain : loop.feed_through)
        edges.emplace_back(node(gain.column), inputs + node(gain.row));
    for (const Gain& gain : loop.links)
        edges.emplace_back(inputs + node(gain.column), node(gain.row));
    const numerics::Components components =
        numerics::strongly_connected_components({nodes, std::move(edges)});
    const auto is_one = [&](int from, int to) {
        return components.of_node[index(from)] == components.of_node[index(to)];
    };
    AlgebraicLoop inside;
    inside.inputs = loop.inputs;
    inside.outputs = loop.outputs;
    for (const Gain& gain : loop.feed_through)
        if (is_one(node(gain.column), inputs + node(gain.row))) inside.feed_through.push_back(gain);
    for (const Gain& gain : loop.links)
        if (is_one(inputs + node(gain.column), node(gain.row))) inside.links.push_back(gain);
    return inside;
}

/// L D v
Eigen::VectorXd go_round(const AlgebraicLoop& loop, const Eigen::VectorXd& v) {
    std::vector<double> outputs(loop.outputs.size());
    for (const Gain& gain : loop.feed_through)
        outputs[gain.row] += gain.value * v[static_cast<Eigen::Index>(gain.column)];
    Eigen::VectorXd result = Eigen::VectorXd::Zero(v.size());
    for (const Gain& gain : loop.links)
        result[static_cast<Eigen::Index>(gain.row)] += gain.value * outputs[gain.column];
    return result;
}

double product_of_gains(const AlgebraicLoop& loop) {
    double product = 1.0;
    for (const auto* gains : {&loop.feed_through, &loop.links}) {
        if (gains->size() < loop.inputs.size()) return 0.0;
        for (const Gain& gain : *gains) product *= gain.value;
    }
    return product;
}

bool is_ring(const numerics::Graph& graph, const numerics::Components& components,
             const std::vector<int>& members) {
    const int component = components.of_node[index(members.front())];
    return std::ranges::all_of(members, [&](int node) {
        return std::ranges::count_if(graph.successors(node), [&](int next) {
                   return components.of_node[index(next)] == component;
               }) == 1;
    });
}

}  // namespace

/// By the Arnoldi iteration (Arnoldi 1951), which is exact where it spans the whole space.
double AlgebraicLoop::spectral_radius() const {
    if (is_ring)
        return std::pow(std::abs(product_of_gains(*this)),
                        1.0 / static_cast<double>(inputs.size()));
    const AlgebraicLoop inside = inside_cycles(*this);
    if (inside.links.empty()) return 0.0;
    const auto size = static_cast<Eigen::Index>(inputs.size());
    const Eigen::Index most = std::min(size, most_directions);
    Eigen::MatrixXd directions(size, most + 1), hessenberg = Eigen::MatrixXd::Zero(most + 1, most);
    // Different values, lest the direction be one that happens to be special.
    for (Eigen::Index i = 0; i < size; ++i)
        directions(i, 0) = 1.0 + std::sin(1.0 + static_cast<double>(i)) / 2.0;
    directions.col(0).normalize();
    Eigen::Index count = 0;
    for (bool goes_on = true; goes_on && count < most; ++count) {
        Eigen::VectorXd next = go_round(inside, directions.col(count));
        if (!next.allFinite()) return std::numeric_limits<double>::infinity();
        const double length = next.norm();
        for (int pass = 0; pass < 2; ++pass)  // twice is enough (Kahan)
            for (Eigen::Index k = 0; k <= count; ++k) {
                const double part = directions.col(k).dot(next);
                hessenberg(k, count) += part;
                next -= part * directions.col(k);
            }
        hessenberg(count + 1, count) = next.norm();
        goes_on = next.norm() > std::numeric_limits<double>::epsilon() * length;
        if (goes_on) directions.col(count + 1) = next.normalized();
    }
    return hessenberg.topLeftCorner(count, count).eigenvalues().cwiseAbs().maxCoeff();
}

std::vector<AlgebraicLoop> linearise_loops(System& system, double t) {
    const numerics::Graph graph = variable_graph(system);
    const numerics::Components components = numerics::strongly_connected_components(graph);
    const int inputs = static_cast<int>(system.inputs().size());
    std::vector<AlgebraicLoop> loops;
    for (const std::vector<int>& members : components.members) {
        if (!numerics::is_cycle(graph, members)) continue;
        AlgebraicLoop& loop = loops.emplace_back();
        for (const int node : members)
            (node < inputs ? loop.inputs : loop.outputs)
                .push_back(node < inputs ? node : node - inputs);
        loop.way = way_round(graph, components, members);
        loop.is_ring = is_ring(graph, components, members);
        Differences(system, t, loop).perform();
        loop.gain = loop.is_ring ? product_of_gains(loop) : loop.spectral_radius();
    }
    return loops;
}

}  // namespace tandem::assemble
