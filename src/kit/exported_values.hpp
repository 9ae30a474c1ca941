#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fmi/export/exported_instance.hpp"
#include "kit/engine.hpp"
#include "tandem/value.hpp"

namespace tandem::kit {

/// The values of an engine by the value references of an FMU. Throws std::invalid_argument for what
/// an importer must not ask.
class ExportedValues {
public:
    ExportedValues(Engine& engine, fmi::Version version) : engine_(engine), version_(version) {
        rebuild();
    }
    /// After the engine was reset, restored or given another structure.
    void rebuild();

    using References = std::span<const fmi::ValueReference>;
    void get(ValueType type, References references, Values& values);
    /// True: a value is another one now.
    bool set(ValueType type, References references, const Values& values);
    struct Change {
        bool differs = false;
        bool only_inputs = true;
        bool affects_outputs = false;
    };
    void get(References references, std::span<double> values);
    Change set(References references, std::span<const double> values);

    std::size_t count(References references) const;
    const Record& known(fmi::ValueReference reference, ValueType type);
    /// False also for references that do not exist.
    bool is_real_input(fmi::ValueReference reference) const;
    const Slot& slot(fmi::ValueReference reference) const { return slots_[reference]; }
    std::vector<Slot> real_slots(References references);

private:
    /// Where the values of a reference are, if they are of type Float64; otherwise null.
    struct Place {
        double* value = nullptr;
        std::uint32_t count = 0;
        std::uint8_t mark = 0;  ///< of a change: 1, or 3 if an output depends on it
        Role role = Role::time;
    };

    void locate();
    const Record& readable(fmi::ValueReference reference, ValueType type);
    const Record& writable(fmi::ValueReference reference, ValueType type);

    Engine& engine_;
    fmi::Version version_;
    std::vector<Slot> slots_;
    std::vector<Place> places_;
    std::size_t layout_ = 0;  ///< to which they belong
    Values before_, after_;
};

}  // namespace tandem::kit
