#include "base/process_guard.hpp"

#include <fenv.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/shared_memory.hpp"
#include "base/whole_file.hpp"

namespace tandem {
namespace {

TEST(ArithmeticGuard, restores_how_the_thread_computes_and_names_the_call) {
    const std::string instance = "ball";
    const FloatingPoint before = FloatingPoint::now();
    {
        const ArithmeticGuard guard(instance, "doStep");
        std::fesetround(FE_UPWARD);
        feenableexcept(FE_DIVBYZERO);
        _mm_setcsr(_mm_getcsr() | FloatingPoint::flush_to_zero);
    }
    EXPECT_EQ(FloatingPoint::now(), before);
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    EXPECT_EQ(fegetexcept(), 0);
    volatile double small = std::numeric_limits<double>::min();
    EXPECT_GT(small / 2.0, 0.0);  // not flushed to zero
    ASSERT_EQ(process_warnings().size(), 1U);
    EXPECT_EQ(process_warnings()[0].place, "ball");
    EXPECT_EQ(process_warnings()[0].problem,
              "doStep changed the rounding mode of floating-point arithmetic");
}

TEST(ArithmeticGuard, leaves_exceptions_alone_that_have_occurred) {
    const std::size_t known = process_warnings().size();
    {
        const std::string instance = "ball";
        const ArithmeticGuard guard(instance, "divide");
        volatile double zero = 0.0;
        zero = 1.0 / zero;
    }
    EXPECT_EQ(process_warnings().size(), known);
}

TEST(SharedBlock, is_zeroed_aligned_and_can_be_moved) {
    SharedBlock block(100);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data()) % 64, 0U);
    for (std::size_t k = 0; k < block.size(); ++k) ASSERT_EQ(block.data()[k], 0);
    char* const data = block.data();
    const SharedBlock other = std::move(block);
    EXPECT_EQ(other.data(), data);
    EXPECT_STREQ(SharedBlock("text").data(), "text");
}

TEST(WholeFile, to_a_device_is_written_there_and_a_full_one_is_reported) {
    EXPECT_NO_THROW(write_whole_file("/dev/null", "", "text"));
    try {
        write_whole_file("/dev/full", "find another", "text");
        FAIL() << "nothing was reported";
    } catch (const InputError& error) {
        EXPECT_EQ(error.hint(), "find another");
    }
}

}  // namespace
}  // namespace tandem
