#include "core/typed_links.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <type_traits>

#include "core/partly_readable.hpp"

namespace tandem {
namespace {

template <class T>
std::pair<double, double> limits() {
    return {static_cast<double>(std::numeric_limits<T>::min()),
            static_cast<double>(std::numeric_limits<T>::max())};
}

std::pair<double, double> limits_of(ValueType type) {
    switch (type) {
        case ValueType::int8: return limits<std::int8_t>();
        case ValueType::uint8: return limits<std::uint8_t>();
        case ValueType::int16: return limits<std::int16_t>();
        case ValueType::uint16: return limits<std::uint16_t>();
        case ValueType::uint32: return limits<std::uint32_t>();
        case ValueType::int64: return limits<std::int64_t>();
        case ValueType::uint64: return limits<std::uint64_t>();
        case ValueType::boolean:
        case ValueType::clock: return {0.0, 1.0};
        default: return limits<std::int32_t>();
    }
}

/// To the nearest value of the integer type; not a number becomes 0.
std::int64_t to_integer(double value, ValueType type) {
    if (std::isnan(value)) return 0;
    const auto [low, high] = limits_of(type);
    const double nearest = std::nearbyint(value);
    if (type == ValueType::boolean || type == ValueType::clock) return nearest != 0.0 ? 1 : 0;
    if (nearest <= low) return static_cast<std::int64_t>(low);
    if (type == ValueType::uint64)
        return static_cast<std::int64_t>(nearest >= high ? std::numeric_limits<std::uint64_t>::max()
                                                         : static_cast<std::uint64_t>(nearest));
    if (nearest >= high)
        return type == ValueType::int64 ? std::numeric_limits<std::int64_t>::max()
                                        : static_cast<std::int64_t>(high);
    return static_cast<std::int64_t>(nearest);
}

double to_real(std::int64_t value, ValueType type) {
    return type == ValueType::uint64 ? static_cast<double>(static_cast<std::uint64_t>(value))
                                     : static_cast<double>(value);
}

template <class T>
bool replace(T& place, const T& value) {
    if (place == value) return false;
    if constexpr (std::is_floating_point_v<T>)
        if (std::isnan(place) && std::isnan(value)) return false;
    place = value;
    return true;
}

bool is_identity(const Conversion& conversion) {
    return conversion.factor == 1.0 && conversion.offset == 0.0;
}

}  // namespace

TypedLinks::TypedLinks(std::span<Variables* const> variables, std::vector<TypedLink> links) {
    for (TypedLink& link : links) {
        const auto [from_group, from] = locate(variables, sources_, link.from);
        Route route{from_group, from, 0, 0, std::move(link.conversion), link.input};
        if (link.input < 0)
            std::tie(route.to_group, route.to) = locate(variables, targets_, link.to);
        if (rounds(route)) rounding_.push_back(links_.size());
        links_.push_back(std::move(route));
    }
}

bool TypedLinks::rounds(const Route& route) const {
    return route.input < 0 &&
           storage_of(sources_[route.from_group].variables.type) == Storage::reals &&
           storage_of(targets_[route.to_group].variables.type) == Storage::integers;
}

bool TypedLinks::is_any_rounded_differently() {
    return std::ranges::any_of(rounding_, [this](std::size_t i) {
        const Route& route = links_[i];
        Group& source = sources_[route.from_group];
        source.of->read(source.variables, source.values);
        const Group& target = targets_[route.to_group];
        const double value =
            route.conversion.factor * source.values.reals[route.from] + route.conversion.offset;
        return to_integer(value, target.variables.type) != target.values.integers[route.to];
    });
}

std::pair<std::size_t, std::size_t> TypedLinks::locate(std::span<Variables* const> variables,
                                                       std::vector<Group>& groups,
                                                       const VariableElement& element) {
    Variables* const own = variables[static_cast<std::size_t>(element.subsystem)];
    const auto known = std::ranges::find_if(groups, [&](const Group& group) {
        return group.of == own && group.variables.variables[0] == element.variable;
    });
    const auto position = static_cast<std::size_t>(known - groups.begin());
    if (known == groups.end()) {
        Group group{own, own->group(std::span(&element.variable, 1)), {}, {}};
        group.values.resize(group.variables.type, group.variables.size);
        groups.push_back(std::move(group));
    }
    return {position, element.element};
}

void TypedLinks::start(std::span<double> inputs) {
    inputs_ = inputs;
    for (Group& group : targets_) {
        group.of->observe(group.variables, group.values);
        // A value that cannot be read need not be the one that it should have already.
        if (auto* const partly = dynamic_cast<PartlyReadable*>(group.of))
            group.changed = !partly->unknown(group.variables).empty();
    }
}

void TypedLinks::roll_back() {
    for (Group& group : targets_) {
        group.of->observe(group.variables, group.values);
        const auto* const partly = dynamic_cast<const PartlyReadable*>(group.of);
        group.changed = partly != nullptr && !partly->is_readable(group.variables);
    }
}

bool TypedLinks::exchange() {
    switched_.reset();
    for (Group& group : sources_) group.of->read(group.variables, group.values);
    for (const Route& route : links_) carry(route);
    return write_changes();
}

bool TypedLinks::write_changes() {
    bool any = std::exchange(inputs_changed_, false);
    for (Group& group : targets_) {
        if (!group.changed) continue;
        group.of->write(group.variables, group.values);
        group.changed = false;
        any = true;
    }
    return any;
}

void TypedLinks::carry(const Route& route) {
    if (!is_carried_anew(route)) return;
    const Group& source = sources_[route.from_group];
    if (route.input >= 0)
        inputs_changed_ = true;
    else
        targets_[route.to_group].changed = true;
    const ValueType type = source.variables.type;
    if (type == ValueType::boolean || type == ValueType::enumeration)
        switched_ = {source.of, source.variables.variables[0]};
}

/// Puts the value into its place; true if it is another one there.
bool TypedLinks::is_carried_anew(const Route& route) {
    const Group& source = sources_[route.from_group];
    const ValueType from = source.variables.type;
    if (storage_of(from) == Storage::strings)
        return replace(targets_[route.to_group].values.strings[route.to],
                       source.values.strings[route.from]);
    const bool from_real = storage_of(from) == Storage::reals;
    const std::int64_t whole = from_real ? 0 : source.values.integers[route.from];
    const auto mapped = std::ranges::find(route.conversion.map, whole,
                                          &std::pair<std::int64_t, std::int64_t>::first);
    const bool is_mapped = !from_real && mapped != route.conversion.map.end();
    const double real = from_real ? source.values.reals[route.from]
                                  : to_real(is_mapped ? mapped->second : whole, from);
    const double value =
        is_mapped ? real : route.conversion.factor * real + route.conversion.offset;
    if (route.input >= 0) return replace(inputs_[static_cast<std::size_t>(route.input)], value);
    Group& target = targets_[route.to_group];
    const ValueType to = target.variables.type;
    if (storage_of(to) == Storage::reals) return replace(target.values.reals[route.to], value);
    const bool is_exact =
        from == to && is_identity(route.conversion) && !is_mapped;  // also 64 bits
    return replace(target.values.integers[route.to], is_exact ? whole : to_integer(value, to));
}

}  // namespace tandem
