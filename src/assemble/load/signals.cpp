#include "assemble/load/signals.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "base/listed.hpp"
#include "base/names.hpp"

namespace tandem::assemble {
namespace {

constexpr std::size_t few = 12;  // names that a hint may list

std::vector<std::string> names_of(const std::vector<VariableInfo>& variables) {
    std::vector<std::string> names;
    for (const VariableInfo& variable : variables) names.push_back(variable.name);
    return names;
}

std::optional<int> position(const std::vector<Port>& ports, const Signal& signal,
                            std::size_t element) {
    for (const std::string& name : Signals::port_names(signal, element))
        if (const auto found = std::ranges::find(ports, name, &Port::name); found != ports.end())
            return static_cast<int>(found - ports.begin());
    return std::nullopt;
}

/// FMI 3.0: aliases are listed behind all variables; an alias is the variable it belongs to.
std::size_t without_alias(const LoadedSubsystem& part, const VariableInfo& info,
                          std::size_t variable) {
    if (part.fmu == nullptr || variable < part.fmu->description().variables.size()) return variable;
    const auto& variables = part.fmu->description().variables;
    const auto has_alias = [&](const fmi::Variable& each) {
        return std::ranges::find(each.aliases, info.name, &fmi::Alias::name) != each.aliases.end();
    };
    return static_cast<std::size_t>(std::ranges::find_if(variables, has_alias) - variables.begin());
}

/// "2 x 3" for a matrix.
std::string shape_of(const VariableInfo& info) {
    if (info.dimensions.size() < 2) return counted(info.size, "value");
    return fmt::format("{} values", fmt::join(info.dimensions, " x "));
}

/// The flat positions of the elements, row-major; nothing if there are no such elements. A single
/// range may also count through all elements of a matrix.
std::optional<std::vector<std::size_t>> elements_of(const description::SlicedName& slice,
                                                    const VariableInfo& info) {
    std::vector<std::size_t> extents = info.dimensions;
    if (slice.ranges.size() == 1) extents = {info.size};
    if (slice.ranges.size() != extents.size()) return std::nullopt;
    std::vector<std::size_t> elements{0};
    for (std::size_t d = 0; d < extents.size(); ++d) {
        const description::IndexRange range = slice.ranges[d];
        if (range.last > extents[d]) return std::nullopt;
        std::vector<std::size_t> finer;
        for (const std::size_t element : elements)
            for (std::uint64_t i = range.first; i <= range.last; ++i)
                finer.push_back(element * extents[d] + static_cast<std::size_t>(i - 1));
        elements = std::move(finer);
    }
    return elements;
}

}  // namespace

Signals::Signals(const description::FlatSystem& flat, const std::vector<LoadedSubsystem>& loaded,
                 Diagnostics& findings)
    : flat_(flat), loaded_(loaded), findings_(findings) {}

std::optional<Signal> Signals::find(const description::FlatVariable& variable,
                                    const std::string& place) const {
    auto signal = find(variable.subsystem, variable.name, place);
    if (signal && signal->info->shares_name) {
        error(
            place, fmt::format("'{}' is the name of several variables of the FMU", signal->text),
            fmt::format("use '{}#2' if you mean the second one, or export the FMU with names that "
                        "differ",
                        signal->text));
        return std::nullopt;
    }
    if (signal && signal->unit.empty()) signal->unit = variable.unit;
    return signal;
}

std::optional<Signal> Signals::find(std::size_t subsystem, const std::string& name,
                                    const std::string& place) const {
    if (loaded_[subsystem].subsystem == nullptr) return std::nullopt;
    const auto& list = loaded_[subsystem].subsystem->variables().list();
    Signal signal{subsystem, 0, {}, nullptr, {}, flat_.subsystems[subsystem].name + "." + name,
                  name};
    auto found = std::ranges::find(list, name, &VariableInfo::name);
    const auto slice = description::split_slice(name);
    if (found == list.end() && slice) {
        found = std::ranges::find(list, slice->name, &VariableInfo::name);
        if (found != list.end()) {
            const auto elements = elements_of(*slice, *found);
            if (!elements) {
                error(place, fmt::format("'{}': there is no such element", signal.text),
                      fmt::format("{} has {}", slice->name, shape_of(*found)));
                return std::nullopt;
            }
            signal.elements = *elements;
        }
    }
    if (found == list.end()) {
        const std::vector<std::string> names = names_of(list);
        const std::string otherwise = names.size() <= few
                                          ? fmt::format("it has {}", fmt::join(names, ", "))
                                          : "tandem info --all lists the variables of an FMU";
        error(place,
              fmt::format("subsystem '{}' has no variable '{}'", flat_.subsystems[subsystem].name,
                          name),
              did_you_mean(name, names, otherwise));
        return std::nullopt;
    }
    signal.variable =
        without_alias(loaded_[subsystem], *found, static_cast<std::size_t>(found - list.begin()));
    signal.info = &list[signal.variable];
    signal.unit = found->unit;
    if (signal.elements.empty()) {
        signal.elements.resize(found->size);
        std::iota(signal.elements.begin(), signal.elements.end(), std::size_t{0});
    }
    return signal;
}

bool Signals::has(std::size_t subsystem, const std::string& name) const {
    if (loaded_[subsystem].subsystem == nullptr) return false;
    const auto& list = loaded_[subsystem].subsystem->variables().list();
    const auto slice = description::split_slice(name);
    return std::ranges::any_of(list, [&](const VariableInfo& info) {
        return info.name == name || (slice && info.name == slice->name);
    });
}

const description::Enumeration* Signals::enumeration(const std::string& name) const {
    return name.empty() ? nullptr : flat_.enumeration(name);
}

std::vector<std::string> Signals::port_names(const Signal& signal, std::size_t element) {
    std::vector<std::string> names{fmt::format("{}[{}]", signal.info->name, element + 1)};
    if (signal.info->size == 1) names.insert(names.begin(), signal.info->name);
    return names;
}

std::optional<int> Signals::input_port(const Signal& signal, std::size_t element) const {
    return position(loaded_[signal.subsystem].subsystem->interface().inputs, signal, element);
}

std::optional<int> Signals::output_port(const Signal& signal, std::size_t element) const {
    return position(loaded_[signal.subsystem].subsystem->interface().outputs, signal, element);
}

description::UnitLookup Signals::units_of(std::size_t subsystem) const {
    return [this, subsystem](const std::string& name) {
        const auto own = loaded_[subsystem].unit(name);
        return own ? own : flat_.unit(name);
    };
}

void Signals::error(const std::string& place, std::string problem, std::string hint) const {
    findings_.push_back({Severity::error, place, std::move(problem), std::move(hint)});
}

void Signals::warn(const std::string& place, std::string problem, std::string hint) const {
    findings_.push_back({Severity::warning, place, std::move(problem), std::move(hint)});
}

}  // namespace tandem::assemble
