// Values that are no numbers are told of where they arise, in one sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/command_folder.hpp"

namespace tandem::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// From 0.35 on the function is the root of a negative number.
std::string rooted(const std::string& kind) {
    const auto part = [&](const std::string& name) {
        return "[subsystems." + name + "]\nsource = \"fmus/LinearOde_fmi2.fmu\"\nkind = \"" + kind +
               "\"\n";
    };
    return "[experiment]\nstop = 1\nstep = 0.1\n" + part("a") + part("b") +
           "[[functions]]\ntarget = \"b.u\"\nexpression = \"sqrt(0.35 - t) + y\"\n"
           "signals = { y = \"a.y\" }\n"
           "[[connections]]\nfrom = \"b.y\"\nto = \"a.u\"\n";
}

TEST(ValuesThatAreNoNumbers, ComeFromTheCouplingFunctionThatIsNamed) {
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

}  // namespace
}  // namespace tandem::test
