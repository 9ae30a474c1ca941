#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <regex>

#include "support/system_file.hpp"
#include "tandem/error.hpp"

/// Algebraic loops whose solution ends, or is one of several.
namespace tandem::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// y = f(y, s) with s = s0 + t of a clock; the loop's begin is `start`.
std::string loop(const std::string& kind, const std::string& function, double s0, double start) {
    return fmt::format(
               "[experiment]\nstop = 6\nstep = 0.07\n[record]\nvariables = [\"*.y\"]\n"
               "[[functions]]\ntarget = \"a.u\"\nexpression = \"{}\"\n"
               "signals = {{ y = \"a.y\", s = \"clock.y\" }}\n",
               function) +
           subsystem_text("a", "LinearOde", kind,
                          fmt::format("a = 0.0, b = 0.0, c = 0.0, d = 1.0, u = {}", start)) +
           subsystem_text("clock", "LinearOde", kind,
                          fmt::format("x = {}, a = 0.0, b = 1.0, c = 1.0, u = 1.0", s0));
}

/// 3 y - y^3 = s: the solution that is 2 at s = -2 ends at s = 2, y = 1.
const std::string cubic = "y + 0.1*(3*y - y^3 - s)";
/// y^2 = 1 - s ends at s = 1.
const std::string root = "y + 0.5*(1 - s - y^2)";
/// y = 1 / (1 - s) has a pole at s = 1.
const std::string pole = "1 + s*y";

struct Result {
    std::string error;
    std::vector<std::string> warnings;
    Columns columns;
};

Result result_of(const SystemFile& file, const std::string& coupling,
                 const std::vector<std::string>& options = {}) {
    Result result;
    run::SystemRunOptions running = file.options();
    running.coupling = coupling;
    running.options = options;
    run::SystemRun run(running);
    try {
        run.perform();
    } catch (const NumericsError& error) {
        result.error = error.what();
    }
    run.close_results();
    for (const Diagnostic& finding : run.findings())
        result.warnings.push_back(sentence(finding.place, finding.problem, finding.hint));
    result.columns = numbers_of(read_text_columns(file.in_folder("out.csv")));
    return result;
}

/// The loop of loop() through several subsystems r0, r1, ...: as many unknowns, each as many times
/// as large as there as its scale says.
std::string ring(const std::string& kind, const std::string& function,
                 const std::vector<double>& scales, std::pair<double, double> s0_and_start) {
    const auto [s0, start] = s0_and_start;
    const std::size_t last = scales.size() - 1;
    std::string text = "[experiment]\nstop = 6\nstep = 0.07\n[record]\nvariables = [\"*.y\"]\n";
    for (std::size_t i = 0; i < last; ++i)
        text += fmt::format("[[connections]]\nfrom = \"r{}.y\"\nto = \"r{}.u\"\nfactor = {:.17g}\n",
                            i, i + 1, scales[i + 1] / scales[i]);
    text += fmt::format(
        "[[functions]]\ntarget = \"r0.u\"\nexpression = \"{:e}*({})\"\n"
        "signals = {{ y = \"r{}.y\", s = \"clock.y\" }}\n",
        scales[0],
        std::regex_replace(function, std::regex("y"), fmt::format("(y/{:e})", scales[last])), last);
    for (std::size_t i = 0; i <= last; ++i)
        text += subsystem_text(
            fmt::format("r{}", i), "LinearOde", kind,
            fmt::format("a = 0.0, b = 0.0, c = 0.0, d = 1.0, u = {:.17g}", start * scales[i]));
    return text + subsystem_text("clock", "LinearOde", kind,
                                 fmt::format("x = {}, a = 0.0, b = 1.0, c = 1.0, u = 1.0", s0));
}

const std::vector<std::string> kinds_that_go_back = {"native", "fmi2_cs", "fmi3_cs", "fmi2_me"};

/// Every way to find the values of a cycle.
const std::vector<std::string> accelerators = {"fixed_point", "aitken", "anderson", "broyden",
                                               "newton"};

double number_after(const std::string& text, const std::string& words) {
    const std::size_t found = text.find(words);
    return found == std::string::npos ? 0.0 : std::stod(text.substr(found + words.size()));
}

// Newton's method may find the other solution from there, or none within its iterations.
TEST(LoopBranches, that_end_are_kept_until_then_and_their_end_is_told_of) {
    for (const std::string& kind : kinds_that_go_back) {
        const SystemFile file(loop(kind, cubic, -2.0, 1.9));
        const Result result = result_of(file, "iterative");
        const bool ends = !result.error.empty();
        EXPECT_EQ(result.warnings.size(), ends ? 0U : 1U) << kind;
        const std::string said =
            ends || result.warnings.empty() ? result.error : result.warnings.front();
        EXPECT_THAT(
            said, AllOf(HasSubstr(ends ? "did not converge" : "does not go on"), HasSubstr("a.u")))
            << kind;
        // To a thousandth of the step, and where it is approached from.
        EXPECT_NEAR(number_after(said, ends ? "the step from " : "between "), 4.0, 2e-4) << kind;
        for (std::size_t k = 0; k < result.columns.at("time").size(); ++k) {
            const double y = result.columns.at("a.y")[k], s = result.columns.at("clock.y")[k];
            EXPECT_NEAR(3.0 * y - y * y * y, s, 1e-8) << kind;
            EXPECT_EQ(y > 0.0, s < 2.0 + 2e-4) << kind << " at " << s;
        }
        EXPECT_GT(result.columns.at("time").size(), 57U) << kind;
    }
}

TEST(LoopBranches, that_end_are_no_failures_to_converge_where_a_run_stops_at_these) {
    const Result result =
        result_of(SystemFile(loop("native", pole, 0.0, 1.0)), "iterative", {"on_failure=stop"});
    EXPECT_THAT(
        result.error,
        AllOf(HasSubstr("converged, but perhaps to another solution than before: "),
              HasSubstr("det(I - J) changes its sign"), Not(HasSubstr("did not converge"))));
    // 1 / (1 - t) up to the last point of the grid before the pole.
    EXPECT_NEAR(result.columns.at("time").back(), 0.98, 1e-9);
    EXPECT_NEAR(result.columns.at("a.y").back(), 50.0, 1e-4);
}

TEST(LoopBranches, without_a_continuation_end_the_run) {
    for (const std::string coupling : {"iterative", "aggregate"}) {
        const SystemFile file(loop("native", root, 0.0, 0.9));
        const Result result = result_of(file, coupling);
        EXPECT_THAT(result.error, HasSubstr("a.")) << coupling;
        EXPECT_NEAR(result.columns.at("time").back(), 1.0, 0.07) << coupling;
        for (std::size_t k = 0; k < result.columns.at("time").size(); ++k)
            EXPECT_NEAR(result.columns.at("a.y")[k],
                        std::sqrt(1.0 - result.columns.at("clock.y")[k]), 1e-8)
                << coupling;
    }
}

TEST(LoopBranches, that_pass_a_singularity_are_told_of) {
    for (const std::string& kind : kinds_that_go_back) {
        const Result result = result_of(SystemFile(loop(kind, pole, 0.0, 1.0)), "iterative");
        EXPECT_EQ(result.error, "") << kind;
        const auto said = std::ranges::find_if(result.warnings, [](const std::string& warning) {
            return warning.find("det(I - J) changes its sign") != std::string::npos;
        });
        ASSERT_NE(said, result.warnings.end()) << kind;
        EXPECT_NEAR(number_after(*said, "between "), 1.0, 2e-4) << kind;
        // No step resolves a pole.
        for (const std::string& warning : result.warnings)
            if (warning != *said) {
                EXPECT_THAT(warning, HasSubstr("the step does not resolve")) << kind;
            }
    }
}

TEST(LoopBranches, that_go_on_are_not_suspected) {
    // y + y^3 = s has one solution: y' = 1 / (1 + 3 y^2).
    const SystemFile file(loop("native", "y + 0.2*(s - y - y^3)", -3.0, -1.2));
    const Result result = result_of(file, "iterative");
    EXPECT_THAT(result.warnings, IsEmpty());
    EXPECT_EQ(result.columns.at("time").size(), 87U);
    for (std::size_t k = 0; k < result.columns.at("time").size(); ++k) {
        const double y = result.columns.at("a.y")[k];
        EXPECT_NEAR(y + y * y * y, result.columns.at("clock.y")[k], 1e-8);
    }
}

/// What a run said at last, and when that was.
struct Said {
    std::string text;
    double time = 0.0;
};
Said said_by(const Result& result) {
    const std::string text = !result.error.empty()     ? result.error
                             : result.warnings.empty() ? ""
                                                       : result.warnings.front();
    return {text, number_after(text, result.error.empty() ? "between " : "the step from ")};
}

struct Loop {
    std::string name, text;
    std::string output = "a.y";
    double scale = 1.0;  ///< of the output
};
std::vector<Loop> loops(const std::string& function, double s0, double start) {
    std::vector<Loop> all;
    for (const std::string& kind : kinds_that_go_back)
        all.push_back({kind, loop(kind, function, s0, start)});
    for (const double scale : {1.0, 1e-3})
        all.push_back({fmt::format("ring of {}", scale),
                       ring("native", function, {scale, 1.0 / scale}, {s0, start}), "r0.y", scale});
    return all;
}

// Without a Jacobian the iteration becomes slow where the solution ends, and may give up before.
TEST(LoopBranches, are_left_in_silence_by_no_accelerator_where_they_fold) {
    for (const Loop& loop : loops(cubic, -2.0, 1.9))
        for (const std::string& accelerator : accelerators) {
            if (accelerator == "fixed_point" && loop.name != "native") continue;  // slow there
            SCOPED_TRACE(loop.name + ", " + accelerator);
            const Result result =
                result_of(SystemFile(loop.text), "iterative", {"accelerator=" + accelerator});
            const Said said = said_by(result);
            EXPECT_THAT(said.text, ::testing::AnyOf(HasSubstr("did not converge"),
                                                    HasSubstr("does not go on")));
            EXPECT_THAT(said.text,
                        ::testing::AnyOf(HasSubstr("a.u"), HasSubstr("r0.u"), HasSubstr("r1.u")));
            EXPECT_LT(said.time, 4.0 + 2e-4);
            EXPECT_GT(said.time, result.error.empty() ? 4.0 - 2e-4 : 2.0);
            for (std::size_t k = 0; k < result.columns.at("time").size(); ++k) {
                const double y = result.columns.at(loop.output)[k] / loop.scale;
                const double s = result.columns.at("clock.y")[k];
                EXPECT_NEAR(3.0 * y - y * y * y, s, 1e-7);
                EXPECT_EQ(y > 0.0, s < 2.0 + 2e-4) << " at " << s;
            }
        }
}

/// Rings of two to four members whose values differ by up to a factor of 1e12.
std::vector<Loop> random_rings(unsigned seed, const std::string& function, double s0,
                               double start) {
    std::mt19937 random(seed);
    std::vector<Loop> all;
    for (std::size_t k = 0; k < 8; ++k) {
        const std::string& kind = kinds_that_go_back[k % kinds_that_go_back.size()];
        std::vector<double> scales(2 + random() % 3);
        std::string name = kind + " ring of";
        for (double& scale : scales) {
            scale = std::pow(10.0, static_cast<double>(random() % 13) - 6.0);
            name += fmt::format(" {:g}", scale);
        }
        all.push_back({name, ring(kind, function, scales, {s0, start}), "r0.y", scales[0]});
    }
    return all;
}

// What is in a row solves 3 y - y^3 = s, and is the solution that begins at 2 up to the fold at
// s = 2. There the run ends, or says that it goes on with the other one.
TEST(LoopBranches,
     are_left_in_silence_by_no_ring_where_they_fold_whatever_the_sizes_of_its_values) {
    for (const Loop& loop : random_rings(7, cubic, -2.0, 1.9))
        for (const std::string accelerator : {"newton", "broyden", "anderson", "aggregate"}) {
            const bool is_iterative = accelerator != "aggregate";
            if (!is_iterative && loop.name.find("_cs") != std::string::npos) continue;
            SCOPED_TRACE(loop.name + ", " + accelerator);
            const Result result =
                result_of(SystemFile(loop.text), is_iterative ? "iterative" : "aggregate",
                          is_iterative ? std::vector<std::string>{"accelerator=" + accelerator}
                                       : std::vector<std::string>{});
            EXPECT_NE(said_by(result).text, "");
            for (std::size_t k = 0; k < result.columns.at("time").size(); ++k) {
                const double y = result.columns.at(loop.output)[k] / loop.scale;
                const double s = result.columns.at("clock.y")[k];
                EXPECT_NEAR(3.0 * y - y * y * y, s, 1e-6);
                EXPECT_EQ(y > 0.0, s < 2.0 + 2e-4) << " at " << s;
            }
        }
}

TEST(LoopBranches, that_go_on_are_suspected_in_no_ring_whatever_the_sizes_of_its_values) {
    const std::string function = "y + 0.2*(s - y - y^3)";
    for (const Loop& loop : random_rings(8, function, -3.0, -1.2))
        for (const std::string accelerator : {"newton", "broyden"}) {
            SCOPED_TRACE(loop.name + ", " + accelerator);
            const Result result =
                result_of(SystemFile(loop.text), "iterative", {"accelerator=" + accelerator});
            EXPECT_EQ(result.error, "");
            EXPECT_THAT(result.warnings, IsEmpty());
            for (std::size_t k = 0; k < result.columns.at("time").size(); ++k) {
                const double y = result.columns.at(loop.output)[k] / loop.scale;
                EXPECT_NEAR(y + y * y * y, result.columns.at("clock.y")[k], 1e-8);
            }
        }
}

TEST(LoopBranches, pass_a_singularity_in_silence_with_no_accelerator) {
    for (const Loop& loop : loops(pole, 0.0, 1.0))
        for (const std::string& accelerator : accelerators) {
            if (accelerator == "fixed_point" && loop.name != "native") continue;  // slow there
            SCOPED_TRACE(loop.name + ", " + accelerator);
            const Result result =
                result_of(SystemFile(loop.text), "iterative", {"accelerator=" + accelerator});
            const Said said = said_by(result);
            EXPECT_THAT(said.text, ::testing::AnyOf(HasSubstr("did not converge"),
                                                    HasSubstr("det(I - J) changes its sign")));
            EXPECT_LT(said.time, 1.0 + 2e-4);
            EXPECT_GT(said.time, result.error.empty() ? 1.0 - 2e-4 : 0.3);
            for (std::size_t k = 0; k < result.columns.at("time").size(); ++k) {
                const double y = result.columns.at(loop.output)[k] / loop.scale;
                EXPECT_NEAR(y * (1.0 - result.columns.at("clock.y")[k]), 1.0, 1e-7);
            }
        }
}

TEST(LoopBranches, that_go_on_are_suspected_by_no_accelerator) {
    const std::vector<std::pair<std::string, double>> functions = {
        {"y + 0.2*(s - y - y^3)", -1.2},             // one solution of y + y^3 = s
        {"0.5*y + sin(3*s)", 2.0 * std::sin(-9.0)},  // y = 2 sin(3 s), 30 steps in a period
        {"-0.5*y + (s > 0.01 ? 3 : 0)", 0.0}};       // a jump of an expression
    for (const auto& [function, start] : functions)
        for (const Loop& loop : loops(function, -3.0, start))
            for (const std::string& accelerator : accelerators) {
                SCOPED_TRACE(function + ", " + loop.name + ", " + accelerator);
                const Result result =
                    result_of(SystemFile(loop.text), "iterative",
                              {"accelerator=" + accelerator, "max_iterations=500"});
                EXPECT_EQ(result.error, "");
                EXPECT_THAT(result.warnings, IsEmpty());
            }
}

}  // namespace
}  // namespace tandem::test
