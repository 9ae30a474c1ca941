// FMUs that say they have an optional function and do not do it (support/fmus/boaster.hpp) run as
// those that do not say so, and one line tells it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "files/archive.hpp"
#include "support/command_folder.hpp"
#include "support/result_files.hpp"

namespace tandem::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Kind {
    std::string version, kind;
    std::string name() const { return "FMI " + version + ".0 " + kind; }
};
const std::vector<Kind> co_simulation = {{"1", "cs"}, {"2", "cs"}, {"3", "cs"}};
const std::vector<Kind> with_states = {{"2", "cs"}, {"3", "cs"}, {"2", "me"}, {"3", "me"}};

std::size_t count(const std::string& text, const std::string& words) {
    std::size_t found = 0;
    for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1))
        ++found;
    return found;
}

struct Outcome {
    std::string said;
    double b = 0.0, p = 0.0;  ///< at t = 1
};

/// Where the boaster and others are in a cycle: x_b' = -x_b + x_p, x_p' = -x_p - x_b from (1, 0),
/// so that x_b + i x_p = exp(-(1 + i) t).
const double exact_b = std::exp(-1.0) * std::cos(1.0);
const double exact_p = -std::exp(-1.0) * std::sin(1.0);

class Cycle {
public:
    explicit Cycle(const Kind& kind) : kind_(kind) {}

    /// What the description says is replaced: the FMU does not claim it any more.
    void disclaim(const std::string& from, const std::string& to) {
        const std::string name = "BoasterFmi" + kind_.version + ".fmu";
        Archive(TANDEM_ODD_FMUS "/" + name).unpack(folder_ / "honest");
        const auto description = folder_ / "honest" / "modelDescription.xml";
        std::string text = read_bytes(description);
        EXPECT_NE(text.find(from), std::string::npos) << from;
        replace_all(text, from, to);
        write_bytes(description, text);
        source_ = "honest";
    }
    /// With the boaster called `name`, which says what it does not do.
    Outcome run(const std::string& name, const std::string& coupling,
                const std::string& more = "") const {
        const std::string fmu =
            source_.empty() ? TANDEM_ODD_FMUS "/BoasterFmi" + kind_.version + ".fmu" : source_;
        folder_.write("s.toml", "[experiment]\nstop = 1\nstep = 0.05\n[coupling]\nmethod = " +
                                    coupling + "\n[subsystems." + name + "]\nsource = \"" + fmu +
                                    "\"\nkind = \"" + kind_.kind + "\"\n" + more +
                                    "[subsystems.p]\nsource = \"fmus/LinearOde_fmi2.fmu\"\nkind = "
                                    "\"" +
                                    kind_.kind +
                                    "\"\nparameters = { a = -1, b = -1 }\n[[connections]]\nfrom = "
                                    "\"" +
                                    name +
                                    ".y\"\nto = \"p.u\"\n[[connections]]\nfrom = \"p.y\"\n"
                                    "to = \"" +
                                    name + ".u\"\n");
        const Said said = folder_.tandem("run s.toml --output o.csv");
        EXPECT_EQ(said.code, 0) << kind_.name() << " " << name << " " << coupling << ": "
                                << said.err;
        if (said.code != 0) return {};
        auto results = read_csv_results(folder_ / "o.csv");
        return {said.err, results[name + ".y"].back(), results["p.y"].back()};
    }

private:
    CommandFolder folder_;
    Kind kind_;
    std::string source_;
};

// The runs begin again as if the FMU did not claim it: to the last bit. Only couplings and events
// that need states ask for them.
TEST(OptionalFunctions, of_states_that_fail_are_done_without) {
    const std::string line = "says that it can go back, but cannot: ";
    for (const Kind& kind : with_states) {
        Cycle honest(kind), boasting(kind);
        honest.disclaim(
            kind.version == "2" ? "canGetAndSetFMUstate=\"true\"" : "canGetAndSetFMUState=\"true\"",
            "");
        for (const std::string coupling :
             {"\"iterative\"", "\"auto\"", "\"jacobi\"", "\"gauss_seidel\"\norder = 1", "\"nepce\"",
              "\"predictor\"", "\"pre_step\""}) {
            const Outcome expected = honest.run("honest", coupling);
            EXPECT_NEAR(expected.b, exact_b, 0.05) << kind.name() << coupling;
            for (const std::string habit :
                 {"get_state", "set_state", "get_state_discard", "set_state_nonsense",
                  "get_state_later", "set_state_later"}) {
                const bool is_rare = habit.size() > 9 && coupling != "\"iterative\"";
                if (is_rare) continue;
                const Outcome outcome = boasting.run(habit, coupling);
                SCOPED_TRACE(kind.name() + " " + habit + " " + coupling + ": " + outcome.said);
                EXPECT_EQ(outcome.b, expected.b);
                EXPECT_EQ(outcome.p, expected.p);
                EXPECT_LE(count(outcome.said, line), 1U);
                if (coupling == "\"iterative\"" && kind.kind == "cs") {
                    EXPECT_THAT(outcome.said, HasSubstr("'" + habit + "' " + line));
                }
            }
        }
    }
}

TEST(OptionalFunctions, that_free_states_may_fail) {
    for (const Kind& kind : with_states) {
        const Outcome outcome = Cycle(kind).run("free_state", "\"iterative\"");
        EXPECT_NEAR(outcome.b, exact_b, 5e-3) << kind.name();
        EXPECT_THAT(outcome.said, ::testing::Not(HasSubstr("cannot go back")));
    }
}

/// x grows by 1 at 0.25 and 0.75: x = exp(-1) + exp(-0.75) + exp(-0.25) with u = 0.
TEST(OptionalFunctions, of_states_that_fail_let_events_happen) {
    for (const Kind& kind : {Kind{"3", "cs"}, Kind{"2", "me"}, Kind{"3", "me"}})
        for (const std::string habit : {"fine", "get_state", "set_state", "set_state_later"})
            for (const std::string coupling : {"\"jacobi\"", "\"iterative\"", "\"auto\""}) {
                const CommandFolder folder;
                folder.write(
                    "s.toml",
                    "[experiment]\nstop = 1\nstep = 0.1\n[coupling]\nmethod = " + coupling +
                        "\n[subsystems." + habit + "]\nsource = \"" TANDEM_ODD_FMUS "/BoasterFmi" +
                        kind.version + ".fmu\"\nkind = \"" + kind.kind +
                        "\"\nparameters = { kick = 1 }\n[subsystems.p]\nsource = "
                        "\"fmus/LinearOde_fmi2.fmu\"\nkind = \"cs\"\n[[connections]]\n"
                        "from = \"" +
                        habit + ".y\"\nto = \"p.u\"\n");
                const Said said = folder.tandem("run s.toml --output o.csv");
                SCOPED_TRACE(kind.name() + " " + habit + " " + coupling + ": " + said.err);
                EXPECT_EQ(said.code, 0);
                if (said.code != 0) continue;
                EXPECT_NEAR(read_csv_results(folder / "o.csv")[habit + ".y"].back(),
                            std::exp(-1.0) + std::exp(-0.75) + std::exp(-0.25), 1e-5);
            }
}

// Means of lines over a step instead of lines: of second order, too.
TEST(OptionalFunctions, that_take_input_derivatives_may_fail) {
    const std::string line = "the FMU takes no input derivatives although it says so";
    for (const Kind& kind : {co_simulation[0], co_simulation[1]}) {
        Cycle honest(kind), boasting(kind);
        honest.disclaim("canInterpolateInputs=\"true\"", "");
        for (const std::string coupling :
             {"\"jacobi\"\norder = 1", "\"jacobi\"\norder = 2", "\"gauss_seidel\"\norder = 1",
              "\"nepce\"\norder = 1", "\"iterative\"", "\"predictor\"", "\"lti\""}) {
            const Outcome expected = honest.run("honest", coupling);
            for (const std::string habit :
                 {"input_slopes", "input_slopes_discard", "input_slopes_later"}) {
                const Outcome outcome = boasting.run(habit, coupling);
                SCOPED_TRACE(kind.name() + " " + habit + " " + coupling + ": " + outcome.said);
                EXPECT_NEAR(outcome.b, expected.b, 1e-3);
                EXPECT_NEAR(outcome.b, exact_b, 0.015);
                EXPECT_NEAR(outcome.p, exact_p, 0.015);
                EXPECT_LE(count(outcome.said, line), 1U);
                if (coupling == "\"jacobi\"\norder = 1") {
                    EXPECT_THAT(outcome.said, HasSubstr(line));
                }
            }
        }
    }
}

// What it took before would stay.
TEST(OptionalFunctions, that_took_input_derivatives_and_keep_them_end_the_run) {
    const CommandFolder folder;
    folder.write("s.toml",
                 "[experiment]\nstop = 1\nstep = 0.1\n[coupling]\nmethod = \"jacobi\"\norder = 1\n"
                 "[subsystems.input_slopes_later_stuck]\nsource = \"" TANDEM_ODD_FMUS
                 "/BoasterFmi2.fmu\"\nkind = \"cs\"\n[subsystems.p]\nsource = "
                 "\"fmus/LinearOde_fmi2.fmu\"\nkind = \"cs\"\nparameters = { u = 1 }\n"
                 "[[connections]]\nfrom = \"p.y\"\nto = \"input_slopes_later_stuck.u\"\n");
    const Said said = folder.tandem("run s.toml --output o.csv");
    EXPECT_EQ(said.code, 1);
    EXPECT_THAT(said.err, HasSubstr("were taken before and are refused now"));
}

TEST(OptionalFunctions, that_give_output_derivatives_may_fail) {
    const std::string line = "the FMU gives no output derivatives although it says so";
    for (const Kind& kind : co_simulation)
        for (const std::string coupling :
             {"\"jacobi\"\norder = 1\nslopes = \"told\"", "\"jacobi\"\norder = 2",
              "\"gauss_seidel\"\norder = 1", "\"nepce\"\norder = 1", "\"predictor\""})
            for (const std::string habit :
                 {"output_slopes", "output_slopes_nonsense", "output_slopes_no_number",
                  "output_slopes_no_number_later"}) {
                const Outcome outcome = Cycle(kind).run(habit, coupling);
                SCOPED_TRACE(kind.name() + " " + habit + " " + coupling + ": " + outcome.said);
                EXPECT_NEAR(outcome.b, exact_b, 0.01);
                EXPECT_NEAR(outcome.p, exact_p, 0.01);
                EXPECT_LE(count(outcome.said, line), 1U);
                if (coupling.find("told") != std::string::npos) {
                    EXPECT_THAT(outcome.said, HasSubstr(line));
                }
            }
}

TEST(OptionalFunctions, that_give_directional_derivatives_may_fail) {
    const std::string line = "the FMU gives no directional derivatives although it says so";
    for (const Kind& kind : with_states)
        for (const std::string coupling :
             {"\"iterative\"\njacobian = \"directional\"", "\"predictor\"", "\"linear_implicit\"",
              "\"lti\"", "\"pre_step\"", "\"auto\""})
            for (const std::string habit : {"directional", "directional_discard",
                                            "directional_no_number", "directional_later"}) {
                const Outcome outcome = Cycle(kind).run(habit, coupling);
                SCOPED_TRACE(kind.name() + " " + habit + " " + coupling + ": " + outcome.said);
                EXPECT_NEAR(outcome.b, exact_b, 0.01);
                EXPECT_NEAR(outcome.p, exact_p, 0.01);
                EXPECT_LE(count(outcome.said, line), 1U);
            }
}

// A step that is discarded at 0.25 is repeated from a saved state, if there is one.
TEST(OptionalFunctions, of_states_that_fail_end_retry_with_a_sentence) {
    const CommandFolder folder;
    const std::string fmu = (folder / "get_state.fmu").string();
    std::filesystem::copy_file(TANDEM_ODD_FMUS "/BoasterFmi2.fmu", fmu);
    const Said said = folder.tandem("run " + fmu + " --kind cs --stop 1 --retry --output o.csv");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(count(said.err, "steps that are discarded cannot be repeated"), 1U) << said.err;
    EXPECT_THAT(said.err, AllOf(HasSubstr("get_state"), HasSubstr("fmi2GetFMUstate")));
}

}  // namespace
}  // namespace tandem::test
