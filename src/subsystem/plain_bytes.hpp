#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "base/error.hpp"

namespace tandem::subsystem {

/// Appends the bytes of a value to a saved state.
template <class T>
requires std::is_trivially_copyable_v<T>
void append_plain(std::vector<std::byte>& bytes, const T& value) {
    const std::size_t size = bytes.size();
    bytes.resize(size + sizeof value);
    std::memcpy(bytes.data() + size, &value, sizeof value);
}

/// Takes them from the front again. Throws InputError if there are too few.
template <class T>
requires std::is_trivially_copyable_v<T>
void take_plain(std::span<const std::byte>& bytes, T& value) {
    if (bytes.size() < sizeof value)
        throw InputError("saved state", "it is too short for this FMU",
                         "use the state with the FMU that it was saved from");
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes = bytes.subspan(sizeof value);
}

}  // namespace tandem::subsystem
