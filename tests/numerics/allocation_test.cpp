#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cstdlib>

#include "support/allocation_counter.hpp"
#include "support/model_kinds.hpp"
#include "support/system_file.hpp"

namespace tandem {
namespace {

using test::subsystem_text;
using test::SystemFile;

std::string names_of(const test::TextColumns& columns) {
    std::string names;
    for (const auto& [name, cells] : columns) names += name + " ";
    return names;
}

/// How many of the steps allocated, in a whole run with recording. The first ones are left out:
/// solvers, histories and result files get their memory there.
long allocating_steps(SystemFile& file, run::SystemRunOptions run) {
    constexpr long warm_up = 20;
    const std::string step_control = run.step_control;
    long steps = 0;
    long allocating = 0;
    long before = 0;
    run.go_on = [&](double) {
        const long now = test::allocations();
        if (++steps > warm_up && now != before) ++allocating;
        before = test::allocations();
        return true;
    };
    const auto columns = file.run_text(std::move(run));
    // One row for each step, and those of events; a step control has more steps than rows.
    const std::size_t rows = step_control == "fixed" ? static_cast<std::size_t>(steps) + 1 : 201U;
    EXPECT_GE(columns.at("time").size(), rows) << names_of(columns);
    return allocating;
}

/// On one thread: others get their memory when they are first needed.
long allocating_steps(SystemFile& file, const std::string& coupling,
                      const std::vector<std::string>& options,
                      const std::string& step_control = "fixed") {
    run::SystemRunOptions run = file.options();
    run.coupling = coupling;
    run.options = options;
    run.step_control = step_control;
    run.threads = 1;
    return allocating_steps(file, std::move(run));
}

/// The sanitizers make FMUs share `operator new` with the program: what FMUs allocate for
/// themselves, which is their own affair, would count there.
bool is_counted_for(const std::string& text) {
#ifdef __SANITIZE_ADDRESS__
    return text.find(".fmu") == std::string::npos;
#else
    return !text.empty();
#endif
}

void expect_none_when_stabilised(const std::string& text) {
    using Choice = std::pair<std::string, std::vector<std::string>>;
    std::vector<Choice> choices = {{"predictor", {}},
                                   {"predictor", {"inputs=mean", "refresh=3"}},
                                   {"predictor", {"refresh=9", "drift=0.01"}},
                                   {"predictor", {"interface=identified"}},
                                   {"linear_implicit", {}},
                                   {"linear_implicit", {"form=value"}},
                                   {"linear_implicit", {"form=frozen", "rule=trapezoidal"}},
                                   {"lti", {}}};
    // Not all FMUs for Co-Simulation have the linear model that it needs.
    if (text.find("kind = \"cs\"") == std::string::npos) {
        for (const std::string inputs :
             {"linear", "mean", "terminal", "variational", "variational_linear"})
            for (const std::string extrapolation : {"exact", "trapezoidal", "micro_steps"})
                choices.push_back(
                    {"pre_step", {"optimisation=" + inputs, "extrapolation=" + extrapolation}});
    }
    for (const auto& [coupling, options] : choices) {
        SystemFile file(text);
        EXPECT_EQ(allocating_steps(file, coupling, options), 0)
            << coupling << ' ' << fmt::format("{}", fmt::join(options, " "));
    }
}

void expect_none(const std::string& text) {
    if (!is_counted_for(text)) return;
    for (const std::string coupling : {"jacobi", "gauss_seidel"})
        for (const std::string order : {"0", "1", "2"})
            for (const std::string smooth : {"false", "true"}) {
                SystemFile file(text);
                EXPECT_EQ(allocating_steps(file, coupling, {"order=" + order, "smooth=" + smooth}),
                          0)
                    << coupling << ", order " << order << ", smooth " << smooth;
            }
    for (const std::string order : {"0", "1"})
        for (const std::string averages : {"false", "true"}) {
            SystemFile file(text);
            EXPECT_EQ(
                allocating_steps(file, "nepce", {"order=" + order, "anti_aliasing=" + averages}), 0)
                << "nepce, order " << order << ", anti_aliasing " << averages;
        }
    expect_none_when_stabilised(text);
}

/// Those of a cycle, and with steps that are judged. (Anderson's least squares need memory.)
void expect_none_in_iterations(const std::string& text) {
    if (!is_counted_for(text)) return;
    for (const std::string accelerator : {"fixed_point", "aitken", "broyden", "newton"})
        for (const std::string sweep : {"jacobi", "gauss_seidel"})
            for (const std::string control : {"fixed", "richardson", "predictor"}) {
                SystemFile file(text);
                EXPECT_EQ(
                    allocating_steps(file, "iterative",
                                     {"accelerator=" + accelerator, "sweep=" + sweep}, control),
                    0)
                    << accelerator << ", " << sweep << ", " << control;
            }
}

const std::string experiment = "[experiment]\nstop = 2.0\nstep = 0.01\n";

/// A ring of linear models, one of each kind, and a function that closes it; the last follows its
/// input with that rate.
std::string ring(const std::vector<std::string>& kinds, double last_rate = 1.0) {
    std::string connections, subsystems;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        const double rate = i + 1 == kinds.size() ? last_rate : 1.0;
        subsystems += subsystem_text(fmt::format("s{}", i), "LinearOde", kinds[i],
                                     fmt::format("x = 1, d = 0, a = {}, b = {}", -rate, rate));
        if (i > 0) connections += fmt::format("\"s{}.y -> s{}.u\", ", i - 1, i);
    }
    return "connections = [" + connections + "]\n" + experiment + subsystems +
           fmt::format(
               "[[functions]]\ntarget = \"s0.u\"\nexpression = \"sin(t) - a * b\"\n"
               "signals = {{ a = \"s{}.y\", b = \"s0.y\" }}\n",
               kinds.size() - 1);
}

#ifndef __SANITIZE_ADDRESS__
#ifndef __SANITIZE_THREAD__
// Libraries for linear algebra ask the C library.
TEST(AllocationCounter, sees_what_does_not_go_through_operator_new) {
    const test::AllocationCounter counter;
    std::free(std::realloc(std::calloc(3, 8), 48));
    EXPECT_EQ(counter.count(), 2);
    const Eigen::MatrixXd matrix = Eigen::MatrixXd::Random(40, 40);
    EXPECT_GE(counter.count(), 3);
    EXPECT_GT(Eigen::PartialPivLU<Eigen::MatrixXd>(matrix).rcond(), 0.0);
    EXPECT_GE(counter.count(), 4);
}
#endif
#endif

TEST(NoAllocationInAStep, of_native_models) { expect_none(ring({"native", "native"})); }

// The linear model of the network is stiff, and solved with sparse factors.
TEST(NoAllocationInAStep, of_stiff_models) {
    expect_none_when_stabilised(ring({"native", "native"}, 1e6));
}

TEST(NoAllocationInAStep, of_native_models_in_a_cycle) {
    expect_none_in_iterations(ring({"native", "native"}));
}

TEST(NoAllocationInAStep, of_fmus_in_a_cycle) {
    expect_none_in_iterations(ring({"fmi2_cs", "fmi3_cs"}));
}
TEST(NoAllocationInAStep, of_co_simulation_fmus) { expect_none(ring({"fmi2_cs", "fmi3_cs"})); }
TEST(NoAllocationInAStep, of_co_simulation_fmus_of_the_first_version) {
    expect_none(ring({"fmi1_cs", "fmi2_cs"}));
}
TEST(NoAllocationInAStep, of_hosted_models) {
    expect_none(ring({"native", "fmi1_me", "fmi2_me", "fmi3_me"}));
}
TEST(NoAllocationInAStep, of_all_kinds_together) {
    expect_none(ring({"native", "fmi2_cs", "fmi3_me", "fmi3_cs", "fmi2_me"}));
}

// When a thread takes part for the first time depends on how busy the machine is.
TEST(NoAllocationInAStep, on_two_threads_except_the_first_of_each) {
    if (!is_counted_for(".fmu")) return;
    constexpr long first_steps = 4;  // the thread itself, and what it keeps for calls of FMUs
    for (const std::string coupling : {"jacobi", "iterative"}) {
        SystemFile file(ring({"fmi2_cs", "fmi3_cs", "fmi2_me"}));
        run::SystemRunOptions run = file.options();
        run.coupling = coupling;
        run.threads = 2;
        run.use_of_threads = exec::Use::always;
        EXPECT_LE(allocating_steps(file, std::move(run)), first_steps) << coupling;
    }
}

// With steps of one length, and in halves.
TEST(NoAllocationInAStep, of_subsystems_at_their_own_paces) {
    const std::string text =
        experiment +
        "[[tlm]]\nname = \"rod\"\ndomain = \"mechanical\"\ndelay = 0.004\nstiffness = 10\n"
        "ends = [{ flow = \"a.v\", effort = \"a.F\" }, { flow = \"b.v\", effort = \"b.F\" }]\n" +
        subsystem_text("a", "TlmMass", "native", "m = 1, d = 1, k = 10, x = 1") +
        "step_ratio = 5\n" + subsystem_text("b", "TlmMass", "native", "m = 1, d = 1, k = 10") +
        "step_ratio = 8\n";
    for (const std::string control : {"fixed", "richardson"}) {
        SystemFile file(text);
        EXPECT_EQ(allocating_steps(file, "asynchronous", {}, control), 0) << control;
    }
}

/// The stair counts up every tenth step, so values do travel; the text is too long to lie in place.
/// For a hosted FMU a discrete value that changes is an event, which may allocate: there it stands.
class NoAllocationWithTypedLinks : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, NoAllocationWithTypedLinks, ::testing::ValuesIn(test::all_kinds),
                         [](const auto& kind) { return kind.param; });

TEST_P(NoAllocationWithTypedLinks, in_a_step) {
    const std::string& kind = GetParam();
    const std::string only_where_all_types_are =
        kind.starts_with("fmi1") || kind.starts_with("fmi2")
            ? ""
            : "\"a.int32_out -> b.int64_in\", \"a.float32_out -> b.float32_in\", "
              "\"a.vector_out[1:2] -> b.matrix_in[1:2]\", \"a.binary_out -> b.binary_in\", "
              "\"a.integers_out -> b.integers_in\"";
    expect_none(
        "connections = [\"stair.count -> a.int32_in\", \"a.int32_out -> b.int32_in\", "
        "\"a.string_out -> b.string_in\", \"a.enumeration_out -> b.enumeration_in\", "
        "\"a.boolean_out -> b.boolean_in\", \"b.int32_out -> a.sampled_in\", "
        "\"a.float64_out -> b.float64_in\", " +
        only_where_all_types_are + "]\n" + experiment +
        subsystem_text("stair", "Stair", kind,
                       kind.ends_with("_me") ? "period = 100" : "period = 0.1") +
        subsystem_text("a", "Feedthrough", kind,
                       "string_in = \"a text that is longer than any short string\"") +
        subsystem_text("b", "Feedthrough", kind));
}

}  // namespace
}  // namespace tandem
