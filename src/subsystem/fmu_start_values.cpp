#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/log.hpp"
#include "base/refused_value.hpp"
#include "subsystem/fmu_variables.hpp"

namespace tandem::subsystem {
namespace {

/// A Float32 holds less than it is given.
bool is_same_real(ValueType type, double set, double read) {
    if (std::isnan(set)) return std::isnan(read);
    return type == ValueType::float32 ? static_cast<float>(set) == static_cast<float>(read)
                                      : set == read;
}

/// Of two lists of one type.
std::optional<std::size_t> first_difference(ValueType type, const Values& set, const Values& read) {
    for (std::size_t i = 0; i < std::min(set.size(type), read.size(type)); ++i) {
        const bool is_same = [&] {
            switch (storage_of(type)) {
                case Storage::reals: return is_same_real(type, set.reals[i], read.reals[i]);
                case Storage::integers: return set.integers[i] == read.integers[i];
                case Storage::strings: return set.strings[i] == read.strings[i];
            }
            return true;
        }();
        if (!is_same) return i;
    }
    return std::nullopt;
}

/// One value of a description, which may be written with a few digits only, and one of the FMU.
bool is_as_declared(ValueType type, const Values& declared, const Values& read, std::size_t i) {
    if (storage_of(type) == Storage::integers) return declared.integers[0] == read.integers[i];
    const double a = declared.reals[0], b = read.reals[i];
    constexpr double relative = 1e-3, written_as_zero = 1e-6;
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b)) ||
           (a == 0.0 && std::abs(b) < written_as_zero);
}

/// The first ones.
std::string joined(std::vector<std::string> texts) {
    constexpr std::size_t most = 5;
    const std::size_t more = texts.size() - std::min(texts.size(), most);
    texts.resize(texts.size() - more);
    return fmt::format("{}{}", fmt::join(texts, ", "),
                       more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace

void FmuVariables::set_up(const fmi::ExperimentSetup& setup) {
    instance_.set_up_experiment(setup);
    is_set_up_ = true;
    drop_overwritten_starts();
    for (const Start& start : start_values_) try {
            pass_on(start.group, start.values);
        } catch (const FmuError& error) {
            throw RefusedValue(error, list_[start.group.variables.front()].name);
        }
}

/// Of several values of a variable the last one counts.
void FmuVariables::drop_overwritten_starts() {
    std::set<std::vector<std::size_t>> later;
    std::ranges::reverse(start_values_);
    std::erase_if(start_values_,
                  [&](const Start& start) { return !later.insert(start.group.variables).second; });
    std::ranges::reverse(start_values_);
}

/// Scalar numbers with a start value.
std::map<ValueType, std::vector<std::size_t>> FmuVariables::parameters_left_alone() const {
    std::set<std::size_t> set;
    for (const Start& start : start_values_)
        for (const std::size_t index : start.group.variables) set.insert(owner_[index]);
    std::map<ValueType, std::vector<std::size_t>> parameters;
    for (std::size_t i = 0; i < list_.size() && owner_[i] == i; ++i) {
        const fmi::Variable& own = variable(i);
        const bool is_number = storage_of(own.type) != Storage::strings;
        if (own.causality == fmi::Causality::parameter && is_number && own.dimensions.empty() &&
            own.start && !own.negated_alias && !set.contains(i))
            parameters[own.type].push_back(i);
    }
    return parameters;
}

std::vector<std::string> FmuVariables::set_declared_starts() {
    std::vector<std::string> had;
    if (instance_.fmu().description().version == fmi::Version::v1) return had;
    for (const auto& [type, parameters] : parameters_left_alone()) {
        const VariableGroup all = group(parameters);
        Values now;
        now.resize(type, all.size);
        if (!instance_.try_get(type, all.references, now)) continue;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const Values& declared = *variable(parameters[i]).start;
            if (is_as_declared(type, declared, now, i)) continue;
            had.push_back(fmt::format("{} was {} instead of {}", list_[parameters[i]].name,
                                      to_text(type, now, i), to_text(type, declared, 0)));
            const VariableGroup one = group(std::span(&parameters[i], 1));
            try {
                pass_on(one, declared);
                remember(one, declared);
                start_values_.push_back({one, declared});
            } catch (const FmuError&) {
                had.back() += ", which the FMU does not take";
            }
        }
    }
    return had;
}

/// Parameters, and what does not depend on anything else at the start.
bool FmuVariables::is_kept(const VariableGroup& group) const {
    return std::ranges::all_of(group.variables, [&](std::size_t index) {
        const fmi::Variable& own = variable(index);
        return own.causality == fmi::Causality::parameter ||
               (own.initial == fmi::Initial::exact && own.causality != fmi::Causality::input);
    });
}

/// What was set again while the FMU was initialised should have that value.
std::vector<std::string> FmuVariables::lost_start_values() {
    std::set<std::size_t> set;
    for (const Start& start : start_values_)
        if (start.group.variables.size() == 1 && is_kept(start.group))
            set.insert(start.group.variables.front());
    std::vector<std::string> lost;
    for (const std::size_t index : set) {
        const VariableGroup group = this->group(std::span(&index, 1));
        const Values& last = *last_set_[owner_[index]];
        Values now;
        now.resize(group.type, group.size);
        if (!instance_.try_get(group.type, group.references, now)) continue;
        if (has_negated_) negate(group, now);
        if (const auto entry = first_difference(group.type, last, now))
            lost.push_back(fmt::format("{} was set to {} and reads {}", list_[index].name,
                                       to_text(group.type, last, *entry),
                                       to_text(group.type, now, *entry)));
    }
    return lost;
}

void set_declared_starts(const fmi::Instance& instance, FmuVariables& variables) {
    const std::vector<std::string> had = variables.set_declared_starts();
    if (had.empty()) return;
    log(LogLevel::warning,
        fmt::format("{}: parameters of the FMU did not have the start values of its description, "
                    "which were set instead: {}",
                    instance.name(), joined(had)));
}

void warn_of_lost_start_values(const fmi::Instance& instance, FmuVariables& variables) {
    const std::vector<std::string> lost = variables.lost_start_values();
    if (lost.empty()) return;
    log(LogLevel::warning,
        fmt::format("{}: the FMU did not keep start values: {}", instance.name(), joined(lost)));
}

}  // namespace tandem::subsystem
