#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "support/command_folder.hpp"
#include "support/edited_fmu.hpp"
#include "support/result_files.hpp"

// FMUs with the habits of other tools (support/fmus/foreign_fmi2.cpp): dx/dt = k u, y = x, u = 1.
namespace tandem::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string foreign = TANDEM_ODD_FMUS "/Foreign.fmu";

/// The FMU of that habit, and a source y = t, dx/dt = 1, that feeds it if `is_fed`.
std::string system_of(const std::string& habit, const std::string& coupling, bool is_fed) {
    return "[experiment]\nstop = 1\nstep = 0.1\n[coupling]\nmethod = " + coupling +
           "\n[subsystems." + habit + "]\nsource = \"" + foreign +
           "\"\nparameters = { k = 2.0 }\n[subsystems.ramp]\nsource = "
           "\"fmus/LinearOde_fmi2.fmu\"\nkind = \"cs\"\nparameters = { a = 0, b = 1, u = 1 }\n" +
           (is_fed ? "[[connections]]\nfrom = \"ramp.y\"\nto = \"" + habit + ".u\"\n" : "");
}

/// Runs it; y at the end.
double last_y(const std::string& text, const std::string& habit, Said& said) {
    const CommandFolder folder;
    folder.write("s.toml", text);
    said = folder.tandem("run s.toml --output o.csv");
    EXPECT_EQ(said.code, 0) << habit << ": " << said.err;
    if (said.code != 0) return 0.0;
    const std::string column = habit + ".y";
    return read_csv_results(folder / "o.csv")[column].back();
}

TEST(ForeignFmus, lose_no_parameters_that_are_set_before_the_experiment_is) {
    Said said;
    EXPECT_DOUBLE_EQ(last_y(system_of("forgets", "\"jacobi\"", false), "forgets", said), 2.0);
    EXPECT_THAT(said.err, Not(HasSubstr("did not keep")));
    const CommandFolder folder;
    std::filesystem::copy_file(foreign, folder / "forgets.fmu");
    const Said alone = folder.tandem("run forgets.fmu --stop 1 --set k=7 --set u=1 --output o.csv");
    EXPECT_EQ(alone.code, 0) << alone.err;
    EXPECT_NEAR(read_csv_results(folder / "o.csv")["y"].back(), 7.0, 1e-12);
}

TEST(ForeignFmus, that_change_what_was_set_are_named_with_both_values) {
    const CommandFolder folder;
    folder.write("s.toml", system_of("limits", "\"jacobi\"", false));
    const Said said = folder.tandem("run s.toml --set limits.k=7 --output o.csv");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.err, AllOf(HasSubstr("limits: the FMU did not keep start values"),
                                HasSubstr("k was set to 7 and reads 5")));
}

// Values are set after the file is read, when the experiment is set up.
TEST(ForeignFmus, that_refuse_a_value_are_named_with_its_place) {
    const CommandFolder folder;
    folder.write("s.toml", "[experiment]\nstop = 1\n[subsystems.refuses_values]\nsource = \"" +
                               foreign +
                               "\"\n[subsystems.refuses_values.parameters]\ng = 1.0\nk = -2.0\n");
    const Said of_file = folder.tandem("run s.toml");
    EXPECT_EQ(of_file.code, 2);
    EXPECT_THAT(of_file.err, HasSubstr("s.toml:7: parameter refuses_values.k: "));
    const Said of_option = folder.tandem("run s.toml --set refuses_values.k=-3");
    EXPECT_EQ(of_option.code, 2);
    EXPECT_THAT(of_option.err,
                HasSubstr("--set refuses_values.k=-3: parameter refuses_values.k: "));
    EXPECT_EQ(folder.tandem("run s.toml --set refuses_values.k=3").code, 0);
    std::filesystem::copy_file(foreign, folder / "refuses_values.fmu");
    const Said alone = folder.tandem("run refuses_values.fmu --set k=-2");
    EXPECT_EQ(alone.code, 2);
    EXPECT_THAT(alone.err, HasSubstr("--set k: refuses_values: fmi2SetReal"));
}

// y = 2 (integral of t) = 1 with lines; NaN as a slope before the first step would end the run.
TEST(ForeignFmus, are_not_asked_for_slopes_before_the_first_step) {
    for (const std::string coupling :
         {"\"jacobi\"\norder = 1", "\"gauss_seidel\"\norder = 1", "\"jacobi\"\norder = 2",
          "\"nepce\"", "\"predictor\"", "\"linear_implicit\"", "\"iterative\""}) {
        Said said;
        EXPECT_NEAR(last_y(system_of("plain", coupling, true), "plain", said), 1.0, 0.11)
            << coupling;
        EXPECT_THAT(said.err, Not(HasSubstr("output derivatives"))) << coupling;
    }
}

TEST(ForeignFmus, whose_slopes_cannot_be_used_go_on_with_past_outputs) {
    for (const std::string habit : {"tells_no_slopes", "tells_wrong_slopes"}) {
        const CommandFolder folder;
        folder.write("s.toml",
                     "[experiment]\nstop = 1\nstep = 0.1\n[coupling]\nmethod = "
                     "\"jacobi\"\norder = 1\nslopes = \"told\"\n[subsystems." +
                         habit + "]\nsource = \"" + foreign +
                         "\"\n[subsystems.b]\nsource = \"fmus/LinearOde_fmi2.fmu\"\nkind "
                         "= \"cs\"\nparameters = { a = 0, b = 1 }\n[[connections]]\nfrom = "
                         "\"" +
                         habit + ".y\"\nto = \"b.u\"\n");
        const Said said = folder.tandem("run s.toml --output o.csv");
        EXPECT_EQ(said.code, 0) << said.err;
        EXPECT_THAT(said.err, HasSubstr(habit + ": the FMU gives no output derivatives"));
        // Integral of t; the first step holds y = 0, the others follow a line.
        EXPECT_NEAR(read_csv_results(folder / "o.csv")["b.y"].back(), 0.495, 1e-6);
    }
}

TEST(ForeignFmus, that_take_no_slopes_hold_their_inputs_at_the_middle_of_steps) {
    Said said;
    // 2 (0.05 + 0.15 + ... + 0.95) 0.1
    EXPECT_NEAR(
        last_y(system_of("refuses_slopes", "\"jacobi\"\norder = 1", true), "refuses_slopes", said),
        1.0, 1e-9);
    EXPECT_THAT(said.err, HasSubstr("refuses_slopes: the FMU takes no input derivatives"));
}

// States are saved at the start of each step, none from before it.
TEST(ForeignFmus, are_told_that_nothing_before_the_step_is_restored) {
    for (const std::string coupling : {"\"iterative\"", "\"jacobi\"", "\"auto\""}) {
        Said said;
        EXPECT_NEAR(last_y(system_of("stands_still", coupling, true), "stands_still", said), 1.0,
                    0.11)
            << coupling;
    }
}

TEST(ForeignFmus, get_the_step_itself_not_differences_of_times) {
    Said said;
    EXPECT_NEAR(last_y(system_of("counts", "\"jacobi\"", false), "counts", said), 2.0, 1e-12);
    // 0.2 + 0.1 is behind 0.3.
    const CommandFolder folder;
    folder.write("s.toml", system_of("counts", "\"jacobi\"", false));
    const Said short_run = folder.tandem("run s.toml --stop 0.3 --output o.csv");
    EXPECT_EQ(short_run.code, 0) << short_run.err;
    EXPECT_NEAR(read_csv_results(folder / "o.csv")["counts.y"].back(), 0.6, 1e-12);
}

TEST(ForeignFmus, may_call_their_state_null) {
    Said said;
    EXPECT_NEAR(last_y(system_of("null_state", "\"iterative\"", true), "null_state", said), 1.0,
                1e-9);
}

TEST(ForeignFmus, that_discard_a_step_tell_how_far_they_came) {
    Said said;
    EXPECT_NEAR(last_y(system_of("discards", "\"jacobi\"", false), "discards", said), 2.0, 1e-12);
    EXPECT_THAT(said.err, HasSubstr("1 retried"));
}

// The same alone: the step after 0.25 ends at the next point of the grid, the others have full
// length.
TEST(ForeignFmus, that_discard_a_step_are_offered_the_whole_step_again) {
    const CommandFolder folder;
    std::filesystem::copy_file(foreign, folder / "discards.fmu");
    const std::string run = "run discards.fmu --stop 1 --step 0.1 --output o.csv ";
    const Said said = folder.tandem(run + "--retry --set k=2");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.err, HasSubstr("in 11 steps, 1 discarded step"));
    EXPECT_NEAR(read_csv_results(folder / "o.csv")["y"].back(), 2.0, 1e-12);
    const Said without = folder.tandem(run);
    EXPECT_EQ(without.code, 1);
    EXPECT_THAT(without.err, HasSubstr("--retry"));
    folder.write("s.toml", system_of("discards", "\"jacobi\"", false));
    for (const std::string retry : {" --retry", ""}) {
        const Said system = folder.tandem("run s.toml --output o.csv" + retry);
        EXPECT_EQ(system.code, 0) << system.err;
        EXPECT_THAT(system.err, AllOf(HasSubstr("in 11 steps"), HasSubstr("1 retried")));
        EXPECT_NEAR(read_csv_results(folder / "o.csv")["discards.y"].back(), 2.0, 1e-12);
    }
}

// An FMU may refuse to be evaluated behind the end of the run: slopes there are backward
// differences. The last row has the integral of sin(2 t).
TEST(ForeignFmus, are_not_asked_for_slopes_behind_the_end) {
    for (const std::string fmi : {"fmi1_me", "fmi2", "fmi3"}) {
        const CommandFolder folder;
        folder.write(
            "s.toml",
            "[experiment]\nstop = 1\nstep = 0.01\n[coupling]\nmethod = \"jacobi\"\norder = "
            "1\nslopes = \"told\"\n[subsystems.s]\nsource = \"fmus/SineSource_" +
                fmi +
                ".fmu\"\nkind = \"me\"\nparameters = { omega = 2.0 "
                "}\n[subsystems.b]\nsource = \"fmus/LinearOde_fmi2.fmu\"\nkind = "
                "\"me\"\nparameters = { a = 0, b = 1 }\n[[connections]]\nfrom = "
                "\"s.y\"\nto = \"b.u\"\n");
        const Said said = folder.tandem("run s.toml --output o.csv");
        EXPECT_EQ(said.code, 0) << said.err;
        EXPECT_NEAR(read_csv_results(folder / "o.csv")["b.y"].back(), 0.5 * (1.0 - std::cos(2.0)),
                    1e-4);
    }
}

// Steps of 0.1 are discarded without a word on how far it came, halves are taken: each step of the
// grid is offered as a whole, then in halves.
TEST(ForeignFmus, that_tell_no_progress_of_a_discarded_step_are_offered_halves) {
    const CommandFolder folder;
    std::filesystem::copy_file(foreign, folder / "dislikes_length.fmu");
    const Said alone = folder.tandem(
        "run dislikes_length.fmu --stop 1 --step 0.1 --output o.csv --retry --set k=2");
    EXPECT_EQ(alone.code, 0) << alone.err;
    EXPECT_THAT(alone.err, HasSubstr("in 20 steps, 10 discarded steps"));
    EXPECT_NEAR(read_csv_results(folder / "o.csv")["y"].back(), 2.0, 1e-12);
    folder.write("s.toml", system_of("dislikes_length", "\"jacobi\"", false));
    const Said system = folder.tandem("run s.toml --output o.csv");
    EXPECT_EQ(system.code, 0) << system.err;
    EXPECT_THAT(system.err, AllOf(HasSubstr("in 20 steps"), HasSubstr("10 retried")));
    EXPECT_NEAR(read_csv_results(folder / "o.csv")["dislikes_length.y"].back(), 2.0, 1e-12);
}

// It stops at 0.25 and takes no step from there that is shorter than 0.1; the grid has a point at
// 0.3.
TEST(ForeignFmus, that_take_no_shorter_step_behind_a_discarded_one_are_explained) {
    const CommandFolder folder;
    std::filesystem::copy_file(foreign, folder / "wants_whole_steps.fmu");
    folder.write("s.toml", system_of("wants_whole_steps", "\"jacobi\"", false));
    for (const std::string run : {"run wants_whole_steps.fmu --stop 1 --step 0.1 --retry",
                                  "run s.toml", "run s.toml --retry"}) {
        const Said said = folder.tandem(run + " --output o.csv");
        EXPECT_EQ(said.code, 1) << said.err;
        EXPECT_THAT(said.err, AllOf(HasSubstr("however short it was made"),
                                    HasSubstr("told 0.25 as its last successful time")));
        EXPECT_NEAR(read_csv_results(folder / "o.csv")["time"].back(), 0.2, 1e-12);
    }
}

TEST(ForeignFmus, are_told_only_tolerances_that_somebody_gives) {
    const CommandFolder folder;
    folder.write("s.toml", system_of("dislikes_tolerances", "\"jacobi\"", false));
    const std::string words = "the tolerance is not used";
    EXPECT_THAT(folder.tandem("run s.toml --output o.csv").err, Not(HasSubstr(words)));
    EXPECT_THAT(folder.tandem("run s.toml --output o.csv --tolerance 1e-4").err, HasSubstr(words));
    // Alone, an FMU knows its own default.
    const test::EditedFmu fmu(
        foreign, {{"<ModelVariables>", "<DefaultExperiment tolerance=\"1e-4\"/><ModelVariables>"}});
    std::filesystem::rename(fmu.path(), folder / "dislikes_tolerances");
    const std::string run = "run dislikes_tolerances --stop 1 --output o.csv";
    EXPECT_THAT(folder.tandem(run).err, Not(HasSubstr(words)));
    EXPECT_THAT(folder.tandem(run + " --tolerance 1e-3").err, HasSubstr(words));
}

TEST(ForeignFmus, that_complain_in_each_step_are_shown_once_and_counted) {
    Said said;
    last_y(system_of("complains", "\"jacobi\"", false), "complains", said);
    EXPECT_THAT(said.err, AllOf(HasSubstr("complains: no convergence at 0.000000"),
                                Not(HasSubstr("no convergence at 0.1")),
                                HasSubstr("complains: 9 further warnings")));
}

TEST(ForeignFmus, get_no_callback_for_steps_that_cannot_be_pending) {
    Said said;
    last_y(system_of("dislikes_callbacks", "\"jacobi\"", false), "dislikes_callbacks", said);
    EXPECT_THAT(said.err, Not(HasSubstr("stepFinished")));
}

// What was set last counts.
TEST(ForeignFmus, whose_inputs_cannot_be_read_run_all_the_same) {
    for (const std::string coupling : {"\"jacobi\"", "\"iterative\"", "\"predictor\""}) {
        Said said;
        EXPECT_NEAR(last_y(system_of("hides_inputs", coupling, true), "hides_inputs", said), 1.0,
                    0.11)
            << coupling;
    }
}

// z is called y as well, and 1 larger because of g u.
TEST(ForeignFmus, with_two_variables_of_one_name_let_both_be_reached) {
    const CommandFolder folder;
    const test::EditedFmu fmu(foreign, {{"name=\"z\"", "name=\"y\""}});
    std::filesystem::rename(fmu.path(), folder / "twice");
    const Said said = folder.tandem("run twice --stop 1 --set g=1 --record '*' --output o.csv");
    EXPECT_EQ(said.code, 0) << said.err;
    auto results = read_csv_results(folder / "o.csv");
    EXPECT_NEAR(results["y"].back(), 1.0, 1e-9);
    EXPECT_NEAR(results["y#2"].back(), 2.0, 1e-9);
    EXPECT_THAT(folder.tandem("check twice").out, HasSubstr("y#2"));
    const auto system = [&](const std::string& output) {
        return "[experiment]\nstop = 1\nstep = 0.1\n[subsystems.a]\nsource = \"twice\"\n"
               "parameters = { g = 1.0 }\n[subsystems.b]\nsource = \"fmus/LinearOde_fmi2.fmu\"\n"
               "kind = \"cs\"\n[[connections]]\nfrom = \"a." +
               output + "\"\nto = \"b.u\"\n";
    };
    folder.write("s.toml", system("y#2"));
    EXPECT_EQ(folder.tandem("run s.toml --output o.csv").code, 0);
    folder.write("s.toml", system("y"));
    const Said refused = folder.tandem("run s.toml --output o.csv");
    EXPECT_EQ(refused.code, 2);
    EXPECT_THAT(refused.err, HasSubstr("y#2"));
}

// f' = -b in a cycle with b' = -b + f, both along the lines of their inputs over each step h. With
// e = exp(-h), p = 1 - e (of a constant) and q = h - p (of a line of slope 1), the solution of
// f1 = f - h (b + b1) / 2 and b1 = e b + p f + q (f1 - f) / h.
TEST(ForeignFmus, without_the_directional_derivatives_that_they_claim_go_on_with_differences) {
    for (const std::string habit : {"gives_no_derivatives", "gives_wrong_derivatives"}) {
        const CommandFolder folder;
        folder.write("s.toml",
                     "[experiment]\nstop = 1\nstep = 0.1\n[coupling]\nmethod = \"iterative\"\n"
                     "jacobian = \"directional\"\n[subsystems." +
                         habit + "]\nsource = \"" + foreign +
                         "\"\nparameters = { k = -1.0, x = 1.0 }\n[subsystems.b]\nsource = "
                         "\"fmus/LinearOde_fmi2.fmu\"\nkind = \"cs\"\nparameters = { a = -1, b = "
                         "1 }\n[[connections]]\nfrom = \"" +
                         habit + ".y\"\nto = \"b.u\"\n[[connections]]\nfrom = \"b.y\"\nto = \"" +
                         habit + ".u\"\n");
        const Said said = folder.tandem("run s.toml --output o.csv");
        EXPECT_EQ(said.code, 0) << said.err;
        EXPECT_THAT(said.err, HasSubstr(habit + ": the FMU gives no directional derivatives"));
        auto results = read_csv_results(folder / "o.csv");
        ASSERT_EQ(results["time"].size(), 11U);
        const double h = 0.1, e = std::exp(-h), p = 1.0 - e, q = h - p;
        double f = 1.0, b = 0.0;
        for (std::size_t row = 0; row < 11; ++row) {
            // The tolerance of the iteration and that of the solver in b.
            EXPECT_NEAR(results[habit + ".y"][row], f, 1e-7) << row;
            EXPECT_NEAR(results["b.y"][row], b, 1e-7) << row;
            const double known = e * b + (p - q / h) * f;
            const double next = (f - h * (b + known) / 2.0) / (1.0 + q / 2.0);
            b = known + q / h * next;
            f = next;
        }
    }
}

TEST(ForeignFmus, whose_binary_belongs_to_another_description_are_found_by_check) {
    const CommandFolder folder;
    for (const auto& [fmu, token] : {std::pair{"BouncingBall_fmi1_cs", "guid=\"{"},
                                     {"BouncingBall_fmi1_me", "guid=\"{"},
                                     {"BouncingBall_fmi2", "guid=\"{"},
                                     {"BouncingBall_fmi3", "instantiationToken=\"{"}}) {
        const test::EditedFmu edited(folder / "fmus" / (std::string(fmu) + ".fmu"),
                                     {{token, std::string(token) + "other-"}});
        const Said said = folder.tandem("check " + edited.path().string());
        EXPECT_EQ(said.code, 2) << fmu;
        EXPECT_THAT(said.out, AllOf(HasSubstr("returned no instance"), HasSubstr("cannot be used")))
            << fmu;
        EXPECT_EQ(folder.tandem("check --no-binary " + edited.path().string()).code, 0) << fmu;
    }
}

TEST(ForeignFmus, with_undefined_functions_run_until_one_is_called) {
    const std::string fmu = TANDEM_ODD_FMUS "/CallsNobody.fmu";
    const CommandFolder folder;
    const Said alone = folder.tandem("run " + fmu + " --stop 1 --output o.csv");
    EXPECT_EQ(alone.code, 0) << alone.err;
    const Said checked = folder.tandem("check " + fmu);
    EXPECT_EQ(checked.code, 0);
    EXPECT_THAT(checked.out, HasSubstr("the library calls functions that nothing provides: "
                                       "function_of_nobody"));
    folder.write("s.toml",
                 "[experiment]\nstop = 1\nstep = 0.1\n[subsystems.calls_nobody]\n"
                 "source = \"" +
                     fmu + "\"\n");
    const Said said = folder.tandem("run s.toml --output o.csv");
    EXPECT_EQ(said.code, 1) << said.err;
    EXPECT_THAT(said.err, HasSubstr("calls_nobody: fmi2DoStep called the function "
                                    "function_of_nobody, which no library provides"));
}

/// Two lazy FMUs in a cycle: x1' = -x1 - 2 x2, x2' = -x2 + 2 x1, from (1, 1).
std::string lazy_cycle(const std::string& first) {
    const std::string source = "]\nsource = \"" TANDEM_ODD_FMUS "/Lazy.fmu\"\nparameters = { c = ";
    return "[experiment]\nstop = 1\nstep = 0.1\ntolerance = 1e-8\n[coupling]\nmethod = "
           "\"aggregate\"\n[subsystems." +
           first + source + "2.0 }\n[subsystems.b" + source + "-2.0 }\n[[connections]]\nfrom = \"" +
           first +
           ".y\"\nto = \"b.u\"\n[[connections]]\n"
           "from = \"b.y\"\nto = \"" +
           first + ".u\"\n";
}

TEST(ForeignFmus, that_evaluate_lazily_give_the_outputs_of_the_point) {
    for (const std::string first : {"derives", "a"}) {
        const CommandFolder folder;
        folder.write("s.toml", lazy_cycle(first));
        const Said said = folder.tandem("run s.toml --output o.csv");
        EXPECT_EQ(said.code, 0) << said.err;
        auto results = read_csv_results(folder / "o.csv");
        // x1 + i x2 = (1 + i) exp((-1 + 2i) t)
        EXPECT_NEAR(results[first + ".y"].back(),
                    2.0 * std::exp(-1.0) * (std::cos(2.0) - std::sin(2.0)), 1e-6);
        EXPECT_NEAR(results["b.y"].back(), -2.0 * std::exp(-1.0) * (std::cos(2.0) + std::sin(2.0)),
                    1e-6);
        EXPECT_THAT(said.err, HasSubstr("b: the FMU gives no directional derivatives although it "
                                        "says so; differences are used instead"));
        const Said linear = folder.tandem("linearise s.toml --eigen");
        EXPECT_EQ(linear.code, 0) << linear.err;
        EXPECT_THAT(linear.out, HasSubstr("0.447214"));  // the damping of -1 +- 2i
    }
}

// dx/dt = k u with k = 1 of the description and u = 1; the FMU starts with k = 0.
TEST(ForeignFmus, without_the_start_values_of_their_description_get_them) {
    const CommandFolder folder;
    const std::string system =
        "[experiment]\nstop = 1\nstep = 0.1\n[subsystems.has_no_defaults]\n"
        "source = \"" +
        foreign + "\"\n";
    folder.write("s.toml", system);
    const Said said = folder.tandem("run s.toml --output o.csv");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.err, HasSubstr("k was 0 instead of 1"));
    EXPECT_NEAR(read_csv_results(folder / "o.csv")["has_no_defaults.y"].back(), 1.0, 1e-12);
    const Said set = folder.tandem("run s.toml --set has_no_defaults.k=3 --output o.csv");
    EXPECT_THAT(set.err, Not(HasSubstr("instead of")));
    EXPECT_NEAR(read_csv_results(folder / "o.csv")["has_no_defaults.y"].back(), 3.0, 1e-12);
}

std::string shows_state(std::string system) {
    return system.replace(system.find("/Foreign.fmu"), 12, "/ShowsState.fmu");
}

// One directional derivative moves them by 1e-5. y is 2 times the integral of t, along lines.
TEST(ForeignFmus, whose_directional_derivatives_move_them_are_put_back_and_not_asked_again) {
    for (const std::string habit : {"moves_states", "moves_inputs"}) {
        Said said;
        EXPECT_NEAR(last_y(shows_state(system_of(habit, "\"predictor\"", true)), habit, said), 1.0,
                    1e-9)
            << habit;
        EXPECT_THAT(said.err, HasSubstr("change states or inputs of the FMU, which is put back"))
            << habit;
    }
}

TEST(ForeignFmus, whose_directional_derivatives_move_them_for_good_are_refused) {
    const CommandFolder folder;
    folder.write("s.toml", shows_state(system_of("moves_for_good", "\"predictor\"", true)));
    const Said said = folder.tandem("run s.toml --output o.csv");
    EXPECT_EQ(said.code, 1);
    EXPECT_THAT(said.err,
                HasSubstr("moves_for_good: directional derivatives change states or inputs of "
                          "the FMU, and it cannot be put back"));
}

/// The FMU of that habit in a cycle with one that follows it, communication steps of 10 ms.
std::string cycle_of(const std::string& habit) {
    return "connections = [\"follower.y -> " + habit + ".u\", \"" + habit +
           ".y -> follower.u\"]\n[experiment]\nstop = 2\nstep = 0.01\n[coupling]\nmethod = "
           "\"jacobi\"\n[subsystems." +
           habit + "]\nsource = \"" + foreign +
           "\"\n[subsystems.follower]\nsource = \"fmus/LinearOde_fmi2.fmu\"\nkind = "
           "\"cs\"\nparameters = { a = -1, b = -1, x = 1 }\n";
}

TEST(ForeignFmus, with_a_step_of_their_own_that_is_longer_than_the_communication_step_are_named) {
    const CommandFolder folder;
    folder.write("own.toml", cycle_of("has_own_step"));
    const Said own = folder.tandem("run own.toml --output o.csv");
    EXPECT_EQ(own.code, 0) << own.err;
    EXPECT_THAT(
        own.err,
        AllOf(HasSubstr("subsystem 'has_own_step': its outputs change about every 0.1 s only"),
              Not(HasSubstr("subsystem 'follower'"))));
    folder.write("plain.toml", cycle_of("plain"));
    EXPECT_THAT(folder.tandem("run plain.toml --output o.csv").err,
                Not(HasSubstr("has a step of its own")));
    EXPECT_THAT(folder.tandem("run own.toml --step 0.1 --output o.csv").err,
                Not(HasSubstr("has a step of its own")));
}

// Both halves of a step of 10 ms end where the whole one does: the error is estimated as zero.
TEST(ForeignFmus, with_a_step_of_their_own_are_named_under_step_control) {
    const CommandFolder folder;
    const std::string control = "[step_control]\nmethod = \"richardson\"\ntolerance = 1e-3\n";
    folder.write("own.toml", cycle_of("has_own_step") + control);
    // With steps as long as its own it moves in one half of each.
    for (const std::string step : {"0.01", "0.1"})
        EXPECT_THAT(folder.tandem("run own.toml --output o.csv --step " + step).err,
                    AllOf(HasSubstr("its outputs change about every 0.1 s only"),
                          HasSubstr("of which the step control sees nothing")))
            << step;
    folder.write("plain.toml", cycle_of("plain") + control);
    EXPECT_THAT(folder.tandem("run plain.toml --output o.csv").err,
                Not(HasSubstr("has a step of its own")));
}

// A loop of values that is delayed by a step at each of its two members: each moves in every second
// step, when its input does.
TEST(ForeignFmus, in_a_loop_that_is_delayed_have_no_step_of_their_own) {
    const CommandFolder folder;
    folder.write("s.toml",
                 "[[connections]]\nfrom = \"a.float64_out\"\nto = \"b.float64_in\"\nfactor = -1.5\n"
                 "offset = 1\n[[connections]]\nfrom = \"b.float64_out\"\nto = \"a.float64_in\"\n"
                 "[experiment]\nstop = 1.2\nstep = 0.01\n[coupling]\nmethod = \"jacobi\"\n"
                 "[subsystems.a]\nsource = \"fmus/Feedthrough_fmi2.fmu\"\nkind = \"cs\"\n"
                 "[subsystems.b]\nsource = \"fmus/Feedthrough_fmi2.fmu\"\nkind = \"cs\"\n");
    const Said said = folder.tandem("run s.toml --output o.csv");
    EXPECT_THAT(said.err, Not(HasSubstr("has a step of its own")));
    EXPECT_THAT(said.err, HasSubstr("each step multiplies their error by 1.225"));
}

// x_a' = 2 x_b, x_b' = -2 x_a keeps its amplitude. Held inputs make it grow by sqrt(1 + (2h)^2) per
// step: 50-fold in 20 s with h = 0.1, their own, and 1.5-fold with h = 0.01.
TEST(ForeignFmus, whose_own_step_makes_the_coupling_unstable_are_not_credible) {
    const CommandFolder folder;
    for (const std::string habit : {"has_own_step", "plain"}) {
        const std::string subsystem =
            "]\nsource = \"" + foreign + "\"\nparameters = { x = 1.0, k = ";
        folder.write("s.toml",
                     "connections = [\"" + habit + ".y -> " + habit + "_b.u\", \"" + habit +
                         "_b.y -> " + habit +
                         ".u\"]\n[experiment]\nstop = 20\nstep = 0.01\n[coupling]\nmethod = "
                         "\"jacobi\"\n[subsystems." +
                         habit + subsystem + "2.0 }\n[subsystems." + habit + "_b" + subsystem +
                         "-2.0 }\n");
        const Said said = folder.tandem("run s.toml --output o.csv");
        EXPECT_EQ(said.code, habit == "plain" ? 0 : 3) << said.err;
        // Its linear models are found in no step: slopes are of order 1, and it grows 2000-fold.
        const Said by_slopes =
            folder.tandem("run s.toml --coupling predictor --stop 60 --output o.csv");
        EXPECT_EQ(by_slopes.code, habit == "plain" ? 0 : 3) << by_slopes.err;
    }
}

// No state and no connection: the linear model of the network has no equations.
TEST(ForeignFmus, without_states_and_connections_run_with_every_linear_coupling) {
    const CommandFolder folder;
    folder.write("s.toml",
                 "[experiment]\nstop = 1\nstep = 0.1\n[subsystems.f]\nsource = "
                 "\"fmus/Feedthrough_fmi2.fmu\"\nkind = \"me\"\n");
    for (const std::string coupling : {"predictor", "linear_implicit", "lti", "pre_step"}) {
        const Said said = folder.tandem("run s.toml --coupling " + coupling + " --output o.csv");
        EXPECT_EQ(said.code, 0) << coupling << ": " << said.err;
    }
}

}  // namespace
}  // namespace tandem::test
