#include <csignal>
#include <cstdio>
#include <exception>
#include <new>

#include <fmt/format.h>

#include "base/visible.hpp"
#include "command_line.hpp"
#include "files/csv_writer.hpp"
#include "process/process_guard.hpp"
#include "supervisor.hpp"
#include "tandem/error.hpp"
#include "tandem/version.hpp"
#include "terminal.hpp"
#include "verbs.hpp"

namespace tandem::cli {
namespace {

constexpr const char* epilogue =
    "Examples:\n"
    "  tandem info ball.fmu                     what is in the FMU\n"
    "  tandem check ball.fmu                    is the FMU in order\n"
    "  tandem run ball.fmu --stop 3 --output -  run it, results to standard output\n"
    "  tandem run car.toml --report car.html    run a coupled system, with a report\n"
    "  tandem graph car.toml                    who feeds whom in it: order and cycles\n"
    "  tandem linearise car.toml --eigen        its matrices and eigenvalues at a time\n"
    "  tandem import OspSystemStructure.xml     a system file from that of another tool\n"
    "  tandem compile ball.fmu                  an FMU with a binary, from one with sources\n"
    "\n"
    "Exit codes: 0 fine, 1 the run failed, 2 the input is wrong, 3 the run is not credible\n"
    "(its coupling is unstable), 130 interrupted.\n"
    "'tandem VERB --help' explains a verb.";

int complain(const std::exception& error, int code) {
    check_process();
    std::fflush(stdout);
    say("{} {}\n", Style(stderr).bad("error:"), visible(error.what()));
    return code;
}

/// Every error of every verb becomes words and an exit code here, and nowhere else.
int perform(const Action& action) {
    try {
        return action();
    } catch (const InputError& error) {
        return complain(error, wrong_input);
    } catch (const std::bad_alloc&) {
        return complain(std::runtime_error("out of memory"), run_failed);
    } catch (const std::exception& error) {
        return complain(error, run_failed);
    }
}

int parse_and_perform(int argc, char** argv) {
    CLI::App app{"Tandem runs and couples simulation models: FMUs of FMI 1.0, 2.0 and 3.0."};
    app.name("tandem");
    app.set_version_flag("--version", "tandem " TANDEM_VERSION, "Show the version and leave");
    app.set_help_flag("-h,--help", "Show this help and leave");
    app.footer(epilogue);
    app.require_subcommand(0, 1);
    app.get_formatter()->column_width(34);
    Action action = [&app] {
        std::fputs(app.help().c_str(), stdout);
        return static_cast<int>(wrong_input);
    };
    add_info(app, action);
    add_check(app, action);
    add_graph(app, action);
    add_couplings(app, action);
    add_run(app, action, {argv, argv + argc});
    add_linearise(app, action);
    add_report(app, action);
    add_plot(app, action);
    add_compare(app, action);
    add_export(app, action);
    add_import(app, action);
    add_compile(app, action);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);
        say("{} {}\n", Style(stderr).bad("error:"), parse_complaint(app, error));
        return wrong_input;
    }
    return perform(action);
}

}  // namespace
}  // namespace tandem::cli

int main(int argc, char** argv) {
    // A closed pipe and a file that must not grow are errors of write(), not a death.
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
    return tandem::cli::supervised([&] { return tandem::cli::parse_and_perform(argc, argv); });
}
