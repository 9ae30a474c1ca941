#include "assemble/connect/power_bonds.hpp"

#include <algorithm>

namespace tandem::assemble {
namespace {

/// A scalar, or the elements of an array: "f" is the name of "f", "f[1]", "f[2,3]".
bool is_of(const std::string& port, const std::string& variable) {
    return port.starts_with(variable) &&
           (port.size() == variable.size() || port[variable.size()] == '[');
}

std::vector<Link> links_of(const ConnectionRecord& connection, const std::vector<Member>& members,
                           const System& system) {
    const auto to = std::ranges::find(members, connection.to.subsystem, &Member::name);
    const auto from = std::ranges::find(members, connection.from.subsystem, &Member::name);
    std::vector<Link> links;
    if (to == members.end() || from == members.end()) return links;
    const auto& inputs = system.at(to->place).interface().inputs;
    for (const Link& link : system.links_into(to->place)) {
        const auto port = static_cast<std::size_t>(link.input - system.input_begin(to->place));
        if (is_of(inputs[port].name, to->prefix + connection.to.variable) &&
            system.subsystem_of_output(link.output) == from->place)
            links.push_back(link);
    }
    return links;
}

}  // namespace

std::vector<stepsize::PowerBond> power_bonds(const std::vector<description::FlatBond>& bonds,
                                             const std::vector<ConnectionRecord>& connections,
                                             const std::vector<Member>& members,
                                             const System& system) {
    std::vector<stepsize::PowerBond> found;
    for (const description::FlatBond& bond : bonds) {
        const auto efforts = links_of(connections[bond.effort], members, system);
        const auto flows = links_of(connections[bond.flow], members, system);
        for (std::size_t i = 0; i < std::min(efforts.size(), flows.size()); ++i)
            found.push_back({efforts[i], flows[i]});
    }
    return found;
}

}  // namespace tandem::assemble
