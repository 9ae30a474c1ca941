#include <gtest/gtest.h>

#include "assemble/load/input_table.hpp"
#include "support/system_file.hpp"

namespace tandem {
namespace {

constexpr int consumers = 8;

/// One entry, [[functions]] or [[sources]], for a connector that feeds many subsystems at once.
std::string fan_out(const std::string& entry, const std::string& kind) {
    std::string text = "[experiment]\nstop = 0.5\nstep = 0.005\n" +
                       test::subsystem_text("wave", "Oscillator", "native") +
                       "[systems.rear]\ninputs = [\"u\"]\nconnections = [";
    for (int i = 0; i < consumers; ++i) text += fmt::format("\"u -> p{}.u\", ", i);
    text += "]\n";
    for (int i = 0; i < consumers; ++i)
        text +=
            "[systems.rear.subsystems." + test::subsystem_text(fmt::format("p{}", i), "LinearOde",
                                                               kind, fmt::format("a = {}", -1 - i))
                                              .substr(std::string("[subsystems.").size());
    return text + entry;
}

class ThreadsOnOneFunction
    : public ::testing::TestWithParam<std::tuple<const char*, const char*, const char*>> {};

/// Threads interleave differently in every run: six of them have some chance to show a race by its
/// result; the thread sanitizer shows it in the first.
TEST_P(ThreadsOnOneFunction, that_feeds_many_give_the_results_of_one_thread_to_the_last_bit) {
    const auto& [method, entry, kind] = GetParam();
    const test::SystemFile file(fan_out(entry, kind));
    const auto results = [&](int threads) {
        run::SystemRunOptions options = file.options();
        options.coupling = method;
        options.threads = threads;
        options.use_of_threads = exec::Use::always;
        run::SystemRun run(options);
        run.perform();
        return read_text_file(options.outputs[0]);
    };
    const std::string serial = results(1);
    for (int repeat = 0; repeat < 6; ++repeat) ASSERT_EQ(results(3), serial) << repeat;
}

constexpr const char* function =
    "[[functions]]\ntarget = \"rear.u\"\nexpression = \"sin(10*x + t)*x + 100*cos(x)\"\n"
    "signals = { x = \"wave.x\" }\n";
constexpr const char* source =
    "[[sources]]\ntarget = \"rear.u\"\nexpression = \"100*sin(7*t) + max(t, 0.3)\"\n";

INSTANTIATE_TEST_SUITE_P(All, ThreadsOnOneFunction,
                         ::testing::Combine(::testing::Values("jacobi", "gauss_seidel",
                                                              "iterative"),
                                            ::testing::Values(function, source),
                                            ::testing::Values("native", "fmi2_cs")));
INSTANTIATE_TEST_SUITE_P(Asynchronous, ThreadsOnOneFunction,
                         ::testing::Combine(::testing::Values("asynchronous"),
                                            ::testing::Values(source),
                                            ::testing::Values("native", "fmi2_cs")));

}  // namespace
}  // namespace tandem
