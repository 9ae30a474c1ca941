#include "base/visible.hpp"

#include <fmt/format.h>

#include "base/unpacked.hpp"
#include "base/utf8.hpp"

namespace tandem {
namespace {

/// Of a valid sequence.
unsigned code_point(std::string_view sequence) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
    if (sequence.size() == 1) return byte(0);
    unsigned code = byte(0) & (0x7FU >> sequence.size());
    for (std::size_t i = 1; i < sequence.size(); ++i) code = (code << 6U) | (byte(i) & 0x3FU);
    return code;
}

bool is_control(unsigned code) {
    return (code < 0x20U && code != '\n' && code != '\t') || (code >= 0x7FU && code < 0xA0U);
}

/// Marks, embeddings, overrides and isolates of the bidirectional algorithm.
bool is_direction(unsigned code) {
    return code == 0x061CU || code == 0x200EU || code == 0x200FU ||
           (code >= 0x202AU && code <= 0x202EU) || (code >= 0x2066U && code <= 0x2069U);
}

}  // namespace

std::string visible(std::string_view given) {
    const std::string text = without_temporary_folders(std::string(given));
    std::string result;
    result.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_length(text, at);
        if (length == 0) {
            result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
            ++at;
            continue;
        }
        const std::string_view sequence = std::string_view(text).substr(at, length);
        const unsigned code = code_point(sequence);
        if (is_control(code) || is_direction(code))
            result +=
                code < 0x100U ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
        else
            result += sequence;
        at += length;
    }
    return result;
}

}  // namespace tandem
