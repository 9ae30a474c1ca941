// Cycles in which some members cannot go back, or in which the iteration does not converge.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/command_folder.hpp"
#include "support/result_files.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// a' = -a + (b + n) / 2, b' = -b + a / 2, n' = -n + a / 2 from (1, 0, 0); n, of FMI 1.0, cannot go
/// back. a = exp(-t) cosh(t / sqrt 2), b = n = exp(-t) sinh(t / sqrt 2) / sqrt 2.
std::string three(const std::string& coupling) {
    const auto part = [](const std::string& name, const std::string& fmu, double start) {
        return "[subsystems." + name + "]\nsource = \"fmus/LinearOde_" + fmu +
               ".fmu\"\nkind = \"cs\"\nparameters = { a = -1.0, b = 0.5, x = " +
               std::to_string(start) + " }\n";
    };
    return "[experiment]\nstop = 1\n[coupling]\n" + coupling + part("a", "fmi3", 1.0) +
           part("b", "fmi3", 0.0) + part("n", "fmi1_cs", 0.0) +
           "[[connections]]\nfrom = \"a.y\"\nto = \"b.u\"\n"
           "[[connections]]\nfrom = \"a.y\"\nto = \"n.u\"\n"
           "[[functions]]\ntarget = \"a.u\"\nexpression = \"b + n\"\n"
           "signals = { b = \"b.y\", n = \"n.y\" }\n";
}

double error_of(const CommandFolder& folder, const std::string& step, Said& said) {
    said = folder.tandem("run s.toml --output o.csv --step " + step);
    EXPECT_EQ(said.code, 0) << said.err;
    auto results = read_csv_results(folder / "o.csv");
    const double root = std::sqrt(0.5);
    return std::max(std::abs(results["a.y"].back() - std::exp(-1.0) * std::cosh(root)),
                    std::abs(results["n.y"].back() - std::exp(-1.0) * std::sinh(root) * root));
}

TEST(MembersThatCannotGoBack, step_once_after_those_that_iterate) {
    for (const std::string coupling : {"method = \"iterative\"\n", "method = \"auto\"\n"}) {
        const CommandFolder folder;
        folder.write("s.toml", three(coupling));
        Said said;
        const double coarse = error_of(folder, "0.1", said);
        EXPECT_THAT(said.err, HasSubstr("'n': cannot go back; stepped once in each step"));
        const double fine = error_of(folder, "0.05", said);
        EXPECT_LT(coarse, 0.02);
        EXPECT_NEAR(coarse / fine, 2.0, 0.3) << "the delay of a step: first order";
    }
}

// a' = -a + b, b' = -b - a, exactly over each step h for these inputs: a holds the b of its start,
// b follows the line to the new a. With e = exp(-h), p = 1 - e (of a constant) and q = h - p (of a
// line of slope 1): a1 = e a + p b, b1 = e b - p a - q (a1 - a) / h.
TEST(MembersThatCannotGoBack, are_stepped_as_by_gauss_seidel_where_nobody_else_iterates) {
    const CommandFolder folder;
    folder.write("s.toml",
                 "[experiment]\nstop = 1\nstep = 0.1\n[coupling]\nmethod = \"iterative\"\n"
                 "[subsystems.a]\nsource = \"fmus/LinearOde_fmi1_cs.fmu\"\n"
                 "parameters = { a = -1.0, b = 1.0, x = 1.0 }\n"
                 "[subsystems.b]\nsource = \"fmus/LinearOde_fmi1_cs.fmu\"\n"
                 "parameters = { a = -1.0, b = -1.0, x = 0.0 }\n"
                 "[[connections]]\nfrom = \"a.y\"\nto = \"b.u\"\n"
                 "[[connections]]\nfrom = \"b.y\"\nto = \"a.u\"\n");
    const Said said = folder.tandem("run s.toml --output o.csv");
    ASSERT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.err, HasSubstr("'a', 'b': cannot go back"));
    auto results = read_csv_results(folder / "o.csv");
    ASSERT_EQ(results["time"].size(), 11U);
    const double h = 0.1, e = std::exp(-h), p = 1.0 - e, q = h - p;
    constexpr double of_solvers = 1e-7;  // in the FMUs, whose tolerance is 1e-9
    double a = 1.0, b = 0.0;
    for (std::size_t row = 0; row < 11; ++row) {
        EXPECT_NEAR(results["a.y"][row], a, of_solvers) << row;
        EXPECT_NEAR(results["b.y"][row], b, of_solvers) << row;
        const double next = e * a + p * b;
        b = e * b - p * a - q * (next - a) / h;
        a = next;
    }
}

/// Two iterations a step are not enough for a plain iteration.
std::string impatient(const std::string& on_failure) {
    return "[experiment]\nstop = 1\nstep = 0.1\n[coupling]\nmethod = \"iterative\"\n"
           "accelerator = \"fixed_point\"\nmax_iterations = 2\n" +
           on_failure +
           "[subsystems.a]\nsource = \"fmus/LinearOde_fmi3.fmu\"\nkind = \"cs\"\n"
           "parameters = { a = -1.0, b = 1.0, x = 1.0 }\n"
           "[subsystems.b]\nsource = \"fmus/LinearOde_fmi3.fmu\"\nkind = \"cs\"\n"
           "parameters = { a = -1.0, b = -1.0 }\n"
           "[[connections]]\nfrom = \"a.y\"\nto = \"b.u\"\n"
           "[[connections]]\nfrom = \"b.y\"\nto = \"a.u\"\n";
}

TEST(IterationsThatDoNotConverge, are_taken_and_counted_where_the_file_says_so) {
    const CommandFolder folder;
    folder.write("s.toml", impatient("on_failure = \"go_on\"\n"));
    const Said said = folder.tandem("run s.toml --output o.csv");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.err,
                HasSubstr("in 10 of 10 steps, the first from 0 on, the iteration of 'a'"));
    EXPECT_NEAR(read_csv_results(folder / "o.csv")["a.y"].back(), std::exp(-1.0) * std::cos(1.0),
                0.02);
}

TEST(IterationsThatDoNotConverge, end_the_run_where_the_file_says_so) {
    const CommandFolder folder;
    folder.write("s.toml", impatient("on_failure = \"stop\"\n"));
    const Said said = folder.tandem("run s.toml --output o.csv");
    EXPECT_EQ(said.code, 1) << said.err;
    EXPECT_THAT(said.err, HasSubstr("the step from 0 to 0.1 did not converge"));
    EXPECT_THAT(said.err, Not(HasSubstr("shorter one")));
}

}  // namespace
}  // namespace tandem::test
