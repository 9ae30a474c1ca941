#include "run/watch/watched_connections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace tandem::run {
namespace {

/// Ports of a group have the names of its members already.
std::string name_of(const assemble::Assembly& assembly, int s, const Port& port) {
    const bool is_group = static_cast<std::size_t>(s) < assembly.groups.size();
    return is_group ? port.name : fmt::format("{}.{}", assembly.system->at(s).name(), port.name);
}

/// Of each output the first input that it feeds and that is wanted, outputs in order.
template <class IsWanted>
std::vector<WatchedConnection> first_connections(const System& system, IsWanted is_wanted) {
    std::vector<WatchedConnection> all;
    const auto add = [&](int output, int input) {
        if (is_wanted(output, input)) all.push_back({output, input});
    };
    for (const Link& link : system.links()) add(link.output, link.input);
    for (const FunctionLink& function : system.functions())
        for (const int output : function.outputs) add(output, function.input);
    std::ranges::stable_sort(all, {}, &WatchedConnection::output);
    const auto others = std::ranges::unique(all, {}, &WatchedConnection::output);
    all.erase(others.begin(), others.end());
    return all;
}

}  // namespace

std::vector<WatchedConnection> connections_in_cycles(const System& system) {
    const numerics::Components components =
        numerics::strongly_connected_components(system.flow_graph());
    const auto component_of = [&](int s) {
        return components.of_node[static_cast<std::size_t>(s)];
    };
    return first_connections(system, [&](int output, int input) {
        return component_of(system.subsystem_of_output(output)) ==
               component_of(system.subsystem_of_input(input));
    });
}

namespace {

/// Of tables, or of all others.
std::vector<int> continuous_outputs(const assemble::Assembly& assembly, bool of_tables) {
    std::set<std::pair<int, std::string>> continuous;  // place and name of port
    for (const Member& member : assembly.members)
        for (const VariableInfo& variable : member.variables->list())
            if (variable.is_continuous)
                continuous.emplace(member.place, member.prefix + variable.name);
    const auto is_table = [&](int s) {
        return std::ranges::find(assembly.tables, s, &assemble::PlacedTable::place) !=
               assembly.tables.end();
    };
    System& system = *assembly.system;
    std::vector<int> outputs;
    for (int output = 0; output < static_cast<int>(system.outputs().size()); ++output)
        if (const int s = system.subsystem_of_output(output);
            is_table(s) == of_tables && continuous.contains({s, system.output_port(output).name}))
            outputs.push_back(output);
    return outputs;
}

std::vector<WatchedConnection> first_connections_of(const assemble::Assembly& assembly,
                                                    const std::vector<int>& outputs) {
    return first_connections(*assembly.system, [&](int output, int) {
        return std::ranges::binary_search(outputs, output);
    });
}

}  // namespace

std::vector<int> continuous_outputs(const assemble::Assembly& assembly) {
    return continuous_outputs(assembly, false);
}

std::vector<WatchedConnection> continuous_connections(const assemble::Assembly& assembly) {
    return first_connections_of(assembly, continuous_outputs(assembly, false));
}

std::vector<WatchedConnection> table_connections(const assemble::Assembly& assembly) {
    return first_connections_of(assembly, continuous_outputs(assembly, true));
}

bool looks_ahead(const CouplingRecord& coupling) {
    const auto is_one = [](const std::string& method) {
        return method == "gauss_seidel" || method == "iterative" || method == "nepce";
    };
    return is_one(coupling.method) ||
           std::ranges::any_of(coupling.options, [&](const auto& option) {
               return coupling.method == "aggregate" && option.name == "outer" &&
                      is_one(option.value);
           });
}

std::string name_of_input(const assemble::Assembly& assembly, int input) {
    const System& system = *assembly.system;
    return name_of(assembly, system.subsystem_of_input(input), system.input_port(input));
}

std::string name_of(const assemble::Assembly& assembly, const WatchedConnection& connection) {
    const System& system = *assembly.system;
    const int output = connection.output;
    return fmt::format(
        "{} -> {}",
        name_of(assembly, system.subsystem_of_output(output), system.output_port(output)),
        name_of_input(assembly, connection.input));
}

std::string alternatives_to(const std::string& coupling) {
    std::vector<std::string_view> others;
    for (const std::string_view other : {"iterative", "aggregate", "predictor"})
        if (other != coupling) others.push_back(other);
    return fmt::format(" or another coupling ({})", fmt::join(others, ", "));
}

}  // namespace tandem::run
