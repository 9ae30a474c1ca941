#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// The types a variable can have. FMI 1.0 and 2.0 use float64, int32, boolean, string, enumeration.
enum class ValueType {
    float32,
    float64,
    int8,
    uint8,
    int16,
    uint16,
    int32,
    uint32,
    int64,
    uint64,
    boolean,
    string,
    binary,
    enumeration,
    clock,
};

/// The spelling of FMI 3.0: "Float64", "Int32", "Boolean", ...
std::string_view to_string(ValueType type);

/// Which of the three lists of `Values` holds values of a type.
enum class Storage { reals, integers, strings };

constexpr Storage storage_of(ValueType type) {
    switch (type) {
        case ValueType::float32:
        case ValueType::float64: return Storage::reals;
        case ValueType::string:
        case ValueType::binary: return Storage::strings;
        default: return Storage::integers;
    }
}

/// Values of one type, flat. uint64 is stored bit for bit in `integers`; booleans and clocks as 0
/// or 1; a binary value is the bytes of one entry of `strings`.
struct Values {
    std::vector<double> reals;
    std::vector<std::int64_t> integers;
    std::vector<std::string> strings;

    void clear();
    std::size_t size(ValueType type) const;
    void resize(ValueType type, std::size_t count);

    bool operator==(const Values&) const = default;
};

/// Entry `index` as text that reads back to the same value (reals with 17 significant digits where
/// needed, booleans as true/false, binaries as hexadecimal bytes).
std::string to_text(ValueType type, const Values& values, std::size_t index);

/// Appends `text` to `values`. Returns false if it is not a value of that type or out of its range.
[[nodiscard]] bool append_text(ValueType type, std::string_view text, Values& values);

}  // namespace tandem
