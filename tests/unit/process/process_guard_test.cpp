#include "process/process_guard.hpp"

#include <fenv.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "files/whole_file.hpp"
#include "process/shared_memory.hpp"

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

/// A child writes into blocks of its own making; their addresses are in memory that is shared from
/// the start. The block of 63 MB does not fit into what is left of 64.
TEST(SharedBlock, small_ones_are_shared_also_after_a_large_one_did_not_fit) {
    const auto shares = [] {
        share_memory_with_children();
        auto* const found = reinterpret_cast<std::atomic<char*>*>(shared_memory(64));
        shared_memory(std::size_t{2} << 20U);
        const pid_t child = fork();
        if (child == 0) {
            const SharedBlock large(std::size_t{63} << 20U);
            char* const text = shared_memory(8);
            std::strcpy(text, "small");
            found->store(text);
            _exit(large.data() == nullptr ? 1 : 0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        std::exit(status == 0 && std::string(found->load()) == "small" ? 0 : 1);
    };
    EXPECT_EXIT(shares(), testing::ExitedWithCode(0), "");
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
