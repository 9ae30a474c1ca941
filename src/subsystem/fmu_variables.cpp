#include "subsystem/fmu_variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/log.hpp"
#include "subsystem/variable_infos.hpp"
#include "tandem/error.hpp"

namespace tandem::subsystem {
namespace {

bool is_real(const fmi::Variable& variable) {
    return variable.type == ValueType::float64 || variable.type == ValueType::float32;
}

VariableInfo describe(const fmi::ModelDescription& description, const fmi::Variable& variable) {
    VariableInfo info;
    info.name = variable.name;
    info.unit = variable.attributes.unit;
    info.description = variable.description;
    info.type = variable.type;
    info.size = variable.size();
    info.is_input = variable.causality == fmi::Causality::input;
    info.is_output = variable.causality == fmi::Causality::output;
    info.is_parameter = variable.causality == fmi::Causality::parameter ||
                        variable.causality == fmi::Causality::structural_parameter;
    info.shares_name = variable.shares_name;
    info.is_continuous = is_real(variable) && variable.variability == fmi::Variability::continuous;
    for (const fmi::Dimension& dimension : variable.dimensions)
        info.dimensions.push_back(static_cast<std::size_t>(dimension.size));
    if (variable.type != ValueType::enumeration) return info;
    if (const fmi::TypeDefinition* type = description.type(variable.declared_type))
        for (const fmi::EnumerationItem& item : type->items)
            info.items.emplace_back(item.name, item.value);
    return info;
}

/// `count` values of one type.
void copy_values(const Values& from, std::size_t first_from, Values& to, std::size_t first_to,
                 std::size_t count) {
    const auto copy = [&](const auto& source, auto& target) {
        if (!source.empty())
            std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(first_from), count,
                        target.begin() + static_cast<std::ptrdiff_t>(first_to));
    };
    copy(from.reals, to.reals);
    copy(from.integers, to.integers);
    copy(from.strings, to.strings);
}

}  // namespace

std::vector<VariableInfo> variable_infos(const fmi::ModelDescription& description) {
    std::vector<VariableInfo> list;
    for (const fmi::Variable& variable : description.variables)
        list.push_back(describe(description, variable));
    for (const fmi::Variable& variable : description.variables)
        for (const fmi::Alias& alias : variable.aliases) {
            list.push_back(describe(description, variable));
            list.back().name = alias.name;
            if (!alias.description.empty()) list.back().description = alias.description;
        }
    return list;
}

FmuVariables::FmuVariables(fmi::Instance& instance)
    : instance_(instance), list_(variable_infos(instance.fmu().description())) {
    const auto& variables = instance.fmu().description().variables;
    last_set_.resize(variables.size());
    for (std::size_t i = 0; i < variables.size(); ++i) {
        owner_.push_back(i);
        has_negated_ = has_negated_ || variables[i].negated_alias;
    }
    for (std::size_t i = 0; i < variables.size(); ++i)
        owner_.insert(owner_.end(), variables[i].aliases.size(), i);
}

const fmi::Variable& FmuVariables::variable(std::size_t index) const {
    return instance_.fmu().description().variables[owner_[index]];
}

VariableGroup FmuVariables::group(std::span<const std::size_t> variables) const {
    VariableGroup group;
    if (variables.empty()) return group;
    group.type = list_[variables.front()].type;
    for (const std::size_t index : variables) {
        expects(list_[index].type == group.type, "a group holds variables of one type");
        group.variables.push_back(index);
        group.references.push_back(variable(index).reference);
        group.size += list_[index].size;
    }
    return group;
}

void FmuVariables::read(const VariableGroup& group, Values& values) {
    if (before_read) before_read();
    instance_.get(group.type, group.references, values);
    if (has_negated_) negate(group, values);
    if (!is_set_up_) put_waiting_values(group, values);
}

/// What was written before the experiment is set up, which the FMU does not have yet.
void FmuVariables::put_waiting_values(const VariableGroup& group, Values& values) const {
    std::size_t position = 0;
    for (const std::size_t index : group.variables) {
        if (const auto& set = last_set_[owner_[index]])
            copy_values(*set, 0, values, position, list_[index].size);
        position += list_[index].size;
    }
}

void FmuVariables::observe(const VariableGroup& group, Values& values) {
    if (before_read) before_read();
    if (!is_readable(group) || !instance_.try_get(group.type, group.references, values))
        observe_each(group, values);
    if (has_negated_) negate(group, values);
}

void FmuVariables::observe_each(const VariableGroup& group, Values& values) {
    std::size_t position = 0;
    for (const std::size_t index : group.variables) {
        Values value;
        value.resize(group.type, list_[index].size);
        if (!try_read(index, value)) value = last_known(index);
        copy_values(value, 0, values, position, list_[index].size);
        position += list_[index].size;
    }
}

std::vector<std::size_t> FmuVariables::unknown(const VariableGroup& group) {
    if (before_read) before_read();
    std::vector<std::size_t> found;
    Values all;
    all.resize(group.type, group.size);
    if (instance_.try_get(group.type, group.references, all)) return found;
    for (const std::size_t index : group.variables) {
        Values value;
        value.resize(group.type, list_[index].size);
        if (!try_read(index, value) && !last_set(index, value)) found.push_back(index);
    }
    return found;
}

bool FmuVariables::is_readable(const VariableGroup& group) const {
    return unreadable_.empty() || std::ranges::none_of(group.variables, [&](std::size_t index) {
               return unreadable_.contains(index);
           });
}

bool FmuVariables::try_read(std::size_t index, Values& value) {
    if (unreadable_.contains(index)) return false;
    const fmi::ValueReference reference = variable(index).reference;
    if (instance_.try_get(list_[index].type, std::span(&reference, 1), value)) return true;
    if (is_given(index)) unreadable_.insert(index);
    return false;
}

/// From outside; the others may be readable the next time.
bool FmuVariables::is_given(std::size_t index) const {
    return list_[index].is_input || list_[index].is_parameter;
}

bool FmuVariables::last_set(std::size_t index, Values& value) const {
    if (last_input && last_input(owner_[index], value)) return true;
    const auto& set = last_set_[owner_[index]];
    if (!set) return false;
    value = *set;
    return true;
}

/// What it was set to, or its start value; no number for a real one that the FMU computes. As the
/// FMU counts it: aliases may be negated.
Values FmuVariables::last_known(std::size_t index) {
    Values value;
    value.resize(list_[index].type, list_[index].size);
    const std::optional<Values>& start = variable(index).start;
    const bool has_start = start && start->size(list_[index].type) == list_[index].size;
    const bool is_given = this->is_given(index) || value.reals.empty();
    if (!is_given) std::ranges::fill(value.reals, std::numeric_limits<double>::quiet_NaN());
    if (!last_set(index, value) && is_given && has_start) value = *start;
    if (warned_of_.insert(index).second)
        log(LogLevel::warning,
            fmt::format("{}: the FMU does not let {} be read{}; {} is used", instance_.name(),
                        list_[index].name, this->is_given(index) ? "" : " at all times",
                        is_given ? "the value it was set to last, or its start value," : "NaN"));
    if (has_negated_) negate(group(std::span(&index, 1)), value);
    return value;
}

void FmuVariables::write(const VariableGroup& group, const Values& values) {
    if (!intercept || !intercept(group, values)) write_through(group, values);
}

void FmuVariables::write_through(const VariableGroup& group, const Values& values) {
    if (is_structural(group)) {
        instance_.enter_configuration_mode();
        instance_.set(group.type, group.references, values);
        instance_.exit_configuration_mode();
        resize_arrays(group, values);
        return;
    }
    remember(group, values);
    if (is_set_up_)
        pass_on(group, values);
    else
        start_values_.push_back({group, values});
}

void FmuVariables::remember(const VariableGroup& group, const Values& values) {
    std::size_t position = 0;
    for (const std::size_t index : group.variables) {
        std::optional<Values>& value = last_set_[owner_[index]];
        if (!value) value.emplace();
        value->resize(group.type, list_[index].size);
        copy_values(values, position, *value, 0, list_[index].size);
        position += list_[index].size;
    }
}

void FmuVariables::pass_on(const VariableGroup& group, const Values& values) {
    if (has_negated_) {
        Values negated = values;
        negate(group, negated);
        instance_.set(group.type, group.references, negated);
    } else {
        instance_.set(group.type, group.references, values);
    }
}

bool FmuVariables::is_discrete(const VariableGroup& group) const {
    return std::any_of(group.variables.begin(), group.variables.end(), [&](std::size_t index) {
        return variable(index).variability != fmi::Variability::continuous;
    });
}

bool FmuVariables::is_structural(const VariableGroup& group) const {
    return std::any_of(group.variables.begin(), group.variables.end(), [&](std::size_t index) {
        return variable(index).causality == fmi::Causality::structural_parameter;
    });
}

/// FMI 1.0 negated aliases: reals and integers change their sign, booleans their truth.
void FmuVariables::negate(const VariableGroup& group, Values& values) const {
    std::size_t position = 0;
    for (const std::size_t index : group.variables) {
        if (variable(index).negated_alias) {
            if (storage_of(group.type) == Storage::reals)
                values.reals[position] = -values.reals[position];
            else if (group.type == ValueType::boolean)
                values.integers[position] = values.integers[position] ? 0 : 1;
            else if (storage_of(group.type) == Storage::integers)
                values.integers[position] = -values.integers[position];
        }
        position += list_[index].size;
    }
}

void FmuVariables::resize_arrays(const VariableGroup& group, const Values& values) {
    for (std::size_t i = 0; i < group.references.size(); ++i)
        extents_[group.references[i]] = static_cast<std::uint64_t>(values.integers[i]);
    for (std::size_t i = 0; i < list_.size(); ++i) {
        std::size_t size = 1;
        list_[i].dimensions.clear();
        for (const fmi::Dimension& dimension : variable(i).dimensions) {
            const auto known =
                dimension.parameter ? extents_.find(*dimension.parameter) : extents_.end();
            const auto extent = known == extents_.end() ? dimension.size : known->second;
            list_[i].dimensions.push_back(static_cast<std::size_t>(extent));
            size *= list_[i].dimensions.back();
        }
        list_[i].size = size;
    }
}

}  // namespace tandem::subsystem
