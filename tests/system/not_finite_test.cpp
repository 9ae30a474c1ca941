// Values that are no numbers are told of where they arise, in one sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/command_folder.hpp"

namespace tandem::test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

/// From `end` on the function is the root of a negative number.
std::string rooted(const std::string& kind, const std::string& end = "0.35") {
    const auto part = [&](const std::string& name) {
        return "[subsystems." + name + "]\nsource = \"fmus/" +
               (kind == "native" ? "native/LinearOde.so\"\n"
                                 : "LinearOde_fmi2.fmu\"\nkind = \"" + kind + "\"\n");
    };
    return "[experiment]\nstop = 1\nstep = 0.1\n" + part("a") + part("b") +
           "[[functions]]\ntarget = \"b.u\"\nexpression = \"sqrt(" + end +
           " - t) + y\"\n"
           "signals = { y = \"a.y\" }\n"
           "[[connections]]\nfrom = \"b.y\"\nto = \"a.u\"\n";
}

TEST(ValuesThatAreNoNumbers, come_from_the_coupling_function_that_is_named) {
    for (const std::string coupling :
         {"auto", "jacobi", "gauss_seidel", "iterative", "predictor"}) {
        const CommandFolder folder;
        folder.write("s.toml", rooted("cs"));
        const Said said = folder.tandem("run s.toml --quiet --coupling " + coupling);
        EXPECT_EQ(said.code, 1) << coupling;
        EXPECT_THAT(said.err,
                    AllOf(HasSubstr("error: the coupling function of b.u, \"sqrt(0.35 - "
                                    "t) + y\", gives no finite number in the step from 0."),
                          HasSubstr("with a.y = ")))
            << coupling;
    }
}

TEST(ValuesThatAreNoNumbers, come_from_the_coupling_function_inside_an_equation) {
    for (const std::string kind : {"me", "native"})
        for (const std::string coupling : {"aggregate", "auto"}) {
            const CommandFolder folder;
            folder.write("s.toml", rooted(kind));
            const Said said = folder.tandem("run s.toml --quiet --coupling " + coupling);
            EXPECT_EQ(said.code, 1) << kind;
            EXPECT_THAT(said.err, HasSubstr("error: the coupling function of b.u, "
                                            "\"sqrt(0.35 - t) + y\", gives no finite number "
                                            "in the step from 0.3 to 0.4 with a.y = "))
                << kind << coupling;
        }
}

TEST(ValuesThatAreNoNumbers, are_told_of_at_the_start) {
    for (const std::string kind : {"cs", "me", "native"})
        for (const std::string coupling : {"aggregate", "jacobi", "iterative", "predictor"}) {
            const CommandFolder folder;
            folder.write("s.toml", rooted(kind, "-1"));
            const Said said = folder.tandem("run s.toml --quiet --coupling " + coupling);
            EXPECT_EQ(said.code, 1) << kind << coupling;
            EXPECT_THAT(said.err,
                        HasSubstr("error: the coupling function of b.u, \"sqrt(-1 - t) + y\", "
                                  "gives no finite number at t = 0 with a.y = 0"))
                << kind << coupling;
        }
}

/// x' is no number from 0.5 on; b sees x.
std::string ill(const std::string& source, const std::string& kind) {
    return "[experiment]\nstop = 1\nstep = 0.1\n[subsystems.bad]\nsource = \"fmus/" + source +
           "\"\n" + kind +
           "parameters = { fault = \"not_a_number\" }\n[subsystems.b]\nsource = "
           "\"fmus/LinearOde_fmi2.fmu\"\nkind = \"me\"\n[[connections]]\nfrom = \"bad.x\"\n"
           "to = \"b.u\"\n";
}

TEST(ValuesThatAreNoNumbers, come_from_the_derivative_that_is_named) {
    for (const auto& [source, kind] : std::vector<std::pair<std::string, std::string>>{
             {"native/IllBehaved.so", ""},
             {"IllBehaved_fmi1_me.fmu", ""},
             {"IllBehaved_fmi2.fmu", "kind = \"me\"\n"},
             {"IllBehaved_fmi3.fmu", "kind = \"me\"\n"},
             {"IllBehaved_fmi2.fmu", "kind = \"cs\"\n"},
             {"IllBehaved_fmi3.fmu", "kind = \"cs\"\n"}})
        for (const std::string coupling : {"aggregate", "jacobi", "iterative"}) {
            const CommandFolder folder;
            folder.write("s.toml", ill(source, kind));
            const Said said = folder.tandem("run s.toml --quiet --coupling " + coupling);
            SCOPED_TRACE(source + " " + coupling + ": " + said.err);
            EXPECT_EQ(said.code, 1);
            EXPECT_THAT(said.err, AllOf(HasSubstr("bad"), HasSubstr("x"),
                                        ContainsRegex("no finite number|not a finite number")));
            EXPECT_LE(std::ranges::count(said.err, '\n'), 4) << "one message, not many";
        }
}

TEST(ValuesThatAreNoNumbers, of_tables_are_refused_with_their_line) {
    for (const std::string value : {"nan", "inf"}) {
        const CommandFolder folder;
        folder.write("table.csv", "time,y\n0,1\n0.5," + value + "\n1,2\n");
        folder.write("s.toml",
                     "[experiment]\nstop = 1\nstep = 0.1\n[subsystems.table]\nsource = "
                     "\"table.csv\"\n[subsystems.b]\nsource = \"fmus/LinearOde_fmi2.fmu\"\nkind = "
                     "\"cs\"\n[[connections]]\nfrom = \"table.y\"\nto = \"b.u\"\n");
        const Said said = folder.tandem("run s.toml --quiet");
        EXPECT_EQ(said.code, 2) << said.err;
        EXPECT_THAT(said.err, HasSubstr("table.csv:3"));
    }
}

// What only follows from them is left out, and nothing is called by the wrong name.
TEST(ValuesThatAreNoNumbers, are_all_that_is_said_where_they_are_the_cause) {
    const std::string parts =
        "[experiment]\nstop = 1\nstep = 0.1\n[subsystems.b]\nsource = \"fmus/LinearOde_fmi2.fmu\"\n"
        "[subsystems.a]\nsource = \"fmus/LinearOde_fmi2.fmu\"\n";
    const std::string function =
        "[[functions]]\ntarget = \"b.u\"\nexpression = \"sqrt(-1 - y)\"\n"
        "signals = { y = \"a.y\" }\n";
    const std::string told =
        "error: the coupling function of b.u, \"sqrt(-1 - y)\", gives no finite number at t = 0 "
        "with a.y = 0\n  hint: ";
    const CommandFolder folder;
    folder.write("s.toml", parts + function);
    for (const std::string coupling : {"jacobi", "iterative", "aggregate"})
        EXPECT_THAT(folder.tandem("run s.toml --quiet --coupling " + coupling).err, HasSubstr(told))
            << coupling;
    folder.write("s.toml",
                 parts +
                     "kind = \"cs\"\nparameters = { x = nan }\n[[connections]]\nfrom = \"a.y\"\n"
                     "to = \"b.u\"\n");
    EXPECT_THAT(folder.tandem("run s.toml --quiet --coupling jacobi").err,
                HasSubstr("error: the output a.y is no finite number at t = 0\n  hint: "));
}

}  // namespace
}  // namespace tandem::test
