// Files that drive inputs and tunable parameters of an FMU or of a system, in their own units.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/command_folder.hpp"
#include "support/result_files.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Rows at 0, 500 and 1000 ms; temperatures rise from 20 to 40 degrees.
std::string table(const std::string& prefix) {
    std::string header = "time [ms]";
    for (const char* column :
         {"float64_in [K]", "int32_in", "boolean_in", "enumeration_in", "tunable_parameter"})
        header += "," + prefix + column;
    return header +
           "\n0,293.15,1,true,slow,2\n500,303.15,2,false,fast,5\n1000,313.15,3,true,off,7\n";
}

/// Real inputs follow lines, everything else the last row.
void expect_followed(const CommandFolder& folder, const std::string& prefix) {
    auto results = read_csv_results(folder / "o.csv");
    const std::vector<double>& time = results["time"];
    ASSERT_GE(time.size(), 11U);
    for (std::size_t k = 0; k < time.size(); ++k) {
        const bool is_last = k + 1 == time.size();
        if (time[k] == 0.5 || (time[k] == 1.0 && !is_last)) continue;  // both sides of jumps
        const std::size_t row = is_last ? 2 : time[k] < 0.5 ? 0 : 1;
        EXPECT_NEAR(results[prefix + "float64_out"][k], 20.0 + 20.0 * time[k], 1e-9) << time[k];
        EXPECT_EQ(results[prefix + "int32_out"][k], static_cast<double>(row + 1)) << time[k];
        EXPECT_EQ(results[prefix + "boolean_out"][k], row == 1 ? 0.0 : 1.0) << time[k];
        EXPECT_EQ(results[prefix + "enumeration_out"][k], row == 0 ? 2.0 : row == 1 ? 3.0 : 1.0);
        EXPECT_EQ(results[prefix + "tunable_parameter"][k], row == 0 ? 2.0 : row == 1 ? 5.0 : 7.0);
    }
}

const char* const recorded =
    " --record '*_out' --record '*tunable_parameter' --stop 1 --step 0.1 --output o.csv";

TEST(InputFiles, drive_types_units_and_tunable_parameters_of_an_fmu) {
    for (const std::string fmu : {"Feedthrough_fmi3", "Feedthrough_fmi2"})
        for (const std::string kind : {"cs", "me"}) {
            const CommandFolder folder;
            folder.write("in.csv", table(""));
            const Said said = folder.tandem("run fmus/" + fmu + ".fmu --kind " + kind +
                                            " --input in.csv" + recorded);
            ASSERT_EQ(said.code, 0) << said.err;
            SCOPED_TRACE(fmu + " " + kind);
            expect_followed(folder, "");
        }
}

TEST(InputFiles, drive_subsystems_of_asystem) {
    for (const std::string kind : {"cs", "me"})
        for (const std::string coupling : {"auto", "jacobi"}) {
            const CommandFolder folder;
            folder.write("in.csv", table("f."));
            folder.write("s.toml",
                         "[subsystems.f]\nsource = \"fmus/Feedthrough_fmi3.fmu\"\nkind = \"" +
                             kind + "\"\n");
            const Said said =
                folder.tandem("run s.toml --input in.csv --coupling " + coupling + recorded);
            ASSERT_EQ(said.code, 0) << said.err;
            EXPECT_THAT(said.err, Not(HasSubstr("may lose")));
            SCOPED_TRACE(kind + " " + coupling);
            expect_followed(folder, "f.");
        }
}

TEST(InputFiles, beat_start_values_without_awarning_that_these_were_not_kept) {
    for (const std::string kind : {"cs", "me"}) {
        const CommandFolder folder;
        folder.write("in.csv", "time,tunable_parameter\n0,2\n1,2\n");
        const Said alone = folder.tandem("run fmus/Feedthrough_fmi2.fmu --input in.csv --kind " +
                                         kind + " --set tunable_parameter=9" + recorded);
        ASSERT_EQ(alone.code, 0) << alone.err;
        EXPECT_THAT(alone.err, Not(HasSubstr("did not keep")));
        EXPECT_EQ(read_csv_results(folder / "o.csv")["tunable_parameter"].front(), 2.0);
        folder.write("in.csv", "time,f.tunable_parameter\n0,2\n1,2\n");
        folder.write("s.toml", "[subsystems.f]\nsource = \"fmus/Feedthrough_fmi2.fmu\"\nkind = \"" +
                                   kind + "\"\nparameters = { tunable_parameter = 9 }\n");
        const Said system = folder.tandem(std::string("run s.toml --input in.csv") + recorded);
        ASSERT_EQ(system.code, 0) << system.err;
        EXPECT_THAT(system.err, Not(HasSubstr("did not keep")));
        EXPECT_EQ(read_csv_results(folder / "o.csv")["f.tunable_parameter"].front(), 2.0);
    }
}

TEST(InputFiles, of_systems_name_their_mistakes) {
    const CommandFolder folder;
    folder.write("s.toml", "[subsystems.f]\nsource = \"fmus/Feedthrough_fmi3.fmu\"\n");
    const auto refusal = [&](const std::string& header) {
        folder.write("in.csv", header + "\n0,1\n1,2\n");
        const Said said = folder.tandem("run s.toml --stop 1 --input in.csv");
        EXPECT_EQ(said.code, 2);
        return said.err;
    };
    EXPECT_THAT(refusal("time,g.float64_in"),
                HasSubstr("column 'g.float64_in' names no subsystem"));
    EXPECT_THAT(refusal("time,f.float64_inn"), HasSubstr("float64_inn"));
    EXPECT_THAT(refusal("time,f.fixed_parameter"), HasSubstr("is a parameter"));
    EXPECT_THAT(refusal("time,f.float64_in [kg]"), HasSubstr("kg"));
}

/// A table t, with that header and rows from 0.2 to 0.5 s, feeds a model without units.
std::string fed_by_table(const CommandFolder& folder, const std::string& header) {
    folder.write("t.csv", header + "\n0.2,1\n0.5,2\n");
    folder.write("s.toml",
                 "connections = [\"t.u -> f.u\"]\n[subsystems.t]\nsource = \"t.csv\"\n"
                 "[subsystems.f]\nsource = \"fmus/LinearOde_fmi2.fmu\"\nkind = \"cs\"\n");
    return "run s.toml --step 0.1 --output o.csv";
}

TEST(InputFiles, and_tables_that_do_not_cover_the_run_are_named) {
    const CommandFolder folder;
    const std::string command = fed_by_table(folder, "time,u");
    const std::string outside = "covers 0.2 to 0.5, the run is 0 to 1; the first and last values";
    const Said system = folder.tandem(command + " --stop 1");
    EXPECT_EQ(system.code, 0);
    EXPECT_THAT(system.err, HasSubstr("table 't': " + outside));
    EXPECT_THAT(folder.tandem(command + " --start 0.2 --stop 0.5").err, Not(HasSubstr("covers")));
    const Said alone = folder.tandem(
        "run fmus/LinearOde_fmi2.fmu --stop 1 --step 0.1 --input t.csv --output o.csv");
    EXPECT_THAT(alone.err, HasSubstr("t.csv: " + outside));
    folder.write("driven.csv", "time,f.u\n0.2,1\n0.5,2\n");
    folder.write("d.toml", "[subsystems.f]\nsource = \"fmus/LinearOde_fmi2.fmu\"\nkind = \"cs\"\n");
    const Said driven =
        folder.tandem("run d.toml --stop 1 --step 0.1 --input driven.csv --output o.csv");
    EXPECT_THAT(driven.err, HasSubstr("table 'input': " + outside));
}

TEST(InputFiles, and_values_whose_units_meet_none_are_named) {
    const CommandFolder folder;
    const std::string unmet = "variables without a unit take numbers as they are: ";
    const std::string command = fed_by_table(folder, "time,u [bar]") + " --stop 1";
    EXPECT_THAT(folder.tandem(command).err, HasSubstr(unmet + "t.u in 'bar' -> f.u\n"));
    const Said alone = folder.tandem(
        "run fmus/LinearOde_fmi2.fmu --stop 1 --step 0.1 --input t.csv --output o.csv");
    EXPECT_THAT(alone.err, HasSubstr(unmet + "u in 'bar'\n"));
    for (const std::string header : {"time,u", "time,u [1]"})
        EXPECT_THAT(folder.tandem(fed_by_table(folder, header) + " --stop 1").err,
                    Not(HasSubstr("without a unit")));
    folder.write("c.toml",
                 "[[connections]]\nfrom = \"t.u\"\nto = \"f.u\"\nfactor = 1e5\n"
                 "[subsystems.t]\nsource = \"t.csv\"\n"
                 "[subsystems.f]\nsource = \"fmus/LinearOde_fmi2.fmu\"\nkind = \"cs\"\n");
    folder.write("t.csv", "time,u [bar]\n0,1\n1,2\n");
    EXPECT_THAT(folder.tandem("run c.toml --stop 1 --output o.csv").err,
                Not(HasSubstr("without a unit")))
        << "it is converted by hand";
    folder.write("p.toml",
                 "[subsystems.f]\nsource = \"fmus/LinearOde_fmi2.fmu\"\nkind = \"cs\"\n"
                 "parameters = { x = { value = 1, unit = \"bar\" } }\n");
    EXPECT_THAT(folder.tandem("run p.toml --stop 1 --output o.csv").err,
                HasSubstr("parameter f.x: the variable has no unit, so the value in 'bar' is taken "
                          "as it is"));
}

}  // namespace
}  // namespace tandem::test
