#pragma once

#include <fstream>

#include "support/program_folder.hpp"
#include "support/result_files.hpp"

namespace tandem::test {

/// A system with an unruly FMU (support/fmus/unruly.cpp) between two that behave.
class UnrulySystem : public ProgramFolder {
public:
    /// `kind` is one of fmi1_cs, fmi1_me, fmi2_cs, ...
    UnrulySystem(const std::string& kind, const std::string& deed) {
        const std::string version = kind.starts_with("fmi1") ? kind : kind.substr(0, 4);
        const std::string fmu = TANDEM_ODD_FMUS "/Unruly_" + version + ".fmu";
        std::ofstream(*this / "system.toml")
            << "[experiment]\nstop = 1.0\nstep = 0.1\n"
            << "[subsystems.before]\nsource = \"" TANDEM_FMU_DIR "/LinearOde_fmi2.fmu\"\n"
            << "kind = \"cs\"\nparameters = { a = -1, x = 0.7, u = 0 }\n"
            << "[subsystems.bad]\nsource = \"" << fmu << "\"\nkind = \"" << kind.substr(5)
            << "\"\nparameters = { deed = \"" << deed << "\" }\n"
            << "[subsystems.after]\nsource = \"" << fmu << "\"\nkind = \"" << kind.substr(5)
            << "\"\nparameters = { deed = \"divide\", at = 0.65 }\n";
    }

    int run(const std::string& results = "out.csv", const std::vector<std::string>& more = {}) {
        return test::finish_tandem(start_run(results, more));
    }
    pid_t start_run(const std::string& results, const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments = {"run", "system.toml", "--output", results};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return start(arguments);
    }
    Table results(const std::string& name = "out.csv") const {
        return read_results(*this / name, columns);
    }

    const std::vector<std::string> columns = {"time", "before.y", "bad.x", "after.x"};
};

/// The rows at 0, 0.1, ..., and x = t of the unruly FMU. The deed is in the step from 0.4 to 0.5.
inline void expect_unruly_rows(const UnrulySystem& system, std::size_t least,
                               const std::string& name = "out.csv") {
    Table table = system.results(name);
    ASSERT_GE(table.size(), system.columns.size());
    const std::vector<double>& time = table["time"];
    ASSERT_GE(time.size(), least);
    for (const std::string& column : system.columns)
        ASSERT_EQ(table[column].size(), time.size()) << column;
    for (std::size_t k = 0; k < time.size(); ++k) {
        ASSERT_NEAR(time[k], 0.1 * static_cast<double>(k), 1e-12);
        ASSERT_NEAR(table["bad.x"][k], time[k], 1e-9);  // every solver is exact, but for rounding
    }
}

}  // namespace tandem::test
