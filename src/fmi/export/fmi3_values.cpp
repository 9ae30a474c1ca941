#include <limits>

#include "fmi/abi/fmi3.hpp"
#include "fmi/export/shell.hpp"

/// FMI 3.0: values of all types, clocks, saved states, sensitivities.
namespace tandem::fmi::exporting {
namespace {

using namespace abi3;
using fmi::Status;

abi3::Status to_abi(Status status) { return static_cast<abi3::Status>(status); }

template <class Body>
abi3::Status run(abi3::Instance c, const char* function, Modes allowed, Body&& body) noexcept {
    return to_abi(call(c, function, allowed, std::forward<Body>(body)));
}

std::span<const abi3::ValueReference> checked(Shell& shell, const abi3::ValueReference* r,
                                              std::size_t n, std::size_t n_values) {
    const auto references = list(r, n);
    if (shell.instance->value_count(references) != n_values)
        throw Misuse("the references stand for " +
                     std::to_string(shell.instance->value_count(references)) + " values, not " +
                     std::to_string(n_values));
    return references;
}

template <class T>
auto& stored(Values& values) {
    if constexpr (std::is_floating_point_v<T>)
        return values.reals;
    else
        return values.integers;
}

template <ValueType type, class T>
abi3::Status get(abi3::Instance c, const abi3::ValueReference* r, std::size_t n, T* values,
                 std::size_t n_values) noexcept {
    return run(c, "fmi3Get", alive, [&](Shell& shell) {
        const auto references = checked(shell, r, n, n_values);
        const auto out = list(values, n_values);
        if constexpr (type == ValueType::float64) {
            shell.instance->get(references, out);
        } else {
            shell.instance->get(type, references, shell.values);
            for (std::size_t i = 0; i < n_values; ++i)
                out[i] = static_cast<T>(stored<T>(shell.values)[i]);
        }
    });
}

template <ValueType type, class T>
abi3::Status set(abi3::Instance c, const abi3::ValueReference* r, std::size_t n, const T* values,
                 std::size_t n_values) noexcept {
    return run(c, "fmi3Set", settable, [&](Shell& shell) {
        const auto references = checked(shell, r, n, n_values);
        const auto in = list(values, n_values);
        if constexpr (type == ValueType::float64) {
            shell.instance->set(references, in);
        } else {
            shell.values.clear();
            for (const T value : in)
                stored<T>(shell.values)
                    .push_back(static_cast<typename std::remove_reference_t<decltype(stored<T>(
                                   shell.values))>::value_type>(value));
            shell.instance->set(type, references, shell.values);
        }
    });
}

template <class Body>
abi3::Status each_clock(abi3::Instance c, const char* function, const abi3::ValueReference* r,
                        std::size_t n, Body&& body) noexcept {
    return run(c, function, alive, [&](Shell& shell) {
        const auto clocks = list(r, n);
        for (std::size_t i = 0; i < n; ++i) body(*shell.instance, clocks[i], i);
    });
}

double interval_of(ExportedInstance& instance, abi3::ValueReference clock) {
    const auto timing = instance.clock_timing(clock);
    if (!timing) throw Misuse("this clock is triggered, it has no interval");
    return timing->interval;
}

constexpr double nanoseconds = 1e9;

abi3::Status refuse_clock(abi3::Instance c, const char* function) noexcept {
    return run(c, function, alive,
               [](Shell&) { throw Misuse("interval and shift of the clocks are constant"); });
}

constexpr Modes differentiable = Mode::initialization | running;

}  // namespace
}  // namespace tandem::fmi::exporting

using namespace tandem::fmi::abi3;  // NOLINT: the C functions live outside namespaces
namespace ex = tandem::fmi::exporting;
using ex::Mode;
using ex::Shell;
using tandem::ValueType;

#define TANDEM_VALUES(Name, value_type)                                                    \
    TANDEM_EXPORT Status fmi3Get##Name(Instance c, const ValueReference* r, std::size_t n, \
                                       Name* values, std::size_t n_values) {               \
        return ex::get<ValueType::value_type>(c, r, n, values, n_values);                  \
    }                                                                                      \
    TANDEM_EXPORT Status fmi3Set##Name(Instance c, const ValueReference* r, std::size_t n, \
                                       const Name* values, std::size_t n_values) {         \
        return ex::set<ValueType::value_type>(c, r, n, values, n_values);                  \
    }                                                                                      \
    static_assert(std::is_same_v<decltype(fmi3Get##Name), Get##Name>);                     \
    static_assert(std::is_same_v<decltype(fmi3Set##Name), Set##Name>)

TANDEM_VALUES(Float32, float32);
TANDEM_VALUES(Float64, float64);
TANDEM_VALUES(Int8, int8);
TANDEM_VALUES(UInt8, uint8);
TANDEM_VALUES(Int16, int16);
TANDEM_VALUES(UInt16, uint16);
TANDEM_VALUES(Int32, int32);
TANDEM_VALUES(UInt32, uint32);
TANDEM_VALUES(Int64, int64);
TANDEM_VALUES(UInt64, uint64);
TANDEM_VALUES(Boolean, boolean);

TANDEM_EXPORT Status fmi3GetString(Instance c, const ValueReference* r, std::size_t n,
                                   String* values, std::size_t n_values) {
    return ex::run(c, "fmi3GetString", ex::alive, [&](Shell& shell) {
        const auto out = ex::list(values, n_values);
        shell.instance->get(ValueType::string, ex::checked(shell, r, n, n_values), shell.values);
        shell.texts = shell.values.strings;
        for (std::size_t i = 0; i < n_values; ++i) out[i] = shell.texts[i].c_str();
    });
}
TANDEM_EXPORT Status fmi3SetString(Instance c, const ValueReference* r, std::size_t n,
                                   const String* values, std::size_t n_values) {
    return ex::run(c, "fmi3SetString", ex::settable, [&](Shell& shell) {
        shell.values.clear();
        for (const String text : ex::list(values, n_values))
            shell.values.strings.emplace_back(&ex::required(text));
        shell.instance->set(ValueType::string, ex::checked(shell, r, n, n_values), shell.values);
    });
}
TANDEM_EXPORT Status fmi3GetBinary(Instance c, const ValueReference* r, std::size_t n,
                                   std::size_t* sizes, Binary* values, std::size_t n_values) {
    return ex::run(c, "fmi3GetBinary", ex::alive, [&](Shell& shell) {
        const auto out = ex::list(values, n_values);
        const auto out_sizes = ex::list(sizes, n_values);
        shell.instance->get(ValueType::binary, ex::checked(shell, r, n, n_values), shell.values);
        shell.texts = shell.values.strings;
        for (std::size_t i = 0; i < n_values; ++i) {
            out[i] = reinterpret_cast<Binary>(shell.texts[i].data());
            out_sizes[i] = shell.texts[i].size();
        }
    });
}
TANDEM_EXPORT Status fmi3SetBinary(Instance c, const ValueReference* r, std::size_t n,
                                   const std::size_t* sizes, const Binary* values,
                                   std::size_t n_values) {
    return ex::run(c, "fmi3SetBinary", ex::settable, [&](Shell& shell) {
        const auto in = ex::list(values, n_values);
        const auto in_sizes = ex::list(sizes, n_values);
        shell.values.clear();
        for (std::size_t i = 0; i < n_values; ++i) {
            const auto bytes = ex::list(in[i], in_sizes[i]);
            shell.values.strings.emplace_back(bytes.begin(), bytes.end());
        }
        shell.instance->set(ValueType::binary, ex::checked(shell, r, n, n_values), shell.values);
    });
}

// Clocks
TANDEM_EXPORT Status fmi3GetClock(Instance c, const ValueReference* r, std::size_t n,
                                  Clock* values) {
    return ex::each_clock(c, "fmi3GetClock", r, n, [&](auto& instance, auto clock, auto i) {
        instance.get_clock(clock, *(&ex::required(values) + i));
    });
}
TANDEM_EXPORT Status fmi3SetClock(Instance c, const ValueReference* r, std::size_t n,
                                  const Clock* values) {
    return ex::each_clock(c, "fmi3SetClock", r, n, [&](auto& instance, auto clock, auto i) {
        instance.set_clock(clock, *(&ex::required(values) + i));
    });
}
TANDEM_EXPORT Status fmi3GetIntervalDecimal(Instance c, const ValueReference* r, std::size_t n,
                                            Float64* intervals, IntervalQualifier* qualifiers) {
    return ex::each_clock(c, "fmi3GetIntervalDecimal", r, n, [&](auto& instance, auto k, auto i) {
        *(&ex::required(intervals) + i) = ex::interval_of(instance, k);
        if (qualifiers != nullptr) qualifiers[i] = IntervalQualifier::unchanged;
    });
}
TANDEM_EXPORT Status fmi3GetIntervalFraction(Instance c, const ValueReference* r, std::size_t n,
                                             UInt64* counters, UInt64* resolutions,
                                             IntervalQualifier* qualifiers) {
    return ex::each_clock(c, "fmi3GetIntervalFraction", r, n, [&](auto& instance, auto k, auto i) {
        *(&ex::required(counters) + i) =
            static_cast<UInt64>(ex::interval_of(instance, k) * ex::nanoseconds + 0.5);
        *(&ex::required(resolutions) + i) = static_cast<UInt64>(ex::nanoseconds);
        if (qualifiers != nullptr) qualifiers[i] = IntervalQualifier::unchanged;
    });
}
TANDEM_EXPORT Status fmi3GetShiftDecimal(Instance c, const ValueReference* r, std::size_t n,
                                         Float64* shifts) {
    return ex::each_clock(c, "fmi3GetShiftDecimal", r, n, [&](auto& instance, auto k, auto i) {
        ex::interval_of(instance, k);
        *(&ex::required(shifts) + i) = instance.clock_timing(k)->shift;
    });
}
TANDEM_EXPORT Status fmi3GetShiftFraction(Instance c, const ValueReference* r, std::size_t n,
                                          UInt64* counters, UInt64* resolutions) {
    return ex::each_clock(c, "fmi3GetShiftFraction", r, n, [&](auto& instance, auto k, auto i) {
        ex::interval_of(instance, k);
        *(&ex::required(counters) + i) =
            static_cast<UInt64>(instance.clock_timing(k)->shift * ex::nanoseconds + 0.5);
        *(&ex::required(resolutions) + i) = static_cast<UInt64>(ex::nanoseconds);
    });
}
TANDEM_EXPORT Status fmi3SetIntervalDecimal(Instance c, const ValueReference*, std::size_t,
                                            const Float64*) {
    return ex::refuse_clock(c, "fmi3SetIntervalDecimal");
}
TANDEM_EXPORT Status fmi3SetIntervalFraction(Instance c, const ValueReference*, std::size_t,
                                             const UInt64*, const UInt64*) {
    return ex::refuse_clock(c, "fmi3SetIntervalFraction");
}
TANDEM_EXPORT Status fmi3SetShiftDecimal(Instance c, const ValueReference*, std::size_t,
                                         const Float64*) {
    return ex::refuse_clock(c, "fmi3SetShiftDecimal");
}
TANDEM_EXPORT Status fmi3SetShiftFraction(Instance c, const ValueReference*, std::size_t,
                                          const UInt64*, const UInt64*) {
    return ex::refuse_clock(c, "fmi3SetShiftFraction");
}

// Dependencies are in modelDescription.xml only.
TANDEM_EXPORT Status fmi3GetNumberOfVariableDependencies(Instance c, ValueReference,
                                                         std::size_t* n) {
    return ex::run(c, "fmi3GetNumberOfVariableDependencies", ex::alive, [&](Shell&) {
        ex::required(n) = 0;
        throw ex::Misuse("dependencies per element are not provided");
    });
}
TANDEM_EXPORT Status fmi3GetVariableDependencies(Instance c, ValueReference, std::size_t*,
                                                 ValueReference*, std::size_t*, DependencyKind*,
                                                 std::size_t) {
    return ex::run(c, "fmi3GetVariableDependencies", ex::alive,
                   [](Shell&) { throw ex::Misuse("dependencies per element are not provided"); });
}

// Saved states
TANDEM_EXPORT Status fmi3GetFMUState(Instance c, FmuState* state) {
    return ex::to_abi(ex::get_state(c, state));
}
TANDEM_EXPORT Status fmi3SetFMUState(Instance c, FmuState state) {
    return ex::to_abi(ex::set_state(c, state));
}
TANDEM_EXPORT Status fmi3FreeFMUState(Instance c, FmuState* state) {
    return ex::to_abi(ex::free_state(c, state));
}
TANDEM_EXPORT Status fmi3SerializedFMUStateSize(Instance c, FmuState state, std::size_t* size) {
    return ex::to_abi(ex::state_size(c, state, size));
}
TANDEM_EXPORT Status fmi3SerializeFMUState(Instance c, FmuState state, Byte* bytes,
                                           std::size_t size) {
    return ex::to_abi(ex::serialize_state(c, state, bytes, size));
}
TANDEM_EXPORT Status fmi3DeserializeFMUState(Instance c, const Byte* bytes, std::size_t size,
                                             FmuState* state) {
    return ex::to_abi(ex::deserialize_state(c, bytes, size, state));
}

// Sensitivities
TANDEM_EXPORT Status fmi3GetDirectionalDerivative(Instance c, const ValueReference* unknowns,
                                                  std::size_t n_unknowns,
                                                  const ValueReference* knowns,
                                                  std::size_t n_knowns, const Float64* seed,
                                                  std::size_t n_seed, Float64* sensitivity,
                                                  std::size_t n_sensitivity) {
    return ex::run(c, "fmi3GetDirectionalDerivative", ex::differentiable, [&](Shell& shell) {
        shell.instance->directional_derivative(
            ex::checked(shell, unknowns, n_unknowns, n_sensitivity),
            ex::checked(shell, knowns, n_knowns, n_seed), ex::list(seed, n_seed),
            ex::list(sensitivity, n_sensitivity));
    });
}
// sensitivity^T = seed^T J, column by column
TANDEM_EXPORT Status fmi3GetAdjointDerivative(Instance c, const ValueReference* unknowns,
                                              std::size_t n_unknowns, const ValueReference* knowns,
                                              std::size_t n_knowns, const Float64* seed,
                                              std::size_t n_seed, Float64* sensitivity,
                                              std::size_t n_sensitivity) {
    return ex::run(c, "fmi3GetAdjointDerivative", ex::differentiable, [&](Shell& shell) {
        const auto rows = ex::checked(shell, unknowns, n_unknowns, n_seed);
        const auto columns = ex::checked(shell, knowns, n_knowns, n_sensitivity);
        const auto weights = ex::list(seed, n_seed);
        const auto result = ex::list(sensitivity, n_sensitivity);
        std::vector<double> unit(n_sensitivity, 0.0), column(n_seed);
        for (std::size_t k = 0; k < n_sensitivity; ++k) {
            unit[k] = 1.0;
            shell.instance->directional_derivative(rows, columns, unit, column);
            unit[k] = 0.0;
            result[k] = 0.0;
            for (std::size_t i = 0; i < n_seed; ++i) result[k] += weights[i] * column[i];
        }
    });
}

#define TANDEM_CHECK(name, type) static_assert(std::is_same_v<decltype(fmi3##name), type>)
TANDEM_CHECK(GetString, GetString);
TANDEM_CHECK(SetString, SetString);
TANDEM_CHECK(GetBinary, GetBinary);
TANDEM_CHECK(SetBinary, SetBinary);
TANDEM_CHECK(GetClock, GetClock);
TANDEM_CHECK(SetClock, SetClock);
TANDEM_CHECK(GetIntervalDecimal, GetIntervalDecimal);
TANDEM_CHECK(GetIntervalFraction, GetIntervalFraction);
TANDEM_CHECK(GetShiftDecimal, GetShiftDecimal);
TANDEM_CHECK(GetShiftFraction, GetShiftFraction);
TANDEM_CHECK(SetIntervalDecimal, SetIntervalDecimal);
TANDEM_CHECK(SetIntervalFraction, SetIntervalFraction);
TANDEM_CHECK(SetShiftDecimal, SetShiftDecimal);
TANDEM_CHECK(SetShiftFraction, SetShiftFraction);
TANDEM_CHECK(GetNumberOfVariableDependencies, GetNumberOfVariableDependencies);
TANDEM_CHECK(GetVariableDependencies, GetVariableDependencies);
TANDEM_CHECK(GetFMUState, GetFmuState);
TANDEM_CHECK(SetFMUState, SetFmuState);
TANDEM_CHECK(FreeFMUState, FreeFmuState);
TANDEM_CHECK(SerializedFMUStateSize, SerializedFmuStateSize);
TANDEM_CHECK(SerializeFMUState, SerializeFmuState);
TANDEM_CHECK(DeserializeFMUState, DeserializeFmuState);
TANDEM_CHECK(GetDirectionalDerivative, GetDirectionalDerivative);
TANDEM_CHECK(GetAdjointDerivative, GetAdjointDerivative);
