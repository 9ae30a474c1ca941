#include "kit/describe.hpp"

#include <algorithm>
#include <set>

#include "base/units.hpp"
#include "kit/access.hpp"
#include "kit/elements.hpp"

namespace tandem::kit {
namespace {

using fmi::Causality;
using fmi::Initial;
using fmi::Variability;
using fmi::Version;

bool is_real(const Record& record) {
    return record.type == Type::float64 || record.type == Type::float32;
}

bool is_shown(const Record& record, Version version) {
    if (version == Version::v3) return true;
    return record.type != Type::binary && record.role != Role::clock &&
           record.role != Role::indicator;
}

Causality causality_of(const Record& record, Version version) {
    switch (record.role) {
        case Role::time: return Causality::independent;
        case Role::structural_parameter:
            return version == Version::v3 ? Causality::structural_parameter : Causality::local;
        case Role::parameter: return Causality::parameter;
        case Role::input: return Causality::input;
        case Role::output: return Causality::output;
        case Role::clock: return record.clock.output ? Causality::output : Causality::input;
        default: return record.attributes.output ? Causality::output : Causality::local;
    }
}

Variability variability_of(const Record& record, Version version) {
    switch (record.role) {
        case Role::time:
        case Role::state:
        case Role::derivative:
        case Role::indicator: return Variability::continuous;
        case Role::structural_parameter:
            return version == Version::v3 ? Variability::fixed : Variability::constant;
        case Role::parameter:
            return record.attributes.tunable ? Variability::tunable : Variability::fixed;
        case Role::discrete:
        case Role::clock: return Variability::discrete;
        default:
            return is_real(record) && !record.attributes.discrete ? Variability::continuous
                                                                  : Variability::discrete;
    }
}

Initial initial_of(const Record& record) {
    switch (record.role) {
        case Role::structural_parameter:
        case Role::parameter:
        case Role::discrete:
        case Role::state: return Initial::exact;
        case Role::output:
        case Role::local:
        case Role::derivative:
        case Role::indicator: return Initial::calculated;
        default: return Initial::none;
    }
}

// FMI 1.0 counts the literals of an enumeration from 1; others are shown as Integer there.
bool is_shown_as_enumeration(const Record& record, Version version) {
    if (record.type != Type::enumeration) return false;
    if (version != Version::v1) return true;
    std::int64_t expected = 0;
    return std::ranges::all_of(record.attributes.literals,
                               [&](const Literal& literal) { return literal.value == ++expected; });
}

ValueType shown_type(const Record& record, Version version) {
    if (version == Version::v3) return value_type(record.type);
    if (is_shown_as_enumeration(record, version)) return ValueType::enumeration;
    switch (record.type) {
        case Type::float32:
        case Type::float64: return ValueType::float64;
        case Type::boolean:
        case Type::string: return value_type(record.type);
        default: return ValueType::int32;
    }
}

std::string enumeration_name(const Record& record) {
    return record.attributes.enumeration.empty() ? record.name + "_type"
                                                 : record.attributes.enumeration;
}

/// "a[2,1]" of element `i`, row-major and counted from 1; a derivative keeps its brackets outside.
std::string element_name(const Record& record, std::size_t i) {
    if (record.extents.empty()) return record.name;
    std::string indices;
    std::size_t rest = i;
    for (std::size_t k = record.extents.size(); k-- > 0;) {
        const std::size_t extent = record.extents[k].size;
        indices = std::to_string(rest % extent + 1) + (indices.empty() ? "" : ",") + indices;
        rest /= extent;
    }
    std::string name = record.name;
    const bool is_derivative = record.role == Role::derivative;
    if (is_derivative) name.pop_back();
    return name + "[" + indices + "]" + (is_derivative ? ")" : "");
}

class Describer {
public:
    Describer(const ModelClass& model_class, Version version)
        : class_(model_class), version_(version), engine_(model_class, {}) {}

    fmi::ModelDescription run() {
        general();
        slots_ = make_slots(records(), version_);
        add_variables();
        add_units();
        add_types();
        add_structure();
        for (std::size_t i = 0; i < result_.variables.size(); ++i)
            result_.index_by_name.emplace(result_.variables[i].name, i);
        return std::move(result_);
    }

private:
    const std::vector<Record>& records() { return engine_.records(); }

    void general() {
        const ModelInfo& info = class_.info;
        result_.version = version_;
        result_.version_text = to_string(version_);
        result_.model_name = class_.name;
        result_.description = info.description;
        result_.author = info.author;
        result_.model_version = info.version;
        result_.license = info.license;
        result_.generation_tool = "Tandem";
        result_.structured_names = true;
        result_.experiment = {info.start, info.stop, info.tolerance, info.step_size};
        result_.event_indicator_count = engine_.indicator_count();
        result_.state_count = engine_.state_count();
        result_.log_categories = {{"info", "messages of the model"},
                                  {"warning", "warnings of the model"},
                                  {"error", "why a call failed"}};
        add_kinds();
    }

    void add_kinds() {
        fmi::KindInfo common;
        common.model_identifier = class_.name;
        common.can_get_and_set_state = common.can_serialize_state = version_ != Version::v1;
        common.provides_directional_derivatives = version_ != Version::v1;
        common.provides_adjoint_derivatives = version_ == Version::v3;
        fmi::KindInfo me = common;
        me.needs_completed_integrator_step = class_.uses_after_step;
        me.completed_integrator_step_not_needed = !class_.uses_after_step;
        fmi::KindInfo cs = common;
        cs.can_handle_variable_step = true;
        cs.can_interpolate_inputs = version_ != Version::v3 && !class_.is_step_function;
        cs.max_output_derivative_order = class_.is_step_function ? 0 : 1;
        if (version_ == Version::v3) {
            cs.provides_intermediate_update = cs.can_return_early = !class_.is_step_function;
            cs.has_event_mode = !class_.is_step_function;
            cs.might_return_early_from_step = cs.has_event_mode;
        }
        result_.co_simulation = cs;
        result_.model_exchange = me;
    }

    void add_variables() {
        first_of_.assign(records().size(), std::nullopt);
        for (std::size_t reference = 0; reference < slots_.size(); ++reference) {
            const Slot& slot = slots_[reference];
            if (version_ == Version::v1 && slot.record == 0) continue;
            if (slot.first == 0) first_of_[slot.record] = result_.variables.size();
            result_.variables.push_back(variable(reference));
        }
    }

    fmi::Variable variable(std::size_t reference) {
        const Slot& slot = slots_[reference];
        const Record& record = records()[slot.record];
        fmi::Variable v;
        v.name = version_ == Version::v3 ? record.name : element_name(record, slot.first);
        v.description = record.attributes.description;
        v.reference = static_cast<fmi::ValueReference>(reference);
        v.type = shown_type(record, version_);
        v.causality = causality_of(record, version_);
        v.variability = variability_of(record, version_);
        v.initial = initial_of(record);
        v.attributes.quantity = record.attributes.quantity;
        v.attributes.unit = record.attributes.unit;
        v.attributes.min = record.attributes.min;
        v.attributes.max = record.attributes.max;
        v.attributes.nominal = record.attributes.nominal;
        v.mime_type = record.attributes.mime_type;
        if (is_shown_as_enumeration(record, version_)) v.declared_type = enumeration_name(record);
        if (record.state) v.derivative_of = *first_of_[*record.state] + slot.first;
        v.reinit = record.role == Role::state && result_.event_indicator_count > 0;
        v.intermediate_update =
            version_ == Version::v3 && v.type == ValueType::float64 &&
            v.variability == Variability::continuous &&
            (v.causality == Causality::input || v.causality == Causality::output);
        add_start(v, record, slot);
        if (version_ == Version::v3) add_shape(v, record);
        return v;
    }

    void add_start(fmi::Variable& v, const Record& record, const Slot& slot) {
        const bool has_start = v.initial == Initial::exact || v.causality == Causality::input;
        if (!has_start || record.role == Role::clock) return;
        append_values(record, slot.first, slot.count, v.start.emplace());
    }

    void add_shape(fmi::Variable& v, const Record& record) {
        for (const Extent& extent : record.extents) {
            fmi::Dimension& dimension = v.dimensions.emplace_back();
            dimension.size = extent.size;
            if (extent.parameter)
                dimension.parameter = static_cast<fmi::ValueReference>(*extent.parameter);
        }
        if (record.role != Role::clock) return;
        fmi::ClockAttributes& clock = v.clock.emplace();
        clock.interval_variability = record.clock.interval > 0.0 ? "constant" : "triggered";
        if (record.clock.interval > 0.0) {
            clock.interval_decimal = record.clock.interval;
            clock.shift_decimal = record.clock.shift;
        }
    }

    void add_units() {
        std::set<std::string> names;
        for (const fmi::Variable& v : result_.variables)
            if (!v.attributes.unit.empty()) names.insert(v.attributes.unit);
        for (const std::string& name : names) {
            fmi::Unit& unit = result_.units.emplace_back();
            unit.name = name;
            if (const auto base = parse_unit(name))
                unit.base = {base->exponents, base->factor, base->offset};
        }
    }

    void add_types() {
        for (const Record& record : records()) {
            if (!is_shown_as_enumeration(record, version_) ||
                result_.type(enumeration_name(record)))
                continue;
            fmi::TypeDefinition& type = result_.types.emplace_back();
            type.name = enumeration_name(record);
            type.type = ValueType::enumeration;
            for (const Literal& literal : record.attributes.literals)
                type.items.push_back({literal.name, literal.value, literal.description});
        }
    }

    void add_structure() {
        auto& structure = result_.structure;
        for (std::size_t i = 0; i < result_.variables.size(); ++i) {
            const fmi::Variable& v = result_.variables[i];
            const std::size_t r = slots_[v.reference].record;
            const Role role = records()[r].role;
            const fmi::Unknown unknown{i, dependencies(r, slots_[v.reference])};
            if (v.causality == Causality::output && role != Role::clock)
                structure.outputs.push_back(unknown);
            if (role == Role::derivative) structure.derivatives.push_back(unknown);
            if (role == Role::indicator) structure.event_indicators.push_back(unknown);
            if (role == Role::derivative || role == Role::output)
                structure.initial_unknowns.push_back({i, std::nullopt});
        }
    }

    std::optional<std::vector<fmi::Dependency>> dependencies(std::size_t r, const Slot& slot) {
        const Record& record = records()[r];
        std::vector<fmi::Dependency> list;
        if (record.role == Role::state) {
            list.push_back({*first_of_[r] + (version_ == Version::v3 ? 0 : slot.first)});
            return list;
        }
        if (record.role == Role::discrete || record.role == Role::clock) return list;
        if (!record.dependencies) return std::nullopt;
        for (const std::size_t known : *record.dependencies) {
            const Record& source = records()[known];
            if (source.role != Role::input && source.role != Role::state) continue;
            if (!first_of_[known]) continue;
            const std::size_t count = version_ == Version::v3 ? 1 : source.size;
            for (std::size_t i = 0; i < count; ++i) list.push_back({*first_of_[known] + i});
        }
        std::ranges::sort(list, {}, &fmi::Dependency::variable);
        return list;
    }

    const ModelClass& class_;
    Version version_;
    Engine engine_;
    fmi::ModelDescription result_;
    std::vector<Slot> slots_;
    std::vector<std::optional<std::size_t>> first_of_;  ///< variable of a record's first element
};

}  // namespace

std::vector<Slot> make_slots(const std::vector<Record>& records, Version version) {
    std::vector<Slot> slots;
    for (std::size_t r = 0; r < records.size(); ++r) {
        if (!is_shown(records[r], version)) continue;
        if (version == Version::v3)
            slots.push_back({r, 0, records[r].size});
        else
            for (std::size_t i = 0; i < records[r].size; ++i) slots.push_back({r, i, 1});
    }
    return slots;
}

fmi::ModelDescription describe(const ModelClass& model_class, Version version) {
    return Describer(model_class, version).run();
}

}  // namespace tandem::kit
