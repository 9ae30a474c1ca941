#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/value.hpp"
#include "tandem/variables.hpp"

/// Reading and writing the elements of a registered variable, whatever its type.
namespace tandem::kit {

constexpr ValueType value_type(Type type) { return static_cast<ValueType>(type); }
static_assert(value_type(Type::clock) == ValueType::clock);
static_assert(value_type(Type::uint16) == ValueType::uint16);
static_assert(value_type(Type::enumeration) == ValueType::enumeration);

double read_real(const Record& record, std::size_t i);
void write_real(const Record& record, std::size_t i, double value);
/// uint64 bit for bit, as in Values.
std::int64_t read_integer(const Record& record, std::size_t i);
/// Throws std::range_error if the value does not fit the type of the variable.
void write_integer(const Record& record, std::size_t i, std::int64_t value);
/// The bytes of a string or binary, until it changes.
std::string_view read_text(const Record& record, std::size_t i);
void write_text(const Record& record, std::size_t i, std::string_view value);

/// Appends elements [first, first + count) to the list of `values` that suits the type.
void append_values(const Record& record, std::size_t first, std::size_t count, Values& values);
/// The same into their places, beginning at entry `to`; there must be room.
void copy_values(const Record& record, std::size_t first, std::size_t count, Values& values,
                 std::size_t to);
/// Writes elements [first, first + count) from `values`, beginning at its entry `from`.
void write_values(const Record& record, std::size_t first, std::size_t count, const Values& values,
                  std::size_t from);

/// All elements as bytes, exactly, and back. `load` returns how many bytes it used; throws
/// std::runtime_error if they end too early.
void store(const Record& record, std::vector<std::byte>& bytes);
std::size_t load(Record& record, std::span<const std::byte> bytes);

}  // namespace tandem::kit
