// What cannot be read is not recorded, and a line says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "support/command_folder.hpp"
#include "support/result_files.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// support/fmus/foreign_fmi2.cpp: dx/dt = k u, y = x, z = x + g u.
const std::string foreign = TANDEM_ODD_FMUS "/Foreign.fmu";
const std::string line =
    "warning: not recorded, because the FMU does not let it be read (clocks: in event mode only): ";

std::string header_of(const std::string& text) { return text.substr(0, text.find('\n')); }
std::string header(const CommandFolder& folder) { return header_of(read_bytes(folder / "o.csv")); }

/// The FMU of that habit with the input of a ramp u = t.
std::string driven(const std::string& habit, const std::string& coupling) {
    return "[experiment]\nstop = 1\nstep = 0.1\n[coupling]\nmethod = \"" + coupling +
           "\"\n[subsystems." + habit + "]\nsource = \"" + foreign +
           "\"\n[subsystems.ramp]\nsource = \"fmus/LinearOde_fmi2.fmu\"\nkind = \"cs\"\n"
           "parameters = { a = 0, b = 1, u = 1 }\n"
           "[[connections]]\nfrom = \"ramp.y\"\nto = \"" +
           habit + ".u\"\n";
}

TEST(Unreadable, variables_are_left_out_of_the_results_of_an_fmu) {
    for (const auto& [habit, name, kept] : {std::tuple{"hides_state", "x", "time,u,y,k,g,z"},
                                            std::tuple{"hides_inputs", "u", "time,y,k,x,g,z"}}) {
        const CommandFolder folder;
        const std::string fmu = std::string(habit) + ".fmu";
        std::filesystem::copy_file(foreign, folder / fmu);
        const std::string run = "run " + fmu + " --record '*' --stop 1 --output ";
        const Said said = folder.tandem(run + "o.csv");
        EXPECT_EQ(said.code, 0) << said.err;
        EXPECT_EQ(header(folder), kept);
        EXPECT_THAT(said.err, HasSubstr(line + name + "\n"));
        EXPECT_NEAR(read_csv_results(folder / "o.csv")["y"].back(), 1.0, 1e-12);
        const Said printed = folder.tandem(run + "-");
        EXPECT_EQ(header_of(printed.out), kept);
        EXPECT_THAT(printed.out.substr(printed.out.find('\n')), Not(HasSubstr("time")));
    }
}

TEST(Unreadable, outputs_that_nobody_needs_do_not_end_a_run) {
    const CommandFolder folder;
    std::filesystem::copy_file(foreign, folder / "hides_output.fmu");
    const Said alone = folder.tandem("run hides_output.fmu --set u=2 --stop 1 --output o.csv");
    EXPECT_EQ(alone.code, 0) << alone.err;
    EXPECT_THAT(alone.err, HasSubstr(line + "z\n"));
    EXPECT_EQ(header(folder), "time,y");
    EXPECT_NEAR(read_csv_results(folder / "o.csv")["y"].back(), 2.0, 1e-12);
    EXPECT_THAT(folder.tandem("run hides_output.fmu --record y --stop 1 --output o.csv").err,
                Not(HasSubstr("not recorded")));
    // What can be read is still looked at: x = 1e308 t / 0.1.
    const Said beyond = folder.tandem(
        "run hides_output.fmu --set u=1e308 --set k=10 --stop 1 --step 0.1 --output o.csv");
    EXPECT_EQ(beyond.code, 1) << beyond.err;
    EXPECT_THAT(beyond.err, HasSubstr("gave a value for output y that is no finite number"));
}

// x = t is not to be read from 0.4 to 0.6.
TEST(Unreadable, states_are_no_numbers_where_they_cannot_be_read_and_are_asked_again) {
    const CommandFolder folder;
    std::filesystem::copy_file(foreign, folder / "hides_at_times.fmu");
    const Said said = folder.tandem(
        "run hides_at_times.fmu --record x --record y --set u=1 --stop 1 --step 0.1 --output "
        "o.csv");
    EXPECT_THAT(said.err, HasSubstr("the FMU does not let x be read at all times; NaN is used"));
    EXPECT_THAT(said.err, HasSubstr("values are no finite numbers: x from t = 0.4 on"));
    auto results = read_csv_results(folder / "o.csv");
    for (std::size_t row = 0; row < 11; ++row)
        if (row < 4 || row > 6)
            EXPECT_NEAR(results["x"][row], 0.1 * static_cast<double>(row), 1e-12);
        else
            EXPECT_TRUE(std::isnan(results["x"][row])) << row;
}

TEST(Unreadable, variables_are_left_out_of_the_results_of_a_system) {
    const CommandFolder folder;
    folder.write("s.toml", driven("hides_state", "jacobi"));
    for (const std::string format : {"csv", "mat", "h5"}) {
        const Said said = folder.tandem("run s.toml --record '*' --output o." + format);
        EXPECT_EQ(said.code, 0) << said.err;
        EXPECT_THAT(said.err, HasSubstr(line + "hides_state.x\n"));
        auto results = read_results(folder / ("o." + format), {"time", "hides_state.y", "ramp.y"});
        EXPECT_EQ(results["ramp.y"].size(), 11U) << format;
        EXPECT_NEAR(results["ramp.y"].back(), 1.0, 1e-9) << format;
        EXPECT_EQ(read_bytes(folder / ("o." + format)).find("hides_state.x"), std::string::npos);
        EXPECT_THAT(read_bytes(folder / "run.json"), Not(HasSubstr("\"hides_state.x\"")));
    }
    EXPECT_THAT(header(folder), HasSubstr("time,hides_state.u,hides_state.y,hides_state.k,"
                                          "hides_state.g,hides_state.z,ramp."));
}

// The ramp is t: what a step was given lies between its values at the start and the end of it.
TEST(Unreadable, inputs_that_are_driven_have_the_values_they_are_set_to) {
    for (const std::string coupling : {"jacobi", "gauss_seidel", "iterative", "predictor"}) {
        const CommandFolder folder;
        folder.write("s.toml", driven("hides_inputs", coupling));
        const Said said = folder.tandem("run s.toml --record '*' --output o.csv");
        EXPECT_EQ(said.code, 0) << said.err;
        EXPECT_THAT(said.err, Not(HasSubstr("not recorded")));
        EXPECT_THAT(said.err, HasSubstr("hides_inputs: the FMU does not let u be read; the value "
                                        "it was set to last, or its start value, is used"));
        auto results = read_csv_results(folder / "o.csv");
        const std::vector<double>& t = results["time"];
        const std::vector<double>& u = results["hides_inputs.u"];
        ASSERT_EQ(u.size(), 11U);
        EXPECT_EQ(u[0], 0.0) << coupling;
        for (std::size_t k = 1; k < u.size(); ++k) {
            EXPECT_GE(u[k], t[k] - 0.1 - 1e-9) << coupling;
            EXPECT_LE(u[k], t[k] + 1e-9) << coupling;
        }
    }
}

TEST(Unreadable, inputs_of_a_table_have_its_values) {
    const CommandFolder folder;
    std::filesystem::copy_file(foreign, folder / "hides_inputs.fmu");
    folder.write("in.csv", "time,u\n0,2\n1,2\n");
    const Said said =
        folder.tandem("run hides_inputs.fmu --input in.csv --record '*' --stop 1 --output o.csv");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.err, HasSubstr("does not let u be read; the value it was set to last"));
    EXPECT_EQ(read_csv_results(folder / "o.csv")["u"].back(), 2.0);
    const Said set =
        folder.tandem("run hides_inputs.fmu --set u=3 --record u --stop 1 --output o.csv");
    EXPECT_EQ(set.code, 0) << set.err;
    EXPECT_EQ(read_csv_results(folder / "o.csv")["u"].back(), 3.0);
}

/// i is 1, 2, 3 and b true, false, true from t = 0, 0.3, 0.6 on.
std::string steps_of(const std::string& i, const std::string& b) {
    return "time," + i + "," + b + "\n0,1,true\n0.3,2,false\n0.6,3,true\n1,3,true\n";
}

/// support/fmus/hides_typed_fmi2.cpp; one side of each jump is as good as the other.
void expect_steps(const CommandFolder& folder, const std::string& prefix) {
    auto results = read_csv_results(folder / "o.csv");
    const std::vector<double>& t = results["time"];
    ASSERT_GE(t.size(), 11U);
    for (std::size_t k = 0; k < t.size(); ++k) {
        if (std::abs(t[k] - 0.3) < 1e-9 || std::abs(t[k] - 0.6) < 1e-9) continue;
        const double i = t[k] < 0.3 ? 1.0 : t[k] < 0.6 ? 2.0 : 3.0;
        for (const char* name : {"i", "i_out"}) EXPECT_EQ(results[prefix + name][k], i) << t[k];
        for (const char* name : {"b", "b_out"})
            EXPECT_EQ(results[prefix + name][k], i == 2.0 ? 0.0 : 1.0) << t[k];
    }
    EXPECT_NEAR(results[prefix + "y"].back(), 0.3 * 1.0 + 0.4 * 3.0, 1e-12);
}

const std::string typed = TANDEM_ODD_FMUS "/HidesTyped.fmu";

TEST(Unreadable, integers_and_booleans_of_a_table_have_its_values) {
    const CommandFolder folder;
    folder.write("in.csv", steps_of("i", "b"));
    const Said said = folder.tandem("run " + typed +
                                    " --input in.csv --record '*' --stop 1 --step 0.1 --output "
                                    "o.csv");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_THAT(said.err, HasSubstr("does not let i be read; the value it was set to last"));
    EXPECT_THAT(said.err, HasSubstr("does not let b be read; the value it was set to last"));
    expect_steps(folder, "");
}

TEST(Unreadable, integers_and_booleans_that_are_connected_have_the_values_they_are_set_to) {
    const CommandFolder folder;
    folder.write("steps.csv", steps_of("i", "b"));
    folder.write("s.toml",
                 "connections = [\"steps.i -> f.i\", \"steps.b -> f.b\"]\n[experiment]\nstop = "
                 "1\nstep = 0.1\n[subsystems.steps]\nsource = \"steps.csv\"\n[subsystems.f]\n"
                 "source = \"" +
                     typed + "\"\n");
    for (const std::string coupling : {"jacobi", "gauss_seidel", "iterative"}) {
        const Said said =
            folder.tandem("run s.toml --record 'f.*' --output o.csv --coupling " + coupling);
        EXPECT_EQ(said.code, 0) << said.err;
        SCOPED_TRACE(coupling);
        expect_steps(folder, "f.");
    }
}

TEST(Unreadable, clocks_are_not_recorded) {
    const CommandFolder folder;
    for (const std::string kind : {"cs", "me"}) {
        const Said alone = folder.tandem("run fmus/ClockedCounter_fmi3.fmu --record '*' --kind " +
                                         kind + " --output o.csv");
        EXPECT_EQ(alone.code, 0) << alone.err;
        EXPECT_THAT(alone.err, HasSubstr(line + "tick, carry\n"));
        EXPECT_EQ(header(folder), "time,count,tens");
        EXPECT_EQ(read_csv_results(folder / "o.csv")["tens"].back(), 3.0);
    }
    folder.write("s.toml",
                 "[experiment]\nstop = 1\n[subsystems.a]\nsource = "
                 "\"fmus/ClockedCounter_fmi3.fmu\"\n");
    EXPECT_THAT(folder.tandem("run s.toml --record '*' --output o.csv").err,
                HasSubstr(line + "a.tick, a.carry\n"));
    EXPECT_EQ(header(folder), "time,a.count,a.tens");
    EXPECT_THAT(folder.tandem("run s.toml --output o.csv").err, Not(HasSubstr("not recorded")));
}

}  // namespace
}  // namespace tandem::test
