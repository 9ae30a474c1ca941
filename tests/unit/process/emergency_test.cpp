#include "process/emergency.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "files/temporary_folder.hpp"

namespace tandem {
namespace {

namespace fs = std::filesystem;

TEST(EmergencyHook, hooks_run_newest_first_and_once) {
    static std::string order;
    order.clear();
    const EmergencyHook first([](void*) noexcept { order += "1"; }, nullptr);
    const EmergencyHook second([](void*) noexcept { order += "2"; }, nullptr);
    {
        const EmergencyHook gone([](void*) noexcept { order += "gone"; }, nullptr);
    }
    const EmergencyHook third([](void* text) noexcept { order += static_cast<char*>(text); },
                              const_cast<char*>("3"));
    run_emergency_hooks();
    run_emergency_hooks();
    EXPECT_EQ(order, "321");
}

TEST(EmergencyHook, of_thousands_each_one_runs) {
    static int count;
    count = 0;
    std::vector<std::unique_ptr<EmergencyHook>> hooks;
    for (int i = 0; i < 5000; ++i)
        hooks.push_back(std::make_unique<EmergencyHook>([](void*) noexcept { ++count; }, nullptr));
    run_emergency_hooks();
    EXPECT_EQ(count, 5000);
    hooks.clear();
    const EmergencyHook again([](void*) noexcept { count = -1; }, nullptr);
    run_emergency_hooks();
    EXPECT_EQ(count, -1);
}

/// What the watchdog sees of an instance, on whichever thread.
ForeignCallView call_of(const std::string& instance) {
    for (int thread = 0; thread < most_watched_threads; ++thread) {
        const ForeignCallView call = foreign_call_of_thread(thread);
        if (call.instance != nullptr && call.instance == instance) return call;
    }
    return {};
}

TEST(ForeignCall, is_seen_from_outside_on_every_thread_and_nests) {
    install_signal_handlers();
    const ForeignCall here("car", "drive");
    std::thread watched([] {
        const ForeignCall outer("ball", "outer");
        const std::uint64_t count = call_of("ball").count;
        EXPECT_GE(count, 1U);
        {
            const ForeignCall inner("box", "inner");
            EXPECT_STREQ(call_of("box").function, "inner");
            EXPECT_EQ(call_of("box").count, count);
        }
        EXPECT_STREQ(call_of("ball").function, "outer");
        EXPECT_STREQ(call_of("car").function, "drive");
    });
    watched.join();
    EXPECT_EQ(call_of("ball").instance, nullptr);
    EXPECT_STREQ(call_of("car").function, "drive");
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGINT, SIGTERM, SIGHUP})
        ::signal(signal, SIG_DFL);
}

class Crash : public testing::Test {
protected:
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(Crash, inside_a_foreign_call_names_instance_and_function) {
    EXPECT_EXIT(
        {
            install_signal_handlers();
            const ForeignCall call("ball", "doStep");
            raise(SIGSEGV);
        },
        testing::ExitedWithCode(1),
        "tandem: ball: the FMU crashed in doStep \\(segmentation fault\\)\n  hint: ");
}

TEST_F(Crash, in_tandem_itself_asks_for_a_report) {
    EXPECT_EXIT(
        {
            install_signal_handlers();
            std::abort();
        },
        testing::ExitedWithCode(1), "tandem: crashed \\(abort\\)\n  hint: this is a bug in Tandem");
}

TEST_F(Crash, after_a_foreign_call_names_it_because_the_fmu_may_have_overwritten_memory) {
    EXPECT_EXIT(
        {
            install_signal_handlers();
            { const ForeignCall call("ball", "doStep"); }
            std::abort();
        },
        testing::ExitedWithCode(1),
        "tandem: crashed \\(abort\\) after doStep of ball\n  hint: an FMU");
}

TEST_F(Crash, exit_inside_a_foreign_call_is_no_ordinary_end) {
    EXPECT_EXIT(
        {
            install_signal_handlers();
            const ForeignCall call("ball", "doStep");
            std::exit(0);
        },
        testing::ExitedWithCode(1), "ball: the FMU ended the process or its thread in doStep");
    EXPECT_EXIT(
        {
            install_signal_handlers();
            const ForeignCall call("ball", "doStep");
            std::quick_exit(0);
        },
        testing::ExitedWithCode(1), "ball: the FMU ended the process in doStep");
    EXPECT_EXIT(
        {
            install_signal_handlers();
            { const ForeignCall call("ball", "doStep"); }
            std::exit(7);
        },
        testing::ExitedWithCode(7), "");
}

/// Not a tail call, and every frame is used: the stack really grows.
[[gnu::noinline]] int overflow(volatile int* above) {
    volatile int frame[4096];
    frame[0] = *above + 1;
    if (frame[0] < 0) return 0;
    return overflow(frame) + frame[0];
}

TEST_F(Crash, by_stack_overflow_is_reported_like_any_other) {
    EXPECT_EXIT(
        {
            install_signal_handlers();
            const ForeignCall call("ball", "doStep");
            volatile int start = 0;
            std::exit(overflow(&start));
        },
        testing::ExitedWithCode(1),
        "the FMU crashed in doStep \\((segmentation fault|bus error)\\)");
}

TEST_F(Crash, removes_temporary_folders) {
    const TemporaryFolder outer;
    const std::string marker = (outer.path() / "name").string();
    setenv("TANDEM_TEST_MARKER", marker.c_str(), 0);
    EXPECT_EXIT(
        {
            install_signal_handlers();
            const TemporaryFolder inner;
            fs::create_directory(inner.path() / "binaries");
            std::ofstream(inner.path() / "binaries" / "file") << "x";
            std::ofstream(std::getenv("TANDEM_TEST_MARKER")) << inner.path().string();
            raise(SIGFPE);
        },
        testing::ExitedWithCode(1), "arithmetic error");
    std::string inner;
    std::ifstream(std::getenv("TANDEM_TEST_MARKER")) >> inner;
    unsetenv("TANDEM_TEST_MARKER");
    ASSERT_FALSE(inner.empty());
    EXPECT_FALSE(fs::exists(inner));
}

TEST_F(Crash, where_interrupts_are_asked_for_the_first_is_a_request_the_second_ends_the_process) {
    EXPECT_EXIT(
        {
            install_signal_handlers();
            const GracefulInterrupt graceful;
            raise(SIGINT);
            if (interrupt_state() != Interrupt::unanswered) std::exit(5);
            if (!interrupt_requested()) std::exit(6);
            if (interrupt_state() != Interrupt::answered) std::exit(7);
            raise(SIGINT);
        },
        testing::ExitedWithCode(128 + SIGINT), "");
}

TEST_F(Crash, elsewhere_the_first_interrupt_ends_the_process) {
    EXPECT_EXIT(
        {
            install_signal_handlers();
            { const GracefulInterrupt over; }
            const EmergencyHook hook(
                [](void*) noexcept {
                    raise(SIGTERM);  // a second one does not cut the hooks off
                    static_cast<void>(!write(STDERR_FILENO, "hook\n", 5));
                },
                nullptr);
            raise(SIGTERM);
            std::exit(5);
        },
        testing::ExitedWithCode(128 + SIGTERM), "hook");
}

TEST_F(Crash, of_a_second_thread_does_not_cut_off_the_hooks_of_the_first) {
    EXPECT_EXIT(
        {
            static std::atomic<bool> crashing{false};
            install_signal_handlers();
            const EmergencyHook hook(
                [](void*) noexcept {
                    crashing = true;
                    // Time for the other thread to get into its handler.
                    for (int i = 0; i < 200'000; ++i) sched_yield();
                    static_cast<void>(!write(STDERR_FILENO, "all done\n", 9));
                },
                nullptr);
            std::thread other([] {
                while (!crashing) sched_yield();
                raise(SIGSEGV);
            });
            raise(SIGFPE);
            other.join();
        },
        testing::ExitedWithCode(1), "all done");
}

}  // namespace
}  // namespace tandem
