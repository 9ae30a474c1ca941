#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assemble/load/input_table.hpp"
#include "support/example_folder.hpp"
#include "support/odd_fmu.hpp"
#include "support/system_file.hpp"

namespace tandem {
namespace {

using ::testing::HasSubstr;

/// Some steps of an example; what its results file has then, or what it failed with.
std::string outcome(const test::ExampleFolder& folder, run::SystemRunOptions options) {
    options.outputs = {folder.in_folder("out.csv")};
    options.use_of_threads = exec::Use::always;
    try {
        run::SystemRun run(options);
        run.initialise();
        for (int k = 0; k < 4 && run.time() < run.grid().stop() && run.step(); ++k) continue;
        run.finish();
    } catch (const std::exception& error) {
        return error.what();
    }
    return read_text_file(options.outputs[0]);
}

class ThreadsOnExample : public ::testing::TestWithParam<const char*> {};

/// With every coupling that can do it, here with some options.
TEST_P(ThreadsOnExample, give_the_results_of_one_thread_to_the_last_bit) {
    const test::ExampleFolder folder;
    const std::vector<std::pair<std::string, std::vector<std::string>>> couplings = {
        {"", {}},
        {"jacobi", {"order=1"}},
        {"gauss_seidel", {"order=2", "smooth=true"}},
        {"nepce", {"order=1", "anti_aliasing=true"}},
        {"pre_step", {"optimisation=terminal"}},
        {"predictor", {}},
        {"linear_implicit", {}},
        {"lti", {}},
        {"iterative", {"accelerator=newton"}},
        {"iterative", {"sweep=gauss_seidel", "accelerator=anderson"}}};
    int results = 0;
    for (const auto& [method, settings] : couplings) {
        SCOPED_TRACE(method);
        run::SystemRunOptions options;
        options.file = folder.in_folder(std::string("examples/") + GetParam() + ".toml");
        options.coupling = method;
        options.options = settings;
        options.threads = 1;
        const std::string serial = outcome(folder, options);
        results += serial.starts_with("time") ? 1 : 0;
        options.threads = 3;
        EXPECT_EQ(outcome(folder, options), serial);
    }
    EXPECT_GE(results, 1) << "with the coupling of its file, at least";
}

INSTANTIATE_TEST_SUITE_P(
    All, ThreadsOnExample,
    ::testing::Values("bspk6/system", "bspk6/system_native", "quarter_car/system",
                      "race_car/system", "oscillator_ring/system", "chain/system",
                      "two_cycles/system", "order_matters/system_a", "nonlinear_pair/system",
                      "bouncing_ball/system", "algebraic_loop/system", "controlled_plant/system",
                      "pendulums_walls/system_native", "super_subsystem/system_native"));

/// Whether any two subsystems of a system may step at the same time.
bool may_run_together(const std::string& source, const std::string& of_both = "") {
    const test::SystemFile file(fmt::format(
        "[experiment]\nstop = 1\nstep = 0.1\nthreads = 2\n[coupling]\nmethod = \"jacobi\"\n"
        "[subsystems.a]\nsource = \"{0}\"\nkind = \"cs\"\n{1}\n"
        "[subsystems.b]\nsource = \"{0}\"\nkind = \"cs\"\n{1}\n",
        source, of_both));
    run::SystemRunOptions options = file.options();
    options.use_of_threads = exec::Use::always;
    run::SystemRun run(options);
    run.perform();
    return run.record().threads.reason.empty();
}

TEST(threads, do_not_enter_one_library_together_unless_it_is_made_for_it) {
    const OddFmu odd;
    const std::string foreign = odd.fmu->path();
    EXPECT_FALSE(may_run_together(foreign));
    EXPECT_TRUE(may_run_together(foreign, "shares = \"\""));
    const std::string ours = TANDEM_FMU_DIR "/Oscillator_fmi2.fmu";
    EXPECT_TRUE(may_run_together(ours));
    EXPECT_FALSE(may_run_together(ours, "shares = \"the licence\""));
}

TEST(threads, are_told_in_the_record_and_can_be_chosen) {
    test::SystemFile file("[experiment]\nstop = 1\nstep = 0.1\nthreads = 1\n" +
                          test::subsystem_text("a", "Oscillator", "fmi2_cs") +
                          test::subsystem_text("b", "Oscillator", "fmi2_cs"));
    run::SystemRunOptions options = file.options();
    options.use_of_threads = exec::Use::always;
    {
        run::SystemRun run(options);
        run.perform();
        EXPECT_THAT(run.record().threads.reason, HasSubstr("one thread"));
    }
    options.threads = 2;
    {
        run::SystemRun run(options);
        run.perform();
        EXPECT_EQ(run.record().threads, (ThreadsRecord{2, 1.0, ""}));
    }
    options.use_of_threads = exec::Use::where_it_helps;
    run::SystemRun run(options);
    run.perform();
    EXPECT_THAT(run.record().threads.reason, HasSubstr("too cheap"));
}

}  // namespace
}  // namespace tandem
