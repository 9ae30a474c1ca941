#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "tandem/error.hpp"

namespace tandem::subsystem {

/// Appends the bytes of a value to a saved state.
template <class T>
requires std::is_trivially_copyable_v<T>
void append_plain(std::vector<std::byte>& bytes, const T& value) {
    const std::size_t size = bytes.size();
    bytes.resize(size + sizeof value);
    std::memcpy(bytes.data() + size, &value, sizeof value);
}

[[noreturn]] inline void throw_unfit_state() {
    throw InputError("saved state", "it does not fit this FMU",
                     "use the state with the FMU that it was saved from");
}

/// Takes them from the front again. Throws InputError if there are too few.
template <class T>
requires std::is_trivially_copyable_v<T>
void take_plain(std::span<const std::byte>& bytes, T& value) {
    if (bytes.size() < sizeof value) throw_unfit_state();
    std::memcpy(&value, bytes.data(), sizeof value);
    bytes = bytes.subspan(sizeof value);
}

/// The same for a vector or string of such values, with its length.
template <class List>
void append_list(std::vector<std::byte>& bytes, const List& list) {
    append_plain(bytes, list.size());
    for (const auto& value : list) append_plain(bytes, value);
}

template <class List>
void take_list(std::span<const std::byte>& bytes, List& list) {
    std::size_t size = 0;
    take_plain(bytes, size);
    if (size > bytes.size()) throw_unfit_state();
    list.resize(size);
    for (auto& value : list) take_plain(bytes, value);
}

}  // namespace tandem::subsystem
