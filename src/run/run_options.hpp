#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tandem/extend/options.hpp"

namespace tandem::run {

/// What a user may choose for a run, in one place: the command line, the C++ interface, the record
/// of a run and the documentation read describe(). What is left out comes from the file, or from
/// the FMU.
struct RunOptions {
    std::optional<double> start, stop, step, tolerance;
    bool retry = false;                ///< states are saved before each step, to repeat it shorter
    bool units = false;                ///< in the header of CSV files
    std::string input;                 ///< table; in a system with columns subsystem.variable
    std::vector<std::string> set;      ///< name=value
    std::vector<std::string> record;   ///< patterns
    std::vector<std::string> outputs;  ///< files of results
    // An FMU alone
    std::string kind, solver;
    std::optional<double> solver_step, first_step;
    std::vector<std::string> absolute_tolerance;  ///< a number for all states, or name=value
    std::vector<std::string> nominal;             ///< likewise, of variables
    std::optional<int> max_order, max_steps;
    // Systems
    std::string coupling, step_control, exchange;
    std::vector<std::string> options, step_options;  ///< name=value
    std::vector<std::string> plugins;
    double realtime = 0.0;  ///< simulated per wall second; 0: as fast as possible
    std::optional<int> threads;
    bool stop_on_instability = false;
};

struct RunOption {
    enum class For { all, one_fmu, systems };

    OptionSpec spec;
    For model = For::all;
    const char* value = "";  ///< as a help text names it: "TIME", "NAME=VALUE"
    const char* group = "";  ///< heading in a help text
};
std::vector<RunOption> describe(RunOptions& options);

/// Those that are not as a RunOptions begins, with their values, as the command line names them:
/// "step-control".
std::vector<GivenOption> chosen_options(const RunOptions& options);
/// The same for those of such models only.
std::vector<std::string> chosen_names(const RunOptions& options, RunOption::For model);

/// "--step-control"
std::string flag_of(const RunOption& option);

}  // namespace tandem::run
