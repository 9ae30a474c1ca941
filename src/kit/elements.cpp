#include "kit/elements.hpp"

#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

namespace tandem::kit {
namespace {

template <class T>
T& at(const Record& record, std::size_t i) {
    return static_cast<T*>(record.data)[i];
}

template <class T>
void write_narrow(const Record& record, std::size_t i, std::int64_t value) {
    if (!std::in_range<T>(value))
        throw std::range_error(record.name + ": " + std::to_string(value) +
                               " does not fit its type " +
                               std::string(to_string(value_type(record.type))));
    at<T>(record, i) = static_cast<T>(value);
}

// An enumeration is as wide as the user's enum; its literals are signed.
Type integer_type(const Record& record) {
    if (record.type != Type::enumeration) return record.type;
    switch (record.width) {
        case 1: return Type::int8;
        case 2: return Type::int16;
        case 4: return Type::int32;
        default: return Type::int64;
    }
}

void append_bytes(std::vector<std::byte>& bytes, const void* data, std::size_t size) {
    const auto* begin = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), begin, begin + size);
}

void take(std::span<const std::byte>& bytes, void* data, std::size_t size) {
    if (bytes.size() < size) throw std::runtime_error("the saved state is incomplete");
    if (size > 0) std::memcpy(data, bytes.data(), size);
    bytes = bytes.subspan(size);
}

bool is_text(const Record& record) {
    return record.type == Type::string || record.type == Type::binary;
}

}  // namespace

double read_real(const Record& record, std::size_t i) {
    return record.type == Type::float64 ? at<double>(record, i)
                                        : static_cast<double>(at<float>(record, i));
}

void write_real(const Record& record, std::size_t i, double value) {
    if (record.type == Type::float64)
        at<double>(record, i) = value;
    else
        at<float>(record, i) = static_cast<float>(value);
}

std::int64_t read_integer(const Record& record, std::size_t i) {
    switch (integer_type(record)) {
        case Type::int8: return at<std::int8_t>(record, i);
        case Type::uint8: return at<std::uint8_t>(record, i);
        case Type::int16: return at<std::int16_t>(record, i);
        case Type::uint16: return at<std::uint16_t>(record, i);
        case Type::int32: return at<std::int32_t>(record, i);
        case Type::uint32: return at<std::uint32_t>(record, i);
        case Type::int64: return at<std::int64_t>(record, i);
        case Type::uint64: return static_cast<std::int64_t>(at<std::uint64_t>(record, i));
        default: return at<bool>(record, i) ? 1 : 0;
    }
}

void write_integer(const Record& record, std::size_t i, std::int64_t value) {
    switch (integer_type(record)) {
        case Type::int8: return write_narrow<std::int8_t>(record, i, value);
        case Type::uint8: return write_narrow<std::uint8_t>(record, i, value);
        case Type::int16: return write_narrow<std::int16_t>(record, i, value);
        case Type::uint16: return write_narrow<std::uint16_t>(record, i, value);
        case Type::int32: return write_narrow<std::int32_t>(record, i, value);
        case Type::uint32: return write_narrow<std::uint32_t>(record, i, value);
        case Type::int64: at<std::int64_t>(record, i) = value; return;
        case Type::uint64: at<std::uint64_t>(record, i) = static_cast<std::uint64_t>(value); return;
        default: at<bool>(record, i) = value != 0; return;
    }
}

std::string_view read_text(const Record& record, std::size_t i) {
    if (record.type == Type::string) return at<std::string>(record, i);
    const Binary& bytes = at<Binary>(record, i);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write_text(const Record& record, std::size_t i, std::string_view value) {
    if (record.type == Type::string)
        at<std::string>(record, i) = value;
    else
        at<Binary>(record, i).assign(value.begin(), value.end());
}

void append_values(const Record& record, std::size_t first, std::size_t count, Values& values) {
    for (std::size_t i = first; i < first + count; ++i) {
        switch (storage_of(value_type(record.type))) {
            case Storage::reals: values.reals.push_back(read_real(record, i)); break;
            case Storage::integers: values.integers.push_back(read_integer(record, i)); break;
            case Storage::strings: values.strings.emplace_back(read_text(record, i)); break;
        }
    }
}

void copy_values(const Record& record, std::size_t first, std::size_t count, Values& values,
                 std::size_t to) {
    for (std::size_t i = 0; i < count; ++i) {
        switch (storage_of(value_type(record.type))) {
            case Storage::reals: values.reals[to + i] = read_real(record, first + i); break;
            case Storage::integers:
                values.integers[to + i] = read_integer(record, first + i);
                break;
            case Storage::strings: values.strings[to + i] = read_text(record, first + i); break;
        }
    }
}

void write_values(const Record& record, std::size_t first, std::size_t count, const Values& values,
                  std::size_t from) {
    for (std::size_t i = 0; i < count; ++i) {
        switch (storage_of(value_type(record.type))) {
            case Storage::reals: write_real(record, first + i, values.reals[from + i]); break;
            case Storage::integers:
                write_integer(record, first + i, values.integers[from + i]);
                break;
            case Storage::strings: write_text(record, first + i, values.strings[from + i]); break;
        }
    }
}

void store(const Record& record, std::vector<std::byte>& bytes) {
    const std::uint64_t size = record.size;
    append_bytes(bytes, &size, sizeof size);
    if (!is_text(record)) {
        append_bytes(bytes, record.data, record.size * record.width);
        return;
    }
    for (std::size_t i = 0; i < record.size; ++i) {
        const std::string_view text = read_text(record, i);
        const std::uint64_t length = text.size();
        append_bytes(bytes, &length, sizeof length);
        append_bytes(bytes, text.data(), text.size());
    }
}

std::size_t load(Record& record, std::span<const std::byte> bytes) {
    const std::size_t all = bytes.size();
    std::uint64_t size = 0;
    take(bytes, &size, sizeof size);
    if (size != record.size) {
        if (record.resize == nullptr || size > bytes.size())
            throw std::runtime_error("the saved state is that of another model");
        record.resize(record.owner, record, size);
    }
    if (!is_text(record)) {
        take(bytes, record.data, record.size * record.width);
        return all - bytes.size();
    }
    for (std::size_t i = 0; i < record.size; ++i) {
        std::uint64_t length = 0;
        take(bytes, &length, sizeof length);
        if (length > bytes.size()) throw std::runtime_error("the saved state is incomplete");
        write_text(record, i, {reinterpret_cast<const char*>(bytes.data()), length});
        bytes = bytes.subspan(length);
    }
    return all - bytes.size();
}

}  // namespace tandem::kit
