#include "subsystem/fmu_variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/error.hpp"
#include "base/log.hpp"
#include "subsystem/variable_infos.hpp"

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

/// Of two lists of one type. A Float32 holds less than it is given.
std::optional<std::size_t> first_difference(ValueType type, const Values& set, const Values& read) {
    for (std::size_t i = 0; i < std::min(set.size(type), read.size(type)); ++i) {
        const bool is_same = [&] {
            switch (storage_of(type)) {
                case Storage::reals:
                    return type == ValueType::float32 ? static_cast<float>(set.reals[i]) ==
                                                            static_cast<float>(read.reals[i])
                                                      : set.reals[i] == read.reals[i];
                case Storage::integers: return set.integers[i] == read.integers[i];
                case Storage::strings: return set.strings[i] == read.strings[i];
            }
            return true;
        }();
        if (!is_same) return i;
    }
    return std::nullopt;
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
}

void FmuVariables::observe(const VariableGroup& group, Values& values) {
    if (before_read) before_read();
    const bool is_readable =
        unreadable_.empty() || std::ranges::none_of(group.variables, [&](std::size_t index) {
            return unreadable_.contains(index);
        });
    if (!is_readable || !instance_.try_get(group.type, group.references, values))
        observe_each(group, values);
    if (has_negated_) negate(group, values);
}

void FmuVariables::observe_each(const VariableGroup& group, Values& values) {
    const auto copy = [](const auto& from, auto& to, std::size_t position) {
        std::ranges::copy(from, to.begin() + static_cast<std::ptrdiff_t>(position));
    };
    std::size_t position = 0;
    for (const std::size_t index : group.variables) {
        Values value;
        value.resize(group.type, list_[index].size);
        if (!try_read(index, value)) value = last_known(index);
        copy(value.reals, values.reals, position);
        copy(value.integers, values.integers, position);
        copy(value.strings, values.strings, position);
        position += list_[index].size;
    }
}

bool FmuVariables::try_read(std::size_t index, Values& value) {
    if (unreadable_.contains(index)) return false;
    const fmi::ValueReference reference = variable(index).reference;
    if (instance_.try_get(list_[index].type, std::span(&reference, 1), value)) return true;
    unreadable_.insert(index);
    log(LogLevel::warning,
        fmt::format("{}: the FMU does not let {} be read; its last value known is used",
                    instance_.name(), list_[index].name));
    return false;
}

/// What it was set to, or its start value. As the FMU counts it: aliases may be negated.
Values FmuVariables::last_known(std::size_t index) const {
    Values value;
    value.resize(list_[index].type, list_[index].size);
    const VariableGroup group = this->group(std::span(&index, 1));
    const auto is_own = [&](const Start& start) {
        return start.group.variables == group.variables;
    };
    const auto set = std::ranges::find_if(start_values_.rbegin(), start_values_.rend(), is_own);
    const std::optional<Values>& start = variable(index).start;
    if (set != start_values_.rend())
        value = set->values;
    else if (start && start->size(group.type) == list_[index].size)
        value = *start;
    if (has_negated_) negate(group, value);
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
    } else if (is_set_up_) {
        pass_on(group, values);
    } else {
        start_values_.push_back({group, values});
    }
}

void FmuVariables::set_up(const fmi::ExperimentSetup& setup) {
    instance_.set_up_experiment(setup);
    is_set_up_ = true;
    for (const Start& start : start_values_) pass_on(start.group, start.values);
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

/// Parameters, and what does not depend on anything else at the start.
bool FmuVariables::is_kept(const VariableGroup& group) const {
    return std::ranges::all_of(group.variables, [&](std::size_t index) {
        const fmi::Variable& own = variable(index);
        return own.causality == fmi::Causality::parameter ||
               (own.initial == fmi::Initial::exact && own.causality != fmi::Causality::input);
    });
}

std::vector<std::string> FmuVariables::lost_start_values() {
    std::map<std::size_t, const Start*> last;  // of each variable
    for (const Start& start : start_values_)
        if (start.group.variables.size() == 1 && is_kept(start.group))
            last[owner_[start.group.variables.front()]] = &start;
    std::vector<std::string> lost;
    for (const auto& [index, start] : last) {
        const VariableGroup& group = start->group;
        Values now;
        now.resize(group.type, group.size);
        if (!instance_.try_get(group.type, group.references, now)) continue;
        if (has_negated_) negate(group, now);
        if (const auto entry = first_difference(group.type, start->values, now))
            lost.push_back(fmt::format(
                "{} was set to {} and reads {}", list_[group.variables.front()].name,
                to_text(group.type, start->values, *entry), to_text(group.type, now, *entry)));
    }
    return lost;
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

void warn_of_lost_start_values(const fmi::Instance& instance, FmuVariables& variables) {
    constexpr std::size_t most = 5;
    std::vector<std::string> lost = variables.lost_start_values();
    if (lost.empty()) return;
    const std::size_t more = lost.size() - std::min(lost.size(), most);
    lost.resize(lost.size() - more);
    log(LogLevel::warning,
        fmt::format("{}: the FMU did not keep start values: {}{}", instance.name(),
                    fmt::join(lost, ", "), more > 0 ? fmt::format(" and {} more", more) : ""));
}

FmuPorts::FmuPorts(fmi::Instance& instance, const FmuVariables& variables, Side side,
                   const std::set<std::string>* selection)
    : instance_(instance) {
    const auto& all = instance.fmu().description().variables;
    const auto wanted = [&](const fmi::Variable& variable) {
        const bool continuous = variable.variability == fmi::Variability::continuous;
        switch (side) {
            case Side::inputs: return variable.causality == fmi::Causality::input;
            case Side::continuous_inputs:
                return variable.causality == fmi::Causality::input && continuous;
            case Side::outputs:
                return variable.causality == fmi::Causality::output ||
                       (selection != nullptr && variable.causality != fmi::Causality::input);
        }
        return false;
    };
    const auto selected = [&](std::size_t i) {
        return selection == nullptr ||
               std::ranges::any_of(names(all[i], variables.size(i)), [&](const std::string& name) {
                   return selection->contains(name);
               });
    };
    for (const ValueType type : {ValueType::float64, ValueType::float32}) {
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i].type == type && wanted(all[i]) && selected(i)) add(i, variables);
        if (type == ValueType::float64) wide_ = ports_.size();
    }
    narrow_.resize(ValueType::float32, ports_.size() - wide_);
    scratch_.resize(ports_.size());
}

void FmuPorts::add(std::size_t index, const FmuVariables& variables) {
    const fmi::Variable& variable = variables.variable(index);
    const std::size_t size = variables.size(index);
    variables_.push_back(index);
    ranges_[index] = {ports_.size(), size};
    auto& references = variable.type == ValueType::float64 ? references_ : narrow_references_;
    references.push_back(variable.reference);
    if (variable.negated_alias) negated_.push_back(ports_.size());
    double nominal = std::abs(variable.attributes.nominal.value_or(1.0));
    if (nominal == 0.0 || !std::isfinite(nominal)) nominal = 1.0;
    for (std::string& name : names(variable, size))
        ports_.push_back({std::move(name), variable.attributes.unit, nominal});
}

std::vector<std::string> FmuPorts::names(const fmi::Variable& variable, std::size_t size) {
    if (variable.dimensions.empty() || size == 1) return {variable.name};
    std::vector<std::string> names;
    for (std::size_t k = 0; k < size; ++k)
        names.push_back(fmt::format("{}[{}]", variable.name, k + 1));
    return names;
}

void FmuPorts::set(std::span<const double> values) {
    if (!negated_.empty()) {
        std::copy(values.begin(), values.end(), scratch_.begin());
        for (const std::size_t i : negated_) scratch_[i] = -scratch_[i];
        values = scratch_;
    }
    instance_.set(references_, values.first(wide_));
    if (narrow_references_.empty()) return;
    std::copy(values.begin() + static_cast<std::ptrdiff_t>(wide_), values.end(),
              narrow_.reals.begin());
    instance_.set(ValueType::float32, narrow_references_, narrow_);
}

void FmuPorts::get(std::span<double> values) {
    instance_.get(references_, values.first(wide_));
    if (!narrow_references_.empty()) instance_.get(ValueType::float32, narrow_references_, narrow_);
    finish_reading(values);
}

bool FmuPorts::try_get(std::span<double> values) {
    const bool done = instance_.try_get(references_, values.first(wide_)) &&
                      instance_.try_get(ValueType::float32, narrow_references_, narrow_);
    if (done) finish_reading(values);
    return done;
}

void FmuPorts::finish_reading(std::span<double> values) const {
    std::ranges::copy(narrow_.reals, values.begin() + static_cast<std::ptrdiff_t>(wide_));
    for (const std::size_t i : negated_) values[i] = -values[i];
}

int FmuPorts::prepare(std::span<const int> ports) {
    if (!is_plain()) return -1;
    std::vector<char> is_wanted(ports_.size(), 0);
    for (const int port : ports) is_wanted[static_cast<std::size_t>(port)] = 1;
    Some some;
    for (std::size_t v = 0; v < variables_.size(); ++v) {
        const Range range = ranges_.at(variables_[v]);
        const auto first = is_wanted.begin() + static_cast<std::ptrdiff_t>(range.first);
        const auto last = first + static_cast<std::ptrdiff_t>(range.count);
        if (std::find(first, last, 1) == last) continue;
        some.references.push_back(references_[v]);
        for (std::size_t port = range.first; port < range.first + range.count; ++port) {
            if (is_wanted[port]) some.wanted.push_back(some.ports.size());
            some.ports.push_back(port);
        }
    }
    some.values.resize(some.ports.size());
    some_.push_back(std::move(some));
    Some& kept = some_.back();
    if (std::ranges::equal(ports, kept.ports, {},
                           [](int port) { return static_cast<std::size_t>(port); }))
        for (double& value : kept.values) kept.places.push_back(&value);
    return static_cast<int>(some_.size()) - 1;
}

void FmuPorts::set(int prepared, std::span<const double> values) {
    Some& some = some_[static_cast<std::size_t>(prepared)];
    for (std::size_t i = 0; i < some.ports.size(); ++i) some.values[i] = values[some.ports[i]];
    instance_.set(some.references, some.values);
}

bool FmuPorts::get(int prepared, std::span<double> values) {
    Some& some = some_[static_cast<std::size_t>(prepared)];
    instance_.get(some.references, some.values);
    double nothing = 0.0;  // or what is no number, if a value is not finite
    for (const std::size_t i : some.wanted) {
        values[some.ports[i]] = some.values[i];
        nothing += 0.0 * some.values[i];
    }
    return nothing == 0.0;
}

std::span<double* const> FmuPorts::places(int prepared) const {
    return some_[static_cast<std::size_t>(prepared)].places;
}

void FmuPorts::set_from_places(int prepared) {
    const Some& some = some_[static_cast<std::size_t>(prepared)];
    instance_.set(some.references, some.values);
}

const std::string* FmuPorts::first_not_finite(std::span<const double> values) const {
    const auto bad =
        std::find_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
    return bad == values.end() ? nullptr
                               : &ports_[static_cast<std::size_t>(bad - values.begin())].name;
}

FmuPorts::Range FmuPorts::range(std::size_t variable) const {
    const auto found = ranges_.find(variable);
    return found == ranges_.end() ? Range{} : found->second;
}

/// What was tried inside a step does not last longer than the step.
void FmuStates::save(StateSlot slot, double t) {
    Slot& saved = slots_[static_cast<int>(slot)];
    instance_.get_state(saved.state);
    saved.t = t;
    if (slot == StateSlot::step_begin) release(StateSlot::trial);
}

void FmuStates::restore(StateSlot slot) {
    const Slot& saved = slots_[static_cast<int>(slot)];
    expects(saved.t.has_value(), "a state is restored only after it was saved");
    instance_.set_state(saved.state);
}

bool FmuStates::has_state_before(double t) const {
    return std::ranges::any_of(slots_, [t](const Slot& slot) { return slot.t && *slot.t < t; });
}

void FmuStates::serialise(std::vector<std::byte>& bytes) {
    instance_.get_state(transit_);
    const std::vector<std::byte> state = instance_.serialize(transit_);
    bytes.insert(bytes.end(), state.begin(), state.end());
}

/// The handle is freed first: FMUs disagree about what to do with one that is handed in.
void FmuStates::deserialise(std::span<const std::byte> bytes) {
    instance_.free_state(transit_);
    instance_.deserialize(bytes, transit_);
    instance_.set_state(transit_);
}

}  // namespace tandem::subsystem
