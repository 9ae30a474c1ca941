#include "kit/native_variables.hpp"

#include <algorithm>

#include "kit/elements.hpp"
#include "tandem/error.hpp"

namespace tandem::kit {
namespace {

bool is_real(const Record& record) {
    return record.type == Type::float64 || record.type == Type::float32;
}

bool is_output(const Record& record) {
    return record.role == Role::output || record.attributes.output ||
           (record.role == Role::clock && record.clock.output);
}

void add(NativePorts& result, const Record& record, std::size_t index) {
    for (std::size_t i = 0; i < record.size; ++i) {
        const std::string element = record.extents.empty() ? "" : "[" + std::to_string(i + 1) + "]";
        result.slots.push_back({index, i, 1});
        result.ports.push_back({record.name + element, record.attributes.unit,
                                record.attributes.nominal.value_or(1.0)});
    }
}

template <class Chosen>
NativePorts ports_of(const std::vector<Record>& records, Chosen chosen) {
    NativePorts result;
    for (const Type type : {Type::float64, Type::float32})
        for (std::size_t r = 0; r < records.size(); ++r)
            if (records[r].type == type && chosen(records[r])) add(result, records[r], r);
    return result;
}

/// What the engine has to compute for a variable of this role besides `so_far`; locals may be
/// computed with the derivatives as well as with the outputs.
Role with(Role so_far, Role role) {
    if (role == Role::local || role == Role::derivative || so_far == Role::local)
        return Role::local;
    if (role == Role::output || so_far == Role::output) return Role::output;
    return role == Role::state || role == Role::discrete ? Role::state : so_far;
}

void locate(Engine& engine, NativePorts& ports) {
    if (ports.layout == engine.layout()) return;
    ports.layout = engine.layout();
    ports.doubles.clear();
    ports.floats.clear();
    ports.refreshes = Role::input;
    for (const Slot& slot : ports.slots) {
        const Record& record = engine.records()[slot.record];
        ports.refreshes = with(ports.refreshes, record.role);
        if (record.type == Type::float64)
            ports.doubles.push_back(static_cast<double*>(record.data) + slot.first);
        else
            ports.floats.push_back(static_cast<float*>(record.data) + slot.first);
    }
}

}  // namespace

namespace {

void locate(Engine& engine, NativePorts& all, SomePorts& some) {
    if (some.layout == engine.layout()) return;
    some.layout = engine.layout();
    locate(engine, all);
    some.places.clear();
    some.refreshes = Role::input;
    some.affect_outputs = false;
    for (const int position : some.positions) {
        const auto i = static_cast<std::size_t>(position);
        const std::size_t record = all.slots[i].record;
        some.refreshes = with(some.refreshes, engine.records()[record].role);
        some.affect_outputs |= engine.affects_outputs(record);
        some.places.push_back(all.doubles[i]);
    }
}

}  // namespace

NativePorts continuous_inputs(const std::vector<Record>& records) {
    return ports_of(records, [](const Record& record) {
        return record.role == Role::input && !record.attributes.discrete;
    });
}

NativePorts all_inputs(const std::vector<Record>& records) {
    return ports_of(records, [](const Record& record) { return record.role == Role::input; });
}

NativePorts all_outputs(const std::vector<Record>& records) { return ports_of(records, is_output); }

NativePorts outputs_named(const std::vector<Record>& records, const std::set<std::string>& names) {
    const NativePorts all =
        ports_of(records, [](const Record& record) { return record.role != Role::input; });
    NativePorts named;
    for (std::size_t i = 0; i < all.ports.size(); ++i) {
        if (!names.contains(all.ports[i].name)) continue;
        named.ports.push_back(all.ports[i]);
        named.slots.push_back(all.slots[i]);
    }
    return named;
}

bool depends_on(const std::vector<Record>& records, const Slot& unknown, const Slot& known) {
    const Record& record = records[unknown.record];
    switch (record.role) {
        case Role::state: return unknown.record == known.record && unknown.first == known.first;
        case Role::output:
        case Role::local:
        case Role::derivative:
            return !record.dependencies || std::ranges::find(*record.dependencies, known.record) !=
                                               record.dependencies->end();
        default: return false;  // changes at events only, or never
    }
}

NativePorts all_states(const std::vector<Record>& records) {
    NativePorts result;
    for (const Record& record : records)
        if (record.role == Role::derivative) add(result, records[*record.state], *record.state);
    return result;
}

std::vector<Slot> derivative_slots(const std::vector<Record>& records) {
    return ports_of(records, [](const Record& record) { return record.role == Role::derivative; })
        .slots;
}

void set_ports(Engine& engine, NativePorts& ports, std::span<const double> values) {
    locate(engine, ports);
    const std::size_t doubles = ports.doubles.size();
    for (std::size_t i = 0; i < doubles; ++i) *ports.doubles[i] = values[i];
    for (std::size_t i = 0; i < ports.floats.size(); ++i)
        *ports.floats[i] = static_cast<float>(values[doubles + i]);
    engine.touch();
}

void get_ports(Engine& engine, NativePorts& ports, std::span<double> values) {
    locate(engine, ports);
    if (ports.refreshes != Role::input) engine.refresh(ports.refreshes);
    const std::size_t doubles = ports.doubles.size();
    for (std::size_t i = 0; i < doubles; ++i) values[i] = *ports.doubles[i];
    for (std::size_t i = 0; i < ports.floats.size(); ++i)
        values[doubles + i] = static_cast<double>(*ports.floats[i]);
}

void set_some(Engine& engine, NativePorts& all, SomePorts& some, std::span<const double> values) {
    locate(engine, all, some);
    for (std::size_t i = 0; i < some.places.size(); ++i)
        *some.places[i] = values[static_cast<std::size_t>(some.positions[i])];
    engine.touch_inputs(some.affect_outputs);
}

void get_some(Engine& engine, NativePorts& all, SomePorts& some, std::span<double> values) {
    locate(engine, all, some);
    if (some.refreshes != Role::input) engine.refresh(some.refreshes);
    for (std::size_t i = 0; i < some.places.size(); ++i)
        values[static_cast<std::size_t>(some.positions[i])] = *some.places[i];
}

std::span<double* const> places(Engine& engine, NativePorts& all, SomePorts& some) {
    locate(engine, all, some);
    return some.places;
}

NativeVariables::NativeVariables(const NativeName& name, Engine& engine)
    : name_(name), engine_(engine) {
    build_list();
}

void NativeVariables::build_list() {
    list_.clear();
    for (const Record& record : engine_.records()) {
        VariableInfo& info = list_.emplace_back();
        info.name = record.name;
        info.unit = record.attributes.unit;
        info.description = record.attributes.description;
        info.type = value_type(record.type);
        info.size = record.size;
        info.is_output = is_output(record);
        info.is_input =
            record.role == Role::input || (record.role == Role::clock && !record.clock.output);
        info.is_parameter =
            record.role == Role::parameter || record.role == Role::structural_parameter;
        info.is_continuous = is_real(record) && !info.is_parameter &&
                             record.role != Role::discrete && !record.attributes.discrete;
        for (const Extent& extent : record.extents) info.dimensions.push_back(extent.size);
        for (const Literal& literal : record.attributes.literals)
            info.items.emplace_back(literal.name, literal.value);
    }
}

VariableGroup NativeVariables::group(std::span<const std::size_t> variables) const {
    VariableGroup group;
    for (const std::size_t index : variables) {
        group.type = list_[index].type;
        group.variables.push_back(index);
        group.references.push_back(static_cast<std::uint32_t>(index));
        group.size += list_[index].size;
    }
    return group;
}

void NativeVariables::read(const VariableGroup& group, Values& values) {
    const ForeignCall mark = name_.call("outputs()");
    std::size_t to = 0;
    for (const std::size_t index : group.variables) {
        const Record& record = engine_.records()[index];
        engine_.refresh(record.role);
        copy_values(record, 0, record.size, values, to);
        to += record.size;
    }
}

void NativeVariables::write(const VariableGroup& group, const Values& values) {
    std::size_t from = 0;
    bool structural = false;
    for (const std::size_t index : group.variables) {
        const Record& record = engine_.records()[index];
        const bool early = !engine_.is_running();
        const bool start_only = record.role == Role::state || record.role == Role::discrete ||
                                record.role == Role::structural_parameter ||
                                (record.role == Role::parameter && !record.attributes.tunable);
        const bool always = record.role == Role::input || record.role == Role::parameter ||
                            (record.role == Role::clock && !record.clock.output);
        if (start_only ? !early : !always)
            throw InputError(record.name, early ? "cannot be set" : "cannot be set any more",
                             "set inputs, and parameters before the start");
        write_values(record, 0, record.size, values, from);
        from += record.size;
        discrete_written = discrete_written || (!early && !list_[index].is_continuous);
        structural = structural || record.role == Role::structural_parameter;
    }
    engine_.touch();
    if (!structural) return;
    engine_.apply_structure();
    build_list();
}

}  // namespace tandem::kit
