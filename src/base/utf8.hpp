#pragma once

#include <cstddef>
#include <string_view>

namespace tandem {

/// The length of the UTF-8 sequence at `at`, or 0 if it is none (or an overlong or surrogate one).
inline std::size_t utf8_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
    };
    const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
    const unsigned first = byte(0);
    if (first < 0x80U) return 1;
    if (first >= 0xC2U && first <= 0xDFU) return follows(1) ? 2 : 0;
    if ((first & 0xF0U) == 0xE0U) {
        const bool overlong = first == 0xE0U && byte(1) < 0xA0U;
        const bool surrogate = first == 0xEDU && byte(1) > 0x9FU;
        return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
    }
    if (first >= 0xF0U && first <= 0xF4U) {
        const bool overlong = first == 0xF0U && byte(1) < 0x90U;
        const bool too_large = first == 0xF4U && byte(1) > 0x8FU;
        return follows(1) && follows(2) && follows(3) && !overlong && !too_large ? 4 : 0;
    }
    return 0;
}

/// Text that files of text can hold: UTF-8 without zeros.
inline bool is_utf8_text(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_length(text, at);
        if (length == 0 || text[at] == '\0') return false;
        at += length;
    }
    return true;
}

}  // namespace tandem
