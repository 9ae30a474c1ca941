#include "kit/exported_values.hpp"

#include <stdexcept>
#include <string>

#include "kit/describe.hpp"
#include "kit/elements.hpp"

namespace tandem::kit {
namespace {

using fmi::ValueReference;
using fmi::Version;

bool suits(Version version, ValueType asked, Type type) {
    if (version == Version::v3)
        return asked == value_type(type) ||
               (asked == ValueType::int64 && type == Type::enumeration);
    switch (asked) {
        case ValueType::float64: return type == Type::float32 || type == Type::float64;
        case ValueType::boolean: return type == Type::boolean;
        case ValueType::string: return type == Type::string;
        default: return storage_of(value_type(type)) == Storage::integers && type != Type::boolean;
    }
}

bool same(const Values& a, const Values& b) {
    return a.reals == b.reals && a.integers == b.integers && a.strings == b.strings;
}

}  // namespace

void ExportedValues::rebuild() {
    slots_ = make_slots(engine_.records(), version_);
    layout_ = 0;
}

void ExportedValues::locate() {
    if (layout_ == engine_.layout()) return;
    layout_ = engine_.layout();
    places_.assign(slots_.size(), {});
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        const Record& record = engine_.records()[slots_[i].record];
        if (record.type == Type::float64 && slots_[i].count > 0)
            places_[i] = {
                static_cast<double*>(record.data) + slots_[i].first,
                static_cast<std::uint32_t>(slots_[i].count),
                static_cast<std::uint8_t>(engine_.affects_outputs(slots_[i].record) ? 3 : 1),
                record.role};
    }
}

void ExportedValues::get(ValueType type, References references, Values& values) {
    values.clear();
    for (const ValueReference reference : references) {
        const Record& record = readable(reference, type);
        append_values(record, slots_[reference].first, slots_[reference].count, values);
    }
}

bool ExportedValues::set(ValueType type, References references, const Values& values) {
    before_.clear();
    after_.clear();
    std::size_t from = 0;
    for (const ValueReference reference : references) {
        const Record& record = writable(reference, type);
        const Slot& slot = slots_[reference];
        append_values(record, slot.first, slot.count, before_);
        write_values(record, slot.first, slot.count, values, from);
        append_values(record, slot.first, slot.count, after_);
        from += slot.count;
    }
    return !same(before_, after_);
}

void ExportedValues::get(References references, std::span<double> values) {
    locate();
    double* to = values.data();
    auto refreshed = Role::time;  // which needs no refreshing
    for (const ValueReference reference : references) {
        if (reference < places_.size() && places_[reference].value != nullptr) {
            const Place& place = places_[reference];
            if (place.role != refreshed) engine_.refresh(refreshed = place.role);
            *to++ = *place.value;
            for (std::uint32_t i = 1; i < place.count; ++i) *to++ = place.value[i];
            continue;
        }
        const Record& record = readable(reference, ValueType::float64);
        for (std::size_t i = 0; i < slots_[reference].count; ++i)
            *to++ = read_real(record, slots_[reference].first + i);
    }
}

ExportedValues::Change ExportedValues::set(References references, std::span<const double> values) {
    locate();
    Change change;
    const double* from = values.data();
    unsigned marks = 0;
    for (const ValueReference reference : references) {
        if (reference < places_.size() && places_[reference].role == Role::input) {
            const Place& place = places_[reference];
            for (std::uint32_t i = 0; i < place.count; ++i) {
                marks |= place.value[i] != *from ? place.mark : 0U;
                place.value[i] = *from++;
            }
            continue;
        }
        const Record& record = writable(reference, ValueType::float64);
        change.only_inputs = change.only_inputs && record.role == Role::input;
        for (std::size_t i = 0; i < slots_[reference].count; ++i) {
            const std::size_t element = slots_[reference].first + i;
            marks |= read_real(record, element) != *from ? 3U : 0U;
            write_real(record, element, *from++);
        }
    }
    change.differs = marks != 0;
    change.affects_outputs = marks > 1;
    return change;
}

std::size_t ExportedValues::count(References references) const {
    std::size_t total = 0;
    for (const ValueReference reference : references)
        total += reference < slots_.size() ? slots_[reference].count : 1;
    return total;
}

std::vector<Slot> ExportedValues::real_slots(References references) {
    std::vector<Slot> slots;
    for (const ValueReference reference : references) {
        known(reference, ValueType::float64);
        slots.push_back(slots_[reference]);
    }
    return slots;
}

bool ExportedValues::is_real_input(ValueReference reference) const {
    if (reference >= slots_.size()) return false;
    const Record& record = engine_.records()[slots_[reference].record];
    return record.role == Role::input && record.type == Type::float64;
}

const Record& ExportedValues::known(ValueReference reference, ValueType type) {
    if (reference >= slots_.size())
        throw std::invalid_argument("value reference " + std::to_string(reference) +
                                    " does not exist");
    const Record& record = engine_.records()[slots_[reference].record];
    if (!suits(version_, type, record.type))
        throw std::invalid_argument(record.name + ": is of type " +
                                    std::string(to_string(value_type(record.type))) + ", not " +
                                    std::string(to_string(type)));
    return record;
}

const Record& ExportedValues::readable(ValueReference reference, ValueType type) {
    const Record& record = known(reference, type);
    engine_.refresh(record.role);
    if (version_ != Version::v3 && record.type == Type::uint64 &&
        read_integer(record, slots_[reference].first) < 0)
        throw std::range_error(record.name + ": its value does not fit an Integer");
    return record;
}

const Record& ExportedValues::writable(ValueReference reference, ValueType type) {
    const Record& record = known(reference, type);
    const bool running = engine_.is_running();
    switch (record.role) {
        case Role::input: return record;
        case Role::parameter:
            if (!running || record.attributes.tunable) return record;
            throw std::invalid_argument(record.name +
                                        ": a fixed parameter, not to be changed after "
                                        "initialisation");
        case Role::structural_parameter:
            if (version_ == Version::v3 && !running) return record;
            break;
        case Role::state:
        case Role::discrete:
            if (!running) return record;
            break;
        default: break;
    }
    throw std::invalid_argument(record.name + ": cannot be set" +
                                (running ? " after initialisation" : ""));
}

}  // namespace tandem::kit
