#include "stepsize/richardson.hpp"

#include <algorithm>
#include <cmath>

namespace tandem::stepsize {
namespace {

/// Subsystems whose outputs follow fed inputs within the instant, sources first.
std::vector<int> direct_ones(const System& system) {
    std::vector<int> direct_inputs;
    std::vector<std::pair<int, int>> edges;
    for (int s = 0; s < system.size(); ++s)
        for (const FeedThrough& feed : system.at(s).interface().feed_through)
            direct_inputs.push_back(system.input_begin(s) + feed.input);
    std::ranges::sort(direct_inputs);
    const auto add = [&](int output, int input) {
        if (std::ranges::binary_search(direct_inputs, input))
            edges.emplace_back(system.subsystem_of_output(output),
                               system.subsystem_of_input(input));
    };
    for (const Link& link : system.links()) add(link.output, link.input);
    for (const FunctionLink& function : system.functions())
        for (const int output : function.outputs) add(output, function.input);
    std::vector<bool> follows(static_cast<std::size_t>(system.size()));
    for (const auto& [from, to] : edges) follows[static_cast<std::size_t>(to)] = true;
    const numerics::Components order =
        numerics::strongly_connected_components(numerics::Graph(system.size(), edges));
    std::vector<int> direct;
    for (const std::vector<int>& members : order.members)
        for (const int s : members)
            if (follows[static_cast<std::size_t>(s)]) direct.push_back(s);
    return direct;
}

}  // namespace

void Richardson::prepare(System& system, const RunFacts& facts) {
    facts_ = facts;
    norm_.prepare(system);
    whole_.resize(system.outputs().size());
    direct_ = facts.iterates ? std::vector<int>{} : direct_ones(system);
}

void Richardson::keep_whole(System& system, double end) {
    solve_feedthrough(system, end);
    std::ranges::copy(system.outputs(), whole_.begin());
}

void Richardson::solve_feedthrough(System& system, double t) {
    for (const int s : direct_) {
        system.route_to(s, t);
        system.at(s).set_inputs({.values = system.inputs_of(s)});
        system.read_outputs(s);
    }
}

std::optional<double> Richardson::error(System& system, Interval interval) {
    solve_feedthrough(system, interval.end);
    const double estimate =
        std::sqrt(norm_.mean_square(system.outputs(), whole_)) / (facts_.gain - 1.0);
    return estimate / (tolerance_ * interval.length() / facts_.span);
}

}  // namespace tandem::stepsize
