#include "description/known_types.hpp"

#include <algorithm>

#include "description/slice.hpp"
#include "description/values.hpp"

namespace tandem::description {
namespace {

template <class Named>
const Named* find_named(const std::vector<Named>& list, std::string_view name) {
    const auto found = std::ranges::find(list, name, &Named::name);
    return found == list.end() ? nullptr : &*found;
}

void widen(ParameterValue& value) {
    constexpr std::int64_t exact = std::int64_t{1} << 53U;
    const auto fits = [](std::int64_t i) { return i <= exact && i >= -exact; };
    if (value.type != ValueType::int64 || !std::ranges::all_of(value.values.integers, fits)) return;
    value.type = ValueType::float64;
    value.values.reals.assign(value.values.integers.begin(), value.values.integers.end());
    value.values.integers.clear();
}

/// Item names instead of numbers.
void name_items(ParameterValue& value, const std::vector<EnumerationItem>& items) {
    std::vector<std::string> names = value.values.strings;
    for (const std::int64_t number : value.values.integers) {
        const auto item = std::ranges::find(items, number, &EnumerationItem::value);
        if (item == items.end()) return;
        names.push_back(item->name);
    }
    if (names.empty()) return;
    value.type = ValueType::enumeration;
    value.values = {};
    value.values.strings = std::move(names);
}

void convert(ParameterValue& value, const KnownVariable& variable) {
    if (variable.type == ValueType::enumeration) return name_items(value, variable.items);
    if (storage_of(variable.type) == Storage::reals) return widen(value);
    if (storage_of(value.type) == Storage::strings) return;
    if (auto values = value_as(variable.type, value)) {
        value.type = variable.type;
        value.values = std::move(*values);
    }
}

class Typing {
public:
    explicit Typing(const VariableLookup& lookup) : lookup_(lookup) {}

    void apply(NestedSystem& system) {
        for (ParameterBinding& binding : system.bindings)
            convert_all(binding,
                        [&](const std::string& name) { return variable_at(system, name); });
        for (SubsystemDescription& subsystem : system.subsystems) {
            for (ParameterBinding& binding : subsystem.bindings)
                convert_all(binding,
                            [&](const std::string& name) { return variable(subsystem, name); });
            declare_types(subsystem);
        }
        for (NestedSystem& nested : system.systems) apply(nested);
    }

private:
    /// An array and its elements are of one type.
    std::optional<KnownVariable> variable(const SubsystemDescription& subsystem,
                                          const std::string& name) const {
        if (!lookup_) return std::nullopt;
        if (auto known = lookup_(subsystem, name)) return known;
        const auto sliced = split_slice(name);
        return sliced ? lookup_(subsystem, sliced->name) : std::nullopt;
    }

    std::optional<KnownVariable> variable_at(const NestedSystem& system,
                                             const std::string& path) const {
        for (auto dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
            const std::string_view element = std::string_view(path).substr(0, dot);
            const std::string rest = path.substr(dot + 1);
            if (const auto* subsystem = find_named(system.subsystems, element))
                if (auto known = variable(*subsystem, rest)) return known;
            if (const auto* nested = find_named(system.systems, element))
                if (auto known = variable_at(*nested, rest)) return known;
        }
        return std::nullopt;
    }

    template <class Find>
    static void convert_all(ParameterBinding& binding, Find find) {
        if (!binding.hand_written) return;
        for (Parameter& parameter : binding.parameters) {
            const auto known = find(target_of(binding, binding.prefix + parameter.name));
            if (known)
                convert(parameter.value, *known);
            else
                widen(parameter.value);
        }
    }

    static std::string target_of(const ParameterBinding& binding, const std::string& name) {
        if (!binding.mapping) return name;
        const auto entry = std::ranges::find(*binding.mapping, name, &MappingEntry::source);
        const bool renamed = entry != binding.mapping->end() &&
                             entry->transformation.type == Transformation::Type::none;
        return renamed ? entry->target : std::string();
    }

    void declare_types(SubsystemDescription& subsystem) const {
        std::vector<Connector> connectors;
        for (Connector& connector : subsystem.connectors) {
            declare_type(subsystem, connector);
            if (find_named(connectors, connector.name) == nullptr)
                connectors.push_back(std::move(connector));
        }
        subsystem.connectors = std::move(connectors);
    }

    /// A connector "a[2]" that is an element of an array becomes the array; the connections have
    /// the index. Enumerations keep silent: their connectors would need a definition in the file.
    void declare_type(const SubsystemDescription& subsystem, Connector& connector) const {
        if (connector.type || !lookup_) return;
        auto known = lookup_(subsystem, connector.name);
        const auto sliced = split_slice(connector.name);
        if (!known && sliced) {
            known = lookup_(subsystem, sliced->name);
            if (!known || !known->has_fixed_size ||
                known->dimensions.size() != sliced->ranges.size())
                return;
            connector.name = sliced->name;
        }
        if (!known || !known->has_fixed_size || known->type == ValueType::enumeration) return;
        connector.type = known->type;
        if (!connector.dimensions.empty()) return;
        for (const std::uint64_t size : known->dimensions)
            connector.dimensions.push_back({size, {}});
    }

    const VariableLookup& lookup_;
};

}  // namespace

void apply_types(NestedSystem& system, const VariableLookup& lookup) {
    Typing(lookup).apply(system);
}

}  // namespace tandem::description
