// clang 14 cannot read <source_location> of libstdc++ 12; included before everything else there.
#pragma once

#include <cstdint>

namespace std {

struct source_location {
    static constexpr source_location current(const char* file = __builtin_FILE(),
                                             uint_least32_t line = __builtin_LINE()) {
        return {file, line};
    }
    constexpr const char* file_name() const { return file_; }
    constexpr uint_least32_t line() const { return line_; }

    const char* file_ = "";
    uint_least32_t line_ = 0;
};

}  // namespace std
