// nominal, absolute_tolerance, max_order, first_step and max_steps of system files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "assemble/assemble.hpp"
#include "support/command_folder.hpp"
#include "support/edited_fmu.hpp"
#include "support/model_kinds.hpp"
#include "support/system_file.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> model_kinds = {"native", "fmi1_me", "fmi2_me", "fmi3_me"};

double statistic(const std::vector<Statistic>& statistics, const std::string& name) {
    for (const Statistic& one : statistics)
        if (one.name == name) return one.value;
    ADD_FAILURE() << "no statistic " << name;
    return 0.0;
}

/// What a run of one solver leaves.
struct Outcome {
    double x = 0.0;  ///< a.x at the end
    double steps = 0.0, restarts = 0.0;
    Settings settings;  ///< of a
};

Outcome outcome_of(const std::string& text) {
    const SystemFile file(text);
    run::SystemRun system(file.options());
    system.perform();
    const RunRecord record = system.record();
    const SubsystemRecord& a = record.subsystems.front();
    const auto& statistics =
        record.groups.empty() ? a.solver_statistics : record.groups.front().statistics;
    return {read_text_columns(file.in_folder("out.csv")).contains("a.x")
                ? numbers_of(read_text_columns(file.in_folder("out.csv"))).at("a.x").back()
                : 0.0,
            statistic(statistics, "steps"), statistic(statistics, "restarts"), a.settings};
}

std::string experiment(double stop, double step, double tolerance = 1e-6) {
    return fmt::format(
        "[experiment]\nstop = {}\nstep = {}\ntolerance = {}\n[record]\nvariables = [\"a.x\"]\n",
        stop, step, tolerance);
}

/// dx/dt = -x from `start`, with more keys of the subsystem.
std::string decay(const std::string& kind, double start, const std::string& keys) {
    return subsystem_text("a", "LinearOde", kind, fmt::format("a = -1.0, x = {}", start)) + keys;
}

/// Relative, of x(2) = start e^-2.
double error_of_decay(const std::string& text, double start) {
    return std::abs(outcome_of(text).x / (start * std::exp(-2.0)) - 1.0);
}

// Without a word about it a state of 1e-9 lies below the absolute tolerance 1e-6 times the nominal
// 1: nothing controls its error.
TEST(AStateOfASmallSize, is_accurate_where_the_file_says_its_size) {
    for (const std::string& kind : model_kinds)
        for (const std::string solver : {"", "cvode", "cvode_adams", "dopri5"}) {
            SCOPED_TRACE(kind + " " + solver);
            // Without a solver of its own it is in the equation of the coupling aggregate.
            const std::string own = solver.empty() ? "" : "solver = \"" + solver + "\"\n";
            const auto error = [&](const std::string& keys) {
                return error_of_decay(decay(kind, 1e-9, own + keys) + experiment(2.0, 2.0), 1e-9);
            };
            EXPECT_GT(error(""), 1e-3);
            // A hundred times the tolerance, as docs/system_file.md says.
            EXPECT_LT(error("nominal = { x = 1e-9 }\n"), 1e-4);
            EXPECT_LT(error("nominal = 1e-9\n"), 1e-4);
            EXPECT_LT(error("absolute_tolerance = 1e-15\n"), 1e-4);
            EXPECT_LT(error("absolute_tolerance = { x = 1e-15 }\n"), 1e-4);
        }
}

TEST(TheAbsoluteToleranceByDefault, is_the_relative_one_times_the_nominal_value) {
    for (const std::string& kind : model_kinds)
        for (const std::string solver : {"", "solver = \"dopri5\"\n"}) {
            SCOPED_TRACE(kind + " " + solver);
            const std::string run = experiment(2.0, 0.5, 1e-4);
            const Outcome by_nominal =
                outcome_of(decay(kind, 1.0, solver + "nominal.x = 8.0\n") + run);
            const Outcome by_tolerance =
                outcome_of(decay(kind, 1.0, solver + "absolute_tolerance = 8e-4\n") + run);
            const Outcome plain = outcome_of(decay(kind, 1.0, solver) + run);
            // FMI 1.0: Jacobians by differences, whose increments follow nominals.
            EXPECT_NEAR(by_nominal.x, by_tolerance.x, 1e-9);
            EXPECT_EQ(by_nominal.steps, by_tolerance.steps);
            EXPECT_LT(by_nominal.steps, plain.steps);
        }
}

// The states x and v of the wheel have the nominals 0.1 and 1 in the model.
TEST(ANominalOfTheFile, counts_instead_of_that_of_the_model) {
    for (const std::string& kind : model_kinds) {
        SCOPED_TRACE(kind);
        const auto steps = [&](const std::string& keys) {
            return outcome_of("[[sources]]\ntarget = \"a.z\"\nexpression = \"0.1*sin(20*t)\"\n" +
                              subsystem_text("a", "Wheel", kind) + keys +
                              experiment(1.0, 1.0, 1e-5))
                .steps;
        };
        const double plain = steps("");
        EXPECT_EQ(steps("nominal = { x = 0.1, v = 1 }\n"), plain);
        EXPECT_LT(steps("nominal = { x = 10, v = 100 }\n"), plain);
        EXPECT_GT(steps("nominal = { x = 1e-3, v = 0.01 }\n"), plain);
    }
}

// FMI 2.0: two variables with one value reference are one.
TEST(AnAliasOfAState, gives_the_state_its_nominal_and_tolerance) {
    const EditedFmu fmu(std::string(TANDEM_FMU_DIR) + "/LinearOde_fmi2.fmu", {});
    std::string path = fmu.path() / "modelDescription.xml";
    std::string text = test::read_bytes(path);
    const std::size_t end = text.find("</ModelVariables>");
    const std::size_t x = text.find("name=\"x\"");
    ASSERT_NE(x, std::string::npos);
    const std::size_t reference = text.find("valueReference=\"", x) + 16;
    const std::string number = text.substr(reference, text.find('"', reference) - reference);
    text.insert(end, fmt::format("<ScalarVariable name=\"other\" valueReference=\"{}\" "
                                 "causality=\"local\"><Real/></ScalarVariable>",
                                 number));
    test::write_bytes(path, text);
    const auto run = [&](const std::string& keys) {
        return fmt::format("[subsystems.a]\nsource = \"{}\"\ntype = \"fmu\"\nkind = \"me\"\n",
                           fmu.path().string()) +
               "parameters = { a = -1.0, x = 1e-9 }\n" + keys + experiment(2.0, 2.0);
    };
    EXPECT_GT(error_of_decay(run(""), 1e-9), 1e-3);
    EXPECT_LT(error_of_decay(run("nominal = { other = 1e-9 }\n"), 1e-9), 1e-4);
    EXPECT_LT(error_of_decay(run("absolute_tolerance = { other = 1e-15 }\n"), 1e-9), 1e-4);
}

std::string two_decays(const std::string& keys_a, const std::string& keys_b,
                       const std::string& coupling) {
    return "connections = [\"b.y -> a.u\"]\n" +
           subsystem_text("a", "LinearOde", "native", "a = -1.0, b = 0.0, x = 1e-9") + keys_a +
           subsystem_text("b", "LinearOde", "fmi2_me", "a = 0.0, x = 1.0") + keys_b +
           "[coupling]\nmethod = \"aggregate\"\n" + coupling + experiment(2.0, 2.0);
}

TEST(MembersOfAnEquation, keep_their_nominals_and_absolute_tolerances) {
    const auto error = [](const std::string& a, const std::string& b, const std::string& coupling) {
        return error_of_decay(two_decays(a, b, coupling), 1e-9);
    };
    EXPECT_GT(error("", "", ""), 1e-3);
    EXPECT_GT(error("", "absolute_tolerance = 1e-15\n", ""), 1e-3);  // that is b
    EXPECT_LT(error("absolute_tolerance = 1e-15\n", "", ""), 1e-4);
    EXPECT_LT(error("absolute_tolerance.x = 1e-15\n", "", ""), 1e-4);
    EXPECT_LT(error("nominal = { x = 1e-9 }\n", "", ""), 1e-4);
    EXPECT_LT(error("", "", "absolute_tolerance = 1e-15\n"), 1e-4);
    // That of a member comes first.
    EXPECT_LT(error("absolute_tolerance = 1e-15\n", "", "absolute_tolerance = 1.0\n"), 1e-4);
    EXPECT_GT(error("absolute_tolerance = 1.0\n", "", "absolute_tolerance = 1e-15\n"), 1e-3);
    // They do not ask for solvers of their own.
    const SystemFile file("connections = [\"b.y -> a.u\"]\n" +
                          subsystem_text("a", "LinearOde", "native") + "absolute_tolerance = 1\n" +
                          subsystem_text("b", "LinearOde", "native") + "nominal = 2\n" +
                          experiment(1.0, 1.0));
    const run::SystemRun system(file.options());
    EXPECT_EQ(system.record().coupling.method, "aggregate");
    for (const Diagnostic& finding : system.findings())
        EXPECT_THAT(finding.problem, Not(HasSubstr("has no effect")));
}

// A method of order q with its error per step kept at the tolerance takes steps of a length
// proportional to tolerance^(1/(q+1)).
TEST(TheHighestOrder, decides_how_steps_multiply_with_the_tolerance) {
    const auto ratio = [](const std::string& solver, int order, bool aggregated) {
        const auto steps = [&](double tolerance) {
            const std::string keys =
                fmt::format("solver = \"{}\"\nmax_order = {}\n", solver, order);
            const std::string end = experiment(5.0, 5.0, tolerance);
            if (!aggregated) return outcome_of(decay("fmi2_me", 1.0, keys) + end).steps;
            return outcome_of(decay("native", 1.0, "") + "[coupling]\nmethod = \"aggregate\"\n" +
                              keys + end)
                .steps;
        };
        return steps(1e-7) / steps(1e-5);
    };
    for (const bool aggregated : {false, true}) {
        // 100^(1/2) and 100^(1/3) = 4.64, less what start and step selection take.
        EXPECT_NEAR(ratio("cvode", 1, aggregated), 10.0, 1.5);
        EXPECT_NEAR(ratio("cvode_adams", 1, aggregated), 10.0, 1.5);
        EXPECT_NEAR(ratio("cvode", 2, aggregated), 4.64, 0.9);
        EXPECT_LT(ratio("cvode", 5, aggregated), 3.0);
    }
}

// Backward Euler: x_n = x_0 / (1 + h)^n. The absolute tolerance lets every step pass.
TEST(AFirstStepAndAnOrderOfOne, make_equal_steps_of_backward_euler) {
    const std::string keys =
        "solver = \"cvode\"\nmax_order = 1\nfirst_step = 0.01\nmax_step = 0.01\n"
        "absolute_tolerance = 1e3\n";
    for (const std::string& kind : model_kinds) {
        SCOPED_TRACE(kind);
        const Outcome own = outcome_of(decay(kind, 1.0, keys) + experiment(1.0, 1.0));
        EXPECT_EQ(own.steps, 100.0);
        // The steps are equal up to the rounding of times.
        EXPECT_NEAR(own.x, std::pow(1.01, -100.0), 1e-12);
        const Outcome group =
            outcome_of(decay(kind, 1.0, "") + "[coupling]\nmethod = \"aggregate\"\n" + keys +
                       experiment(1.0, 1.0));
        EXPECT_EQ(group.steps, 100.0);
        EXPECT_NEAR(group.x, std::pow(1.01, -100.0), 1e-12);
    }
    const std::string dopri5 = "solver = \"dopri5\"\nmax_step = 0.01\nabsolute_tolerance = 1e3\n";
    const auto steps = [&](const std::string& more) {
        return outcome_of(decay("native", 1.0, dopri5 + more) + experiment(1.0, 1.0)).steps;
    };
    EXPECT_EQ(steps("first_step = 0.01\n"), 100.0);
    EXPECT_EQ(steps("first_step = 0.005\n"), 101.0);
}

std::string complaint_of(const std::string& text) {
    try {
        outcome_of(text);
    } catch (const std::exception& error) {
        return error.what();
    }
    return "no complaint";
}

TEST(MoreThanTheMostSteps, in_a_communication_step_end_the_run) {
    for (const std::string& kind : model_kinds) {
        SCOPED_TRACE(kind);
        // Ten steps of 0.01 in each communication step.
        const auto own = [&](int most) {
            return decay(kind, 1.0,
                         fmt::format("solver = \"rk4\"\nstep = 0.01\nmax_steps = {}\n", most)) +
                   experiment(1.0, 0.1);
        };
        EXPECT_EQ(complaint_of(own(10)), "no complaint");
        EXPECT_THAT(complaint_of(own(9)),
                    AllOf(HasSubstr("a: at t = "),
                          HasSubstr("the solver rk4 needs more than max_steps = 9 internal steps "
                                    "for the communication step from 0 to 0.1"),
                          HasSubstr("hint: allow more with max_steps")));
        const auto group = [&](int most) {
            return decay(kind, 1.0, "") +
                   fmt::format(
                       "[coupling]\nmethod = \"aggregate\"\nsolver = \"rk4\"\nstep = "
                       "0.01\nmax_steps = {}\n",
                       most) +
                   experiment(1.0, 0.1);
        };
        EXPECT_EQ(complaint_of(group(10)), "no complaint");
        EXPECT_THAT(complaint_of(group(9)), HasSubstr("more than max_steps = 9 internal steps"));
    }
}

/// a.u follows what b.y = 1e-9 t was at the last communication point.
std::string tiny_samples(const std::string& kind, const std::string& keys) {
    return "connections = [\"b.y -> a.u\"]\n" + decay(kind, 0.0, keys) +
           subsystem_text("b", "LinearOde", "native", "a = 0.0, b = 1e-9, u = 1.0") +
           "[coupling]\nmethod = \"jacobi\"\n" + experiment(1.0, 0.1);
}

// A change of less than a hundredth of the tolerance, by size and nominal, is not taken for a jump.
TEST(TheNominalOfAnInput, says_which_changes_are_jumps) {
    for (const std::string& kind : model_kinds) {
        SCOPED_TRACE(kind);
        EXPECT_LE(outcome_of(tiny_samples(kind, "")).restarts, 2.0);
        EXPECT_GE(outcome_of(tiny_samples(kind, "nominal = { u = 1e-9 }\n")).restarts, 9.0);
    }
}

// x'' = -x of amplitude 1e-6 in two halves: errors count by the nominals of outputs.
TEST(TheNominalOfAnOutput, says_which_errors_of_steps_count) {
    for (const std::string kind : {"native", "fmi2_me", "fmi2_cs", "fmi3_cs"}) {
        SCOPED_TRACE(kind);
        const auto run = [&](const std::string& keys) {
            SystemFile file("connections = [\"a.y -> b.u\", \"b.y -> a.u\"]\n" +
                            subsystem_text("a", "LinearOde", kind, "a = 0.0, b = 1.0") + keys +
                            subsystem_text("b", "LinearOde", kind, "a = 0.0, b = -1.0, x = 1e-6") +
                            keys + experiment(3.0, 1.0) +
                            "[coupling]\nmethod = \"jacobi\"\n[step_control]\nmethod = "
                            "\"richardson\"\ntolerance = 1e-4\n");
            const Columns columns = file.run();
            const double error = std::abs(columns.at("a.x").back() - 1e-6 * std::sin(3.0));
            return std::pair(static_cast<double>(file.report.steps), error);
        };
        const auto [steps, error] = run("");
        const auto [more_steps, smaller_error] = run("nominal = { y = 1e-6 }\n");
        EXPECT_GT(more_steps, 10.0 * steps);
        EXPECT_LT(smaller_error, 0.1 * error);
    }
}

TEST(Nominals, reach_the_ports_of_every_kind_of_subsystem) {
    for (const std::string& kind : all_kinds) {
        SCOPED_TRACE(kind);
        const SystemFile file(
            "connections = [\"t.v -> a.u\", \"a.y -> m.u\", \"m.y -> b.u\"]\n"
            "[subsystems.t]\nsource = \"t.csv\"\nnominal = { v = 7 }\n" +
            subsystem_text("a", "LinearOde", kind) + "nominal = { u = 1e5, y = 1e-3 }\n" +
            subsystem_text("m", "MovingAverage", "native") + "nominal = 30\n" +
            subsystem_text("b", "LinearOde", kind) + "[coupling]\nmethod = \"jacobi\"\n");
        file.add("t.csv", "time,v\n0,1\n1,2\n");
        const auto assembly =
            assemble::assemble(description::load_system(file.in_folder("system.toml")), {});
        ASSERT_NE(assembly.system, nullptr);
        std::map<std::string, double> nominals;
        for (int s = 0; s < assembly.system->size(); ++s) {
            const Interface& interface = assembly.system->at(s).interface();
            for (const auto* ports : {&interface.inputs, &interface.outputs})
                for (const Port& port : *ports)
                    nominals[assembly.system->at(s).name() + "." + port.name] = port.nominal;
        }
        const std::map<std::string, double> expected = {{"t.v", 7.0},  {"a.u", 1e5},  {"a.y", 1e-3},
                                                        {"m.u", 30.0}, {"m.y", 30.0}, {"b.u", 1.0}};
        EXPECT_EQ(nominals, expected);
    }
}

TEST(SettingsOfScales, are_in_the_record_of_a_run) {
    const Outcome outcome = outcome_of(
        decay("fmi2_me", 1.0,
              "solver = \"cvode\"\nnominal = { x = 2.0, u = 1e5 }\nabsolute_tolerance = 1e-9\n"
              "max_order = 3\nfirst_step = 1e-3\nmax_steps = 1000\n") +
        experiment(1.0, 1.0));
    const Settings expected = {
        {"nominal x", "2"},      {"nominal u", "100000"}, {"absolute_tolerance", "1e-09"},
        {"first_step", "0.001"}, {"max_order", "3"},      {"max_steps", "1000"}};
    EXPECT_EQ(outcome.settings, expected);
}

// Warnings where a key has no effect.
TEST(SettingsWithoutEffect, are_named) {
    const auto findings = [](const std::string& text) {
        const SystemFile file(text);
        const run::SystemRun system(file.options());
        std::string all;
        for (const Diagnostic& one : system.findings())
            all += sentence(one.place, one.problem, one.hint) + "\n";
        return all;
    };
    EXPECT_THAT(
        findings(two_decays("absolute_tolerance = 1\n", "", "solver = \"rk4\"\nstep = 0.1\n")),
        HasSubstr("'absolute_tolerance' of 'a' has no effect: the solver rk4"));
    EXPECT_THAT(findings(two_decays("max_order = 2\nfirst_step = 0.1\n", "max_steps = 7\n", "")),
                AllOf(HasSubstr("'max_order' of 'a' has no effect"),
                      HasSubstr("'first_step' of 'a' has no effect"),
                      HasSubstr("'max_steps' of 'b' has no effect")));
    EXPECT_THAT(
        findings(decay("fmi2_cs", 1.0, "tolerance = 1e-9\nmax_step = 1\n") + experiment(1, 1)),
        AllOf(HasSubstr("'tolerance' of 'a' has no effect"),
              HasSubstr("'max_step' of 'a' has no effect")));
    EXPECT_THAT(findings(decay("native", 1.0, "solver = \"cvode\"\nstep = 1\n") + experiment(1, 1)),
                HasSubstr("'step' of 'a' has no effect: the solver cvode chooses its steps"));
}

TEST(APackage, keeps_the_settings_of_solvers_and_scales) {
    const test::CommandFolder folder;
    folder.write(
        "s.toml",
        "[systems.inner.subsystems.a]\nsource = \"fmus/LinearOde_fmi2.fmu\"\nkind = \"me\"\n"
        "solver = \"cvode\"\nmax_order = 1\nfirst_step = 0.01\nmax_step = 0.01\n"
        "max_steps = 10\nabsolute_tolerance = { x = 1e3 }\nnominal = { u = 1e-9, y = 3 }\n"
        "parameters = { a = -1.0, x = 1.0 }\n"
        "[experiment]\nstop = 1\nstep = 0.1\n[record]\nvariables = [\"*.x\"]\n");
    ASSERT_EQ(folder.tandem("run s.toml --output before.csv").code, 0);
    ASSERT_EQ(folder.tandem("export s.toml -o s.ssp").code, 0);
    ASSERT_EQ(folder.tandem("run s.ssp --output after.csv").code, 0);
    EXPECT_EQ(test::read_bytes(folder / "before.csv"), test::read_bytes(folder / "after.csv"));
    // Ten steps of backward Euler in each communication step.
    const Columns columns = numbers_of(read_text_columns(folder / "after.csv"));
    EXPECT_NEAR(columns.at("inner.a.x").back(), std::pow(1.01, -100.0), 1e-12);
    EXPECT_THAT(test::read_bytes(folder / "run.json"), HasSubstr("\"nominal y\": \"3\""));
}

TEST(ASingleFmu, takes_the_same_on_the_command_line) {
    const test::CommandFolder folder;
    const std::string run =
        "run fmus/LinearOde_fmi2.fmu --set a=-1 --set x=1e-9 --stop 2 --step 2 --tolerance 1e-6 "
        "--record x --output out.csv ";
    const auto error = [&](const std::string& options) {
        const test::Said said = folder.tandem(run + options);
        EXPECT_EQ(said.code, 0) << said.err;
        const double x = numbers_of(read_text_columns(folder / "out.csv")).at("x").back();
        return std::abs(x / (1e-9 * std::exp(-2.0)) - 1.0);
    };
    EXPECT_GT(error("--kind me"), 1e-3);
    EXPECT_LT(error("--absolute-tolerance 1e-15"), 1e-4);
    EXPECT_LT(error("--absolute-tolerance x=1e-15"), 1e-4);
    EXPECT_LT(error("--nominal x=1e-9"), 1e-4);
    EXPECT_THAT(folder
                    .tandem(run + "--first-step 0.01 --solver-step 0.01 --max-order 1 "
                                  "--absolute-tolerance 1e3")
                    .err,
                HasSubstr("cvode: 200 steps"));
    const auto refusal = [&](const std::string& options) {
        const test::Said said = folder.tandem(run + options);
        EXPECT_EQ(said.code, 2) << said.err;
        return said.err;
    };
    EXPECT_THAT(refusal("--nominal z=1"), HasSubstr("has no variable 'z'"));
    EXPECT_THAT(refusal("--absolute-tolerance y=1"),
                HasSubstr("'LinearOde_fmi2.y' is no continuous state"));
    EXPECT_THAT(refusal("--absolute-tolerance 0"), HasSubstr("'0' is not a positive number"));
    EXPECT_THAT(refusal("--absolute-tolerance x=nan"), HasSubstr("'nan' is not a positive number"));
    EXPECT_THAT(refusal("--max-order 6"),
                HasSubstr("--max-order: max_order = 6 is above the highest order 5"));
    EXPECT_THAT(refusal("--solver dopri5 --max-order 2"),
                HasSubstr("the solver dopri5 has one order only"));
    EXPECT_THAT(refusal("--solver rk4 --first-step 0.1"),
                HasSubstr("the solver rk4 takes equal steps"));
    EXPECT_THAT(refusal("--solver euler --absolute-tolerance 1"),
                HasSubstr("without error control"));
    EXPECT_THAT(refusal("--kind cs --max-steps 5"), HasSubstr("brings its own solver"));
    const test::Said stopped = folder.tandem(run + "--solver rk4 --solver-step 0.1 --max-steps 19");
    EXPECT_EQ(stopped.code, 1);
    EXPECT_THAT(stopped.err, HasSubstr("more than max_steps = 19 internal steps"));
}

/// Of a run: warnings that name small states.
std::vector<std::string> small_state_warnings(const std::string& text) {
    SystemFile file(text);
    file.run_text();
    std::vector<std::string> found;
    for (const std::string& warning : file.warnings)
        if (warning.find("less than three digits") != std::string::npos) found.push_back(warning);
    return found;
}

TEST(AModelOfSmallStates, is_named_at_the_end_of_a_run_unless_somebody_gave_a_size) {
    for (const std::string& kind : model_kinds)
        for (const std::string solver : {"", "solver = \"cvode\"\n", "solver = \"dopri5\"\n"}) {
            SCOPED_TRACE(kind + " " + solver);
            const std::string run = experiment(2.0, 0.5, 1e-8);
            const auto warnings = small_state_warnings(decay(kind, 1e-6, solver) + run);
            ASSERT_EQ(warnings.size(), 1u);
            EXPECT_THAT(warnings[0], HasSubstr("a.x (at most 1e-06, absolute tolerance 1e-08)"));
            EXPECT_THAT(warnings[0], HasSubstr("say 'nominal' or 'absolute_tolerance'"));
            for (const std::string said : {"nominal = 1e-6\n", "absolute_tolerance = 1e-14\n"})
                EXPECT_TRUE(small_state_warnings(decay(kind, 1e-6, solver + said) + run).empty());
            EXPECT_TRUE(small_state_warnings(decay(kind, 1.0, solver) + run).empty());
        }
}

// It loses no more digits than the tolerance takes from any state.
TEST(AModelOfSmallStates, is_not_named_where_the_tolerance_is_loose) {
    EXPECT_TRUE(
        small_state_warnings(decay("native", 0.5, "") + experiment(2.0, 0.5, 1e-3)).empty());
    EXPECT_FALSE(
        small_state_warnings(decay("native", 1e-3, "") + experiment(2.0, 0.5, 1e-3)).empty());
}

TEST(AModelOfSmallStates, is_not_named_at_rest) {
    for (const double start : {0.0, 1e-17})
        EXPECT_TRUE(
            small_state_warnings(decay("native", start, "") + experiment(2.0, 0.5)).empty());
}

// x1 = sin(2 pi t): nearly zero at each of the communication points, but not in between.
TEST(AModelOfSmallStates, is_not_named_for_zeros_at_communication_points) {
    const std::string swing =
        "[subsystems.a]\nsource = \"" TANDEM_ODD_FMUS
        "/native/HybridStates.so\"\n"
        "parameters = { a12 = 6.283185307179586, a21 = -6.283185307179586, x2 = 1 }\n";
    EXPECT_TRUE(
        small_state_warnings(swing + "[experiment]\nstop = 4\nstep = 0.5\ntolerance = 1e-6\n")
            .empty());
}

// x2 decays from 1e-6, x1 from 1.
TEST(AModelOfSmallStates, is_not_named_if_another_state_of_it_is_of_usual_size) {
    const auto model = [](double x1) {
        return "[subsystems.a]\nsource = \"" TANDEM_ODD_FMUS "/native/HybridStates.so\"\n" +
               fmt::format("parameters = {{ a11 = -1, a22 = -1, x1 = {}, x2 = 1e-6 }}\n", x1) +
               "[experiment]\nstop = 2\nstep = 0.5\ntolerance = 1e-6\n";
    };
    EXPECT_TRUE(small_state_warnings(model(1.0)).empty());
    EXPECT_EQ(small_state_warnings(model(1e-6)).size(), 1u);
}

}  // namespace
}  // namespace tandem::test
