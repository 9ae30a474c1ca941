#include "assemble/described_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "assemble/apply_scales.hpp"
#include "assemble/choose_kinds.hpp"
#include "assemble/connect/check_connectors.hpp"
#include "assemble/connect/connect.hpp"
#include "assemble/connect/show_sources.hpp"
#include "assemble/load/described_subsystem.hpp"
#include "assemble/load/fmu_kind.hpp"
#include "description/read/read.hpp"

namespace tandem::assemble {
namespace {

/// The variables of a subsystem that nobody describes, as the system uses them.
class Uses {
public:
    explicit Uses(std::size_t subsystem) : subsystem_(subsystem) {}

    void collect(const description::FlatSystem& flat) {
        for (const description::FlatConnection& connection : flat.connections) {
            note(connection.from).is_output = true;
            note(connection.to).is_input = true;
        }
        for (const description::FlatFunction& function : flat.functions) {
            for (const description::FlatSignal& signal : function.signals)
                note(signal.variable).is_output = true;
            for (const description::FlatTarget& target : function.targets)
                note(target.variable).is_input = true;
        }
        for (const description::FlatTlm& line : flat.tlm)
            for (const description::FlatTlmEnd& end : line.ends) collect(end);
    }

    std::vector<VariableInfo> infos() const {
        std::vector<VariableInfo> all;
        for (const auto& [name, info] : infos_) all.push_back(info);
        return all;
    }

private:
    void collect(const description::FlatTlmEnd& end) {
        for (const auto* port :
             {&end.flow, &end.position, &end.orientation, &end.velocity, &end.angular_velocity})
            if (*port) note(**port).is_output = true;
        for (const auto* port : {&end.effort, &end.wave, &end.impedance, &end.slope, &end.times,
                                 &end.waves, &end.force, &end.moment})
            if (*port) note(**port).is_input = true;
    }

    /// Elements of an array make it as long as they need.
    VariableInfo& note(const description::FlatVariable& variable) {
        if (variable.subsystem != subsystem_) return elsewhere_;
        const auto slice = description::split_slice(variable.name);
        const bool is_element = slice && slice->ranges.size() == 1;
        const std::string& name = is_element ? slice->name : variable.name;
        VariableInfo& info = infos_[name];
        info.name = name;
        info.unit = variable.unit;
        info.type = variable.type.value_or(ValueType::float64);
        info.is_continuous = storage_of(info.type) == Storage::reals;
        if (is_element && slice->ranges[0].last <= longest_array)
            info.size = std::max<std::size_t>(info.size, slice->ranges[0].last);
        if (info.size > 1) info.dimensions = {info.size};
        return info;
    }

    static constexpr std::uint64_t longest_array = 100'000;
    std::size_t subsystem_;
    std::map<std::string, VariableInfo> infos_;
    VariableInfo elsewhere_;
};

class Description {
public:
    explicit Description(DescribedSystem& system) : system_(system) {}

    void describe() {
        const description::FlatSystem& flat = system_.flat;
        const KindChoice kinds = choose_kinds(flat, {});
        for (std::size_t s = 0; s < flat.subsystems.size(); ++s)
            parts_.push_back(load(s, std::ranges::binary_search(kinds.model_exchange, s)));
        const Signals signals(flat, parts_, system_.findings);
        for (std::size_t s = 0; s < flat.subsystems.size(); ++s)
            if (parts_[s].subsystem != nullptr && parts_[s].fmu != nullptr) {
                check_connectors(flat.subsystems[s], s, signals);
                check_nominals(flat.subsystems[s], s, parts_[s], signals);
            }
        show_sources(flat, parts_);
        Connector connector(flat, parts_, signals);
        for (const description::FlatConnection& connection : flat.connections)
            connector.connect(connection);
        for (const description::FlatFunction& function : flat.functions)
            connector.connect(function);
        const bool complete = std::ranges::all_of(
            parts_, [](const LoadedSubsystem& part) { return part.subsystem != nullptr; });
        if (!complete || has_errors(system_.findings)) return;
        record(connector);
    }

private:
    LoadedSubsystem load(std::size_t s, bool as_model_exchange) {
        const description::FlatSubsystem& subsystem = system_.flat.subsystems[s];
        if (subsystem.type != description::SourceType::extension &&
            (subsystem.source_is_refused || !std::filesystem::exists(subsystem.source)))
            return {};
        try {
            if (subsystem.type == description::SourceType::fmu)
                return load_fmu(subsystem, as_model_exchange);
            if (subsystem.type == description::SourceType::library ||
                subsystem.type == description::SourceType::extension)
                return describe_by_its_use(s);
            return load_subsystem(subsystem, {});
        } catch (const InputError& error) {
            system_.findings.push_back({Severity::error, subsystem.place,
                                        fmt::format("subsystem '{}': {}: {}", subsystem.name,
                                                    error.place(), error.problem()),
                                        error.hint()});
            return {};
        }
    }

    LoadedSubsystem load_fmu(const description::FlatSubsystem& subsystem, bool as_model_exchange) {
        LoadedSubsystem part;
        part.fmu = fmi::Fmu::open(subsystem.source);
        const fmi::ModelDescription& description = part.fmu->description();
        const bool is_cs = wants_co_simulation(
            subsystem, description,
            as_model_exchange || system_.flat.coupling.method == coupling::aggregate_name);
        part.kind = is_cs ? "co-simulation" : "model exchange";
        part.subsystem = describe_fmu(subsystem.name, description,
                                      is_cs ? fmi::Kind::co_simulation : fmi::Kind::model_exchange);
        return part;
    }

    LoadedSubsystem describe_by_its_use(std::size_t s) {
        const description::FlatSubsystem& subsystem = system_.flat.subsystems[s];
        LoadedSubsystem part;
        part.kind = subsystem.type == description::SourceType::extension
                        ? subsystem.option("type")->as_text()
                        : "native";
        Uses uses(s);
        uses.collect(system_.flat);
        part.subsystem = describe_by_use(system_.flat.subsystems[s].name, uses.infos());
        system_.not_looked_at.push_back(system_.flat.subsystems[s].name);
        return part;
    }

    void record(Connector& connector) {
        std::vector<std::unique_ptr<Subsystem>> subsystems;
        for (LoadedSubsystem& part : parts_) subsystems.push_back(std::move(part.subsystem));
        PortLinks links{std::move(connector.links), std::move(connector.functions),
                        std::move(connector.typed_links)};
        system_.graph = analyse(subsystems, links);
        RunRecord& record = system_.record;
        record.system_name = system_.flat.name;
        record.connections = std::move(connector.records);
        record.functions = std::move(connector.function_records);
        for (std::size_t s = 0; s < parts_.size(); ++s) {
            SubsystemRecord& part = record.subsystems.emplace_back();
            part.name = system_.flat.subsystems[s].name;
            part.kind = parts_[s].kind;
            if (parts_[s].fmu != nullptr)
                part.fmi_version = fmi::to_string(parts_[s].fmu->description().version);
            part.source = system_.flat.subsystems[s].source.filename().string();
            part.priority = system_.graph.priorities[s];
        }
        record.groups = cycle_records(system_.graph);
    }

    DescribedSystem& system_;
    std::vector<LoadedSubsystem> parts_;
};

}  // namespace

DescribedSystem describe_system(const std::string& file) {
    DescribedSystem system;
    const description::SystemDescription description =
        description::read_system(file, system.findings);
    system.flat = description::flatten(description, system.findings);
    if (!system.flat.is_cut_off) Description(system).describe();
    return system;
}

}  // namespace tandem::assemble
