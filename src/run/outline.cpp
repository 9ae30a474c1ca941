#include "run/outline.hpp"

#include "assemble/system_graph.hpp"

namespace tandem::run {
namespace {

std::vector<std::string> capability_names(const Capabilities& can) {
    std::vector<std::string> names;
    if (can.rollback) names.emplace_back("rollback");
    if (can.serialise) names.emplace_back("serialise");
    if (can.jacobians) names.emplace_back("jacobians");
    if (can.linear_model) names.emplace_back("linear model");
    if (can.laws) names.emplace_back("laws");
    if (can.traces) names.emplace_back("traces");
    if (can.variable_step) names.emplace_back("variable step");
    if (can.input_derivatives > 0) names.emplace_back("input derivatives");
    if (can.output_derivatives > 0) names.emplace_back("output derivatives");
    return names;
}

SubsystemRecord subsystem_outline(const description::FlatSystem& flat,
                                  const assemble::Assembly& assembly, std::size_t s) {
    const assemble::LoadedSubsystem& part = assembly.parts[s];
    const Member& member = assembly.members[s];
    SubsystemRecord record;
    record.name = member.name;
    record.kind = part.kind;
    if (part.fmu != nullptr) record.fmi_version = fmi::to_string(part.fmu->description().version);
    record.source = flat.subsystems[s].source.filename().string();
    record.parameters = part.parameters;
    record.settings = part.settings;
    record.capabilities =
        capability_names(assembly.system->at(member.place).interface().capabilities);
    record.priority = assembly.graph.priorities[s];
    if (member.prefix.empty()) record.solver = part.solver;
    return record;
}

std::vector<GroupRecord> groups_of(const assemble::Assembly& assembly) {
    std::vector<GroupRecord> records;
    for (const ode::HostedOde* group : assembly.groups) {
        GroupRecord& record = records.emplace_back();
        record.name = group->name();
        record.kind = "aggregate";
        for (const Member& member : assembly.members)
            if (assembly.system->at(member.place).name() == group->name())
                record.members.push_back(member.name);
    }
    for (GroupRecord& cycle : assemble::cycle_records(assembly.graph))
        records.push_back(std::move(cycle));
    return records;
}

}  // namespace

RunRecord outline(const description::FlatSystem& flat, const assemble::Assembly& assembly) {
    RunRecord record;
    record.system_name = flat.name;
    record.coupling = assembly.coupling_record;
    record.connections = assembly.connections;
    record.functions = assembly.functions;
    for (const description::FlatBond& bond : flat.bonds)
        record.bonds.push_back({bond.name, bond.effort, bond.flow});
    if (!assembly.system) return record;
    for (std::size_t s = 0; s < assembly.parts.size(); ++s)
        record.subsystems.push_back(subsystem_outline(flat, assembly, s));
    record.groups = groups_of(assembly);
    record.lines = assemble::line_records(assembly.lines);
    return record;
}

}  // namespace tandem::run
