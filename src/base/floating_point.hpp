#pragma once

#include <xmmintrin.h>

#include <cstdint>

namespace tandem {

/// How this thread computes: rounding mode, flush-to-zero, denormals-are-zero, exceptions that
/// trap, precision of the x87 unit. What exceptions have occurred is left out. Inline: it is
/// compared after each call of an FMU.
struct FloatingPoint {
    static FloatingPoint now() noexcept {
        FloatingPoint state;
        state.mxcsr = _mm_getcsr() & control_bits;
        asm volatile("fnstcw %0" : "=m"(state.x87));
        return state;
    }
    void restore() const noexcept {
        // An x87 exception that waits would trap here; none has occurred in code of ours.
        asm volatile("fnclex\n\tfldcw %0" : : "m"(x87));
        _mm_setcsr(mxcsr);
    }
    friend bool operator==(const FloatingPoint&, const FloatingPoint&) = default;

    static constexpr std::uint32_t control_bits = 0xFFC0;
    static constexpr std::uint32_t denormals_are_zero = 1U << 6U;
    static constexpr std::uint32_t trap_masks = 0x1F80;
    static constexpr std::uint32_t rounding = 3U << 13U;
    static constexpr std::uint32_t flush_to_zero = 1U << 15U;

    std::uint32_t mxcsr = 0;
    std::uint16_t x87 = 0;
};

}  // namespace tandem
