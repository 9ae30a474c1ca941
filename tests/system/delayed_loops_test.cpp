#include <gmock/gmock.h>

#include <cmath>
#include <complex>
#include <optional>

#include "support/command_folder.hpp"
#include "support/edited_fmu.hpp"
#include "support/model_kinds.hpp"
#include "support/system_file.hpp"
#include "tandem/error.hpp"

/// Algebraic loops under every coupling: solved, refused, or told of before the first step.
namespace tandem::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr double stop = 1.0;

/// y_a = x_a + gain y_n, y_b = y_a, ... with x_a' = -x_a: y = exp(-t) / (1 - gain).
std::string ring(int members, double gain, const std::vector<std::string>& kinds) {
    const std::string names = "abcdef";
    std::string connections, parts;
    for (int i = 0; i < members; ++i) {
        const char own = names[static_cast<std::size_t>(i)];
        const char next = names[static_cast<std::size_t>((i + 1) % members)];
        connections += fmt::format("{}\"{}.y -> {}.u\"", i > 0 ? ", " : "", own, next);
        const std::string& kind = kinds[static_cast<std::size_t>(i) % kinds.size()];
        parts += subsystem_text(std::string(1, own), "LinearOde", kind,
                                i == 0 ? fmt::format("x = 1.0, b = 0.0, d = {}", gain)
                                       : std::string("b = 0.0, c = 0.0, d = 1.0"));
        if (!kind.ends_with("_cs")) parts += "tolerance = 1e-9\n";
    }
    return fmt::format(
        "connections = [{}]\n[experiment]\nstop = {}\nstep = 0.1\n[record]\nvariables = "
        "[\"a.y\"]\n{}",
        connections, stop, parts);
}

struct Result {
    bool is_refused = false;
    std::string refusal;
    std::vector<std::string> warnings;  ///< of loops, before the first step
    double y = 0.0;
};

std::vector<std::string> loop_warnings(const run::SystemRun& run) {
    std::vector<std::string> texts;
    for (const Diagnostic& finding : run.findings())
        if (finding.problem.find("algebraic loop") != std::string::npos)
            texts.push_back(sentence(finding.place, finding.problem, finding.hint));
    return texts;
}

Result result_of(const SystemFile& file, const std::string& coupling,
                 const std::vector<std::string>& options = {}) {
    Result result;
    try {
        run::SystemRunOptions running = file.options();
        running.coupling = coupling;
        running.options = options;
        run::SystemRun run(running);
        run.initialise();
        result.warnings = loop_warnings(run);
        if (!run.advance_to(stop)) ADD_FAILURE() << "ended early";
        run.finish();
        result.y = numbers_of(read_text_columns(file.in_folder("out.csv"))).at("a.y").back();
    } catch (const std::runtime_error& error) {
        result.is_refused = true;
        result.refusal = error.what();
    }
    return result;
}

double exact(double gain) { return std::exp(-stop) / (1.0 - gain); }

TEST(DelayedLoops, are_solved_or_refused_or_told_of_for_every_kind_coupling_and_gain) {
    for (const std::string& kind : all_kinds)
        for (const double gain : {0.5, -0.5, 3.0, -3.0})
            for (const int members : {2, 3}) {
                if (members == 3 && kind != "native" && kind != "fmi2_cs") continue;
                const SystemFile file(ring(members, gain, {kind}));
                for (const std::string coupling :
                     {"auto", "aggregate", "gauss_seidel", "iterative", "jacobi", "linear_implicit",
                      "lti", "nepce", "predictor", "pre_step"}) {
                    const Result result = result_of(file, coupling);
                    if (result.is_refused) continue;
                    // Solvers inside work to 1e-6 at least.
                    const bool is_right =
                        std::abs(result.y - exact(gain)) < 1e-4 * std::abs(exact(gain));
                    const bool is_told = !result.warnings.empty();
                    EXPECT_TRUE(is_right || is_told)
                        << coupling << " " << kind << " gain " << gain << ": " << result.y;
                    const bool must_be_right = coupling == "auto" && std::abs(gain) > 1.0;
                    EXPECT_TRUE(is_right || !must_be_right) << kind;
                }
            }
}

/// A loop of gain -3 through an FMU whose inputs do not act on its outputs between steps.
const std::string answers_in_steps =
    "connections = [\"answers_in_steps.z -> a.u\", \"a.y -> answers_in_steps.u\"]\n"
    "[experiment]\nstop = 1\nstep = 0.1\n[record]\nvariables = [\"a.y\"]\n"
    "[subsystems.answers_in_steps]\nsource = \"" TANDEM_ODD_FMUS
    "/Foreign.fmu\"\nparameters = { k = 0.0, g = -3.0 }\n" +
    subsystem_text("a", "LinearOde", "fmi1_cs", "x = 1.0, b = 0.0, d = 1.0");

TEST(DelayedLoops, that_run_away_are_refused_where_nobody_asked_for_the_coupling) {
    const SystemFile file(answers_in_steps);
    const Result result = result_of(file, "auto");
    EXPECT_TRUE(result.is_refused);
    EXPECT_THAT(result.refusal,
                AllOf(HasSubstr("the coupling 'gauss_seidel' cannot solve the algebraic loop"),
                      HasSubstr("(loop gain -3)"),
                      HasSubstr("each step multiplies their error by 3"), HasSubstr("hint: ")));
    EXPECT_FALSE(result_of(file, "gauss_seidel").is_refused) << "it was asked for";
}

// Neither can go back, but both let inputs be set and outputs be read between steps.
TEST(DelayedLoops, are_solved_at_communication_points_unless_the_coupling_is_named) {
    const SystemFile file(ring(2, -3.0, {"fmi1_cs"}));
    for (const std::string coupling : {"auto", "iterative"}) {
        const Result result = result_of(file, coupling);
        EXPECT_THAT(result.warnings, IsEmpty()) << coupling;
        EXPECT_NEAR(result.y, exact(-3.0), 1e-4 * exact(-3.0)) << coupling;
    }
    EXPECT_NEAR(result_of(file, "gauss_seidel", {"loops=solve"}).y, exact(-3.0),
                1e-4 * exact(-3.0));
    EXPECT_THAT(result_of(file, "gauss_seidel").warnings, Contains(HasSubstr("cannot solve")));
    EXPECT_THAT(result_of(file, "gauss_seidel", {"loops=delay"}).warnings,
                Contains(HasSubstr("cannot solve")));
}

TEST(DelayedLoops, through_an_fmu_that_cannot_go_back_are_solved_or_told_of_in_every_version) {
    const EditedFmu fmi2(
        std::string(TANDEM_FMU_DIR) + "/LinearOde_fmi2.fmu",
        {{"canGetAndSetFMUstate=\"true\"", ""}, {"canSerializeFMUstate=\"true\"", ""}});
    const EditedFmu fmi3(
        std::string(TANDEM_FMU_DIR) + "/LinearOde_fmi3.fmu",
        {{"canGetAndSetFMUState=\"true\"", ""}, {"canSerializeFMUState=\"true\"", ""}});
    for (const EditedFmu* fmu : {&fmi2, &fmi3}) {
        const SystemFile file(fmt::format(
            "connections = [\"b.y -> a.u\", \"a.y -> b.u\"]\n[experiment]\nstop = 1\nstep = 0.1\n"
            "[record]\nvariables = [\"a.y\"]\n[subsystems.a]\nsource = \"{0}\"\nkind = \"cs\"\n"
            "parameters = {{ x = 1.0, b = 0.0, d = 3.0 }}\n[subsystems.b]\nsource = \"{0}\"\n"
            "kind = \"cs\"\nparameters = {{ b = 0.0, c = 0.0, d = 1.0 }}\n",
            fmu->path().string()));
        EXPECT_NEAR(result_of(file, "auto").y, exact(3.0), 1e-4);
        EXPECT_NEAR(result_of(file, "iterative").y, exact(3.0), 1e-4);
        EXPECT_THAT(result_of(file, "jacobi").warnings, Contains(HasSubstr("(loop gain 3)")));
    }
}

TEST(DelayedLoops, beside_an_aggregate_are_solved_unless_its_outer_coupling_is_named) {
    // One equation of a and b, and c beside it, all in one loop.
    const SystemFile file(ring(3, -3.0, {"native", "native", "fmi2_cs"}));
    EXPECT_NEAR(result_of(file, "aggregate").y, exact(-3.0), 1e-4 * exact(-3.0));
    for (const std::string outer : {"jacobi", "gauss_seidel"})
        EXPECT_THAT(
            result_of(file, "aggregate", {"outer=" + outer}).warnings,
            Contains(AllOf(HasSubstr("outer = \"" + outer + "\" of 'aggregate' cannot solve"),
                           HasSubstr("a.u -> b.y -> c.u -> c.y"), HasSubstr("(loop gain -3)"),
                           HasSubstr("outer = \"iterative\""))))
            << outer;
    const Result solved = result_of(file, "aggregate", {"outer=iterative"});
    EXPECT_THAT(solved.warnings, IsEmpty());
    EXPECT_NEAR(solved.y, exact(-3.0), 1e-4 * exact(-3.0));
    const Result chosen = result_of(file, "auto");
    EXPECT_THAT(chosen.warnings, IsEmpty());
    EXPECT_NEAR(chosen.y, exact(-3.0), 1e-4 * exact(-3.0));
}

double told_growth(const std::string& text) {
    const std::string before = "multiplies their error by ";
    const std::size_t found = text.find(before);
    return found == std::string::npos ? 0.0 : std::stod(text.substr(found + before.size()));
}

// Once round takes as many steps as there are members with jacobi, and one step with gauss_seidel.
// With linear extrapolation z^2 = r (2 z - 1), where r^members = gain.
TEST(DelayedLoops, grow_as_their_recurrence_says) {
    const double gain = -3.0;
    for (const int members : {2, 3}) {
        const SystemFile file(ring(members, gain, {"native"}));
        const auto growth = [&](const std::string& coupling, const std::string& option) {
            const Result result = result_of(file, coupling, {option});
            EXPECT_FALSE(result.warnings.empty());
            return result.warnings.empty() ? 0.0 : told_growth(result.warnings.front());
        };
        const double root = std::pow(3.0, 1.0 / members);
        EXPECT_NEAR(growth("jacobi", "order=0"), root, 1e-2 * root);
        EXPECT_NEAR(growth("gauss_seidel", "order=0"), 3.0, 1e-2);
        double largest = 0.0;
        for (int k = 0; k < members; ++k) {
            const std::complex<double> r =
                std::polar(root, (2.0 * k + 1.0) * std::acos(-1.0) / members);
            for (const double sign : {1.0, -1.0})
                largest = std::max(largest, std::abs(r + sign * std::sqrt(r * r - r)));
        }
        EXPECT_NEAR(growth("jacobi", "order=1"), largest, 1e-2 * largest);
    }
}

TEST(DelayedLoops, that_come_to_their_solution_are_told_to_lag_behind) {
    const SystemFile file(ring(2, 0.5, {"fmi2_cs"}));
    const Result result = result_of(file, "jacobi");
    EXPECT_THAT(result.warnings,
                Contains(AllOf(HasSubstr("(loop gain 0.5) but delays its values by one step"),
                               HasSubstr("hint: "))));
    EXPECT_GT(std::abs(result.y - exact(0.5)), 1e-2) << "that is worth a word";
}

TEST(DelayedLoops, of_no_gain_are_none) {
    // b depends on its input by declaration only.
    const SystemFile file(ring(2, 0.0, {"fmi1_cs"}));
    for (const std::string coupling : {"auto", "jacobi"})
        EXPECT_THAT(result_of(file, coupling).warnings, IsEmpty());
}

TEST(DelayedLoops, are_found_by_check) {
    const test::CommandFolder folder;
    folder.write("chosen.toml", answers_in_steps);
    const test::Said refused = folder.tandem("check chosen.toml");
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.out, HasSubstr("cannot solve the algebraic loop"));
    folder.write("named.toml",
                 ring(2, -3.0, {"fmi1_cs"}) + "[coupling]\nmethod = \"gauss_seidel\"\n");
    const test::Said warned = folder.tandem("check named.toml");
    EXPECT_EQ(warned.code, 0);
    EXPECT_THAT(warned.out, AllOf(HasSubstr("warning: "), HasSubstr("(loop gain -3)"),
                                  HasSubstr("use 'iterative'")));
    folder.write("solved.toml", ring(2, -3.0, {"fmi2_cs"}));
    const test::Said solved = folder.tandem("check solved.toml");
    EXPECT_EQ(solved.code, 0);
    EXPECT_THAT(solved.out, Not(HasSubstr("loop gain")));
}

TEST(Runs, that_grow_without_bound_say_which_values_did) {
    const test::CommandFolder folder;
    folder.write("s.toml", ring(2, -3.0, {"fmi1_cs"}));
    const test::Said said = folder.tandem("run s.toml --coupling gauss_seidel --step 0.01");
    EXPECT_EQ(said.code, 3) << "it is not credible";
    EXPECT_THAT(said.err, HasSubstr("values grew without bound, by more than 1e+30: a.y\n"));
    EXPECT_THAT(test::read_bytes(folder / "run.json"), HasSubstr("values grew without bound"));
    // Without a loop, and of an FMU alone: x = exp(100 t) comes to 2.7e43.
    folder.write("e.toml", "[experiment]\nstop = 1\nstep = 0.1\n" +
                               subsystem_text("a", "LinearOde", "native", "x = 1.0, a = 100.0"));
    EXPECT_THAT(folder.tandem("run e.toml").err, HasSubstr("values grew without bound"));
    EXPECT_THAT(folder.tandem("run fmus/LinearOde_fmi2.fmu --stop 1 --set x=1 --set a=100").err,
                HasSubstr("values grew without bound"));
    EXPECT_THAT(folder.tandem("run fmus/LinearOde_fmi2.fmu --stop 1 --set x=1 --set a=10").err,
                Not(HasSubstr("values grew without bound")));
}

// x = sin t, u = cos t and y = 1.5e308 (x + u), which is beyond all doubles while sin t + cos t >
// 1.1985, between 0.2256 and 1.3452: the last row is as finite as the first.
TEST(Runs, with_values_that_are_no_numbers_for_a_while_say_which_and_since_when) {
    for (const std::string kind : {"native", "fmi1_me", "fmi2_me", "fmi2_cs", "fmi3_cs"})
        for (const std::string coupling : {"jacobi", "gauss_seidel", "iterative"}) {
            SystemFile file(
                "[[sources]]\ntarget = \"a.u\"\nexpression = \"cos(t)\"\n"
                "[experiment]\nstop = 2.0\nstep = 0.1\n[coupling]\nmethod = \"" +
                coupling + "\"\n" +
                subsystem_text("a", "LinearOde", kind, "a = 0, c = 1.5e308, d = 1.5e308") +
                subsystem_text("b", "LinearOde", "native"));
            file.run_text();
            EXPECT_THAT(file.warnings,
                        Contains(AllOf(HasSubstr("values are no finite numbers: a.y from t = 0.3 "
                                                 "on\n"),
                                       HasSubstr("do not trust"))))
                << kind << " " << coupling;
        }
}

}  // namespace
}  // namespace tandem::test
