#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace tandem::cli {

/// What `tandem` returns to the shell.
enum ExitCode : int {
    fine = 0,
    run_failed = 1,
    wrong_input = 2,
    not_credible = 3,
    interrupted = 130
};

using Action = std::function<int()>;

/// Each adds one verb to the command line; the chosen verb puts its work into `action`. `words` are
/// the whole command line, for the record of the run.
void add_info(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_couplings(CLI::App& app, Action& action);
void add_graph(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action, std::vector<std::string> words);
void add_linearise(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_plot(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_import(CLI::App& app, Action& action);
void add_compile(CLI::App& app, Action& action);

}  // namespace tandem::cli
