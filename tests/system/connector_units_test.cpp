#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/command_folder.hpp"
#include "support/result_files.hpp"

// A model in degC inside a system whose connectors are in K, and what is outside sees K.
namespace tandem::test {
namespace {

using ::testing::HasSubstr;

constexpr double celsius = 26.85;  // 300 K

const std::string inner =
    "connections = [\"warm -> f.float64_in\", \"f.float64_out -> hot\"]\n"
    "[systems.n.subsystems.f]\nsource = \"fmus/native/Feedthrough.so\"\n";
const std::string outer =
    "[experiment]\nstop = 1\nstep = 0.25\n[coupling]\nmethod = \"aggregate\"\n"
    "[subsystems.seen]\nsource = \"fmus/native/Polynomial.so\"\n"
    "[record]\nvariables = [\"seen.u1\", \"n.f.float64*\"]\n[systems.n]\n";
const std::string connectors =
    "connectors = { warm = { kind = \"input\", unit = \"K\" }, hot = { kind = \"output\", unit = "
    "\"K\" } }\n";

Table run(const std::string& text) {
    const CommandFolder folder;
    folder.write("s.toml", text);
    const Said said = folder.tandem("run s.toml --output o.csv");
    EXPECT_EQ(said.code, 0) << said.err;
    return read_csv_results(folder / "o.csv");
}

TEST(Connectors, named_in_a_list_and_in_a_table_are_one) {
    Table results = run(outer + "inputs = [\"warm\"]\noutputs = [\"hot\"]\n" + connectors + inner +
                        "[[sources]]\ntarget = \"n.warm\"\nexpression = \"300\"\n"
                        "[[connections]]\nfrom = \"n.hot\"\nto = \"seen.u1\"\n");
    EXPECT_NEAR(results["n.f.float64_in"].back(), celsius, 1e-10);
    EXPECT_NEAR(results["seen.u1"].back(), 300.0, 1e-10);
}

TEST(Connectors, declared_twice_in_different_ways_are_refused) {
    const CommandFolder folder;
    folder.write("s.toml", outer + "outputs = [\"warm\"]\n" + connectors + inner);
    const Said said = folder.tandem("check s.toml");
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.out + said.err, HasSubstr("the connector 'warm' is declared twice"));
}

TEST(Connectors, show_functions_their_unit) {
    Table results = run(outer + connectors + inner +
                        "[[sources]]\ntarget = \"n.warm\"\nexpression = \"300\"\n"
                        "[[functions]]\ntarget = \"seen.u1\"\nexpression = \"2*a\"\nsignals = { a "
                        "= \"n.hot\" }\n");
    EXPECT_NEAR(results["n.f.float64_in"].back(), celsius, 1e-10);
    EXPECT_NEAR(results["seen.u1"].back(), 600.0, 1e-10);
}

TEST(Connectors, show_events_their_unit) {
    Table results = run(outer + connectors + inner +
                        "[[events]]\ntimes = [0.5]\nactions = { \"n.warm\" = \"300\" }\n"
                        "[[events]]\ntimes = [0.75]\nsignals = { a = \"n.hot\" }\nactions = { "
                        "\"seen.u1\" = \"2*a\" }\n");
    EXPECT_NEAR(results["n.f.float64_in"].back(), celsius, 1e-10);
    EXPECT_NEAR(results["seen.u1"].back(), 600.0, 1e-10);
}

TEST(Connectors, give_parameters_their_unit) {
    Table results = run(outer + connectors + "parameters = { warm = 300 }\n" + inner);
    EXPECT_NEAR(results["n.f.float64_in"].back(), celsius, 1e-10);
}

// 50 degC, twice, and one: 2 * 323.15 + 1.
TEST(Connectors, show_functions_what_connections_before_them_do) {
    Table results =
        run(outer + connectors +
            "connections = [\"warm -> f.float64_in\", { from = \"f.float64_out\", to = \"hot\", "
            "factor = 2, offset = 1 }]\n[systems.n.subsystems.f]\nsource = "
            "\"fmus/native/Feedthrough.so\"\nparameters = { float64_in = 50 }\n"
            "[[functions]]\ntarget = \"seen.u1\"\nexpression = \"a\"\nsignals = { a = \"n.hot\" "
            "}\n");
    EXPECT_NEAR(results["seen.u1"].back(), 647.3, 1e-9);
}

}  // namespace
}  // namespace tandem::test
